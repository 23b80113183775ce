//! Laws of quotient filters beyond the common suite.

use amq_conformance::testing::hash;
use amq_conformance::with_params;
use amq_quotient::theory;
use amq_quotient::{
    Budget, BuildFilter, CountFilter, Filter, FilterFile, Goal, InsertError, InsertFilter,
    Inserted, KeyHash, PlanFilter, PredictedFpr, QuotientFilter, QuotientParams, RemoveFilter,
};
use std::collections::BTreeMap;

fn params(slots: u64, remainder_bits: u32) -> QuotientParams {
    QuotientParams::new(slots, remainder_bits)
}

fn empty(slots: u64, remainder_bits: u32) -> QuotientFilter {
    let params = params(slots, remainder_bits);
    with_params::<QuotientFilter>(params, params.max_keys(), 0).unwrap()
}

/// The least hash with a given home slot and remainder.
fn hash_of(params: QuotientParams, slot: u64, remainder: u64) -> KeyHash {
    let fingerprint = u128::from(slot << params.remainder_bits | remainder) << 64;
    KeyHash::new(fingerprint.div_ceil(u128::from(params.fingerprints())) as u64)
}

/// A filter, and a map of its fingerprints to compare with.
struct Game {
    filter: QuotientFilter,
    map: BTreeMap<u64, u64>,
}

impl Game {
    fn new(filter: QuotientFilter) -> Self {
        Self { filter, map: BTreeMap::new() }
    }

    fn fingerprint(&self, hash: KeyHash) -> u64 {
        let fingerprints = self.filter.params().fingerprints();
        ((u128::from(hash.get()) * u128::from(fingerprints)) >> 64) as u64
    }

    fn insert(&mut self, hash: KeyHash) {
        let copies = self.map.entry(self.fingerprint(hash)).or_default();
        let new = self.filter.insert_hash(hash).unwrap().is_new();
        assert_eq!(new, *copies == 0);
        *copies += 1;
    }

    fn remove(&mut self, hash: KeyHash) {
        let fingerprint = self.fingerprint(hash);
        let copies = self.map.get(&fingerprint).copied().unwrap_or(0);
        assert_eq!(self.filter.remove_hash(hash), copies > 0);
        match copies {
            0 | 1 => self.map.remove(&fingerprint),
            more => self.map.insert(fingerprint, more - 1),
        };
    }

    /// The structure, the counts, and what the iterator lists.
    fn check(&self) {
        self.filter.validate().unwrap();
        assert_eq!(self.filter.len(), self.map.values().sum::<u64>());
        assert_eq!(self.filter.distinct_len(), self.map.len() as u64);
        let listed = self.filter.iter().map(|hash| self.fingerprint(hash));
        let map = self.map.iter();
        assert!(listed.eq(map.flat_map(|(&f, &copies)| (0..copies).map(move |_| f))));
    }

    fn ask(&self, hash: KeyHash) {
        let copies = self.map.get(&self.fingerprint(hash)).copied().unwrap_or(0);
        assert_eq!(self.filter.contains_hash(hash), copies > 0);
        assert_eq!(self.filter.count_hash(hash).estimate, copies);
    }
}

#[test]
fn every_step_leaves_a_consistent_table_that_agrees_with_a_map() {
    // From one slot to several blocks, the last one partly used; remainders from no bits to the
    // widest.
    for (slots, bits) in [
        (1, 0),
        (1, 56),
        (2, 3),
        (20, 1),
        (63, 5),
        (64, 0),
        (64, 7),
        (65, 7),
        (128, 2),
        (200, 13),
        (16, 56),
        (1000, 8),
    ] {
        let mut game = Game::new(empty(slots, bits));
        let max = game.filter.params().max_keys();
        // Fills it, empties it, and again; with few keys, so that there are copies.
        for step in 0..6 * max.max(20) {
            let key = hash(step * 7 % (max + max / 2 + 1), 0);
            let filling = (step / (max + max / 3 + 1)).is_multiple_of(2);
            let luck = hash(step, 0).get() % 8;
            if (filling && luck > 0) || (!filling && luck == 0) {
                if game.filter.len() < max {
                    game.insert(key);
                }
            } else {
                game.remove(key);
            }
            game.check();
            game.ask(key);
            game.ask(hash(step + 1_000_000, 0));
        }
    }
}

