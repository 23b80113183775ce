//! A contender: describes itself, is built from keys, and answers queries.
//!
//! A contender's file implements [`Contender`], and [`Probe`] for the filter it builds. The loops
//! over keys are here, written once and compiled for each contender and key type. The virtual call
//! happens once per pass, never per key.

use crate::keys::{BenchKey, Keys};
use crate::record::Workload;
use amq_core::PredictedFpr;
use serde::{Deserialize, Serialize};
use std::any::Any;
use std::borrow::Borrow;
use std::fmt;
use std::hint::black_box;
use std::marker::PhantomData;
use std::slice;

/// Families, each drawn in one colour.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Family {
    /// Bloom filters with bits anywhere.
    Classic,
    /// Bloom filters with eight bits per key in one block.
    SplitBlock,
    /// Counting Bloom filters.
    Counting,
    /// Bloom filters that grow.
    Scalable,
    /// Cuckoo filters.
    Cuckoo,
    /// Quotient filters.
    Quotient,
    /// Ribbon filters.
    Ribbon,
    /// Binary fuse, xor and other filters that read three random slots.
    Fuse,
    /// Exact sets.
    Exact,
    /// Not a filter: what hashing alone costs.
    Floor,
}

/// A contender's role.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Role {
    /// It is compared.
    Filter,
    /// The same filter entered again: the difference between the two is noise.
    Twin,
    /// A baseline to subtract: it hashes the keys and answers nothing.
    Floor,
}

/// What a filter can do besides answering queries.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Ability {
    /// Inserts keys one by one.
    Insert,
    /// Inserts keys through a shared reference, from several threads.
    ConcurrentInsert,
    /// Removes keys.
    Remove,
    /// Counts the copies of a key.
    Count,
    /// Merges another filter.
    Merge,
    /// Grows beyond the number of keys it was planned for.
    Grow,
    /// Answers many keys in one call, faster than one by one.
    Batch,
    /// Is built from all keys at once and never changes.
    Static,
}

/// A family's predicted rate for a number of keys and bits per key; `None` where there is no such
/// filter.
pub type Theory = fn(keys: u64, bits_per_key: f64) -> Option<f64>;

/// A contender's description.
#[derive(Clone, Copy, Debug)]
pub struct Info {
    /// Its name in records, file names and `--only`.
    pub name: &'static str,
    /// Its family.
    pub family: Family,
    /// Its role.
    pub role: Role,
    /// Whether it belongs to this workspace.
    pub ours: bool,
    /// Its packages; the lock file gives their versions. `std` stands for the compiler.
    pub packages: &'static [&'static str],
    /// One sentence on what to expect of it and why.
    pub analysis: &'static str,
    /// What it can do.
    pub abilities: &'static [Ability],
    /// Whether it takes a target rate. If not, it takes part once per number of keys.
    pub takes_rate: bool,
    /// The most keys it is measured with.
    pub max_keys: u64,
    /// Whether it takes a seed. Without one it builds the same filter every time, so there is only
    /// one to verify.
    pub seeded: bool,
    /// Several times slower than the others. To save time it takes part at one rate of each group,
    /// with the main keys only, and answers a part of each stream.
    pub slow: bool,
    /// Its theory, if it has one.
    pub theory: Option<Theory>,
}

/// One entry of the registry.
pub trait Contender: Sync {
    /// What it is.
    fn info(&self) -> Info;

    /// Builds a filter of all the keys, which are distinct, by the fastest way its API offers.
    /// `asked_fpr` is `None` exactly if the contender takes no rate.
    fn build(
        &self,
        keys: Keys<'_>,
        asked_fpr: Option<f64>,
        seed: u64,
    ) -> Result<Box<dyn Built>, String>;

    /// The same for the first keys of a course: here the filter is planned for exactly this many
    /// keys, whatever it is told otherwise.
    fn begin(
        &self,
        keys: Keys<'_>,
        asked_fpr: Option<f64>,
        seed: u64,
    ) -> Result<Box<dyn Built>, String> {
        self.build(keys, asked_fpr, seed)
    }

