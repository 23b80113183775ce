//! What all filter types have in common, written once.
//!
//! A variant crate owns its types, so that it can add methods and foreign traits. It gives each
//! type a [`Header`], a table, and the few functions of [`Shell`] (and of [`Fill`], if keys are
//! inserted one by one). The macro [`shell!`](crate::shell!) writes the rest: the inherent methods
//! with their documentation, and the traits. The storage is a type parameter: reading is written
//! for any storage, changing for the owned one.

use crate::{Budget, BuildError, FilterKind, Full, Inserted, KeyHash, MergeError, Parts, Plan};
use core::convert::Infallible;
use core::fmt;

/// What every filter keeps beside its table.
#[derive(Clone, Copy, Debug)]
pub struct Header {
    /// The seed its keys are hashed with.
    pub seed: u64,
    /// The number of keys it was planned for.
    pub capacity: u64,
    /// The budget it was planned for, if known.
    pub budget: Option<Budget>,
    /// The caller hashes its keys: there is no seed, and a key cannot be asked for.
    pub hashed_by_caller: bool,
}

impl Header {
    /// The header of a filter made from a plan.
    pub const fn new<P>(plan: &Plan<P>, seed: u64) -> Self {
        Self { seed, capacity: plan.items, budget: plan.budget, hashed_by_caller: false }
    }

    /// The header of a filter whose table was handed in.
    pub const fn of_parts<P>(parts: &Parts<P>) -> Self {
        Self {
            seed: if parts.hashed_by_caller { 0 } else { parts.seed },
            capacity: parts.capacity,
            budget: None,
            hashed_by_caller: parts.hashed_by_caller,
        }
    }

    /// What a filter with this header consists of beside its table.
    pub const fn parts<P: Copy>(&self, params: P, len: u64) -> Parts<P> {
        Parts {
            params,
            seed: self.seed,
            hashed_by_caller: self.hashed_by_caller,
            capacity: self.capacity,
            len,
        }
    }

    /// The header of a filter whose keys the caller hashes.
    #[must_use]
    pub const fn by_caller(self) -> Self {
        Self { seed: 0, hashed_by_caller: true, ..self }
    }

    /// [`Filter::key_seed`](crate::Filter::key_seed).
    #[inline(always)]
    pub const fn key_seed(&self) -> Option<u64> {
        match self.hashed_by_caller {
            true => None,
            false => Some(self.seed),
        }
    }

    /// `Ok` if both filters hash their keys in one way: what every merge begins with.
    pub const fn check_hashes(&self, other: &Self) -> Result<(), MergeError> {
        MergeError::check_hashes(self.key_seed(), other.key_seed())
    }
}

/// The budget is a note on how the parameters were found; it is no part of a filter's identity.
impl PartialEq for Header {
    fn eq(&self, other: &Self) -> bool {
        (self.key_seed(), self.capacity) == (other.key_seed(), other.capacity)
    }
}

impl Eq for Header {}

/// A table that can be queried.
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
    /// Number of keys the table accounts for.
    fn items(&self) -> u64;
    /// [`Filter::capacity`](crate::Filter::capacity), where it is not the header's.
    #[inline]
    fn planned(&self) -> u64 {
        self.header().capacity
    }
    /// Bytes of the table.
    fn bytes(&self) -> u64;
    /// The present false-positive rate, in [0, 1].
    fn rate(&self) -> f64;
    /// The share of the table in use.
    fn used(&self) -> f64;
    /// Number of places that will never change again.
    fn stuck(&self) -> u64 {
        0
    }
    /// Whether the key with this hash is probably in the filter; `false` is certain.
    fn has(&self, hash: KeyHash) -> bool;
    /// The same for many hashes; the slices are equally long.
    #[inline]
    fn has_each(&self, hashes: &[KeyHash], answers: &mut [bool]) {
        for (answer, &hash) in answers.iter_mut().zip(hashes) {
            *answer = self.has(hash);
        }
    }
}

