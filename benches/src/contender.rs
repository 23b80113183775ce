//! What a contender is: something that says what it is, is built from keys, and then answers.
//!
//! A contender's own file implements [`Contender`], and [`Probe`] for what it builds. The loops
//! over keys are here, written once and compiled once for each contender and key type; the call
//! through a trait object happens once a pass, never per key.

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

/// The families that are drawn in one colour.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Family {
    /// Bloom filters with bits anywhere.
    Classic,
    /// Bloom filters with eight bits in one block.
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
    /// Binary fuse, xor and other filters of three random places.
    Fuse,
    /// Sets that keep the keys.
    Exact,
    /// Not a filter: what hashing alone costs.
    Floor,
}

/// What a contender is there for.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Role {
    /// To be compared.
    Filter,
    /// The same filter once more: what differs between the two is noise.
    Twin,
    /// To be subtracted: it hashes the keys and answers nothing.
    Floor,
}

/// What a filter can do besides answering.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Ability {
    /// Takes further keys one by one.
    Insert,
    /// Takes keys through a shared reference, from several threads.
    ConcurrentInsert,
    /// Forgets a key.
    Remove,
    /// Says how often a key was put in.
    Count,
    /// Takes in another filter.
    Merge,
    /// Grows beyond the number of keys it was planned for.
    Grow,
    /// Answers many keys in one call, quicker than one by one.
    Batch,
    /// Is made from all keys at once and then never changes.
    Static,
}

/// The rate that theory expects of a family's filter of so many keys at so many bits per key; none
/// where there is no such filter.
pub type Theory = fn(keys: u64, bits_per_key: f64) -> Option<f64>;

/// What a contender says of itself.
#[derive(Clone, Copy, Debug)]
pub struct Info {
    /// Its name: in records, in file names, for `--only`.
    pub name: &'static str,
    /// Its kind.
    pub family: Family,
    /// What it is there for.
    pub role: Role,
    /// Whether it is of this workspace.
    pub ours: bool,
    /// The packages it is made of; their versions are read from the lock file. `std` stands for the
    /// compiler.
    pub packages: &'static [&'static str],
    /// One sentence that says what to expect of it and why.
    pub analysis: &'static str,
    /// What it can do.
    pub abilities: &'static [Ability],
    /// Whether it can be asked for a rate. If not, it takes part once per number of keys.
    pub takes_rate: bool,
    /// The most keys it is measured with.
    pub max_keys: u64,
    /// Whether it can be given a seed. One that cannot is the same filter every time: there is no
    /// second one to verify.
    pub seeded: bool,
    /// Several times slower than the others. So that nobody waits for it, it takes part at one rate
    /// of each group, with the main keys only, and is asked a part of each stream.
    pub slow: bool,
    /// Its theory, if it has one.
    pub theory: Option<Theory>,
}

/// One entry of the registry.
pub trait Contender: Sync {
    /// What it is.
    fn info(&self) -> Info;

    /// Makes a filter of all the keys, which are distinct, by the quickest way its interface
    /// offers. `asked_fpr` is none exactly if the contender takes no rate.
    fn build(
        &self,
        keys: Keys<'_>,
        asked_fpr: Option<f64>,
        seed: u64,
    ) -> Result<Box<dyn Built>, String>;

    /// The same of the first keys of a course: whatever the contender is otherwise told of them,
    /// here it is made for just so many.
    fn begin(
        &self,
        keys: Keys<'_>,
        asked_fpr: Option<f64>,
        seed: u64,
    ) -> Result<Box<dyn Built>, String> {
        self.build(keys, asked_fpr, seed)
    }

    /// Whether it builds with threads of its own, which takes another way of counting what they
    /// hold.
    fn has_threads(&self) -> bool {
        false
    }

    /// Makes a filter for `room` keys and puts these in, which are no more than that. None where it
    /// is only ever made for the keys that it is given, or where another entry of the same filter
    /// already serves.
    fn with_room(
        &self,
        _room: usize,
        _keys: Keys<'_>,
        _asked_fpr: Option<f64>,
        _seed: u64,
    ) -> Option<Result<Box<dyn Built>, String>> {
        None
    }