    /// Whether it builds with threads of its own, so that the memory of all threads must be
    /// counted.
    fn has_threads(&self) -> bool {
        false
    }

    /// Makes a filter for `room` keys and inserts these, at most `room`. `None` if it can only be
    /// made for the keys it is given, or if another entry of the same filter already takes part.
    fn with_room(
        &self,
        _room: usize,
        _keys: Keys<'_>,
        _asked_fpr: Option<f64>,
        _seed: u64,
    ) -> Option<Result<Box<dyn Built>, String>> {
        None
    }

    /// Whether it takes part in this course. Growing filters take part in `grow`, other filters
    /// that insert in `overfill`; courses that need a filter [with room](Self::with_room) decide by
    /// abilities. Override only if another entry of the same filter already takes part.
    fn goes(&self, course: Workload) -> bool {
        let info = self.info();
        let can = |ability| info.abilities.contains(&ability);
        let fits = match course {
            Workload::Grow => can(Ability::Grow),
            Workload::Overfill => can(Ability::Insert) && !can(Ability::Grow),
            Workload::LoadInsert => can(Ability::Insert),
            Workload::Churn => can(Ability::Insert) && can(Ability::Remove),
            Workload::Merge => can(Ability::Insert) && can(Ability::Merge),
            _ => false,
        };
        fits && info.role == Role::Filter
    }
}

impl fmt::Debug for dyn Contender + '_ {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.info().name)
    }
}

/// A built filter.
///
/// Queried for keys of another type than it was built from, it finds none, and verification fails.
pub trait Built {
    /// The heap bytes it reports, if any.
    fn said_bytes(&self) -> Option<u64>;

    /// The exact formula's prediction of its rate, if there is one.
    fn predicted(&self) -> Option<PredictedFpr>;

    /// The timed loop: one query after another, counting hits.
    fn count_hits(&self, queries: Keys<'_>) -> u64;

    /// The same through the batch interface; `None` without one.
    fn count_hits_batch(&self, queries: Keys<'_>) -> Option<u64>;

    /// The answers, one per query. Not timed.
    fn answers(&self, queries: Keys<'_>) -> Vec<bool>;

    /// Inserts further absent keys and returns how many it took before it refused one. `None` if it
    /// takes no keys once built.
    fn insert_more(&mut self, _keys: Keys<'_>) -> Option<u64> {
        None
    }

    /// Removes present keys and returns how many it reports removed. `None` if it cannot remove.
    fn remove(&mut self, _keys: Keys<'_>) -> Option<u64> {
        None
    }

    /// Removes a present key of the first list and inserts one of the second, in turn. Returns the
    /// number of replacements before a removal or an insert failed. `None` if it cannot.
    fn replace(&mut self, _gone: Keys<'_>, _new: Keys<'_>) -> Option<u64> {
        None
    }

    /// Merges another filter of the same contender. `None` if it cannot.
    fn merge(&mut self, _other: &dyn Built) -> Option<Result<(), String>> {
        None
    }

    /// The number of slots, if each key takes one; see [`Probe::slots`].
    fn slots(&self) -> Option<u64> {
        None
    }

    /// Itself, for downcasting.
    fn as_any(&self) -> &dyn Any;
}

impl fmt::Debug for dyn Built + '_ {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a filter of {:?} bytes", self.said_bytes())
    }
}

/// What a contender implements for its filter.
pub trait Probe<K: BenchKey + ?Sized> {
    /// The heap bytes it reports, if any.
    fn said_bytes(&self) -> Option<u64>;

    /// The exact formula's prediction of its rate, if there is one.
    fn predicted(&self) -> Option<PredictedFpr> {
        None
    }

    /// Whether the key is probably present, hashing included.
    fn holds(&self, key: &K) -> bool;

