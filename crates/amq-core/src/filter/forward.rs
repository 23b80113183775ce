//! Pointers to filters are filters.

use super::{
    ClearFilter, Count, CountFilter, Filter, FilterExt, FilterKind, InsertFilter, Inserted,
    RemoveFilter, Stats, TruncateFilter,
};
use crate::{BatchInsertError, Budget, InsertError, Key, KeyHash, LengthMismatch, TruncateError};
use alloc::boxed::Box;
#[cfg(target_has_atomic = "ptr")]
use alloc::sync::Arc;
use core::fmt;

impl dyn Filter + '_ {
    /// Whether `key` is probably in the filter; `false` is certain.
    ///
    /// [`contains_iter`](FilterExt::contains_iter) is faster on a large filter.
    #[inline]
    #[must_use]
    pub fn contains<K: Key + ?Sized>(&self, key: &K) -> bool {
        FilterExt::contains(self, key)
    }
}

impl fmt::Debug for dyn Filter + '_ {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("dyn Filter")
            .field("kind", &self.kind())
            .field("len", &self.len())
            .field("capacity", &self.capacity())
            .finish_non_exhaustive()
    }
}

/// Forwards the traits that take `&self`; with `mut`, also those that take `&mut self`.
macro_rules! pointer {
    ($(#[$cfg:meta])* $pointer:ty) => {
        $(#[$cfg])*
        impl<F: Filter + ?Sized> Filter for $pointer {
            fn kind(&self) -> FilterKind {
                (**self).kind()
            }

            #[inline]
            fn seed(&self) -> u64 {
                (**self).seed()
            }

            fn len(&self) -> u64 {
                (**self).len()
            }

            fn is_empty(&self) -> bool {
                (**self).is_empty()
            }

            fn capacity(&self) -> u64 {
                (**self).capacity()
            }

            fn size_in_bytes(&self) -> u64 {
                (**self).size_in_bytes()
            }

            fn expected_fpr(&self) -> f64 {
                (**self).expected_fpr()
            }

            fn load_factor(&self) -> f64 {
                (**self).load_factor()
            }

            fn saturated(&self) -> u64 {
                (**self).saturated()
            }

            fn stats(&self) -> Stats {
                (**self).stats()
            }

            #[inline]
            fn contains_hash(&self, hash: KeyHash) -> bool {
                (**self).contains_hash(hash)
            }

            fn contains_batch(
                &self,
                hashes: &[KeyHash],
                answers: &mut [bool],
            ) -> Result<(), LengthMismatch> {
                (**self).contains_batch(hashes, answers)
            }
        }

        $(#[$cfg])*
        impl<F: CountFilter + ?Sized> CountFilter for $pointer {
            #[inline]
            fn count_hash(&self, hash: KeyHash) -> Count {
                (**self).count_hash(hash)
            }
        }
    };
    (mut $pointer:ty) => {
        pointer!($pointer);

        impl<F: InsertFilter + ?Sized> InsertFilter for $pointer {
            #[inline]
            fn insert_hash(&mut self, hash: KeyHash) -> Result<Inserted, InsertError> {
                (**self).insert_hash(hash)
            }

            #[inline]
            fn insert_unique_hash(&mut self, hash: KeyHash) -> Result<Inserted, InsertError> {
                (**self).insert_unique_hash(hash)
            }

            fn insert_batch(&mut self, hashes: &[KeyHash]) -> Result<u64, BatchInsertError> {
                (**self).insert_batch(hashes)
            }

            fn insert_batch_new(
                &mut self,
                hashes: &[KeyHash],
                new: &mut [bool],
            ) -> Result<u64, BatchInsertError> {
                (**self).insert_batch_new(hashes, new)
            }

            fn insert_from(
                &mut self,
                about: u64,
                next: &mut dyn FnMut(&mut [KeyHash]) -> usize,
            ) -> Result<u64, BatchInsertError> {
                (**self).insert_from(about, next)
            }

            #[cfg(feature = "rayon")]
            fn par_insert_from(
                &mut self,
                hashes: &dyn crate::HashSource,
            ) -> Result<u64, BatchInsertError> {
                (**self).par_insert_from(hashes)
            }
        }

        impl<F: ClearFilter + ?Sized> ClearFilter for $pointer {
            fn clear(&mut self) {
                (**self).clear();
            }
        }

        impl<F: RemoveFilter + ?Sized> RemoveFilter for $pointer {
            #[inline]
            fn remove_hash(&mut self, hash: KeyHash) -> bool {
                (**self).remove_hash(hash)
            }
        }

        impl<F: TruncateFilter + ?Sized> TruncateFilter for $pointer {
            fn truncate(&mut self, budget: Budget) -> Result<(), TruncateError> {
                (**self).truncate(budget)
            }
        }
    };
}

pointer!(&F);
pointer!(mut &mut F);
pointer!(mut Box<F>);
pointer!(
    #[cfg(target_has_atomic = "ptr")]
    Arc<F>
);