/// How many of a batch were new; or how many went in before one was refused, and why.
pub type Batch<R> = Result<u64, (u64, R)>;

/// A table that starts empty and takes keys one by one.
pub trait Fill: Shell + Sized {
    /// Why a key may be refused: [`Full`], or [`Infallible`].
    type Refusal: Into<Full>;

    /// An empty table as planned.
    fn empty(plan: &Plan<Self::Params>, seed: u64) -> Result<Self, BuildError>;
    /// Inserts the key with this hash.
    fn put(&mut self, hash: KeyHash) -> Result<Inserted, Self::Refusal>;
    /// The same for many hashes.
    #[inline]
    fn put_each(&mut self, hashes: &[KeyHash]) -> Batch<Self::Refusal> {
        let mut new = 0;
        for (done, &hash) in (0..).zip(hashes) {
            let inserted = self.put(hash).map_err(|refusal| (done, refusal))?;
            new += u64::from(inserted.is_new());
        }
        Ok(new)
    }
    /// Removes every key. Seed and parameters stay, and so does the memory, unless the filter had
    /// grown.
    fn wipe(&mut self);
}

impl From<Infallible> for Full {
    fn from(never: Infallible) -> Self {
        match never {}
    }
}

/// Panics with the error: for operators, which cannot return one.
#[track_caller]
#[allow(clippy::panic, reason = "documented where it is used: operators cannot return errors")]
pub fn agreed(combined: Result<(), MergeError>) {
    if let Err(error) = combined {
        panic!("{error}");
    }
}

/// Formats a filter as its type, its parameters and its number of keys. The table is left out,
/// since it may be gigabytes, and so is the seed, since it may be secret.
pub fn debug<F: Shell>(filter: &F, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    f.debug_struct(F::NAME)
        .field("params", &filter.table_params())
        .field("len", &filter.items())
        .field("capacity", &filter.planned())
        .finish_non_exhaustive()
}

