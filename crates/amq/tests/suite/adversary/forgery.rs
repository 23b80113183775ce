//! Forgery: absent keys that the filter answers `true` for, found offline, and what it costs to
//! find one; and, where keys can be removed, the keys of others that are denied once the forged
//! ones are removed.
//!
//! He knows the honest keys and makes the filter himself, under the public seed. For each key to
//! forge he first tries the two hashes next to that of an honest key (one bit of the lower half
//! apart, then one of the upper), and then any.

use super::page::Table;
use super::victim::{Under, Victim};
use super::xxh3::key_of;
use super::{as_by_chance, honest, percent, rate, stream};
use amq::{Abilities, AnyFilter, DEFAULT_SEED, FilterKind};

/// Keys to forge.
const FORGED: usize = 5000;

/// Forged keys, and the hashes that were evaluated for them.
fn forged(kind: FilterKind) -> (Vec<u64>, u64) {
    let own = Victim::holding(kind, Under::PUBLIC, &honest()).unwrap();
    let (mut random, mut evaluations) = (stream(9), 0);
    let keys = honest().into_iter().take(FORGED).map(|honest| {
        let hash = Under::PUBLIC.hash(honest).get();
        let near = [hash ^ 1, hash ^ 1 << 32];
        let mut candidates = near.into_iter().chain(&mut random);
        let found = candidates.find(|&hash| {
            evaluations += 1;
            own.contains_hash(hash)
        });
        key_of(found.unwrap(), DEFAULT_SEED)
    });
    let keys = keys.collect();
    (keys, evaluations)
}

/// The share of the forged keys that the filter answers `true` for, and the honest keys that it
/// denies once they are removed.
fn played(kind: FilterKind, under: Under, forged: &[u64]) -> (f64, Option<u64>) {
    let mut victim = Victim::holding(kind, under, &honest()).unwrap();
    let found = forged.iter().filter(|&&key| victim.contains(key)).count();
    let denied = Abilities::of(kind).remove.then(|| {
        for &key in forged {
            victim.remove(key);
        }
        honest().iter().filter(|&&key| !victim.contains(key)).count() as u64
    });
    (found as f64 / forged.len() as f64, denied)
}

#[test]
fn keys_forged_offline_need_the_public_seed() {
    let mut table = Table::new([
        "filter",
        "hashes for one",
        "public seed",
        "secret seed (no PRF)",
        "secret key",
        "keys denied",
    ]);
    for &kind in AnyFilter::KINDS {
        let (forged, evaluations) = forged(kind);
        let each = evaluations as f64 / FORGED as f64;
        let [public, secret, keyed] = Under::ALL.map(|under| played(kind, under, &forged));
        assert_eq!(public.0, 1.0, "{kind}");
        let honest_rate = rate(&Victim::holding(kind, Under::PUBLIC, &honest()).unwrap());
        for (found, denied) in [secret, keyed] {
            assert!(as_by_chance(found, honest_rate, FORGED as u64), "{kind}: {found}");
            let few = public.1.map(|most| most / 20);
            assert!(denied.is_some() == few.is_some() && denied <= few, "{kind}: {denied:?}");
            // What is no false positive takes nothing away.
            assert!(
                denied.is_none_or(|denied| (denied > 0) == (found > 0.0)),
                "{kind}: {denied:?}"
            );
        }
        let near = match kind {
            FilterKind::BlockedCounting
            | FilterKind::Cuckoo
            | FilterKind::WindowedCuckoo
            | FilterKind::Quotient
            | FilterKind::ExpandableQuotient => 1.0..1.1,
            FilterKind::BlockedBloom | FilterKind::WideBlockedBloom => 1.9..2.1,
            // One in so many is a false positive.
            _ => 0.8 / honest_rate..1.25 / honest_rate,
        };
        assert!(near.contains(&each), "{kind}: {each} evaluations");
        assert!(
            public.1.is_none_or(|denied| denied >= FORGED as u64 * 9 / 10),
            "{kind}: {public:?}"
        );
        let shares = [public.0, secret.0, keyed.0].map(percent);
        let told = |denied: Option<u64>| denied.map_or("-".to_owned(), super::number);
        let denied = [public.1, secret.1, keyed.1].map(told).join(" / ");
        let denied = if public.1.is_some() { denied } else { String::new() };
        let each = format!("{each:.0}");
        table.row([kind.name(), &each, &shares[0], &shares[1], &shares[2], &denied]);
    }
    table.check("forgery");
}