    /// Whether it takes part in this course: those that grow in the one beyond the plan, those that
    /// only take further keys in the other; by its abilities in those that need a filter
    /// [with room](Self::with_room). No reason to override it but that another entry of the same
    /// filter already does the same.
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

/// A filter that has been built.
///
/// Asked for keys of another type than it was built of, it finds none; verification then says so.
pub trait Built {
    /// Bytes that it says it holds on the heap, if it can say.
    fn said_bytes(&self) -> Option<u64>;

    /// What the exact formula expects of its rate, if there is one.
    fn predicted(&self) -> Option<PredictedFpr>;

    /// The timed loop: one query after another, answers only counted.
    fn count_hits(&self, queries: Keys<'_>) -> u64;

    /// The same through the batch interface; none where there is none.
    fn count_hits_batch(&self, queries: Keys<'_>) -> Option<u64>;

    /// The answers themselves, one for each query. Not timed.
    fn answers(&self, queries: Keys<'_>) -> Vec<bool>;

    /// Puts in further keys, none of which is in yet, and says how many it took before it refused
    /// one. None where it takes none once it is made.
    fn insert_more(&mut self, _keys: Keys<'_>) -> Option<u64> {
        None
    }

    /// Takes keys out, all of which are in, and says how many of them it knew. None where it
    /// cannot.
    fn remove(&mut self, _keys: Keys<'_>) -> Option<u64> {
        None
    }

    /// Takes out the keys of the one list, all of which are in, and puts in those of the other, a
    /// key in turn; says how many were replaced before one was not known or refused. None where it
    /// cannot.
    fn replace(&mut self, _gone: Keys<'_>, _new: Keys<'_>) -> Option<u64> {
        None
    }

    /// Takes in another filter that the same contender made. None where it cannot.
    fn merge(&mut self, _other: &dyn Built) -> Option<Result<(), String>> {
        None
    }

    /// Places for keys, where each key takes one; see [`Probe::slots`].
    fn slots(&self) -> Option<u64> {
        None
    }

    /// Itself, to be told from others.
    fn as_any(&self) -> &dyn Any;
}

impl fmt::Debug for dyn Built + '_ {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a filter of {:?} bytes", self.said_bytes())
    }
}

/// What a contender implements for its filter: the answer to one key.
pub trait Probe<K: BenchKey + ?Sized> {
    /// Bytes that it says it holds on the heap, if it can say.
    fn said_bytes(&self) -> Option<u64>;

    /// What the exact formula expects of its rate, if there is one.
    fn predicted(&self) -> Option<PredictedFpr> {
        None
    }

    /// Whether the key is probably in. Hashing is part of it.
    fn holds(&self, key: &K) -> bool;

    /// How many of the keys are probably in, asked through the batch interface; none where there is
    /// none.
    fn count_batch(&self, _keys: &[K::Item<'_>]) -> Option<u64> {
        None
    }

    /// Puts in keys by the quickest way there is and says how many were taken before one was
    /// refused; none where it takes none once it is made. [`predicted`](Self::predicted) is of all
    /// keys from then on.
    fn insert_all(&mut self, _keys: &[K::Item<'_>]) -> Option<u64> {
        None
    }

    /// Takes out keys and says how many of them it knew, all of them if it doesn't say; none where
    /// it cannot. [`predicted`](Self::predicted) is of the remaining keys from then on.
    fn remove_all(&mut self, _keys: &[K::Item<'_>]) -> Option<u64> {
        None
    }

    /// Takes out the keys of the one list and puts in those of the other, a key in turn, and says
    /// how many were replaced before one was not known or refused; none where it cannot. To be
    /// overridden where lists of one key are not the quickest way.
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

    /// Takes in another filter, or says why not; none where it cannot.
    /// [`predicted`](Self::predicted) is of the keys of both from then on.
    fn merge(&mut self, _other: &Self) -> Option<Result<(), String>> {
        None
    }

    /// Places for keys, in a table in which each key takes one: its load is the keys in it over
    /// these. None where there is no such table. One that grows says another number from then on.
    fn slots(&self) -> Option<u64> {
        None
    }
}

/// Makes a [`Built`] of a [`Probe`].
pub fn built<K: BenchKey + ?Sized, P: Probe<K> + 'static>(probe: P) -> Box<dyn Built> {
    Box::new(Loops(probe, PhantomData::<fn(&K)>))
}

/// The loops, compiled for each probe and key type.
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
        // The optimiser must take filter and keys as unknown, and the sum as used; within the loop
        // it may do whatever it could do in a user's.
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