/// Writes what all filter types have in common.
///
/// - `read [generics] Type: Params { docs of len, size_in_bytes, expected_fpr }`: queries.
/// - `by_caller [generics] Type`: `hashed_by_caller`, for a type with a field `header`.
/// - `fill [generics] Type: Params, never | Full { docs of insert }`: construction and inserts;
///   `never` if no key is ever refused.
/// - `fill_shared [generics] Type: Params { docs of insert }`: the same, through `&self`.
/// - `build [generics] Type: Params`: construction from all keys at once.
/// - `plan [generics] Type: Params, theory`: sizing by the functions `plan`, `plan_params` and
///   `fpr` of the module `theory`; `theory::<L>` if they are generic.
/// - `file [generics] Type, owned [generics] Owned, view ['a, generics] View`: how it is stored.
/// - `one_table ...`: the same, and `view`, for a [`OneTable`](crate::envelope::OneTable).
/// - `remove`, `count`, `merge`: the inherent methods of a trait that the type implements.
/// - `merge_by_copy [generics] Type`: `MergeFilter` by the private method `merged`, which makes the
///   union.
/// - `operator [generics] Type, Trait::method, merge or intersect { docs }`: a method as operator.
///
/// Inside `impl Shell`:
/// - `state params`: `header`, `items` and `table_params` from the fields `header`, `len` and, for
///   example, `params` or `table.params`. Without a path `table_params` is written by hand.
#[doc(hidden)]
#[macro_export]
macro_rules! shell {
    (read [$($g:tt)*] $t:ty: $params:ty {
        $(#[$len:meta])* len;
        $(#[$size:meta])* size_in_bytes;
        $(#[$rate:meta])* expected_fpr;
    }) => {
        impl<$($g)*> $t {
            /// Whether `key` is probably in the filter; `false` is certain. Always `true` if the
            /// [caller hashes its keys](Self::hashed_by_caller).
            #[inline]
            #[must_use]
            pub fn contains<Q: $crate::Key + ?Sized>(&self, key: &Q) -> bool {
                match $crate::shell::Shell::header(self).key_seed() {
                    Some(seed) => $crate::shell::Shell::has(self, key.key_hash(seed)),
                    None => true,
                }
            }

            /// Whether the key with this hash is probably in the filter; `false` is certain.
            #[inline]
            #[must_use]
            pub fn contains_hash(&self, hash: $crate::KeyHash) -> bool {
                $crate::shell::Shell::has(self, hash)
            }

            /// Answers many hashes at once, `answers[i]` for `hashes[i]`. Faster than one by one on
            /// large filters, because the waits for memory overlap.
            #[inline]
            pub fn contains_batch(
                &self,
                hashes: &[$crate::KeyHash],
                answers: &mut [bool],
            ) -> Result<(), $crate::LengthMismatch> {
                $crate::Filter::contains_batch(self, hashes, answers)
            }

            /// Answers many keys at once; see [`contains_batch`](Self::contains_batch). Allocates
            /// nothing.
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

            /// The seed its keys are hashed with; see also [`key_seed`](Self::key_seed).
            #[inline]
            #[must_use]
            pub fn seed(&self) -> u64 {
                $crate::shell::Shell::header(self).seed
            }

            /// The seed its keys are hashed with, or `None` if the
            /// [caller hashes them](Self::hashed_by_caller).
            #[inline]
            #[must_use]
            pub fn key_seed(&self) -> Option<u64> {
                $crate::shell::Shell::header(self).key_seed()
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

            /// The share of the table in use, 0 to 1; see
            /// [`Filter::load_factor`]($crate::Filter::load_factor).
            #[must_use]
            pub fn load_factor(&self) -> f64 {
                $crate::shell::Shell::used(self)
            }

            /// The filter's state in one value that prints itself. Reads the whole table.
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
            fn key_seed(&self) -> Option<u64> {
                $crate::shell::Shell::header(self).key_seed()
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

    (by_caller [$($g:tt)*] $t:ty) => {
        impl<$($g)*> $t {
            /// The same filter, saying that its keys' hashes come from the caller: from a hash
            /// function of your own, or another program's. The filter's file says so, too.
            ///
            /// Ask and change it by the methods that take a [`KeyHash`]($crate::KeyHash). The
            /// methods that take keys hash them in another way, and would deny what is in; so
            /// [`contains`](Self::contains) then answers `true`, "maybe", to every key, and no key
            /// is inserted or removed. It merges with its like alone.
            #[must_use]
            pub fn hashed_by_caller(mut self) -> Self {
                self.header = self.header.by_caller();
                self
            }
        }
    };

    (fill [$($g:tt)*] $t:ty: $params:ty, never { $(#[$insert:meta])* insert; }) => {
        $crate::shell!(@made [$($g)*] $t: $params);

        impl<$($g)*> $t {
            /// Inserts `key`. If the [caller hashes its keys](Self::hashed_by_caller) the answer is
            /// [`Inserted::MaybePresent`]($crate::Inserted::MaybePresent), and nothing changes.
            ///
            $(#[$insert])*
            #[inline]
            pub fn insert<Q: $crate::Key + ?Sized>(&mut self, key: &Q) -> $crate::Inserted {
                match self.key_seed() {
                    Some(seed) => self.insert_hash(key.key_hash(seed)),
                    None => $crate::Inserted::MaybePresent,
                }
            }

            /// Inserts the key with this hash; see [`insert`](Self::insert).
            #[inline]
            pub fn insert_hash(&mut self, hash: $crate::KeyHash) -> $crate::Inserted {
                let Ok(inserted) = $crate::shell::Fill::put(self, hash);
                inserted
            }

            /// Inserts many hashes and returns how many were new.
            #[inline]
            pub fn insert_batch(&mut self, hashes: &[$crate::KeyHash]) -> u64 {
                match $crate::shell::Fill::put_each(self, hashes) {
                    Ok(new) => new,
                    Err((_, never)) => match never {},
                }
            }

            /// Inserts many keys and returns how many were new; see [`insert`](Self::insert).
            /// Allocates nothing.
            #[inline]
            pub fn insert_keys<Q: $crate::Key>(&mut self, keys: &[Q]) -> u64 {
                let Some(seed) = self.key_seed() else { return 0 };
                let mut new = 0;
                let Ok(()) = $crate::hash_blocks(keys, seed, |_, hashes| {
                    new += self.insert_batch(hashes);
                    Ok::<_, ::core::convert::Infallible>(())
                });
                new
            }

            /// Inserts `key` unless the filter answers `true` for it already; see
            /// [`InsertFilter::insert_unique_hash`]($crate::InsertFilter::insert_unique_hash).
            #[inline]
            pub fn insert_unique<Q: $crate::Key + ?Sized>(&mut self, key: &Q) -> $crate::Inserted {
                if self.contains(key) {
                    return $crate::Inserted::MaybePresent;
                }
                self.insert(key)
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
            /// Inserts `key`, from any thread. If the
            /// [caller hashes its keys](Self::hashed_by_caller) the answer is
            /// [`Inserted::MaybePresent`]($crate::Inserted::MaybePresent), and nothing changes.
            ///
            $(#[$insert])*
            #[inline]
            pub fn insert<Q: $crate::Key + ?Sized>(&self, key: &Q) -> $crate::Inserted {
                match self.key_seed() {
                    Some(seed) => self.put_shared(key.key_hash(seed)),
                    None => $crate::Inserted::MaybePresent,
                }
            }

            /// Inserts the key with this hash; see [`insert`](Self::insert).
            #[inline]
            pub fn insert_hash(&self, hash: $crate::KeyHash) -> $crate::Inserted {
                self.put_shared(hash)
            }

            /// Inserts many hashes, from any thread, and returns how many were new.
            #[inline]
            pub fn insert_batch(&self, hashes: &[$crate::KeyHash]) -> u64 {
                self.put_each_shared(hashes)
            }

            /// Inserts many keys, from any thread, and returns how many were new; see
            /// [`insert`](Self::insert).
            #[inline]
            pub fn insert_keys<Q: $crate::Key>(&self, keys: &[Q]) -> u64 {
                let Some(seed) = self.key_seed() else { return 0 };
                let mut new = 0;
                let Ok(()) = $crate::hash_blocks(keys, seed, |_, hashes| {
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
            /// Inserts `key`. If it is refused, nothing changes.
            ///
            $(#[$insert])*
            #[inline]
            pub fn insert<Q: $crate::Key + ?Sized>(
                &mut self,
                key: &Q,
            ) -> Result<$crate::Inserted, $crate::Full> {
                let seed = self.key_seed().ok_or($crate::Full::HashedByCaller)?;
                $crate::shell::Fill::put(self, key.key_hash(seed))
            }

            /// Inserts the key with this hash; see [`insert`](Self::insert).
            #[inline]
            pub fn insert_hash(
                &mut self,
                hash: $crate::KeyHash,
            ) -> Result<$crate::Inserted, $crate::Full> {
                $crate::shell::Fill::put(self, hash)
            }

            /// Inserts many hashes and returns how many were new. On an error the hashes before the
            /// refused one are in, and the error says how many.
            #[inline]
            pub fn insert_batch(
                &mut self,
                hashes: &[$crate::KeyHash],
            ) -> Result<u64, $crate::BatchFull> {
                $crate::InsertFilter::insert_batch(self, hashes)
            }

            /// Inserts many keys; see [`insert_batch`](Self::insert_batch). Allocates nothing.
            #[inline]
            pub fn insert_keys<Q: $crate::Key>(
                &mut self,
                keys: &[Q],
            ) -> Result<u64, $crate::BatchFull> {
                $crate::FilterExt::insert_keys(self, keys)
            }

            /// Inserts all keys of an iterator and returns how many were new. On an error the keys
            /// before the refused one are in, and the error says how many.
            #[inline]
            pub fn try_extend<Q: $crate::Key>(
                &mut self,
                keys: impl IntoIterator<Item = Q>,
            ) -> Result<u64, $crate::BatchFull> {
                $crate::FilterExt::try_extend(self, keys)
            }

            /// Inserts `key` unless the filter answers `true` for it already; then nothing changes.
            /// Keeps a set from filling up with copies of keys that come again and again.
            ///
            /// **Remove nothing from a filter that is filled like this**: a key that was answered
            /// `MaybePresent` may be represented by another key, and is denied once that is
            /// removed.
            #[inline]
            pub fn insert_unique<Q: $crate::Key + ?Sized>(
                &mut self,
                key: &Q,
            ) -> Result<$crate::Inserted, $crate::Full> {
                let seed = self.key_seed().ok_or($crate::Full::HashedByCaller)?;
                self.insert_unique_hash(key.key_hash(seed))
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
            /// Builds a filter of all these keys, with the public
            /// [`DEFAULT_SEED`]($crate::DEFAULT_SEED).
            ///
            /// `target` is a [`Budget`]($crate::Budget), which sizes the filter to the number of
            /// keys; or a [`Goal`]($crate::Goal) or [`Plan`]($crate::Plan), and more keys than
            /// planned are an error. The keys are not kept; their hashes are, 8 bytes each, until
            /// the filter is made.
            pub fn build<Q: $crate::Key>(
                target: impl Into<$crate::BuildTarget<$params>>,
                keys: impl IntoIterator<Item = Q>,
            ) -> Result<Self, $crate::BuildError> {
                <Self as $crate::BuildFilter>::build_iter(target, $crate::DEFAULT_SEED, keys)
            }

            /// The same with your own seed; see [`build`](Self::build).
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
            /// Removes one copy of `key`. `false`: it was certainly not in, and nothing changed; or
            /// the [caller hashes its keys](Self::hashed_by_caller), and nothing can be told.
            ///
            $(#[$remove])*
            #[inline]
            pub fn remove<Q: $crate::Key + ?Sized>(&mut self, key: &Q) -> bool {
                $crate::FilterExt::remove(self, key)
            }

            /// Removes one copy of the key with this hash; see [`remove`](Self::remove).
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
                $crate::FilterExt::count(self, key)
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

            /// `Ok` if [`merge`](Self::merge) would succeed, and why not otherwise.
            pub fn can_merge(&self, other: &Self) -> Result<(), $crate::MergeError> {
                $crate::MergeFilter::can_merge(self, other)
            }
        }
    };

    (file [$($g:tt)*] $t:ty, owned [$($o:tt)*] $owned:ty, view [$($v:tt)*] $view:ty) => {
        impl<$($g)*> $t {
            /// Bytes of the filter as a file.
            #[must_use]
            pub fn encoded_len(&self) -> u64 {
                $crate::envelope::encoded_len(self)
            }

            /// The filter as a file. The same filter gives the same bytes on every machine.
            pub fn to_bytes(&self) -> Result<::alloc::vec::Vec<u8>, $crate::BuildError> {
                $crate::envelope::encode(self, false)
            }

            /// The same without the seed: whoever reads it must give the seed.
            pub fn to_bytes_without_seed(
                &self,
            ) -> Result<::alloc::vec::Vec<u8>, $crate::BuildError> {
                $crate::envelope::encode(self, true)
            }

            /// Writes the filter as a file at the beginning of `buffer`, and returns its length.
            /// `None`, and nothing is written, if there is less room than
            /// [`encoded_len`](Self::encoded_len).
            #[must_use]
            pub fn write_into(&self, buffer: &mut [u8]) -> Option<usize> {
                $crate::envelope::encode_into(self, buffer, false)
            }

            /// Writes the filter as a file.
            #[cfg(feature = "std")]
            pub fn write_to(&self, mut writer: impl std::io::Write) -> std::io::Result<()> {
                $crate::envelope::write(self, &mut writer, false)
            }

            /// Saves the filter as the file at `path`, whole or not at all: it is written beside
            /// it, synced, and renamed. A folder, device, FIFO or link is refused.
            #[cfg(feature = "std")]
            pub fn save(&self, path: impl AsRef<std::path::Path>) -> std::io::Result<()> {
                $crate::envelope::save(self, path.as_ref(), false)
            }
        }

        impl<$($o)*> $owned {
            /// The filter in these bytes, which must be one whole file and no more. Everything is
            /// checked: damaged bytes are an error, never a filter that denies keys.
            pub fn from_bytes(bytes: &[u8]) -> Result<Self, $crate::DecodeError> {
                $crate::envelope::decode::<Self>(bytes, None)
            }

            /// The same for a file that withholds its seed, which must be this one.
            pub fn from_bytes_with_seed(
                bytes: &[u8],
                seed: u64,
            ) -> Result<Self, $crate::DecodeError> {
                $crate::envelope::decode::<Self>(bytes, Some(seed))
            }

            /// Reads one filter, and no byte more.
            #[cfg(feature = "std")]
            pub fn read_from(mut reader: impl std::io::Read) -> Result<Self, $crate::ReadError> {
                Ok($crate::envelope::read::<Self, _>(&mut reader, None, u64::MAX)?.0)
            }

            /// The same, unless the file is larger than `max_bytes`. Memory is taken as the bytes
            /// come, not as the file claims.
            #[cfg(feature = "std")]
            pub fn read_from_within(
                mut reader: impl std::io::Read,
                max_bytes: u64,
            ) -> Result<Self, $crate::ReadError> {
                Ok($crate::envelope::read::<Self, _>(&mut reader, None, max_bytes)?.0)
            }

            /// Loads the filter that [`save`](Self::save) wrote.
            #[cfg(feature = "std")]
            pub fn load(
                path: impl AsRef<std::path::Path>,
            ) -> Result<Self, $crate::ReadError> {
                $crate::envelope::load::<Self>(path.as_ref(), None)
            }
        }

        /// The bytes of the filter's file.
        #[cfg(feature = "serde")]
        impl<$($g)*> $crate::serde::Serialize for $t {
            fn serialize<Z: $crate::serde::Serializer>(
                &self,
                serializer: Z,
            ) -> Result<Z::Ok, Z::Error> {
                $crate::envelope::serde::serialize(self, serializer)
            }
        }

        /// The bytes of the filter's file, with all the checks of `from_bytes`.
        #[cfg(feature = "serde")]
        impl<'de, $($o)*> $crate::serde::Deserialize<'de> for $owned {
            fn deserialize<Z: $crate::serde::Deserializer<'de>>(
                deserializer: Z,
            ) -> Result<Self, Z::Error> {
                $crate::envelope::serde::deserialize(deserializer)
            }
        }

        impl<$($v)*> $view {
            /// The filter in these bytes, which stay where they are: one whole file and no more,
            /// beginning at a multiple of 64. Everything is checked, which reads them all once.
            pub fn open(bytes: &'a [u8]) -> Result<Self, $crate::DecodeError> {
                $crate::envelope::view::<$owned>(bytes, None, true)
            }

            /// The same, but only header and directory are checked: at once, whatever the size. **A
            /// payload that was damaged since it was written then answers anything**, keys denied
            /// included.
            pub fn open_without_checking_payload(
                bytes: &'a [u8],
            ) -> Result<Self, $crate::DecodeError> {
                $crate::envelope::view::<$owned>(bytes, None, false)
            }
        }
    };

    (one_table [$($g:tt)*] $t:ty, owned [$($o:tt)*] $owned:ty, view [$($v:tt)*] $view:ty) => {
        $crate::shell!(file [$($g)*] $t, owned [$($o)*] $owned, view [$($v)*] $view);

        impl<$($g)*> $t {
            /// The same filter over a borrowed table.
            #[must_use]
            pub fn view<'a>(&'a self) -> $view {
                $crate::envelope::OneTable::borrowed(self)
            }
        }
    };

    (plan [$($g:tt)*] $t:ty: $params:ty, $theory:ident $(::<$of:ident>)?) => {
        impl<$($g)*> $t {
            /// The best parameters for a goal, their cost and their rate. Allocates nothing.
            pub fn plan(
                goal: $crate::Goal,
            ) -> Result<$crate::Plan<$params>, $crate::PlanError> {
                Ok(<Self as $crate::PlanFilter>::plan(goal)?.within(goal.budget))
            }

            /// The plan for `items` keys with explicit parameters.
            pub fn plan_params(
                params: $params,
                items: u64,
            ) -> Result<$crate::Plan<$params>, $crate::PlanError> {
                <Self as $crate::PlanFilter>::plan_params(params, items)
            }
        }

        impl<$($g)*> $crate::PlanFilter for $t {
            type Params = $params;

            fn plan(goal: $crate::Goal) -> Result<$crate::Plan<$params>, $crate::PlanError> {
                let plan = $theory::plan $(::<$of>)?;
                plan(goal).map_err(|error| error.in_bits_per_key(goal, plan))
            }

            fn plan_params(
                params: $params,
                items: u64,
            ) -> Result<$crate::Plan<$params>, $crate::PlanError> {
                $theory::plan_params $(::<$of>)? (params, items)
            }

            fn predicted_fpr(params: &$params, items: u64) -> $crate::PredictedFpr {
                $theory::fpr $(::<$of>)? (params, items)
            }

            fn params(&self) -> $params {
                $crate::shell::Shell::table_params(self)
            }
        }
    };

    (merge_by_copy [$($g:tt)*] $t:ty) => {
        impl<$($g)*> $crate::MergeFilter for $t {
            fn can_merge(&self, other: &Self) -> Result<(), $crate::MergeError> {
                self.merged(other).map(drop)
            }

            fn merge(&mut self, other: &Self) -> Result<(), $crate::MergeError> {
                *self = self.merged(other)?;
                Ok(())
            }
        }
    };

    (operator [$($g:tt)*] $t:ty, $op:ident::$method:ident, $by:ident { $(#[$doc:meta])* }) => {
        $(#[$doc])*
        impl<'a, $($g)*> ::core::ops::$op<&'a $t> for $t {
            #[track_caller]
            fn $method(&mut self, other: &'a $t) {
                $crate::shell::agreed(self.$by(other));
            }
        }
    };

    (state $($params:ident).+) => {
        $crate::shell!(state);

        #[inline(always)]
        fn table_params(&self) -> Self::Params {
            self.$($params).+
        }
    };

    (state) => {
        #[inline(always)]
        fn header(&self) -> &$crate::shell::Header {
            &self.header
        }

        #[inline(always)]
        fn items(&self) -> u64 {
            self.len
        }
    };

    (@made [$($g:tt)*] $t:ty: $params:ty) => {
        impl<$($g)*> $t {
            /// An empty filter for a [`Goal`]($crate::Goal) or a [`Plan`]($crate::Plan), with the
            /// public [`DEFAULT_SEED`]($crate::DEFAULT_SEED).
            pub fn new(
                target: impl Into<$crate::Target<$params>>,
            ) -> Result<Self, $crate::BuildError> {
                Self::with_seed(target, $crate::DEFAULT_SEED)
            }

            /// The same with your own seed; see [`new`](Self::new).
            pub fn with_seed(
                target: impl Into<$crate::Target<$params>>,
                seed: u64,
            ) -> Result<Self, $crate::BuildError> {
                <Self as $crate::EmptyFilter>::empty(target, seed)
            }

            /// Removes every key. Seed and parameters stay, and so does the memory, unless the
            /// filter had grown.
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
