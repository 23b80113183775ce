//! The methods of the traits that are the same in many types, written once.
//!
//! `trait_methods!` stands within a type's `impl` of a trait. A clause writes the method of its
//! name:
//!
//! | clause | writes | for a type that has |
//! | --- | --- | --- |
//! | `kind: KIND;` | `kind` | |
//! | `seed;` `capacity;` | these | a `header` |
//! | `len;` | `len` | a field of that name |
//! | `size_in_bytes;` | the bytes of its table | `OneTable` |
//! | `contains_batch: \|self, hashes, answers\| answering;` | the method, which refuses slices of unequal length | |
//!
//! `trait_methods! { self => place: group ... }` writes groups of methods that ask the filter at
//! `place`: `kind`, `seed`, `state` (number of keys, size, rate, load), `contains`, `count`,
//! `insert`, `remove`, `clear`. `place` is `self.filter`, `**self` or the like.

/// Writes methods of an `impl` of a trait, clause by clause; see the head of the file.
#[doc(hidden)]
#[macro_export]
macro_rules! trait_methods {
    () => {};

    (kind: $kind:expr; $($rest:tt)*) => {
        fn kind(&self) -> $crate::FilterKind {
            $kind
        }
        $crate::trait_methods! { $($rest)* }
    };
    (seed; $($rest:tt)*) => {
        #[inline]
        fn seed(&self) -> u64 {
            self.header.seed
        }
        $crate::trait_methods! { $($rest)* }
    };
    (len; $($rest:tt)*) => {
        #[inline]
        fn len(&self) -> u64 {
            self.len
        }
        $crate::trait_methods! { $($rest)* }
    };
    (capacity; $($rest:tt)*) => {
        fn capacity(&self) -> u64 {
            self.header.capacity
        }
        $crate::trait_methods! { $($rest)* }
    };
    (size_in_bytes; $($rest:tt)*) => {
        fn size_in_bytes(&self) -> u64 {
            ::core::mem::size_of_val($crate::internal::OneTable::elements(self)) as u64
        }
        $crate::trait_methods! { $($rest)* }
    };
    (
        contains_batch: |$this:ident, $hashes:ident, $answers:ident| $answering:expr; $($rest:tt)*
    ) => {
        #[inline]
        fn contains_batch(
            &$this,
            $hashes: &[$crate::KeyHash],
            $answers: &mut [bool],
        ) -> Result<(), $crate::LengthMismatch> {
            $crate::LengthMismatch::check($hashes.len(), $answers.len())?;
            $answering;
            Ok(())
        }
        $crate::trait_methods! { $($rest)* }
    };
    ($this:ident => $place:expr; $($group:ident)*) => {
        $($crate::trait_methods! { @ $group $this => $place })*
    };
    (@ kind $this:ident => $place:expr) => {
        fn kind(&$this) -> $crate::FilterKind { $crate::Filter::kind(&$place) }
    };
    (@ seed $this:ident => $place:expr) => {
        #[inline]
        fn seed(&$this) -> u64 { $crate::Filter::seed(&$place) }
    };
    (@ state $this:ident => $place:expr) => {
        fn len(&$this) -> u64 { $crate::Filter::len(&$place) }
        fn is_empty(&$this) -> bool { $crate::Filter::is_empty(&$place) }
        fn capacity(&$this) -> u64 { $crate::Filter::capacity(&$place) }
        fn size_in_bytes(&$this) -> u64 { $crate::Filter::size_in_bytes(&$place) }
        fn expected_fpr(&$this) -> f64 { $crate::Filter::expected_fpr(&$place) }
        fn load_factor(&$this) -> f64 { $crate::Filter::load_factor(&$place) }
        fn saturated(&$this) -> u64 { $crate::Filter::saturated(&$place) }
        fn stats(&$this) -> $crate::Stats { $crate::Filter::stats(&$place) }
    };
    (@ contains $this:ident => $place:expr) => {
        #[inline]
        fn contains_hash(&$this, hash: $crate::KeyHash) -> bool {
            $crate::Filter::contains_hash(&$place, hash)
        }
        fn contains_batch(
            &$this,
            hashes: &[$crate::KeyHash],
            answers: &mut [bool],
        ) -> Result<(), $crate::LengthMismatch> {
            $crate::Filter::contains_batch(&$place, hashes, answers)
        }
    };
    (@ count $this:ident => $place:expr) => {
        #[inline]
        fn count_hash(&$this, hash: $crate::KeyHash) -> $crate::Count {
            $crate::CountFilter::count_hash(&$place, hash)
        }
    };
    (@ insert $this:ident => $place:expr) => {
        #[inline]
        fn insert_hash(
            &mut $this,
            hash: $crate::KeyHash,
        ) -> Result<$crate::Inserted, $crate::InsertError> {
            $crate::InsertFilter::insert_hash(&mut $place, hash)
        }
        #[inline]
        fn insert_unique_hash(
            &mut $this,
            hash: $crate::KeyHash,
        ) -> Result<$crate::Inserted, $crate::InsertError> {
            $crate::InsertFilter::insert_unique_hash(&mut $place, hash)
        }
        fn insert_batch(
            &mut $this,
            hashes: &[$crate::KeyHash],
        ) -> Result<u64, $crate::BatchInsertError> {
            $crate::InsertFilter::insert_batch(&mut $place, hashes)
        }

        fn insert_from(
            &mut $this,
            about: u64,
            next: &mut dyn FnMut(&mut [$crate::KeyHash]) -> usize,
        ) -> Result<u64, $crate::BatchInsertError> {
            $crate::InsertFilter::insert_from(&mut $place, about, next)
        }
    };
    (@ remove $this:ident => $place:expr) => {
        #[inline]
        fn remove_hash(&mut $this, hash: $crate::KeyHash) -> bool {
            $crate::RemoveFilter::remove_hash(&mut $place, hash)
        }
    };
    (@ clear $this:ident => $place:expr) => {
        fn clear(&mut $this) { $crate::ClearFilter::clear(&mut $place) }
    };
}
