//! What all filter types of the family have in common, written once.
//!
//! A variant crate owns its types, so that their methods and foreign traits are its own, and gives each
//! of them a [`Header`], its table, and the few functions of [`Shell`] (and of [`Fill`], where keys are
//! put in one by one). The macro [`shell!`](crate::shell!) writes the rest: the inherent methods, with
//! their documentation, and the traits. The storage is a parameter of the type: reading is written for
//! any storage, changing for the owned one.

use crate::{Budget, BuildError, FilterKind, Full, Inserted, KeyHash, MergeError, Parts, Plan};
use core::convert::Infallible;
use core::fmt;

/// What every filter keeps besides its table.
#[derive(Clone, Copy, Debug)]
pub struct Header {
    /// The seed its keys are hashed with.
    pub seed: u64,
    /// The number of keys it was planned for.
    pub capacity: u64,
    /// What it was planned for besides, if that is known.
    pub budget: Option<Budget>,
}

impl Header {
    /// Of a filter made by a plan.
    pub const fn new<P>(plan: &Plan<P>, seed: u64) -> Self {
        Self {
            seed,
            capacity: plan.items,
            budget: plan.budget,
        }
    }

    /// Of a filter whose table was handed in.
    pub const fn of_parts<P>(parts: &Parts<P>) -> Self {
        Self {
            seed: parts.seed,
            capacity: parts.capacity,
            budget: None,
        }
    }
}

/// The budget is a note on how the parameters were found, and no part of what a filter is.
impl PartialEq for Header {
    fn eq(&self, other: &Self) -> bool {
        (self.seed, self.capacity) == (other.seed, other.capacity)
    }
}

impl Eq for Header {}

/// A table that can be asked.
pub trait Shell {
    /// The parameters that determine the table.
    type Params: fmt::Debug;
    /// The variant.
    const KIND: FilterKind;
    /// The type's name.
    const NAME: &'static str;

    /// Seed and capacity.
    fn header(&self) -> &Header;
    /// The parameters.
    fn table_params(&self) -> Self::Params;
    /// Keys the table accounts for.
    fn items(&self) -> u64;
    /// [`Filter::capacity`](crate::Filter::capacity), where it is not the header's.
    #[inline]
    fn planned(&self) -> u64 {
        self.header().capacity
    }
    /// Bytes of the table.
    fn bytes(&self) -> u64;
    /// The rate as it stands, in [0, 1].
    fn rate(&self) -> f64;
    /// The share of the table in use.
    fn used(&self) -> f64;
    /// Places that will never change again.
    fn stuck(&self) -> u64 {
        0
    }
    /// Whether the key with this hash is probably in.
    fn has(&self, hash: KeyHash) -> bool;
    /// The same for many; the slices are equally long.
    #[inline]
    fn has_each(&self, hashes: &[KeyHash], answers: &mut [bool]) {
        for (answer, &hash) in answers.iter_mut().zip(hashes) {
            *answer = self.has(hash);
        }
    }
}

/// How many of a batch were new; or how many went in before one was refused, and why.
pub type Batch<R> = Result<u64, (u64, R)>;

/// A table that is made empty, and takes keys one by one.
pub trait Fill: Shell + Sized {
    /// Why a key may be refused: [`Full`], or [`Infallible`].
    type Refusal: Into<Full>;

    /// An empty table by a plan.
    fn empty(plan: &Plan<Self::Params>, seed: u64) -> Result<Self, BuildError>;
    /// Puts in the key with this hash.
    fn put(&mut self, hash: KeyHash) -> Result<Inserted, Self::Refusal>;
    /// The same for many.
    #[inline]
    fn put_each(&mut self, hashes: &[KeyHash]) -> Batch<Self::Refusal> {
        let mut new = 0;
        for (done, &hash) in (0..).zip(hashes) {
            let inserted = self.put(hash).map_err(|refusal| (done, refusal))?;
            new += u64::from(inserted.is_new());
        }
        Ok(new)
    }
    /// Takes every key out.
    fn wipe(&mut self);
}

impl From<Infallible> for Full {
    fn from(never: Infallible) -> Self {
        match never {}
    }
}

