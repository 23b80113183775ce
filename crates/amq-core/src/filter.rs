//! What a filter can do: one trait per ability.

use crate::key::hash_blocks;
use crate::numeric::first_true_near;
use crate::{
    BatchFull, Budget, BuildError, Full, Goal, Key, KeyHash, LengthMismatch, MergeError, Plan,
    PlanError,
};
use alloc::vec::Vec;
use core::fmt;

/// The variants of the family, with the numbers that stand for them in files.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
#[repr(u8)]
pub enum FilterKind {
    /// Classic Bloom filter: k bits anywhere in the table.
    Bloom = 1,
    /// Split-block Bloom filter: eight bits in one 32-byte block.
    BlockedBloom = 2,
    /// Counting Bloom filter with 4-bit counters.
    Counting = 3,
    /// Scalable Bloom filter: stages that grow and tighten.
    Scalable = 4,
    /// Cuckoo filter: fingerprints in buckets.
    Cuckoo = 5,
    /// Quotient filter: remainders in runs.
    Quotient = 6,
    /// Ribbon filter: a solved linear system.
    Ribbon = 7,
    /// Counting Bloom filter with eight 4-bit counters in one 64-byte block.
    BlockedCounting = 8,
    /// Scalable Bloom filter whose stages are split-block filters.
    ScalableBlocked = 9,
    /// Cuckoo filter whose buckets overlap.
    WindowedCuckoo = 10,
    /// Ribbon filter that bumps keys to further layers.
    BumpedRibbon = 11,
    /// Ribbon filter with rows of 64 bits instead of 128.
    NarrowRibbon = 12,
    /// Bumped ribbon filter with rows of 128 bits instead of 64.
    WideBumpedRibbon = 13,
}

impl FilterKind {
    /// The variant's name in running text.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Bloom => "Bloom",
            Self::BlockedBloom => "split-block Bloom",
            Self::Counting => "counting Bloom",
            Self::Scalable => "scalable Bloom",
            Self::Cuckoo => "cuckoo",
            Self::Quotient => "quotient",
            Self::Ribbon => "ribbon",
            Self::BlockedCounting => "blocked counting Bloom",
            Self::ScalableBlocked => "scalable split-block Bloom",
            Self::WindowedCuckoo => "windowed cuckoo",
            Self::BumpedRibbon => "bumped ribbon",
            Self::NarrowRibbon => "narrow ribbon",
            Self::WideBumpedRibbon => "wide bumped ribbon",
        }
    }
}

impl fmt::Display for FilterKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A set of keys that may be asked whether a key is in it.
///
/// The methods that take a [`KeyHash`] can be called on a `&dyn Filter`; those that take a [`Key`] hash it with the
/// filter's [`seed`](Filter::seed) and call them.
///
/// **The contract**: once a key has been put in (and not been removed), `contains` is `true` for it, always. For a key
/// that was never put in it is `true` with probability [`expected_fpr`](Filter::expected_fpr), over the
/// choice of seed. An operation that returns an error has changed nothing.
pub trait Filter {
    /// Which variant this is.
    fn kind(&self) -> FilterKind;

    /// The seed its keys are hashed with.
    fn seed(&self) -> u64;

    /// The keys the filter has taken account of.
    ///
    /// Exact where the filter stores something for each key. A Bloom filter counts the inserts that answered
    /// [`Inserted::New`], so repeated keys are not counted again, and the few distinct keys that were false
    /// positives when they came are not counted at all; after a union it is the sum of both.
    fn len(&self) -> u64;

    /// Whether [`len`](Filter::len) is zero.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The number of keys it was planned for.
    fn capacity(&self) -> u64;

    /// Bytes held on the heap. The few fields of the struct itself are not counted.
    fn size_in_bytes(&self) -> u64;

    /// The probability that a key that was never put in is answered `true`, for the filter as it stands now:
    /// from its realised parameters and its contents, by the variant's exact formula.
    ///
    /// This may read the whole table. What theory expects *before* any key is in is
    /// [`PlanFilter::predicted_fpr`].
    fn expected_fpr(&self) -> f64;

    /// Whether the key with this hash is probably in: `false` is certain.
    fn contains_hash(&self, hash: KeyHash) -> bool;

    /// Answers for many hashes, `answers[i]` for `hashes[i]`: the same as [`contains_hash`](Filter::contains_hash)
    /// for each, but faster on large filters, because the waits for memory overlap.
    fn contains_batch(
        &self,
        hashes: &[KeyHash],
        answers: &mut [bool],
    ) -> Result<(), LengthMismatch> {
        LengthMismatch::check(hashes.len(), answers.len())?;
        for (answer, &hash) in answers.iter_mut().zip(hashes) {
            *answer = self.contains_hash(hash);
        }
        Ok(())
    }

    /// Whether `key` is probably in: `false` is certain.
    #[inline]
    fn contains<K: Key + ?Sized>(&self, key: &K) -> bool
    where
        Self: Sized,
    {
        self.contains_hash(key.key_hash(self.seed()))
    }

