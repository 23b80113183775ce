//! The exact set: what a filter saves, and what an answer that is never wrong costs.

use crate::contender::{Ability, Built, Contender, Family, Info, Probe, Role, built};
use crate::keys::{BenchKey, Keys};
use amq_core::PredictedFpr;
use foldhash::fast::FixedState;

/// `std::collections::HashSet` with foldhash: its default hasher is made to withstand attacks and would
/// handicap it.
#[derive(Debug)]
pub struct HashSet;

impl Contender for HashSet {
    fn info(&self) -> Info {
        Info {
            name: "std-hashset",
            family: Family::Exact,
            role: Role::Filter,
            ours: false,
            packages: &["std", "foldhash"],
            analysis: "The standard library's set, which keeps the keys themselves and is never wrong; with foldhash in place \
                       of its default hasher, which is several times slower.",
            abilities: &[
                Ability::Insert,
                Ability::Remove,
                Ability::Merge,
                Ability::Grow,
            ],
            takes_rate: false,
            // Some 20 bytes a key: beyond this it is no alternative.
            max_keys: 10_000_000,
            theory: None,
        }
    }

    fn build(
        &self,
        keys: Keys<'_>,
        _asked_fpr: Option<f64>,
        seed: u64,
    ) -> Result<Box<dyn Built>, String> {
        Ok(match keys {
            Keys::U64(keys) => {
                let mut set = std::collections::HashSet::with_capacity_and_hasher(
                    keys.len(),
                    FixedState::with_seed(seed),
                );
                set.extend(keys.iter().copied());
                built::<u64, _>(Set(set))
            }
            Keys::Bytes(keys) => {
                let mut set = std::collections::HashSet::with_capacity_and_hasher(
                    keys.len(),
                    FixedState::with_seed(seed),
                );
                // Without the spare capacity of a `Vec`, and without the word that would hold it.
                set.extend(keys.iter().map(|&key| Box::<[u8]>::from(key)));
                built::<[u8], _>(Set(set))
            }
        })
    }
}

struct Set<T>(std::collections::HashSet<T, FixedState>);

impl<K, T> Probe<K> for Set<T>
where
    K: BenchKey + ?Sized,
    T: std::borrow::Borrow<K> + std::hash::Hash + Eq,
{
    /// The standard library doesn't say.
    fn said_bytes(&self) -> Option<u64> {
        None
    }

    fn predicted(&self) -> Option<PredictedFpr> {
        Some(PredictedFpr { mean: 0.0, sd: 0.0 })
    }

    #[inline]
    fn holds(&self, key: &K) -> bool {
        self.0.contains(key)
    }
}