#[test]
fn every_number_of_slots_holds_its_most_keys_and_is_empty_again() {
    for slots in 1..=330u64 {
        for bits in [0, 1, 7, 8, 20] {
            let mut filter = empty(slots, bits);
            let new = filter.clone();
            let max = filter.params().max_keys();
            for key in 0..max {
                filter.insert_hash(hash(key, 0)).unwrap();
            }
            filter.validate().unwrap();
            let full = filter.clone();
            let refused = filter.insert_hash(hash(max, 0));
            assert!(matches!(refused, Err(InsertError::Table { len, .. }) if len == max));
            assert!(filter == full && (0..max).all(|key| filter.contains_hash(hash(key, 0))));
            for key in (0..max).rev() {
                assert!(filter.remove_hash(hash(key, 0)));
            }
            assert!(filter == new, "{slots} slots, {bits} bits");
        }
    }
}

#[test]
fn what_is_in_a_table_determines_its_bytes() {
    let keys: Vec<KeyHash> = (0..3000).map(|key| hash(key % 2500, 0)).collect();
    let mut forwards = empty(3200, 9);
    forwards.insert_batch(&keys).unwrap();
    let mut backwards = empty(3200, 9);
    for &key in keys.iter().rev() {
        backwards.insert_hash(key).unwrap();
    }
    // By another history.
    for key in 10_000..10_040 {
        backwards.insert_hash(hash(key, 0)).unwrap();
    }
    for key in 10_000..10_040 {
        assert!(backwards.remove_hash(hash(key, 0)));
    }
    assert_eq!(forwards.to_bytes(), backwards.to_bytes());
    assert!(forwards == backwards);
}

#[test]
fn a_table_after_any_history_is_the_one_written_at_once() {
    // At the highest load most moves cross blocks; keys of few homes saturate offsets.
    for (slots, bits, crowding) in [
        (64, 5, 1),
        (130, 9, 1),
        (700, 0, 1),
        (6400, 8, 1),
        (2560, 11, 3),
        (6400, 23, 1),
        (1280, 6, 10),
    ] {
        let params = params(slots, bits);
        let max = params.max_keys();
        let plan = QuotientFilter::plan_params(params, max).unwrap();
        let key = |i: u64| KeyHash::new(hash(i % (3 * max), 0).get() / crowding);
        let mut held: Vec<KeyHash> = (0..max).map(key).collect();
        let mut filter = QuotientFilter::build_hashes(plan, 0, &held).unwrap();
        for step in max..5 * max {
            let luck = hash(!step, 0).get();
            // Nearly full for most of the time, and down to a third.
            let fills = step / max % 2 == 1 || luck.is_multiple_of(3);
            let least = if fills { max * 9 / 10 } else { max / 3 };
            if (held.len() as u64) < max && (luck.is_multiple_of(2) || (held.len() as u64) <= least)
            {
                held.push(key(step));
                filter.insert_hash(key(step)).unwrap();
            } else {
                let gone = held.swap_remove(luck as usize % held.len());
                assert!(filter.remove_hash(gone), "{slots} slots, {bits} bits, step {step}");
            }
            if step % (max / 16 + 1) == 0 {
                let written = QuotientFilter::build_hashes(plan, 0, &held).unwrap();
                assert!(filter == written, "{slots} slots, {bits} bits, step {step}");
                assert_eq!(filter.to_bytes(), written.to_bytes());
            }
        }
    }
}

#[test]
fn a_run_over_many_blocks_saturates_offsets_and_recovers() {
    // One quotient's run over hundreds of slots, pushing its neighbours on: at the start, in the
    // middle and across the end of the table.
    for home in [0, 5, 640, 1900, 1919] {
        let mut game = Game::new(empty(1920, 6));
        let at = |slot: u64, remainder| hash_of(params(1920, 6), slot % 1920, remainder);
        for copy in 0..1000u64 {
            game.insert(at(home, copy % 64));
            if copy % 9 == 0 {
                game.insert(at(home + copy / 2, copy % 5));
                game.insert(at(home + 64 * (copy % 30) + 1, 63));
            }
            if copy % 20 == 0 {
                game.check();
            }
        }
        // The table follows the header and three rows of directory.
        let file = game.filter.to_bytes().unwrap();
        let offset_of = |block: usize| file[192 + 3 * 64 + block * (17 + 48) + 48 + 16];
        let saturated = (0..30).filter(|&block| offset_of(block) == 255).count();
        assert!(saturated >= 8, "only {saturated} offsets stand at 255");
        for slot in 0..1920 {
            game.ask(at(slot, slot % 64));
        }
        for copy in 0..1000u64 {
            game.remove(at(home, copy % 64));
            if copy % 10 == 0 {
                game.check();
                game.ask(at(home + copy / 2, copy % 5));
                game.ask(at(home, copy % 64));
            }
        }
        game.check();
    }
}

