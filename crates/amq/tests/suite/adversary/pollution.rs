//! Pollution: as many keys as the filter is planned for, all chosen, so that it errs for as many
//! other keys as can be.
//!
//! - Bloom filters: keys with as many new places as possible, searched for (at most [`TRIES`]
//!   hashes a key).
//! - Filters of blocks: the keys that fill a block soonest, searched for once; then the same in one
//!   block after the other. A full block answers `true` for every key of its own.
//! - Scalable filters: the same, in the newest stage.
//! - Filters of fingerprints: as many different fingerprints as there are keys. Equations of
//!   ribbons leave nothing to choose; any keys will do.

use super::page::Table;
use super::victim::{Under, Victim};
use super::xxh3::key_of;
use super::{FPR, KEYS, as_by_chance, geometry, honest, percent, rate, stream};
use amq::{AnyFilter, DEFAULT_SEED, Filter, FilterKind};
use amq_core::index::{index, remix};

/// Hashes tried for each key of a Bloom filter.
const TRIES: usize = 1000;

/// What the next hash is chosen for.
enum Aim {
    /// New places in a table of bits or counters.
    Places { set: Vec<bool>, probes: u64, stage: Option<u64> },
    /// These choices of places within a block, in one block after the other.
    Blocks { choices: Vec<u32>, blocks: u64, place: Place, stage: Option<u64>, done: u64 },
    /// A fingerprint of its own.
    Apart { done: u64 },
    /// Nothing.
    None { done: usize },
}

/// The least hash with this block and choice, in a table of so many blocks.
type Place = fn(u64, u32, u64) -> u64;

impl Aim {
    fn at(kind: FilterKind, own: Option<&AnyFilter>) -> Self {
        let stage = match own {
            Some(AnyFilter::Scalable(own)) => Some(own.stage_count() as u64 - 1),
            Some(AnyFilter::ScalableBlocked(own)) => Some(own.stage_count() as u64 - 1),
            _ => None,
        };
        let Some(own) = own else { return Self::None { done: 0 } };
        let size = |number| geometry(own, stage.unwrap_or(0), number);
        match kind {
            FilterKind::Bloom | FilterKind::Counting | FilterKind::Scalable => {
                Self::Places { set: vec![false; size(0) as usize], probes: size(1), stage }
            }
            FilterKind::BlockedBloom | FilterKind::ScalableBlocked => {
                let place = |block: u64, choice: u32, blocks: u64| {
                    (block << 32).div_ceil(blocks) << 32 | u64::from(choice)
                };
                let choices = choices(32, |choice| one_in_each(choice, 32), product);
                Self::Blocks { choices, blocks: size(0), place, stage, done: 0 }
            }
            FilterKind::WideBlockedBloom => {
                let place = |block: u64, choice: u32, blocks: u64| {
                    let least = (u128::from(block) << 64).div_ceil(blocks.into()) as u64;
                    // The block's first hash with this lower half.
                    let hash = least >> 32 << 32 | u64::from(choice);
                    if hash < least { hash + (1 << 32) } else { hash }
                };
                let probes = size(1) as usize;
                // Of this rate they have no second bits.
                assert!(probes <= 8);
                let chosen = |start: usize| (0..probes).map(move |word| (start + word) % 8);
                let mask = |choice: u32| {
                    let mut words = [0; 8];
                    for word in chosen(choice as usize % 8) {
                        let product = u64::from(choice) * u64::from(amq::bloom::SALTS[word]);
                        words[word] = 1 << (product >> 26 & 63);
                    }
                    words
                };
                let rate = |fills: [f64; 8]| {
                    let rate = |start| chosen(start).map(|word| fills[word]).product::<f64>();
                    (0..8).map(rate).sum::<f64>() / 8.0
                };
                let choices = choices(64, mask, rate);
                Self::Blocks { choices, blocks: size(0), place, stage, done: 0 }
            }
            FilterKind::BlockedCounting => {
                let place = |block: u64, choice: u32, blocks: u64| {
                    let product = u128::from(block) << 64 | u128::from(choice) << 32;
                    product.div_ceil(blocks.into()) as u64
                };
                let choices = choices(16, |choice| one_in_each(choice, 16), product);
                Self::Blocks { choices, blocks: size(0), place, stage, done: 0 }
            }
            _ => Self::Apart { done: 0 },
        }
    }

    fn next(&mut self, random: &mut impl Iterator<Item = u64>) -> u64 {
        match self {
            Self::Places { set, probes, stage } => {
                let places = |hash: u64, set: &[bool]| {
                    let hash = stage.map_or(hash, |stage| remix(hash, stage));
                    let words = std::iter::successors(Some(hash), |word| {
                        Some(word.wrapping_mul(6_364_136_223_846_793_005))
                    });
                    let places = words.map(|word| index(word, set.len() as u64) as usize);
                    places.take(*probes as usize).collect::<Vec<_>>()
                };
                let mut best = (0, 0);
                for hash in random.take(TRIES) {
                    let new = places(hash, set).into_iter().filter(|&place| !set[place]).count();
                    best = best.max((new, hash));
                    if new as u64 == *probes {
                        break;
                    }
                }
                for place in places(best.1, set) {
                    set[place] = true;
                }
                best.1
            }
            Self::Blocks { choices, blocks, place, stage, done } => {
                let (block, choice) = (*done / choices.len() as u64, *done % choices.len() as u64);
                *done += 1;
                let hash = place(block % *blocks, choices[choice as usize], *blocks);
                stage.map_or(hash, |stage| unremixed(hash, stage))
            }
            Self::Apart { done } => {
                *done += 1;
                // Multiples of the golden ratio keep their distance.
                done.wrapping_mul(0x9E37_79B9_7F4A_7C15)
            }
            Self::None { done } => {
                *done += 1;
                remix(*done as u64, 99)
            }
        }
    }
}

