//! Which of many sets may hold a key: an interleaved filter, the loop over single filters that it
//! takes the place of, and the reads of memory that it cannot do without.
//!
//! A key's hash says which set it is dealt to. A hit is that this set is among the answers; that
//! all others are computed, too, the optimiser cannot leave out.

use super::contender::{Contender, Made};
use super::order::Order;
use super::probe::{BATCH, probe, used};
use crate::record::SET_KEYS;
use crate::scenarios::keys::BenchKey;
use amq::InterleavedBloomFilter;
use amq_bloom::BlockedBloomFilter;
use amq_core::{
    EmptyFilter, Filter, Goal, InsertFilter, Key, KeyHash, LengthMismatch, PlanFilter,
    PredictedFpr, hash_blocks,
};

pub(super) fn all() -> Vec<Contender> {
    vec![
        Contender::of("interleaved", interleaved::<u64>, interleaved::<[u8]>),
        Contender::of("blocked-bloom-loop", in_turn::<u64>, in_turn::<[u8]>),
        Contender::of("row-reads", rows::<u64>, rows::<[u8]>),
    ]
}

/// What each set is planned for: hardly one in ten million has more keys.
const PLANNED: u64 = SET_KEYS * 3 / 2;

/// The hashes of each set's keys, and the goal of each.
fn dealt<K: BenchKey + ?Sized>(
    keys: &[K::Item<'_>],
    order: &Order,
) -> Made<(Vec<Vec<KeyHash>>, Goal)> {
    let mut sets = vec![Vec::new(); keys.len().div_ceil(SET_KEYS as usize).max(1)];
    let count = sets.len();
    for hash in keys.iter().map(|key| key.key_hash(order.seed)) {
        sets[own(hash, count)].push(hash);
    }
    Ok((sets, Goal::fpr(PLANNED, order.fpr()?)))
}

/// The mean rate of so many sets: how many keys each has is Poisson distributed.
fn predicted(goal: Goal, keys: u64, sets: usize) -> Option<PredictedFpr> {
    let params = BlockedBloomFilter::plan(goal).ok()?.params;
    let mean = keys as f64 / sets as f64;
    let (mut chance, mut first, mut second) = ((-mean).exp(), 0.0, 0.0);
    for keys in 0..4 * SET_KEYS {
        let rate = BlockedBloomFilter::predicted_fpr(&params, keys);
        first += chance * rate.mean;
        second += chance * (rate.mean * rate.mean + rate.sd * rate.sd);
        chance *= mean / (keys + 1) as f64;
    }
    Some(PredictedFpr { mean: first, sd: ((second - first * first) / sets as f64).sqrt() })
}

/// The set that a key belongs to; the multiplier keeps it independent of the key's bits.
#[inline]
const fn own(hash: KeyHash, sets: usize) -> usize {
    let mixed = hash.get().wrapping_mul(0xD6E8_FEB8_6659_FD93);
    ((mixed as u128 * sets as u128) >> u64::BITS) as usize
}

struct Interleaved {
    filter: InterleavedBloomFilter,
    goal: Goal,
}

fn interleaved<K: BenchKey + ?Sized>(keys: &[K::Item<'_>], order: &Order) -> Made<Interleaved> {
    let (sets, goal) = dealt::<K>(keys, order)?;
    Ok(Interleaved { filter: InterleavedBloomFilter::build_hashes(goal, order.seed, &sets)?, goal })
}

impl Interleaved {
    fn sets(&self) -> usize {
        self.filter.bin_count() as usize
    }

    fn hits<K: Key>(&self, keys: &[K]) -> Option<u64> {
        let (words, mut hits) = (self.filter.words(), 0);
        let mut answers = vec![0; words * BATCH.min(keys.len())];
        for keys in keys.chunks(BATCH) {
            let asked = hash_blocks(keys, self.filter.seed(), |_, hashes: &[KeyHash]| {
                let answers = &mut answers[..words * hashes.len()];
                self.filter.bins_batch(hashes, answers)?;
                for (hash, answer) in hashes.iter().zip(answers.chunks_exact(words)) {
                    let own = own(*hash, self.sets());
                    hits += answer[own / 64] >> (own % 64) & 1;
                }
                Ok::<(), LengthMismatch>(())
            });
            asked.ok()?;
        }
        Some(hits)
    }
}

probe! { Interleaved, |it, key, keys|
    holds: {
        let hash = key.key_hash(it.filter.seed());
        used(it.filter.bins_hash(hash)).contains(own(hash, it.sets()))
    };
    batch: it.hits(keys);
    predicted: predicted(it.goal, keys, it.sets());
}

/// A filter for each set, asked in turn. It is a floor: beside the filters, which are verified as
/// `blocked-bloom`, only that each finds its own keys is looked at, and that as they are filled.
struct InTurn {
    filters: Vec<BlockedBloomFilter>,
    seed: u64,
}

fn in_turn<K: BenchKey + ?Sized>(keys: &[K::Item<'_>], order: &Order) -> Made<InTurn> {
    let (sets, goal) = dealt::<K>(keys, order)?;
    let filled = |set: &Vec<KeyHash>| -> Made<BlockedBloomFilter> {
        let mut filter = BlockedBloomFilter::empty(goal, order.seed)?;
        filter.insert_batch(set)?;
        match set.iter().all(|hash| filter.contains_hash(*hash)) {
            true => Ok(filter),
            false => Err("a false negative among its keys".into()),
        }
    };
    let filters = sets.iter().map(filled).collect::<Result<_, _>>()?;
    Ok(InTurn { filters, seed: order.seed })
}

probe! { InTurn, |it, key, keys|
    holds: {
        let hash = key.key_hash(it.seed);
        let hits = it.filters.iter().filter(|filter| filter.contains_hash(hash)).count();
        used(hits) > 0 && it.filters[own(hash, it.filters.len())].contains_hash(hash)
    };
}

/// Reads eight rows of a table as large as the interleaved filter's, and a word of each line.
struct Rows {
    words: Vec<u64>,
    row: usize,
    seed: u64,
}

fn rows<K: BenchKey + ?Sized>(keys: &[K::Item<'_>], order: &Order) -> Made<Rows> {
    let filter = interleaved::<K>(keys, order)?.filter;
    let words = (1..=filter.size_in_bytes() / 8).collect();
    Ok(Rows { words, row: filter.words(), seed: order.seed })
}

probe! { Rows, |it, key, keys|
    holds: {
        let mut place = key.digest(it.seed);
        let (rows, mut sum) = (it.words.len() / it.row, 0u64);
        for _ in 0..8 {
            let row = ((u128::from(place) * rows as u128) >> u64::BITS) as usize * it.row;
            sum += it.words[row..row + it.row].iter().step_by(8).sum::<u64>();
            place = place.rotate_left(8).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        }
        sum & 1 == 1
    };
}

/// The loop answers as the interleaved filter does, key by key; and so do batches.
#[test]
fn the_loop_and_the_interleaved_filter_answer_alike() {
    use super::order::Planned;
    use super::probe::{Probe, hits};
    let keys: Vec<u64> = (0..20 * SET_KEYS).collect();
    let order =
        Order { planned: Planned::Keys, budget: Some(amq_core::Budget::Fpr(0.01)), seed: 3 };
    let one = interleaved::<u64>(&keys, &order).unwrap();
    let other = in_turn::<u64>(&keys, &order).unwrap();
    let more: Vec<u64> = (0..40 * SET_KEYS).collect();
    assert!(more.iter().all(|key| one.holds(key) == other.holds(key)));
    let all = hits::<u64, _>(&one, &more);
    assert!(all > keys.len() as u64 && all < keys.len() as u64 + 60, "{all}");
    assert_eq!(one.hits(&more), Some(all));
}