#[test]
fn runs_go_round_from_the_last_slot_to_the_first() {
    for slots in [64u64, 100, 128, 192] {
        let mut game = Game::new(empty(slots, 4));
        let last = slots.div_ceil(64) * 64 - slots;
        // A run of the last slot that wraps, past the slots of the last block that are no home.
        for copy in 0..40 + last.min(10) {
            let remainder = copy % 16;
            game.insert(hash_of(params(slots, 4), slots - 1, remainder));
            game.check();
        }
        for slot in 0..10 {
            game.insert(hash_of(params(slots, 4), slot, 0));
            game.check();
        }
        for slot in 0..slots {
            for remainder in [0, 7, 15] {
                game.ask(hash_of(params(slots, 4), slot, remainder));
            }
        }
        for copy in 0..40 {
            game.remove(hash_of(params(slots, 4), slots - 1, copy % 16));
            game.check();
        }
    }
}

#[test]
fn a_remainder_of_zero_is_a_key_like_others() {
    let params = params(640, 7);
    let mut filter = empty(640, 7);
    assert!((0..640).all(|slot| !filter.contains_hash(hash_of(params, slot, 0))));
    for slot in (0..600).step_by(2) {
        assert!(filter.insert_hash(hash_of(params, slot, 0)).unwrap().is_new());
    }
    for slot in 0..640 {
        let there = slot < 600 && slot % 2 == 0;
        assert_eq!(filter.contains_hash(hash_of(params, slot, 0)), there);
        assert!(!filter.contains_hash(hash_of(params, slot, 1)));
    }
}

#[test]
fn one_key_fills_the_table_and_no_other_is_lost() {
    let mut filter = empty(1024, 8);
    filter.insert_hash(hash(1, 0)).unwrap();
    while filter.insert_hash(hash(0, 0)).is_ok() {}
    assert_eq!(filter.len(), filter.params().max_keys());
    filter.validate().unwrap();
    assert!(filter.contains_hash(hash(1, 0)));
    assert_eq!(filter.count_hash(hash(0, 0)).estimate, filter.len() - 1);
    assert_eq!(filter.distinct_len(), 2);
    while filter.remove_hash(hash(0, 0)) {}
    assert_eq!((filter.len(), filter.contains_hash(hash(1, 0))), (1, true));
}

#[test]
fn what_is_inserted_uniquely_is_there_once() {
    let mut filter = empty(640, 7);
    for key in (0..500).chain(0..500) {
        filter.insert_unique_hash(hash(key, 0)).unwrap();
    }
    assert_eq!(filter.len(), filter.distinct_len());
    assert!((0..500).all(|key| filter.count_hash(hash(key, 0)).estimate == 1));
    while filter.insert_hash(hash(0, 0)).is_ok() {}
    // A present key needs no room.
    assert_eq!(filter.insert_unique_hash(hash(1, 0)), Ok(Inserted::MaybePresent));
    let absent = (10_000..).find(|&key| !filter.contains_hash(hash(key, 0))).unwrap();
    assert!(filter.insert_unique_hash(hash(absent, 0)).is_err());
}

#[test]
fn listed_hashes_are_those_that_the_filter_and_its_copies_hold() {
    let mut filter = empty(5000, 10);
    filter.insert_batch(&(0..4000).map(|key| hash(key, 0)).collect::<Vec<_>>()).unwrap();
    let listed: Vec<KeyHash> = filter.iter().collect();
    assert_eq!((listed.len(), filter.iter().size_hint()), (4000, (4000, Some(4000))));
    assert!(listed.is_sorted());
    let mut copy = empty(5000, 10);
    copy.insert_batch(&listed).unwrap();
    assert!(copy == filter);
    // A quarter of the fingerprints.
    let mut coarser = empty(5000, 8);
    coarser.insert_batch(&listed).unwrap();
    let mut straight = empty(5000, 8);
    straight.insert_batch(&(0..4000).map(|key| hash(key, 0)).collect::<Vec<_>>()).unwrap();
    assert!(coarser == straight);
}

