//! Refusal: chosen keys that a filter has no room for, however empty the rest of it is.
//!
//! All have hashes next to each other. To a filter of fingerprints they are one key, in one pair of
//! buckets; in a ribbon they are of one shard, whatever its seed.

use super::page::Table;
use super::victim::{Under, Victim};
use super::xxh3::key_of;
use super::{FPR, KEYS, number, stream};
use amq::{
    Abilities, AnyFilter, Budget, BuildError, DEFAULT_SEED, FilterKind, KeyHash, RibbonMap,
    ribbon::MapError,
};

/// Keys whose hashes under the public seed follow each other, so far apart.
pub(super) fn neighbours(step: u64) -> impl Iterator<Item = u64> {
    (0..).map(move |i| key_of(0x6A09_E667_F3BC_C908 + i * step, DEFAULT_SEED))
}

/// Keys offered to a filter for [`KEYS`].
const OFFERED: usize = 2 * KEYS as usize;

/// The number of keys that are taken until one is refused.
fn taken(kind: FilterKind, under: Under, keys: impl Iterator<Item = u64>) -> u64 {
    let mut victim = Victim::empty(kind, under);
    keys.take(OFFERED).take_while(|&key| victim.insert(key).is_ok()).count() as u64
}

#[test]
fn a_secret_takes_the_keys_that_share_one_bucket() {
    let mut table = Table::new([
        "filter",
        "any keys",
        "public seed",
        "secret seed (no PRF)",
        "secret key",
        "copies of one key, under any",
    ]);
    for kind in super::kinds(|can| can.insert) {
        let any = taken(kind, Under::PUBLIC, stream(8));
        let [public, secret, keyed] = Under::ALL.map(|under| taken(kind, under, neighbours(1)));
        let copies = Under::ALL.map(|under| taken(kind, under, std::iter::repeat(5)));
        assert!(copies.iter().all(|&taken| taken == copies[0]), "{kind}: {copies:?}");
        let all = OFFERED as u64;
        match kind {
            FilterKind::Cuckoo => assert_eq!((public, copies[0]), (8, 8)),
            FilterKind::WindowedCuckoo => assert_eq!((public, copies[0]), (4, 4)),
            FilterKind::ExpandableQuotient => assert_eq!((public, copies[0]), (255, 255)),
            // As many as there may be, of whatever key.
            FilterKind::Quotient => assert_eq!((public, copies[0]), (any, any)),
            _ => {
                assert_eq!([any, public, secret, keyed, copies[0]], [all; 5], "{kind}");
                continue;
            }
        }
        for taken in [any, secret, keyed] {
            let most = if Abilities::of(kind).grow { all } else { KEYS * 11 / 10 };
            assert!((KEYS..=most).contains(&taken), "{kind}: {taken}");
        }
        let told = |taken| if taken == all { "all".into() } else { number(taken) };
        let numbers = [any, public, secret, keyed, copies[0]].map(told);
        table.row([kind.name(), &numbers[0], &numbers[1], &numbers[2], &numbers[3], &numbers[4]]);
    }
    table.check("refusal");
}

/// Keys of the ribbons: enough for several shards.
const BUILT: u64 = 100_000;

/// The fewest neighbours among so many honest keys with which building fails; `None` if all of them
/// do no harm.
fn fatal(builds: impl Fn(&[u64]) -> bool) -> Option<u64> {
    let builds = |chosen: u64| {
        let honest = 0..BUILT - chosen;
        builds(&honest.chain(neighbours(1).take(chosen as usize)).collect::<Vec<_>>())
    };
    assert!(builds(0));
    if builds(BUILT) {
        return None;
    }
    let (mut good, mut bad) = (0, BUILT);
    while bad - good > 1 {
        let middle = (good + bad) / 2;
        *(if builds(middle) { &mut good } else { &mut bad }) = middle;
    }
    Some(bad)
}

#[test]
fn a_secret_builds_of_keys_that_no_public_seed_solves() {
    let mut table = Table::new(["filter", "public seed", "secret seed (no PRF)", "secret key"]);
    let told = |fatal: Option<u64>| fatal.map_or("none".into(), number);
    for kind in super::kinds(|can| can.build_only) {
        let [public, secret, keyed] = Under::ALL.map(|under| {
            fatal(|keys| {
                let hashes: Vec<KeyHash> = keys.iter().map(|&key| under.hash(key)).collect();
                match AnyFilter::build_hashes(kind, Budget::Fpr(FPR), 0, &hashes) {
                    Ok(_) => true,
                    Err(BuildError::Exhausted { .. } | BuildError::Uneven(_)) => false,
                    Err(error) => panic!("{kind}: {error}"),
                }
            })
        });
        assert_eq!((secret, keyed), (None, None), "{kind}");
        if kind.id().ends_with("ribbon") {
            assert!(public.is_some_and(|keys| (100..20_000).contains(&keys)), "{kind}: {public:?}");
        }
        table.row([kind.name(), &told(public), &told(secret), &told(keyed)]);
    }
    let map = |seed| {
        fatal(|keys| {
            let pairs = keys.iter().map(|&key| (key, key as u32 & 127));
            match RibbonMap::build_with_seed(7, seed, pairs) {
                Ok(_) => true,
                Err(MapError::Build(BuildError::Exhausted { .. })) => false,
                Err(error) => panic!("{error}"),
            }
        })
    };
    let Under::Seed(secret) = Under::SECRET else { unreachable!() };
    let [public, secret] = [map(DEFAULT_SEED), map(secret)];
    assert_eq!(secret, None);
    assert!(public.is_some_and(|keys| (100..20_000).contains(&keys)), "{public:?}");
    table.row(["ribbon map", &told(public), &told(secret), "has none"]);
    table.check("building");
}
