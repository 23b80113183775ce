//! Linear systems: how many seeds leave room for all keys, with controls.

use super::{Failure, guarded, seed_of};
use amq_core::{BuildError, KeyHash};

/// Whether all keys with these hashes find room in one system of this many slots.
pub type Fits = fn(&[KeyHash], u64) -> Result<bool, BuildError>;

/// Seeds for each control.
const SURE: u64 = 4;

/// Seeds that were tried.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Count {
    /// Seeds with room for all keys.
    pub solved: u64,
    /// Seeds without.
    pub unsolved: u64,
}

/// Tries these seeds with `slots` slots.
pub fn count(
    fits: Fits,
    keys: &[u64],
    slots: u64,
    seeds: impl Iterator<Item = u64>,
) -> Result<Count, Failure> {
    let mut count = Count::default();
    for seed in seeds {
        let hashes: Vec<KeyHash> = keys.iter().map(|key| KeyHash::of(key, seed)).collect();
        let solved = guarded(|| fits(&hashes, slots))?;
        match solved.map_err(|error| Failure::Build(error.to_string()))? {
            true => count.solved += 1,
            false => count.unsolved += 1,
        }
    }
    Ok(count)
}

/// The controls: distinct keys never find room in fewer slots than keys, and always do in twice as
/// many. Nothing is counted after a wrong answer.
pub fn check(fits: Fits, keys: &[u64], seed: u64) -> Result<(), Failure> {
    let all = keys.len() as u64;
    // Taken from the other end than the seeds that count.
    let seeds = || (1..=SURE).map(|index| seed_of(seed, index.wrapping_neg()));
    let (fewer, twice) = (all - all.div_ceil(100).min(all), 2 * all);
    if count(fits, keys, fewer, seeds())?.solved > 0 {
        return Err(Failure::FindsRoom {
            keys: all,
            slots: fewer,
        });
    }
    if count(fits, keys, twice, seeds())?.unsolved > 0 {
        return Err(Failure::FindsNoRoom {
            keys: all,
            slots: twice,
        });
    }
    Ok(())
}
