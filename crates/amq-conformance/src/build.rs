//! Laws of filters built from all keys at once.

use crate::fail::OrFail;
use crate::fill::{all_found, at_once, count_absent_found, present, present_hashes, same_answers};
use amq_core::{Budget, BuildFilter, Encoder, Goal, Key, KeyHash};
use core::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// A filter of any number of keys can be built: of none, within a budget or by a goal for none, and
/// of few with a huge budget. A filter built by a goal for no keys accepts one.
pub fn any_number_of_keys_can_be_built<F: BuildFilter>() {
    let none = Goal::fpr(0, 0.01);
    for filter in [
        F::build_hashes(Budget::Fpr(0.01), 1, &[]),
        F::build_hashes(none, 1, &[]),
        F::build_iter::<u64>(none, 1, []),
    ] {
        let filter = filter.or_fail("a filter of no key");
        assert_eq!((filter.len(), count_absent_found(&filter, 1000)), (0, 0), "len and answers");
    }
    let one = present_hashes(1, 0);
    for filter in [F::build_hashes(none, 0, &one), F::build_iter(none, 0, [present(0)])] {
        all_found(&filter.or_fail("one key by a goal for none"), &one, "by a goal for none");
    }
    for budget in [Budget::Bytes(u64::MAX), Budget::BitsPerKey(1e300)] {
        all_found(&built::<F>(budget, 5, &one), &one, format_args!("{budget:?}"));
    }
    for n in (1..=600).chain([1023, 1024, 1025, 4095, 4096, 4097, 65_535, 65_536, 65_537]) {
        for (budget, seed) in [(Budget::Fpr(0.01), n), (Budget::Fpr(0.2), n + 1)] {
            let hashes = present_hashes(n, seed);
            all_found(&built::<F>(budget, seed, &hashes), &hashes, format_args!("{budget:?}"));
        }
    }
}

/// A static filter can be built from no keys, within any valid budget. It holds no key and takes at
/// most 64 bytes.
pub fn a_static_filter_of_no_keys_is_always_built<F: BuildFilter>() {
    let rates = [0.01, 1e-12].map(Budget::Fpr).into_iter();
    let bits = [0.1, 10.0].map(Budget::BitsPerKey);
    for budget in rates.chain(bits).chain([0, 1, u64::MAX].map(Budget::Bytes)) {
        for filter in [F::build_hashes(budget, 1, &[]), F::build_keys::<u64>(budget, 1, &[])] {
            let filter = filter.or_fail(format_args!("a filter of no key, {budget:?}"));
            assert_eq!((filter.len(), filter.expected_fpr()), (0, 0.0), "len and rate");
            assert_eq!(count_absent_found(&filter, 1000), 0, "keys in a filter of none");
            let size = filter.size_in_bytes();
            assert!(size <= 64, "{size} bytes of a filter of no key, {budget:?}");
        }
    }
    for budget in [Budget::Fpr(0.0), Budget::Fpr(f64::NAN), Budget::BitsPerKey(-1.0)] {
        assert!(F::build_hashes(budget, 1, &[]).is_err(), "built of no key within {budget:?}");
    }
}

/// A key whose hash changes from call `from` on, counted over all keys.
struct Fickle<'a> {
    hash: u64,
    asked: &'a Cell<u64>,
    from: u64,
}

impl Key for Fickle<'_> {
    fn encode(&self, to: &mut Encoder) {
        self.key_hash(0).get().encode(to);
    }

    fn key_hash(&self, _seed: u64) -> KeyHash {
        let asked = self.asked.get();
        self.asked.set(asked + 1);
        KeyHash::new(if asked < self.from { self.hash } else { !self.hash << 1 })
    }
}

/// Keys that hash differently the second time, all of them or the last, give an error or a filter
/// of either hash, never a panic.
pub fn keys_that_change_their_hash_do_not_panic<F: BuildFilter>() {
    for n in [1, 2, 100, 5000, 70_000] {
        for from in [0, n / 2, n, 2 * n - 1] {
            let asked = &Cell::new(0);
            let key = |i: u64| Fickle { hash: present_hashes(1, i)[0].get(), asked, from };
            let keys: Vec<Fickle<'_>> = (0..n).map(key).collect();
            let build = || F::build_keys(Budget::Fpr(0.01), 0, &keys).map(drop);
            let built = catch_unwind(AssertUnwindSafe(build));
            assert!(built.is_ok(), "{n} keys with other hashes from call {from} on: a panic");
        }
    }
}

/// Repeated keys and the order of keys do no harm.
pub fn repeated_keys_do_no_harm<F: BuildFilter>() {
    let keys = present_hashes(2000, 4);
    let mut all: Vec<KeyHash> = Vec::new();
    for (i, &key) in keys.iter().enumerate() {
        all.resize(all.len() + 1 + i % 5, key);
    }
    all.resize(all.len() + 1000, keys[7]);
    let filter = built::<F>(Budget::Fpr(0.01), 4, &all);
    all_found(&filter, &keys, "built with repeated keys");
    assert!(filter.len() <= all.len() as u64, "len {} with repeated keys", filter.len());

    let same_key = vec![keys[0]; 5000];
    all_found(&built::<F>(Budget::Fpr(0.01), 4, &same_key), &keys[..1], "built of copies of it");

    let mut backwards = keys.clone();
    backwards.sort_unstable();
    backwards.reverse();
    let filter = built::<F>(Budget::Fpr(0.01), 4, &backwards);
    all_found(&filter, &keys, "built in descending order of hashes");
}

/// Building from keys equals building from their hashes.
pub fn keys_build_what_their_hashes_build<F: BuildFilter>() {
    let keys: Vec<u64> = (0..3000).map(present).collect();
    let of_keys = F::build_keys(Budget::Fpr(0.05), 6, &keys).or_fail("3000 keys");
    let of_hashes = built::<F>(Budget::Fpr(0.05), 6, &present_hashes(3000, 6));
    assert_eq!((of_keys.seed(), of_keys.params()), (6, of_hashes.params()));
    same_answers(&of_keys, &of_hashes, "built of keys and of hashes");
}

fn built<F: BuildFilter>(budget: Budget, seed: u64, hashes: &[KeyHash]) -> F {
    let n = hashes.len() as u64;
    at_once(Goal::new(n, budget), seed, hashes)
        .or_fail(format_args!("{n} keys built at once, {budget:?}, seed {seed}"))
}
