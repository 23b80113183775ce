//! The inherent methods of filters, written once.
//!
//! A type implements the public traits itself. So that it can be used without importing them, it
//! has inherent methods of the same names, and those that take keys. Within an `impl` block of the
//! type, `methods!` writes them: a clause stands for a group of methods, named after the first,
//! and the methods come in the order of the clauses. Doc comments before a clause are added to
//! those of its first method.
//!
//! `in "amq_bloom" "BloomFilter" infallible;` before all clauses adds an example to each method
//! that is used most: by the crate and the type it imports, and by whether inserting can fail.
//!
//! | clause | writes | for a type that is |
//! | --- | --- | --- |
//! | `new: Params;` | `new`, `with_seed` | an `EmptyFilter` |
//! | `build: Params;` | `build`, `build_with_seed` | a `BuildFilter` |
//! | `plan: Params;` | `plan`, `plan_params` | a `PlanFilter` |
//! | `insert;` | `insert` and its relatives | an `InsertFilter` |
//! | `insert infallible;` | those that take keys | one with `insert_hash`, `insert_batch` and `insert_from` of its own |
//! | `insert shared;` | those that take keys, through `&self` | likewise |
//! | `clear;` `remove;` `count;` `merge;` | these and their relatives | a `ClearFilter` and so on |
//! | `contains;` | `contains` and its relatives | a `Filter` |
//! | `len;` | `len`, `is_empty`, `capacity`, `seed` | a `Filter` |
//! | `size_in_bytes;` | that | a `Filter` |
//! | `expected_fpr;` | `expected_fpr`, `load_factor`, `stats` | a `Filter` |
//! | `to_bytes;` | the ways to write a file | `Written` |
//! | `encoded_len;` | its length, and writing it into a buffer | `Stored` |
//! | `from_bytes;` | the ways to read one | a `Restore` over what it owns |
//! | `with with_field(value: T) { field: value };` | a method that returns a changed copy | parameters or the like |
//! | `open: Owned;` | the ways to view one | a view, for the lifetime `'a`, of `Owned` |
//!
//! Those about files are written by a macro of their own, which this one calls.

mod file;