    /// Answers for many keys; see [`contains_batch`](Filter::contains_batch). Needs no memory of its own.
    #[inline]
    fn contains_keys<K: Key>(&self, keys: &[K], answers: &mut [bool]) -> Result<(), LengthMismatch>
    where
        Self: Sized,
    {
        LengthMismatch::check(keys.len(), answers.len())?;
        hash_blocks(keys, self.seed(), |first, hashes| {
            self.contains_batch(hashes, &mut answers[first..first + hashes.len()])
        })
    }
}

/// What an insert found.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Inserted {
    /// The key was certainly not there before.
    New,
    /// The filter answered `true` for the key already: it was there, or it was a false positive.
    MaybePresent,
}

impl Inserted {
    /// Whether the key was certainly not there before.
    #[inline]
    pub const fn is_new(self) -> bool {
        matches!(self, Self::New)
    }

    /// `New` if the insert changed the filter.
    #[inline]
    pub const fn from_change(changed: bool) -> Self {
        if changed {
            Self::New
        } else {
            Self::MaybePresent
        }
    }
}

/// A filter that takes keys one by one.
pub trait InsertFilter: Filter {
    /// Puts in the key with this hash. On an error the filter is exactly as it was.
    fn insert_hash(&mut self, hash: KeyHash) -> Result<Inserted, Full>;

    /// Puts in many hashes and says how many were [`Inserted::New`]. The result is the same as that of
    /// inserting one after another; on an error the hashes before the refused one are in, and it says how many.
    fn insert_batch(&mut self, hashes: &[KeyHash]) -> Result<u64, BatchFull> {
        let mut new = 0;
        for (done, &hash) in hashes.iter().enumerate() {
            match self.insert_hash(hash) {
                Ok(inserted) => new += u64::from(inserted.is_new()),
                Err(full) => {
                    return Err(BatchFull {
                        done: done as u64,
                        full,
                    });
                }
            }
        }
        Ok(new)
    }

    /// Takes every key out; size, seed and memory stay.
    fn clear(&mut self);

    /// Puts `key` in. On an error the filter is exactly as it was.
    #[inline]
    fn insert<K: Key + ?Sized>(&mut self, key: &K) -> Result<Inserted, Full>
    where
        Self: Sized,
    {
        self.insert_hash(key.key_hash(self.seed()))
    }

    /// Puts many keys in; see [`insert_batch`](InsertFilter::insert_batch). Needs no memory of its own.
    #[inline]
    fn insert_keys<K: Key>(&mut self, keys: &[K]) -> Result<u64, BatchFull>
    where
        Self: Sized,
    {
        let mut new = 0;
        hash_blocks(keys, self.seed(), |first, hashes| {
            match self.insert_batch(hashes) {
                Ok(n) => new += n,
                Err(BatchFull { done, full }) => {
                    return Err(BatchFull {
                        done: first as u64 + done,
                        full,
                    });
                }
            }
            Ok(())
        })?;
        Ok(new)
    }
}

/// A filter that can forget a key.
pub trait RemoveFilter: InsertFilter {
    /// Takes out one copy of the key with this hash. `false`: it was certainly not there, and nothing changed.
    ///
    /// Only remove what was put in. Removing a key that is a false positive takes away what belongs to
    /// another key, which may then be answered `false`.
    fn remove_hash(&mut self, hash: KeyHash) -> bool;

    /// Takes out one copy of `key`; see [`remove_hash`](RemoveFilter::remove_hash).
    #[inline]
    fn remove<K: Key + ?Sized>(&mut self, key: &K) -> bool
    where
        Self: Sized,
    {
        self.remove_hash(key.key_hash(self.seed()))
    }
}

/// How many copies of a key a filter knows of: never fewer than there are, unless `saturated`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Count {
    /// The copies, or a few more because of other keys.
    pub estimate: u64,
    /// The filter stopped counting at the estimate: there may be more copies.
    pub saturated: bool,
}

/// A filter that can say how often a key was put in.
pub trait CountFilter: Filter {
    /// The number of copies of the key with this hash. What the key shares with others, or with itself, may raise it, never
    /// lower it.
    fn count_hash(&self, hash: KeyHash) -> Count;

    /// The number of copies of `key`; see [`count_hash`](CountFilter::count_hash).
    #[inline]
    fn count<K: Key + ?Sized>(&self, key: &K) -> Count
    where
        Self: Sized,
    {
        self.count_hash(key.key_hash(self.seed()))
    }
}

/// What theory says of filters with given parameters, over the choice of seed: each seed makes another filter,
/// with a rate of its own.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct PredictedFpr {
    /// The mean of their false-positive rates: what a user should expect.
    pub mean: f64,
    /// The standard deviation of their rates around that mean.
    pub sd: f64,
}

/// A filter that is sized by formula, without being made.
pub trait PlanFilter: Filter + Sized {
    /// The parameters that determine the table: what an expert sets by hand.
    type Params: Copy + PartialEq + fmt::Debug;

    /// The best parameters for a goal, and what they cost.
    fn plan(goal: Goal) -> Result<Plan<Self::Params>, PlanError>;

    /// The exact false-positive rate of filters with these parameters holding `items` distinct keys.
    fn predicted_fpr(params: &Self::Params, items: u64) -> PredictedFpr;

