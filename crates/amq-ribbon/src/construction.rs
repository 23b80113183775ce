//! How likely a system of equations has a solution: what the sizes of standard ribbons rest on.
//!
//! A standard ribbon has a few percent more slots than keys. Now and then a row vanishes all the
//! same, and another seed must be tried: less often with more slots, more often with more keys in a
//! shard. So the slots per key grow with the logarithm of their number. [`fits`] is how that was
//! measured; the example `slots_needed` measures it again.
//!
//! ```
//! use amq_ribbon::{Key, KeyHash, Standard, construction};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let hashes: Vec<KeyHash> = (0..1000u64).map(|key| key.key_hash(1)).collect();
//! assert!(construction::fits::<Standard>(&hashes, 1100)?); // ten percent more slots than keys
//! assert!(!construction::fits::<Standard>(&hashes, 990)?); // fewer slots than keys
//! assert_eq!(construction::slots::<Standard>(1000), 1025);
//! # Ok(())
//! # }
//! ```

use crate::Kind;
use crate::banding::{Added, Banding, Equation};
use crate::memory::room;
use crate::row::{self, Operations, Row, seeded};
use crate::sizing::slots_for;
use alloc::vec::Vec;
use amq_core::{BuildError, KeyHash, PlanError};

/// The most slots of one system: more than any shard has.
pub const MAX_SLOTS: u64 = 1 << 24;

/// Whether the keys with these hashes all find room in one system of `slots` slots.
///
/// This is what a filter of the kind does in a shard of its last layer, with the shard's first
/// seed. `slots` is at least the bits of a row, and at most [`MAX_SLOTS`].
pub fn fits<K: Kind>(hashes: &[KeyHash], slots: u64) -> Result<bool, BuildError> {
    PlanError::check_parameter("slots", slots, K::Row::BITS, MAX_SLOTS)?;
    let starts = slots - K::Row::BITS + 1;
    let mut keys: Vec<u64> = room(hashes.len() as u64)?;
    keys.extend(hashes.iter().map(|hash| seeded(hash.get(), 0)));
    // Sorted by hash is sorted by start.
    keys.sort_unstable();
    let mut banding = Banding::<K::Row>::new(slots)?;
    Ok(keys.iter().all(|&hash| {
        let equation = Equation {
            slot: row::start(hash, starts) as usize,
            row: K::Row::of(hash),
            result: row::result(hash),
        };
        banding.add(equation) != Added::Contradiction
    }))
}

/// The slots that a filter gives `keys` keys in one shard, before it rounds up to whole blocks:
/// with this many, at most about one seed in ten fails. At least the bits of a row.
pub fn slots<K: Kind>(keys: u64) -> u64 {
    (libm::ceil(slots_for::<K::Row>(keys as f64)) as u64).max(K::Row::BITS)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Standard, Standard64};

    fn hashes(keys: u64, seed: u64) -> Vec<KeyHash> {
        (0..keys).map(|key| KeyHash::of(&key, seed)).collect()
    }

    /// How many of the seeds leave a key without room.
    fn failures<K: Kind>(keys: u64, slots: u64, seeds: u64) -> u64 {
        let fails = |seed: &u64| !fits::<K>(&hashes(keys, *seed), slots).unwrap();
        (0..seeds).filter(fails).count() as u64
    }

    #[test]
    fn about_one_seed_in_ten_fails_where_filters_are_built_and_many_do_with_three_percent_less() {
        fn rates<K: Kind>() {
            for keys in [500, 4000, 16_384, 32_768] {
                let slots = slots::<K>(keys);
                let seeds = 200;
                let failed = failures::<K>(keys, slots, seeds);
                assert!(failed <= 40, "{keys} keys: {failed} of {seeds}");
                let failed = failures::<K>(keys, slots - keys * 3 / 100, seeds);
                assert!(failed >= 60, "{keys} keys and less room: {failed}");
            }
        }
        rates::<Standard>();
        rates::<Standard64>();
    }

    #[test]
    fn what_is_no_size_of_a_system_is_refused() {
        for slots in [0, 127, MAX_SLOTS + 1, u64::MAX] {
            let refused = fits::<Standard>(&hashes(3, 0), slots);
            assert!(matches!(refused, Err(BuildError::Plan(_))), "{slots}");
        }
        assert_eq!(fits::<Standard>(&[], 128), Ok(true));
        // One key many times is one equation.
        assert_eq!(fits::<Standard>(&[KeyHash::new(5); 1000], 128), Ok(true));
    }
}