/// What an operator does that cannot return an error.
#[track_caller]
#[allow(
    clippy::panic,
    reason = "documented where it is used: operators cannot return errors"
)]
pub fn agreed(combined: Result<(), MergeError>) {
    if let Err(error) = combined {
        panic!("{error}");
    }
}

/// Writes a filter as its type, its parameters and how many keys it has: not its table, which may be
/// gigabytes, and not its seed, which may be secret.
pub fn debug<F: Shell>(filter: &F, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    f.debug_struct(F::NAME)
        .field("params", &filter.table_params())
        .field("len", &filter.items())
        .field("capacity", &filter.planned())
        .finish_non_exhaustive()
}

/// Writes the part of a filter type that all have in common.
///
/// - `read [generics] Type: Params { docs of len, size_in_bytes, expected_fpr }`: what can be asked.
/// - `fill [generics] Type: Params, never | Full { docs of insert, clear }`: how it is made and filled;
///   `never` if no key is ever refused.
/// - `fill_shared [generics] Type: Params { docs of insert }`: the same, through `&self`.
/// - `build [generics] Type: Params`: how it is made of all keys at once.
/// - `plan [generics] Type: Params`: how it is sized; part of `fill` and `fill_shared`.
/// - `remove`, `count`, `merge`: the inherent methods for a trait that the type implements.
#[macro_export]
macro_rules! shell {
    (read [$($g:tt)*] $t:ty: $params:ty {
        $(#[$len:meta])* len;
        $(#[$size:meta])* size_in_bytes;
        $(#[$rate:meta])* expected_fpr;
    }) => {
        impl<$($g)*> $t {
            /// Whether `key` is probably in: `false` is certain.
            #[inline]
            #[must_use]
            pub fn contains<Q: $crate::Key + ?Sized>(&self, key: &Q) -> bool {
                let seed = $crate::shell::Shell::header(self).seed;
                $crate::shell::Shell::has(self, key.key_hash(seed))
            }

            /// Whether the key with this hash is probably in: `false` is certain.
            #[inline]
            #[must_use]
            pub fn contains_hash(&self, hash: $crate::KeyHash) -> bool {
                $crate::shell::Shell::has(self, hash)
            }

            /// Answers for many hashes, `answers[i]` for `hashes[i]`: faster than one by one on large
            /// filters, because the waits for memory overlap.
            #[inline]
            pub fn contains_batch(
                &self,
                hashes: &[$crate::KeyHash],
                answers: &mut [bool],
            ) -> Result<(), $crate::LengthMismatch> {
                $crate::Filter::contains_batch(self, hashes, answers)
            }

            /// Answers for many keys, as [`contains_batch`](Self::contains_batch) for hashes. Needs no
            /// memory of its own.
            #[inline]
            pub fn contains_keys<Q: $crate::Key>(
                &self,
                keys: &[Q],
                answers: &mut [bool],
            ) -> Result<(), $crate::LengthMismatch> {
                $crate::FilterExt::contains_keys(self, keys, answers)
            }

            $(#[$len])*
            #[must_use]
            pub fn len(&self) -> u64 {
                $crate::shell::Shell::items(self)
            }

            /// Whether [`len`](Self::len) is zero.
            #[must_use]
            pub fn is_empty(&self) -> bool {
                $crate::shell::Shell::items(self) == 0
            }

            /// The number of keys it was planned for.
            #[must_use]
            pub fn capacity(&self) -> u64 {
                $crate::shell::Shell::planned(self)
            }

            /// The seed its keys are hashed with.
            #[inline]
            #[must_use]
            pub fn seed(&self) -> u64 {
                $crate::shell::Shell::header(self).seed
            }

            /// The parameters of its table.
            #[inline]
            #[must_use]
            pub fn params(&self) -> $params {
                $crate::shell::Shell::table_params(self)
            }

            $(#[$size])*
            #[must_use]
            pub fn size_in_bytes(&self) -> u64 {
                $crate::shell::Shell::bytes(self)
            }

            $(#[$rate])*
            #[must_use]
            pub fn expected_fpr(&self) -> f64 {
                $crate::shell::Shell::rate(self)
            }

            /// The share of the table in use, 0 to 1; see [`Filter::load_factor`]($crate::Filter::load_factor).
            #[must_use]
            pub fn load_factor(&self) -> f64 {
                $crate::shell::Shell::used(self)
            }

            /// How the filter stands, in one value that prints itself. Reads the whole table.
            #[must_use]
            pub fn stats(&self) -> $crate::Stats {
                $crate::Filter::stats(self)
            }
        }

        impl<$($g)*> $crate::Filter for $t {
            fn kind(&self) -> $crate::FilterKind {
                <Self as $crate::shell::Shell>::KIND
            }

            #[inline]
            fn seed(&self) -> u64 {
                $crate::shell::Shell::header(self).seed
            }

            #[inline]
            fn len(&self) -> u64 {
                $crate::shell::Shell::items(self)
            }

            fn capacity(&self) -> u64 {
                $crate::shell::Shell::planned(self)
            }

            fn size_in_bytes(&self) -> u64 {
                $crate::shell::Shell::bytes(self)
            }

            fn expected_fpr(&self) -> f64 {
                $crate::shell::Shell::rate(self)
            }

            fn load_factor(&self) -> f64 {
                $crate::shell::Shell::used(self)
            }

            fn saturated(&self) -> u64 {
                $crate::shell::Shell::stuck(self)
            }

            #[inline]
            fn contains_hash(&self, hash: $crate::KeyHash) -> bool {
                $crate::shell::Shell::has(self, hash)
            }

            #[inline]
            fn contains_batch(
                &self,
                hashes: &[$crate::KeyHash],
                answers: &mut [bool],
            ) -> Result<(), $crate::LengthMismatch> {
                $crate::LengthMismatch::check(hashes.len(), answers.len())?;
                $crate::shell::Shell::has_each(self, hashes, answers);
                Ok(())
            }
        }

        impl<$($g)*> ::core::fmt::Debug for $t {
            fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
                $crate::shell::debug(self, f)
            }
        }
    };

    (fill [$($g:tt)*] $t:ty: $params:ty, never { $(#[$insert:meta])* insert; }) => {
        $crate::shell!(@made [$($g)*] $t: $params);

        impl<$($g)*> $t {
            /// Puts `key` in.
            ///
            $(#[$insert])*
            #[inline]
            pub fn insert<Q: $crate::Key + ?Sized>(&mut self, key: &Q) -> $crate::Inserted {
                self.insert_hash(key.key_hash($crate::shell::Shell::header(self).seed))
            }

            /// Puts in the key with this hash; see [`insert`](Self::insert).
            #[inline]
            pub fn insert_hash(&mut self, hash: $crate::KeyHash) -> $crate::Inserted {
                let Ok(inserted) = $crate::shell::Fill::put(self, hash);
                inserted
            }

            /// Puts in many hashes and says how many were new.
            #[inline]
            pub fn insert_batch(&mut self, hashes: &[$crate::KeyHash]) -> u64 {
                match $crate::shell::Fill::put_each(self, hashes) {
                    Ok(new) => new,
                    Err((_, never)) => match never {},
                }
            }

            /// Puts in many keys and says how many were new. Needs no memory of its own.
            #[inline]
            pub fn insert_keys<Q: $crate::Key>(&mut self, keys: &[Q]) -> u64 {
                let mut new = 0;
                let Ok(()) = $crate::hash_blocks(keys, self.seed(), |_, hashes| {
                    new += self.insert_batch(hashes);
                    Ok::<_, ::core::convert::Infallible>(())
                });
                new
            }

            /// Puts `key` in if the filter answers `false` for it; if not, changes nothing. See
            /// [`InsertFilter::insert_unique_hash`]($crate::InsertFilter::insert_unique_hash).
            #[inline]
            pub fn insert_unique<Q: $crate::Key + ?Sized>(&mut self, key: &Q) -> $crate::Inserted {
                let hash = key.key_hash(self.seed());
                if self.contains_hash(hash) {
                    return $crate::Inserted::MaybePresent;
                }
                self.insert_hash(hash)
            }
        }

        impl<$($g)* Q: $crate::Key> Extend<Q> for $t {
            fn extend<I: IntoIterator<Item = Q>>(&mut self, keys: I) {
                for key in keys {
                    self.insert(&key);
                }
            }
        }
    };

    (fill_shared [$($g:tt)*] $t:ty: $params:ty { $(#[$insert:meta])* insert; }) => {
        $crate::shell!(@made [$($g)*] $t: $params);

        impl<$($g)*> $t {
            /// Puts `key` in, from any thread.
            ///
            $(#[$insert])*
            #[inline]
            pub fn insert<Q: $crate::Key + ?Sized>(&self, key: &Q) -> $crate::Inserted {
                self.put_shared(key.key_hash($crate::shell::Shell::header(self).seed))
            }

            /// Puts in the key with this hash; see [`insert`](Self::insert).
            #[inline]
            pub fn insert_hash(&self, hash: $crate::KeyHash) -> $crate::Inserted {
                self.put_shared(hash)
            }

            /// Puts in many hashes, from any thread, and says how many were new.
            #[inline]
            pub fn insert_batch(&self, hashes: &[$crate::KeyHash]) -> u64 {
                let new = hashes.iter().filter(|&&hash| self.put_shared(hash).is_new());
                new.count() as u64
            }

            /// Puts in many keys, from any thread, and says how many were new.
            #[inline]
            pub fn insert_keys<Q: $crate::Key>(&self, keys: &[Q]) -> u64 {
                let mut new = 0;
                let Ok(()) = $crate::hash_blocks(keys, self.seed(), |_, hashes| {
                    new += self.insert_batch(hashes);
                    Ok::<_, ::core::convert::Infallible>(())
                });
                new
            }
        }

        /// For code that is generic over filters: a shared reference takes keys, too.
        impl<$($g)*> $crate::InsertFilter for &$t {
            #[inline]
            fn insert_hash(
                &mut self,
                hash: $crate::KeyHash,
            ) -> Result<$crate::Inserted, $crate::Full> {
                Ok(self.put_shared(hash))
            }

            fn insert_batch(
                &mut self,
                hashes: &[$crate::KeyHash],
            ) -> Result<u64, $crate::BatchFull> {
                Ok(<$t>::insert_batch(self, hashes))
            }
        }

        impl<$($g)* Q: $crate::Key> Extend<Q> for &$t {
            fn extend<I: IntoIterator<Item = Q>>(&mut self, keys: I) {
                for key in keys {
                    self.insert(&key);
                }
            }
        }
    };

    (fill [$($g:tt)*] $t:ty: $params:ty, Full { $(#[$insert:meta])* insert; }) => {
        $crate::shell!(@made [$($g)*] $t: $params);

        impl<$($g)*> $t {
            /// Puts `key` in. If it is refused, nothing changes.
            ///
            $(#[$insert])*
            #[inline]
            pub fn insert<Q: $crate::Key + ?Sized>(
                &mut self,
                key: &Q,
            ) -> Result<$crate::Inserted, $crate::Full> {
                let seed = $crate::shell::Shell::header(self).seed;
                $crate::shell::Fill::put(self, key.key_hash(seed))
            }

            /// Puts in the key with this hash; see [`insert`](Self::insert).
            #[inline]
            pub fn insert_hash(
                &mut self,
                hash: $crate::KeyHash,
            ) -> Result<$crate::Inserted, $crate::Full> {
                $crate::shell::Fill::put(self, hash)
            }

            /// Puts in many hashes and says how many were new. On an error the hashes before the refused
            /// one are in, and the error says how many.
            #[inline]
            pub fn insert_batch(
                &mut self,
                hashes: &[$crate::KeyHash],
            ) -> Result<u64, $crate::BatchFull> {
                $crate::InsertFilter::insert_batch(self, hashes)
            }

            /// Puts in many keys, as [`insert_batch`](Self::insert_batch) does hashes. Needs no memory of
            /// its own.
            #[inline]
            pub fn insert_keys<Q: $crate::Key>(
                &mut self,
                keys: &[Q],
            ) -> Result<u64, $crate::BatchFull> {
                $crate::FilterExt::insert_keys(self, keys)
            }

            /// Puts in all keys of an iterator and says how many were new. On an error the keys before
            /// the refused one are in, and the error says how many.
            #[inline]
            pub fn try_extend<Q: $crate::Key>(
                &mut self,
                keys: impl IntoIterator<Item = Q>,
            ) -> Result<u64, $crate::BatchFull> {
                $crate::FilterExt::try_extend(self, keys)
            }

            /// Puts `key` in if the filter answers `false` for it; if not, changes nothing.
            ///
            /// **A key that was answered `MaybePresent` must not be removed**: what stands for it may be
            /// another key's. Keeps a set from filling up with copies where keys come again and again.
            #[inline]
            pub fn insert_unique<Q: $crate::Key + ?Sized>(
                &mut self,
                key: &Q,
            ) -> Result<$crate::Inserted, $crate::Full> {
                self.insert_unique_hash(key.key_hash($crate::shell::Shell::header(self).seed))
            }

            /// The same for the key with this hash; see [`insert_unique`](Self::insert_unique).
            #[inline]
            pub fn insert_unique_hash(
                &mut self,
                hash: $crate::KeyHash,
            ) -> Result<$crate::Inserted, $crate::Full> {
                $crate::InsertFilter::insert_unique_hash(self, hash)
            }
        }
    };

    (build [$($g:tt)*] $t:ty: $params:ty) => {
        impl<$($g)*> $t {
            /// A filter of all these keys, with the public [`DEFAULT_SEED`]($crate::DEFAULT_SEED).
            ///
            /// `target` is a [`Budget`]($crate::Budget), for as many keys as there are; or a
            /// [`Goal`]($crate::Goal) or [`Plan`]($crate::Plan), and more keys than it is for are an
            /// error. No key is kept; their hashes are, 8 bytes each, until the filter is made.
            pub fn build<Q: $crate::Key>(
                target: impl Into<$crate::BuildTarget<$params>>,
                keys: impl IntoIterator<Item = Q>,
            ) -> Result<Self, $crate::BuildError> {
                <Self as $crate::BuildFilter>::build_iter(target, $crate::DEFAULT_SEED, keys)
            }

            /// The same with a seed of one's own; see [`build`](Self::build).
            pub fn build_with_seed<Q: $crate::Key>(
                target: impl Into<$crate::BuildTarget<$params>>,
                seed: u64,
                keys: impl IntoIterator<Item = Q>,
            ) -> Result<Self, $crate::BuildError> {
                <Self as $crate::BuildFilter>::build_iter(target, seed, keys)
            }
        }
    };

    (remove [$($g:tt)*] $t:ty { $(#[$remove:meta])* remove; }) => {
        impl<$($g)*> $t {
            /// Takes out one copy of `key`. `false`: it was certainly not there, and nothing changed.
            ///
            $(#[$remove])*
            #[inline]
            pub fn remove<Q: $crate::Key + ?Sized>(&mut self, key: &Q) -> bool {
                let hash = key.key_hash($crate::shell::Shell::header(self).seed);
                $crate::RemoveFilter::remove_hash(self, hash)
            }

            /// Takes out one copy of the key with this hash; see [`remove`](Self::remove).
            #[inline]
            pub fn remove_hash(&mut self, hash: $crate::KeyHash) -> bool {
                $crate::RemoveFilter::remove_hash(self, hash)
            }
        }
    };

    (count [$($g:tt)*] $t:ty { $(#[$count:meta])* count; }) => {
        impl<$($g)*> $t {
            $(#[$count])*
            #[inline]
            #[must_use]
            pub fn count<Q: $crate::Key + ?Sized>(&self, key: &Q) -> $crate::Count {
                let hash = key.key_hash($crate::shell::Shell::header(self).seed);
                $crate::CountFilter::count_hash(self, hash)
            }

            /// The number of copies of the key with this hash; see [`count`](Self::count).
            #[inline]
            #[must_use]
            pub fn count_hash(&self, hash: $crate::KeyHash) -> $crate::Count {
                $crate::CountFilter::count_hash(self, hash)
            }
        }
    };

    (merge [$($g:tt)*] $t:ty { $(#[$merge:meta])* merge; }) => {
        impl<$($g)*> $t {
            $(#[$merge])*
            pub fn merge(&mut self, other: &Self) -> Result<(), $crate::MergeError> {
                $crate::MergeFilter::merge(self, other)
            }

            /// `Ok` if [`merge`](Self::merge) would succeed; if not, why.
            pub fn can_merge(&self, other: &Self) -> Result<(), $crate::MergeError> {
                $crate::MergeFilter::can_merge(self, other)
            }
        }
    };

    (plan [$($g:tt)*] $t:ty: $params:ty) => {
        impl<$($g)*> $t {
            /// The best parameters for a goal, what they cost and what rate they give. Allocates nothing.
            pub fn plan(
                goal: $crate::Goal,
            ) -> Result<$crate::Plan<$params>, $crate::PlanError> {
                <Self as $crate::PlanFilter>::plan(goal)
            }

            /// The plan of a filter with explicit parameters for `items` keys.
            pub fn plan_params(
                params: $params,
                items: u64,
            ) -> Result<$crate::Plan<$params>, $crate::PlanError> {
                <Self as $crate::PlanFilter>::plan_params(params, items)
            }
        }
    };

    (@made [$($g:tt)*] $t:ty: $params:ty) => {
        $crate::shell!(plan [$($g)*] $t: $params);

        impl<$($g)*> $t {
            /// An empty filter for a [`Goal`]($crate::Goal) or by a [`Plan`]($crate::Plan), with the
            /// public [`DEFAULT_SEED`]($crate::DEFAULT_SEED).
            pub fn new(
                target: impl Into<$crate::Target<$params>>,
            ) -> Result<Self, $crate::BuildError> {
                Self::with_seed(target, $crate::DEFAULT_SEED)
            }

            /// The same with a seed of one's own; see [`new`](Self::new).
            pub fn with_seed(
                target: impl Into<$crate::Target<$params>>,
                seed: u64,
            ) -> Result<Self, $crate::BuildError> {
                <Self as $crate::EmptyFilter>::empty(target, seed)
            }

            /// Takes every key out. Seed and parameters stay, and so does the memory, unless the filter
            /// had grown.
            pub fn clear(&mut self) {
                $crate::shell::Fill::wipe(self);
            }
        }

        impl<$($g)*> $crate::InsertFilter for $t {
            #[inline]
            fn insert_hash(
                &mut self,
                hash: $crate::KeyHash,
            ) -> Result<$crate::Inserted, $crate::Full> {
                $crate::shell::Fill::put(self, hash).map_err(Into::into)
            }

            #[inline]
            fn insert_batch(
                &mut self,
                hashes: &[$crate::KeyHash],
            ) -> Result<u64, $crate::BatchFull> {
                $crate::shell::Fill::put_each(self, hashes).map_err(|(done, refusal)| {
                    $crate::BatchFull { done, full: refusal.into() }
                })
            }
        }

        impl<$($g)*> $crate::ClearFilter for $t {
            fn clear(&mut self) {
                $crate::shell::Fill::wipe(self);
            }
        }

        impl<$($g)*> $crate::EmptyFilter for $t {
            fn empty(
                target: impl Into<$crate::Target<$params>>,
                seed: u64,
            ) -> Result<Self, $crate::BuildError> {
                $crate::shell::Fill::empty(&target.into().plan::<Self>()?, seed)
            }
        }
    };

    // How a filter that is filled one by one is built at once.
    (build_by_filling [$($g:tt)*] $t:ty: $params:ty) => {
        $crate::shell!(build [$($g)*] $t: $params);

        impl<$($g)*> $crate::BuildFilter for $t {
            fn build_hashes(
                target: impl Into<$crate::BuildTarget<$params>>,
                seed: u64,
                hashes: &[$crate::KeyHash],
            ) -> Result<Self, $crate::BuildError> {
                <Self as $crate::EmptyFilter>::filled(target, seed, hashes)
            }

            fn build_keys<Q: $crate::Key>(
                target: impl Into<$crate::BuildTarget<$params>>,
                seed: u64,
                keys: &[Q],
            ) -> Result<Self, $crate::BuildError> {
                <Self as $crate::EmptyFilter>::filled_from_keys(target, seed, keys)
            }
        }
    };
}
