//! An attacker who sees answers: he put in the keys himself, asks for absent ones until some are
//! answered `true`, and goes on from these.
//!
//! *Replay*: he asks for them again. No hash helps: a filter's answers do not change; a rebuilt one
//! has other false positives. *Relatives*: he had put in keys in pairs that differ by a fixed
//! pattern, for which XXH3 has hashes that are related under every seed
//! (`hashes_of_relatives_differ_by_one_of_few_constants`); where two hashes agree in what a filter
//! keeps of them, those of their relatives often do.

use super::page::Table;
use super::victim::{Under, Victim};
use super::xxh3::relative;
use super::{KEYS, as_by_chance, percent, rate, stream};
use amq::{AnyFilter, FilterKind};

/// False positives that he finds.
const FOUND: usize = 5000;

/// Of the false positives of a filter of his keys: the share of them that is answered `true` when
/// asked again, by the same filter and by one rebuilt under another secret; that of their
/// relatives; and that of all absent keys.
fn played(kind: FilterKind, under: Under) -> [f64; 4] {
    let pairs = stream(10).take(KEYS as usize / 2);
    let own: Vec<u64> = pairs.flat_map(|key| [key, relative(key)]).collect();
    let victim = Victim::holding(kind, under, &own).unwrap();
    let found: Vec<u64> = stream(11).filter(|&key| victim.contains(key)).take(FOUND).collect();
    let rebuilt = Victim::holding(kind, under.renewed(), &own).unwrap();
    let share = |victim: &Victim, keys: &mut dyn Iterator<Item = u64>| {
        keys.filter(|&key| victim.contains(key)).count() as f64 / FOUND as f64
    };
    [
        share(&victim, &mut found.iter().copied()),
        share(&rebuilt, &mut found.iter().copied()),
        share(&victim, &mut found.iter().map(|&key| relative(key))),
        rate(&victim),
    ]
}

#[test]
fn a_key_breaks_relations_and_only_rebuilding_ends_replay() {
    let mut table = Table::new([
        "filter",
        "the same key again",
        "after rebuilding",
        "its relative: secret seed (no PRF)",
        "its relative: secret key",
    ]);
    for &kind in AnyFilter::KINDS {
        let [secret, keyed] = [Under::SECRET, Under::KEYED].map(|under| played(kind, under));
        let by_chance = |share, rate| as_by_chance(share, rate, FOUND as u64);
        for [again, rebuilt, _, rate] in [secret, keyed] {
            assert_eq!(again, 1.0, "{kind}");
            assert!(by_chance(rebuilt, rate), "{kind}: {rebuilt}");
        }
        assert!(by_chance(keyed[2], keyed[3]), "{kind}: {keyed:?}");
        match kind {
            FilterKind::Cuckoo | FilterKind::WindowedCuckoo => {
                assert!((0.1..0.5).contains(&secret[2]), "{kind}: {secret:?}");
            }
            FilterKind::Quotient | FilterKind::ExpandableQuotient => {
                assert!((0.2..0.6).contains(&secret[2]), "{kind}: {secret:?}");
            }
            _ => assert!(by_chance(secret[2], secret[3]), "{kind}: {secret:?}"),
        }
        let shares = [keyed[0], keyed[1], secret[2], keyed[2]].map(percent);
        table.row([kind.name(), &shares[0], &shares[1], &shares[2], &shares[3]]);
    }
    table.check("answers");
}