/// Writes a type's inherent methods, in the order of the clauses; see the head of the file.
#[doc(hidden)]
#[macro_export]
macro_rules! methods {
    (in $krate:literal $type:literal $($infallible:ident)?; $($rest:tt)*) => {
        $crate::methods! { [$krate $type $($infallible)?] $($rest)* }
    };

    ([$($at:tt)*]) => {};

    ([$($at:tt)*] $(#[$doc:meta])* new: $params:ty; $($rest:tt)*) => {
        /// An empty filter for a [`Goal`]($crate::Goal) or a [`Plan`]($crate::Plan), with the
        /// public [`DEFAULT_SEED`]($crate::DEFAULT_SEED).
        $(#[$doc])*
        #[doc = $crate::docs!(new $($at)*)]
        pub fn new(
            target: impl Into<$crate::Target<$params>>,
        ) -> Result<Self, $crate::BuildError> {
            Self::with_seed(target, $crate::DEFAULT_SEED)
        }

        /// An empty filter with a seed of your own; see [`new`](Self::new).
        pub fn with_seed(
            target: impl Into<$crate::Target<$params>>,
            seed: u64,
        ) -> Result<Self, $crate::BuildError> {
            <Self as $crate::EmptyFilter>::empty(target, seed)
        }

        $crate::methods! { [$($at)*] $($rest)* }
    };

    ([$($at:tt)*] $(#[$doc:meta])* build: $params:ty; $($rest:tt)*) => {
        /// Builds a filter of all these keys, with the public
        /// [`DEFAULT_SEED`]($crate::DEFAULT_SEED).
        ///
        /// `target` is a [`Budget`]($crate::Budget), which sizes the filter to the number of keys;
        /// or a [`Goal`]($crate::Goal) or [`Plan`]($crate::Plan), and more keys than planned are an
        /// error. The keys are not kept; their hashes are, 8 bytes each, until the filter is made.
        $(#[$doc])*
        #[doc = $crate::docs!(build $($at)*)]
        pub fn build<Q: $crate::Key>(
            target: impl Into<$crate::BuildTarget<$params>>,
            keys: impl IntoIterator<Item = Q>,
        ) -> Result<Self, $crate::BuildError> {
            Self::build_with_seed(target, $crate::DEFAULT_SEED, keys)
        }

        /// Builds a filter with a seed of your own; see [`build`](Self::build).
        pub fn build_with_seed<Q: $crate::Key>(
            target: impl Into<$crate::BuildTarget<$params>>,
            seed: u64,
            keys: impl IntoIterator<Item = Q>,
        ) -> Result<Self, $crate::BuildError> {
            <Self as $crate::BuildFilter>::build_iter(target, seed, keys)
        }

        $crate::methods! { [$($at)*] $($rest)* }
    };

    ([$($at:tt)*] $(#[$doc:meta])* plan: $params:ty; $($rest:tt)*) => {
        /// The best parameters for a goal, their cost and their rate. Allocates nothing.
        $(#[$doc])*
        #[doc = $crate::docs!(plan $($at)*)]
        pub fn plan(goal: $crate::Goal) -> Result<$crate::Plan<$params>, $crate::PlanError> {
            Ok(<Self as $crate::PlanFilter>::plan(goal)?.with_budget(goal.budget))
        }

        /// The plan for `keys` keys with explicit parameters.
        pub fn plan_params(
            params: $params,
            keys: u64,
        ) -> Result<$crate::Plan<$params>, $crate::PlanError> {
            <Self as $crate::PlanFilter>::plan_params(params, keys)
        }

        $crate::methods! { [$($at)*] $($rest)* }
    };

    ([$($at:tt)*] $(#[$doc:meta])* insert; $($rest:tt)*) => {
        /// Inserts `key`. If it is refused, nothing changes.
        ///
        $(#[$doc])*
        #[doc = $crate::docs!(insert $($at)*)]
        #[inline]
        pub fn insert<Q: $crate::Key + ?Sized>(
            &mut self,
            key: &Q,
        ) -> Result<$crate::Inserted, $crate::InsertError> {
            $crate::InsertExt::insert(self, key)
        }

        /// Inserts the key with this hash; see [`insert`](Self::insert).
        #[inline]
        pub fn insert_hash(
            &mut self,
            hash: $crate::KeyHash,
        ) -> Result<$crate::Inserted, $crate::InsertError> {
            $crate::InsertFilter::insert_hash(self, hash)
        }

        /// Inserts many hashes and returns how many were new. On an error the hashes before the
        /// refused one are in, and the error says how many.
        #[inline]
        pub fn insert_batch(
            &mut self,
            hashes: &[$crate::KeyHash],
        ) -> Result<u64, $crate::BatchInsertError> {
            $crate::InsertFilter::insert_batch(self, hashes)
        }

        /// Inserts many keys; see [`insert_batch`](Self::insert_batch). Allocates nothing.
        #[inline]
        pub fn insert_keys<Q: $crate::Key>(
            &mut self,
            keys: &[Q],
        ) -> Result<u64, $crate::BatchInsertError> {
            $crate::InsertExt::insert_keys(self, keys)
        }

        /// Inserts all keys of an iterator and returns how many were new. On an error the keys
        /// before the refused one are in, and the error says how many.
        #[inline]
        pub fn try_extend<Q: $crate::Key>(
            &mut self,
            keys: impl IntoIterator<Item = Q>,
        ) -> Result<u64, $crate::BatchInsertError> {
            $crate::InsertExt::try_extend(self, keys)
        }

        /// Inserts `key` unless the filter answers `true` for it already; then nothing changes.
        /// Keeps a set from filling up with copies of repeated keys.
        ///
        /// **Remove only keys that were answered `New`**, each once for each time. A key that was
        /// answered `MaybePresent` was skipped: nothing is stored for it. Another key may stand for
        /// it, so it may be denied after any removal, and must not be removed itself.
        #[inline]
        pub fn insert_unique<Q: $crate::Key + ?Sized>(
            &mut self,
            key: &Q,
        ) -> Result<$crate::Inserted, $crate::InsertError> {
            $crate::InsertExt::insert_unique(self, key)
        }

        /// Inserts the key with this hash unless it seems to be in; see
        /// [`insert_unique`](Self::insert_unique).
        #[inline]
        pub fn insert_unique_hash(
            &mut self,
            hash: $crate::KeyHash,
        ) -> Result<$crate::Inserted, $crate::InsertError> {
            $crate::InsertFilter::insert_unique_hash(self, hash)
        }

        $crate::methods! { [$($at)*] $($rest)* }
    };

    ([$($at:tt)*] $(#[$doc:meta])* insert infallible; $($rest:tt)*) => {
        /// Inserts `key`. Never refused: past the planned number of keys the false-positive rate
        /// rises instead.
        $(#[$doc])*
        #[doc = $crate::docs!(insert $($at)*)]
        #[inline]
        pub fn insert<Q: $crate::Key + ?Sized>(&mut self, key: &Q) -> $crate::Inserted {
            self.insert_hash(key.key_hash(self.seed()))
        }

        /// Inserts many keys and returns how many were new. Allocates nothing, but for very many
        /// keys; see [`insert_from`](Self::insert_from).
        #[inline]
        pub fn insert_keys<Q: $crate::Key>(&mut self, keys: &[Q]) -> u64 {
            let (seed, mut new) = (self.seed(), 0);
            if keys.len() > $crate::prefetch::BLOCK {
                let mut next = $crate::hashes_from(keys, seed);
                return self.insert_from(keys.len() as u64, &mut next);
            }
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

        $crate::methods! { [$($at)*] $($rest)* }
    };

    ([$($at:tt)*] $(#[$doc:meta])* insert shared; $($rest:tt)*) => {
        /// Inserts `key`, from any thread. Never refused: past the planned number of keys the
        /// false-positive rate rises instead.
        $(#[$doc])*
        #[inline]
        pub fn insert<Q: $crate::Key + ?Sized>(&self, key: &Q) -> $crate::Inserted {
            self.insert_hash(key.key_hash(self.seed()))
        }

        /// Inserts many keys, from any thread, and returns how many were new; see
        /// [`insert`](Self::insert). Allocates nothing.
        #[inline]
        pub fn insert_keys<Q: $crate::Key>(&self, keys: &[Q]) -> u64 {
            let mut new = 0;
            let Ok(()) = $crate::hash_blocks(keys, self.seed(), |_, hashes| {
                new += self.insert_batch(hashes);
                Ok::<_, ::core::convert::Infallible>(())
            });
            new
        }

        $crate::methods! { [$($at)*] $($rest)* }
    };

    ([$($at:tt)*] $(#[$doc:meta])* clear; $($rest:tt)*) => {
        /// Removes every key. Seed and parameters stay, and so does the memory, unless the filter
        /// had grown.
        $(#[$doc])*
        pub fn clear(&mut self) {
            $crate::ClearFilter::clear(self);
        }

        $crate::methods! { [$($at)*] $($rest)* }
    };

    ([$($at:tt)*] $(#[$doc:meta])* remove; $($rest:tt)*) => {
        /// Removes one copy of `key`. `false`: it was certainly not in, and nothing changed.
        ///
        $(#[$doc])*
        #[doc = $crate::docs!(remove $($at)*)]
        #[inline]
        pub fn remove<Q: $crate::Key + ?Sized>(&mut self, key: &Q) -> bool {
            $crate::InsertExt::remove(self, key)
        }

        /// Removes one copy of the key with this hash; see [`remove`](Self::remove).
        #[inline]
        pub fn remove_hash(&mut self, hash: $crate::KeyHash) -> bool {
            $crate::RemoveFilter::remove_hash(self, hash)
        }

        $crate::methods! { [$($at)*] $($rest)* }
    };

    ([$($at:tt)*] $(#[$doc:meta])* merge; $($rest:tt)*) => {
        $(#[$doc])*
        #[doc = $crate::docs!(merge $($at)*)]
        pub fn merge(&mut self, other: &Self) -> Result<(), $crate::MergeError> {
            $crate::MergeFilter::merge(self, other)
        }

        /// `Ok` if [`merge`](Self::merge) would succeed; otherwise the error it would return.
        pub fn can_merge(&self, other: &Self) -> Result<(), $crate::MergeError> {
            $crate::MergeFilter::can_merge(self, other)
        }

        $crate::methods! { [$($at)*] $($rest)* }
    };

    ([$($at:tt)*] $(#[$doc:meta])* contains; $($rest:tt)*) => {
        /// Whether `key` is probably in the filter; `false` is certain.
        $(#[$doc])*
        #[doc = $crate::docs!(contains $($at)*)]
        #[inline]
        #[must_use]
        pub fn contains<Q: $crate::Key + ?Sized>(&self, key: &Q) -> bool {
            $crate::FilterExt::contains(self, key)
        }

        /// Whether the key with this hash is probably in the filter; `false` is certain.
        #[inline]
        #[must_use]
        pub fn contains_hash(&self, hash: $crate::KeyHash) -> bool {
            $crate::Filter::contains_hash(self, hash)
        }

        /// Answers many hashes at once, `answers[i]` for `hashes[i]`. Faster than one by one on
        /// large filters, because memory latencies overlap.
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

        $crate::methods! { [$($at)*] $($rest)* }
    };

    ([$($at:tt)*] $(#[$doc:meta])* count; $($rest:tt)*) => {
        $(#[$doc])*
        #[doc = $crate::docs!(count $($at)*)]
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

        $crate::methods! { [$($at)*] $($rest)* }
    };

    ([$($at:tt)*] $(#[$doc:meta])* len; $($rest:tt)*) => {
        $(#[$doc])*
        #[must_use]
        pub fn len(&self) -> u64 {
            $crate::Filter::len(self)
        }

        /// Whether [`len`](Self::len) is zero.
        #[must_use]
        pub fn is_empty(&self) -> bool {
            self.len() == 0
        }

        /// The number of keys the filter was planned for; for one that grows, the number it holds
        /// before it grows further.
        #[must_use]
        pub fn capacity(&self) -> u64 {
            $crate::Filter::capacity(self)
        }

        /// The seed the filter hashes its keys with.
        #[inline]
        #[must_use]
        pub fn seed(&self) -> u64 {
            $crate::Filter::seed(self)
        }

        $crate::methods! { [$($at)*] $($rest)* }
    };

    ([$($at:tt)*] $(#[$doc:meta])* size_in_bytes; $($rest:tt)*) => {
        $(#[$doc])*
        #[must_use]
        pub fn size_in_bytes(&self) -> u64 {
            $crate::Filter::size_in_bytes(self)
        }

        $crate::methods! { [$($at)*] $($rest)* }
    };

    ([$($at:tt)*] $(#[$doc:meta])* expected_fpr; $($rest:tt)*) => {
        $(#[$doc])*
        #[doc = $crate::docs!(expected_fpr $($at)*)]
        #[must_use]
        pub fn expected_fpr(&self) -> f64 {
            $crate::Filter::expected_fpr(self)
        }

        /// The share of the table in use, 0 to 1; see
        /// [`Filter::load_factor`]($crate::Filter::load_factor).
        #[must_use]
        pub fn load_factor(&self) -> f64 {
            $crate::Filter::load_factor(self)
        }

        /// The filter's state in one value that prints itself. Reads the whole table.
        #[must_use]
        pub fn stats(&self) -> $crate::Stats {
            $crate::Filter::stats(self)
        }

        $crate::methods! { [$($at)*] $($rest)* }
    };

    ([$($at:tt)*] $(#[$doc:meta])* to_bytes; $($rest:tt)*) => {
        $crate::file_methods! { [$($at)*] $(#[$doc])* to_bytes; }
        $crate::methods! { [$($at)*] $($rest)* }
    };

    ([$($at:tt)*] $(#[$doc:meta])* encoded_len; $($rest:tt)*) => {
        $crate::file_methods! { [$($at)*] $(#[$doc])* encoded_len; }
        $crate::methods! { [$($at)*] $($rest)* }
    };

    ([$($at:tt)*] $(#[$doc:meta])* from_bytes; $($rest:tt)*) => {
        $crate::file_methods! { [$($at)*] $(#[$doc])* from_bytes; }
        $crate::methods! { [$($at)*] $($rest)* }
    };

    (
        [$($at:tt)*]
        $(#[$doc:meta])* with $name:ident($value:ident: $type:ty) { $($field:ident $(: $set:expr)?),* };
        $($rest:tt)*
    ) => {
        $(#[$doc])*
        #[must_use]
        pub const fn $name(mut self, $value: $type) -> Self {
            $(self.$field = $crate::methods!(@ $field $($set)?);)*
            self
        }

        $crate::methods! { [$($at)*] $($rest)* }
    };

    ([$($at:tt)*] $(#[$doc:meta])* open: $owned:ty; $($rest:tt)*) => {
        $crate::file_methods! { [$($at)*] $(#[$doc])* open: $owned; }
        $crate::methods! { [$($at)*] $($rest)* }
    };

    (@ $field:ident) => { $field };
    (@ $field:ident $set:expr) => { $set };

    ([$($at:tt)*] $($clauses:tt)+) => {
        compile_error!(concat!("no clause of `methods!`: ", stringify!($($clauses)+)));
    };
    ($($clauses:tt)*) => {
        $crate::methods! { [] $($clauses)* }
    };
}
