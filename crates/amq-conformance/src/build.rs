//! Laws of filters built from all keys at once.

use crate::fill::{absent_hashes, all_found, at_once, present, present_hashes};
use crate::violation::{Verdict, Violation, ensure, same};
use amq_core::{Budget, BuildFilter, Encoder, Goal, Key, KeyHash};
use core::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// A filter of any number of keys can be built: of none, within a budget or by a goal for none. One
/// built by a goal for no keys takes one.
pub fn any_number_of_keys_can_be_built<F: BuildFilter>() -> Verdict {
    let none = Goal::fpr(0, 0.01);
    for filter in [
        F::build_hashes(Budget::Fpr(0.01), 1, &[]),
        F::build_hashes(none, 1, &[]),
        F::build_iter::<u64>(none, 1, []),
    ] {
        let filter = filter.map_err(Violation::refused("a filter of no key"))?;
        same("len of a filter built of nothing", filter.len(), 0)?;
        let found = absent_hashes(1000, 1).iter().filter(|&&h| filter.contains_hash(h)).count();
        same("keys found in a filter built of nothing", found, 0)?;
    }
    for filter in
        [F::build_hashes(none, 0, &present_hashes(1, 0)), F::build_iter(none, 0, [present(0)])]
    {
        let filter = filter.map_err(Violation::refused("one key by a goal for none"))?;
        all_found(&filter, &present_hashes(1, 0), "the one key by a goal for none")?;
    }
    for n in (1..=600).chain([1023, 1024, 1025, 4095, 4096, 4097, 65_535, 65_536, 65_537]) {
        for (budget, seed) in [(Budget::Fpr(0.01), n), (Budget::Fpr(0.2), n + 1)] {
            let hashes = present_hashes(n, seed);
            let filter = built::<F>(budget, seed, &hashes)?;
            all_found(&filter, &hashes, format_args!("{n} keys built at once, {budget:?}"))?;
        }
    }
    Ok(())
}

/// A static filter can be built of no keys, within any valid budget. It holds no key and takes at
/// most 64 bytes.
pub fn a_static_filter_of_no_keys_is_always_built<F: BuildFilter>() -> Verdict {
    for budget in [
        Budget::Fpr(0.01),
        Budget::Fpr(1e-12),
        Budget::BitsPerKey(0.1),
        Budget::BitsPerKey(10.0),
        Budget::Bytes(0),
        Budget::Bytes(1),
        Budget::Bytes(u64::MAX),
    ] {
        let what = format!("a filter of no key, {budget:?}");
        let filter = F::build_hashes(budget, 1, &[]).map_err(Violation::refused(&what))?;
        let from_keys = F::build_keys::<u64>(budget, 1, &[]);
        let from_keys = from_keys.map_err(Violation::refused(&what))?;
        for filter in [filter, from_keys] {
            same(format_args!("len of {what}"), filter.len(), 0)?;
            same(format_args!("rate of {what}"), filter.expected_fpr(), 0.0)?;
            let found = absent_hashes(1000, 1).iter().any(|&h| filter.contains_hash(h));
            same(format_args!("whether a key is in {what}"), found, false)?;
            let size = filter.size_in_bytes();
            ensure(size <= 64, format_args!("bytes of {what}"), size, "next to none")?;
        }
    }
    for budget in [Budget::Fpr(0.0), Budget::Fpr(f64::NAN), Budget::BitsPerKey(-1.0)] {
        if F::build_hashes(budget, 1, &[]).is_ok() {
            let what = format!("no key with {budget:?}");
            return Err(Violation::Accepted { what });
        }
    }
    Ok(())
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
pub fn keys_that_change_their_hash_do_not_panic<F: BuildFilter>() -> Verdict {
    for n in [1, 2, 100, 5000, 70_000] {
        for from in [0, n / 2, n, 2 * n - 1] {
            let asked = Cell::new(0);
            let hash = |i: u64| present_hashes(1, i)[0].get();
            let keys: Vec<Fickle<'_>> =
                (0..n).map(|i| Fickle { hash: hash(i), asked: &asked, from }).collect();
            let build = || F::build_keys(Budget::Fpr(0.01), 0, &keys).map(drop);
            ensure(
                catch_unwind(AssertUnwindSafe(build)).is_ok(),
                format_args!("building of {n} keys, another hash from call {from} on"),
                "a panic",
                "a filter or an error",
            )?;
        }
    }
    Ok(())
}

/// Repeated keys do no harm, however often they come, nor does their order.
pub fn repeated_keys_do_no_harm<F: BuildFilter>() -> Verdict {
    let keys = present_hashes(2000, 4);
    let mut all: Vec<KeyHash> = Vec::new();
    for (i, &key) in keys.iter().enumerate() {
        all.resize(all.len() + 1 + i % 5, key);
    }
    all.resize(all.len() + 1000, keys[7]);
    let filter = built::<F>(Budget::Fpr(0.01), 4, &all)?;
    all_found(&filter, &keys, "built with repeated keys")?;
    ensure(filter.len() <= all.len() as u64, "len with repeated keys", filter.len(), all.len())?;

    let same_key = vec![keys[0]; 5000];
    let filter = built::<F>(Budget::Fpr(0.01), 4, &same_key)?;
    all_found(&filter, &keys[..1], "built of 5000 copies of it")?;

    let mut backwards = keys.clone();
    backwards.sort_unstable();
    backwards.reverse();
    let filter = built::<F>(Budget::Fpr(0.01), 4, &backwards)?;
    all_found(&filter, &keys, "built in descending order of hashes")
}

/// Building from keys equals building from their hashes.
pub fn keys_build_what_their_hashes_build<F: BuildFilter>() -> Verdict {
    let keys: Vec<u64> = (0..3000).map(present).collect();
    let budget = Budget::Fpr(0.05);
    let one = F::build_keys(budget, 6, &keys).map_err(Violation::refused("3000 keys"))?;
    let two = built::<F>(budget, 6, &present_hashes(3000, 6))?;
    same("seed", one.seed(), 6)?;
    same("len", one.len(), two.len())?;
    same("params", one.params(), two.params())?;
    for hash in absent_hashes(20_000, 6).into_iter().chain(present_hashes(3000, 6)) {
        same("an answer", one.contains_hash(hash), two.contains_hash(hash))?;
    }
    Ok(())
}

fn built<F: BuildFilter>(budget: Budget, seed: u64, hashes: &[KeyHash]) -> Result<F, Violation> {
    let goal = Goal::new(hashes.len() as u64, budget);
    at_once(goal, seed, hashes).map_err(Violation::refused(format!(
        "{} keys built at once, {budget:?}, seed {seed}",
        hashes.len()
    )))
}