/// A key's places in split blocks: one of so many in each word.
fn one_in_each(choice: u32, places: u32) -> [u64; 8] {
    let shift = 32 - places.trailing_zeros();
    amq::bloom::SALTS.map(|salt| 1 << (choice.wrapping_mul(salt) >> shift))
}

/// The rate of a split block by the fills of its words.
fn product(fills: [f64; 8]) -> f64 {
    fills.iter().product()
}

/// The choices that fill a block of eight words of so many places, each the best of a sample: as
/// many as lead to the highest rate for each key that they take. `mask` has the places of a choice,
/// `rate` the rate of a block by the fills of its words.
fn choices(
    places: u32,
    mask: impl Fn(u32) -> [u64; 8],
    rate: impl Fn([f64; 8]) -> f64,
) -> Vec<u32> {
    let sample: Vec<u32> = stream(6).map(|word| word as u32).take(1 << 14).collect();
    let (mut words, mut chosen, mut best) = ([0u64; 8], Vec::new(), (0.0, 0));
    while chosen.len() < 4 * places as usize {
        let new = |choice: &&u32| -> u32 {
            mask(**choice).iter().zip(&words).map(|(bit, word)| (bit & !word).count_ones()).sum()
        };
        let choice = *sample.iter().max_by_key(new).unwrap();
        for (word, bit) in words.iter_mut().zip(mask(choice)) {
            *word |= bit;
        }
        chosen.push(choice);
        let fills = words.map(|word| f64::from(word.count_ones()) / f64::from(places));
        let gain = rate(fills) / chosen.len() as f64;
        if gain > best.0 {
            best = (gain, chosen.len());
        }
    }
    chosen.truncate(best.1);
    chosen
}

/// The inverse of [`remix`].
fn unremixed(hash: u64, layer: u64) -> u64 {
    // The multiplier's inverse modulo 2^64.
    const INVERSE: u64 = 0x153E_D04B_D89C_FAF5;
    let mut word = hash ^ hash >> 28 ^ hash >> 56;
    for _ in 0..2 {
        word = word.wrapping_mul(INVERSE);
        word ^= word >> 32;
    }
    word.wrapping_sub((layer + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15))
}

/// Keys prepared for an empty filter under the public seed.
fn chosen(kind: FilterKind) -> Vec<u64> {
    let mut own =
        (!amq::Abilities::of(kind).build_only).then(|| Victim::empty(kind, Under::PUBLIC));
    let mut random = stream(7);
    let mut aim = Aim::at(kind, own.as_ref().map(Victim::filter));
    let mut keys = Vec::new();
    for _ in 0..2 * KEYS {
        if keys.len() as u64 == KEYS {
            break;
        }
        let hash = aim.next(&mut random);
        let key = key_of(hash, DEFAULT_SEED);
        if let Some(own) = &mut own {
            let bytes = own.filter().size_in_bytes();
            if own.contains_hash(hash) {
                // Nothing to gain by it.
                continue;
            }
            own.insert(key).unwrap();
            if own.filter().size_in_bytes() != bytes {
                aim = Aim::at(kind, Some(own.filter()));
            }
        }
        keys.push(key);
    }
    assert_eq!(keys.len() as u64, KEYS, "{kind}");
    keys
}

#[test]
fn a_secret_keeps_the_rate_that_chosen_keys_raise() {
    let mut table =
        Table::new(["filter", "any keys", "public seed", "secret seed (no PRF)", "secret key"]);
    for &kind in AnyFilter::KINDS {
        let rate = |under, keys: &[u64]| rate(&Victim::holding(kind, under, keys).unwrap());
        let any = rate(Under::PUBLIC, &honest());
        let keys = chosen(kind);
        let [public, secret, keyed] = Under::ALL.map(|under| rate(under, &keys));
        for rate in [any, secret, keyed] {
            assert!(rate < FPR * 1.2, "{kind}: {rate}");
        }
        let (least, most) = match kind {
            FilterKind::Bloom | FilterKind::Counting => (0.07, 0.12),
            FilterKind::Scalable => (any * 8.0, any * 20.0),
            FilterKind::BlockedBloom | FilterKind::BlockedCounting => (0.4, 0.8),
            FilterKind::ScalableBlocked | FilterKind::WideBlockedBloom => (0.4, 0.8),
            _ => (any * 0.8, any * 1.2),
        };
        assert!((least..most).contains(&public), "{kind}: {public}");
        for rate in [secret, keyed] {
            assert!(as_by_chance(rate, any, super::ABSENT), "{kind}: {rate}, not {any}");
        }
        let rates = [any, public, secret, keyed].map(percent);
        table.row([kind.name(), &rates[0], &rates[1], &rates[2], &rates[3]]);
    }
    table.check("pollution");
}