    /// How many of the keys are probably present, by the batch interface; `None` without one.
    fn count_batch(&self, _keys: &[K::Item<'_>]) -> Option<u64> {
        None
    }

    /// Inserts keys by the fastest way and returns how many it took before it refused one; `None`
    /// if it takes no keys once built. From then on [`predicted`](Self::predicted) covers all keys.
    fn insert_all(&mut self, _keys: &[K::Item<'_>]) -> Option<u64> {
        None
    }

    /// Removes keys and returns how many it reports removed, or all of them if it does not report;
    /// `None` if it cannot remove. From then on [`predicted`](Self::predicted) covers the remaining
    /// keys.
    fn remove_all(&mut self, _keys: &[K::Item<'_>]) -> Option<u64> {
        None
    }

    /// Removes a key of the first list and inserts one of the second, in turn. Returns the number
    /// of replacements before a removal or an insert failed; `None` if it cannot. Override where
    /// lists of one key are not the fastest way.
    fn replace_all(&mut self, gone: &[K::Item<'_>], new: &[K::Item<'_>]) -> Option<u64> {
        let mut replaced = 0;
        for (gone, new) in gone.iter().zip(new) {
            let known = self.remove_all(slice::from_ref(gone))?;
            if known == 0 || self.insert_all(slice::from_ref(new))? == 0 {
                break;
            }
            replaced += 1;
        }
        Some(replaced)
    }

    /// Merges another filter, or says why not; `None` if it cannot merge. From then on
    /// [`predicted`](Self::predicted) covers the keys of both.
    fn merge(&mut self, _other: &Self) -> Option<Result<(), String>> {
        None
    }

    /// The slots of a table in which each key takes one; the load is keys over slots. `None`
    /// without such a table. The number changes when the filter grows.
    fn slots(&self) -> Option<u64> {
        None
    }
}

/// Makes a [`Built`] of a [`Probe`].
pub fn built<K: BenchKey + ?Sized, P: Probe<K> + 'static>(probe: P) -> Box<dyn Built> {
    Box::new(Loops(probe, PhantomData::<fn(&K)>))
}

/// The loops, compiled per probe and key type.
#[derive(Debug)]
struct Loops<P, K: ?Sized>(P, PhantomData<fn(&K)>);

impl<K: BenchKey + ?Sized, P: Probe<K> + 'static> Built for Loops<P, K> {
    fn said_bytes(&self) -> Option<u64> {
        self.0.said_bytes()
    }

    fn predicted(&self) -> Option<PredictedFpr> {
        self.0.predicted()
    }

    fn count_hits(&self, queries: Keys<'_>) -> u64 {
        // The optimiser must treat filter and keys as unknown and the sum as used; inside the loop
        // it may do whatever it could in a user's code.
        let probe = black_box(&self.0);
        let keys = black_box(K::slice(queries).unwrap_or_default());
        black_box(
            keys.iter()
                .map(|key| u64::from(probe.holds(key.borrow())))
                .sum(),
        )
    }

    fn count_hits_batch(&self, queries: Keys<'_>) -> Option<u64> {
        let probe = black_box(&self.0);
        black_box(probe.count_batch(black_box(K::slice(queries)?)))
    }

    fn answers(&self, queries: Keys<'_>) -> Vec<bool> {
        let keys = K::slice(queries).unwrap_or_default();
        keys.iter().map(|key| self.0.holds(key.borrow())).collect()
    }

    fn insert_more(&mut self, keys: Keys<'_>) -> Option<u64> {
        let probe = black_box(&mut self.0);
        black_box(probe.insert_all(black_box(K::slice(keys)?)))
    }

    fn remove(&mut self, keys: Keys<'_>) -> Option<u64> {
        let probe = black_box(&mut self.0);
        black_box(probe.remove_all(black_box(K::slice(keys)?)))
    }

    fn replace(&mut self, gone: Keys<'_>, new: Keys<'_>) -> Option<u64> {
        let probe = black_box(&mut self.0);
        let (gone, new) = black_box((K::slice(gone)?, K::slice(new)?));
        black_box(probe.replace_all(gone, new))
    }

    fn merge(&mut self, other: &dyn Built) -> Option<Result<(), String>> {
        let other: &Self = other.as_any().downcast_ref()?;
        black_box(black_box(&mut self.0).merge(black_box(&other.0)))
    }

    fn slots(&self) -> Option<u64> {
        self.0.slots()
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}