#[test]
fn clusters_are_as_long_as_computed() {
    let mut filter = empty(1 << 20, 4);
    let keys = (f64::from(1 << 20) * 0.9) as u64;
    for key in 0..keys {
        filter.insert_hash(hash(key, 0)).unwrap();
    }
    // Computed from the sorted fingerprints alone: a cluster ends where the next home is past the
    // slots used.
    let (mut clusters, mut used) = (0u64, 0u64);
    let params = filter.params();
    for stored in filter.iter() {
        let home = ((u128::from(stored.get()) * u128::from(params.slots)) >> 64) as u64;
        clusters += u64::from(home > used || used == 0);
        used = used.max(home) + 1;
    }
    let mean = keys as f64 / clusters as f64;
    // 60,000 clusters; the standard deviation of their lengths is about three times the mean.
    assert!((mean / theory::mean_cluster(0.9) - 1.0).abs() < 0.05, "{mean}");
}

#[test]
fn explicit_parameters_out_of_range_are_refused() {
    for (slots, bits) in [(0, 8), (17, 56), (1, 57), (u64::MAX, 0), (100, u32::MAX)] {
        let params = params(slots, bits);
        assert!(with_params::<QuotientFilter>(params, 1, 0).is_err());
        assert!(QuotientFilter::predicted_fpr(&params, 10).mean.is_nan());
    }
}

/// Numbers where arithmetic breaks.
const EXTREMES: [u64; 17] = [
    0,
    1,
    2,
    19,
    63,
    64,
    65,
    1 << 31,
    u32::MAX as u64,
    (1 << 53) + 1,
    (1 << 56) - 1,
    1 << 56,
    (1 << 56) + 1,
    1 << 60,
    1 << 63,
    u64::MAX - 1,
    u64::MAX,
];

#[test]
fn every_rate_is_a_probability_and_every_call_has_an_answer() {
    let rates =
        [f64::NAN, -1.0, 0.0, 1e-300, 1e-15, 0.01, 0.6, 1.0 - f64::EPSILON, 1.0, f64::INFINITY];
    let probability = |rate: f64| (0.0..=1.0).contains(&rate);
    for slots in EXTREMES {
        for bits in [0, 1, 4, 5, 55, 56, 57, 63, 64, u32::MAX] {
            let good = params(slots, bits).check().is_ok();
            for keys in EXTREMES {
                let params = params(slots, bits);
                let PredictedFpr { mean, sd, .. } = theory::fpr(&params, keys);
                for rate in [mean, sd, theory::fpr_of_distinct(&params, keys)] {
                    assert!(
                        if good { probability(rate) } else { rate.is_nan() },
                        "{slots} {bits} {keys}: {rate}"
                    );
                }
            }
            let params = params(slots, bits);
            assert!(
                !good || (params.fingerprints() > 0 && params.max_keys() > 0 && params.bytes() > 0)
            );
        }
        let budgets = rates.map(Budget::Fpr).into_iter();
        let budgets = budgets.chain(rates.map(|rate| Budget::BitsPerKey(1e3 * rate)));
        let keys = slots;
        for budget in budgets.chain(EXTREMES.map(Budget::Bytes)) {
            let goal = Goal::new(keys, budget);
            if let Ok(plan) = theory::plan(goal) {
                assert!(probability(plan.expected_fpr) && plan.params.check().is_ok());
            }
            for initial in EXTREMES {
                if let Ok(plan) = theory::plan_growing(goal, initial) {
                    let (first, grown) = (plan.params, plan.params.grown());
                    assert!(first.check().is_ok() && grown.check().is_ok());
                    assert!(first.max_keys() >= initial && grown.max_keys() >= keys);
                    assert_eq!(first.fingerprints(), grown.fingerprints());
                    assert!(probability(plan.expected_fpr));
                }
            }
        }
    }
    for rate in rates {
        let bits = theory::bits_per_key(rate);
        assert!(bits.is_nan() || bits > 0.0);
        assert_eq!(bits.is_nan(), !(rate > 0.0 && rate < 1.0));
    }
}

#[test]
fn the_rate_stays_a_probability_in_any_number_of_merges() {
    let mut filter = empty(1024, 0);
    filter.insert_hash(hash(1, 0)).unwrap();
    let rate = filter.expected_fpr();
    while filter.merge(&filter.clone()).is_ok() {
        assert!(filter.expected_fpr() == rate && filter.load_factor() <= 1.0);
        filter.validate().unwrap();
    }
    assert_eq!((filter.len(), filter.distinct_len()), (512, 1));
}