    /// The parameters of this filter.
    fn params(&self) -> Self::Params;

    /// The inverse of planning: the most items that fit into `bytes` at a rate of at most `fpr`.
    fn items_for(bytes: u64, fpr: f64) -> Result<u64, PlanError> {
        let fits = |items: u64| Self::plan(Goal::fpr(items, fpr)).map(|plan| plan.bytes <= bytes);
        // One item must be plannable, or the rate itself is wrong: say so.
        if !fits(1)? {
            let smallest = Self::plan(Goal::fpr(1, fpr))?.bytes;
            return Err(PlanError::Bytes {
                bytes,
                min: smallest,
            });
        }
        // Sizes are nearly proportional to the items; one that cannot be planned does not fit.
        let (mut guess, mut most) = (bytes.max(1), bytes);
        for _ in 0..8 {
            let ratio = match Self::plan(Goal::fpr(guess, fpr)) {
                Ok(plan) => most as f64 / plan.bytes.max(1) as f64,
                Err(PlanError::TooLarge { bytes, max_bytes }) => {
                    most = most.min(max_bytes);
                    most as f64 / bytes
                }
                Err(_) => 1.0 / 256.0,
            };
            guess = ((guess as f64 * ratio) as u64).max(1);
            if (ratio - 1.0).abs() < 1e-12 {
                break;
            }
        }
        let over = |items: u64| !fits(items).unwrap_or(false);
        Ok(match first_true_near(1, u64::MAX, guess, over) {
            u64::MAX if !over(u64::MAX) => u64::MAX,
            first => first - 1,
        })
    }

    /// The inverse of planning: the rate that `items` keys in `bytes` bytes can have.
    fn fpr_for(items: u64, bytes: u64) -> Result<f64, PlanError> {
        Ok(Self::plan(Goal::bytes(items, bytes))?.expected_fpr)
    }
}

/// Writes a filter as its type, its parameters and how many keys it has: not its table, which may be gigabytes, and not its
/// seed, which may be secret. What the filters of the family implement `Debug` with.
pub fn debug<F: PlanFilter>(filter: &F, name: &str, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    f.debug_struct(name)
        .field("params", &filter.params())
        .field("len", &filter.len())
        .field("capacity", &filter.capacity())
        .finish_non_exhaustive()
}

/// A filter that is made empty and then filled.
pub trait EmptyFilter: PlanFilter + InsertFilter {
    /// An empty filter with a plan's parameters.
    fn from_plan(plan: &Plan<Self::Params>, seed: u64) -> Result<Self, BuildError>;

    /// An empty filter for a goal.
    fn with_goal(goal: Goal, seed: u64) -> Result<Self, BuildError> {
        Self::from_plan(&Self::plan(goal)?, seed)
    }

    /// A filter for as many keys as there are hashes, with these in it: how filters that are filled implement
    /// [`BuildFilter::build`].
    fn filled(budget: Budget, seed: u64, hashes: &[KeyHash]) -> Result<Self, BuildError> {
        let items = (hashes.len() as u64).max(1);
        let mut filter = Self::with_goal(Goal { items, budget }, seed)?;
        filter.insert_batch(hashes)?;
        Ok(filter)
    }

    /// The same from keys, without a vector of their hashes.
    fn filled_from_keys<K: Key>(budget: Budget, seed: u64, keys: &[K]) -> Result<Self, BuildError> {
        let items = (keys.len() as u64).max(1);
        let mut filter = Self::with_goal(Goal { items, budget }, seed)?;
        filter.insert_keys(keys)?;
        Ok(filter)
    }
}

/// A filter that is made from all of its keys at once: the only way for a static filter, often the fastest
/// for the others.
pub trait BuildFilter: PlanFilter {
    /// A filter that holds exactly these keys, sized for their number. Repeated hashes do no harm: whether a filter that removes holds one copy of such a
    /// key or all of them, its own documentation says.
    fn build(budget: Budget, seed: u64, hashes: &[KeyHash]) -> Result<Self, BuildError>;

    /// [`build`](BuildFilter::build) from keys. Hashes them into a vector first, 8 bytes a key.
    fn build_from_keys<K: Key>(budget: Budget, seed: u64, keys: &[K]) -> Result<Self, BuildError> {
        let mut hashes: Vec<KeyHash> = Vec::new();
        if hashes.try_reserve_exact(keys.len()).is_err() {
            return Err(BuildError::OutOfMemory {
                bytes: (keys.len() as u64).saturating_mul(size_of::<KeyHash>() as u64),
            });
        }
        hashes.extend(keys.iter().map(|key| key.key_hash(seed)));
        Self::build(budget, seed, &hashes)
    }
}

/// A filter that can take in another one.
pub trait MergeFilter: Sized {
    /// `Ok` if [`merge_from`](MergeFilter::merge_from) would succeed; if not, why.
    fn can_merge(&self, other: &Self) -> Result<(), MergeError>;

    /// Takes in every key of `other`: afterwards `self` contains whatever either contained. All or nothing.
    fn merge_from(&mut self, other: &Self) -> Result<(), MergeError>;
}
