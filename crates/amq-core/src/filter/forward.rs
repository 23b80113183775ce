//! Pointers to filters are filters.

use super::{ClearFilter, CountFilter, Filter, FilterExt, InsertFilter, RemoveFilter};
use crate::Key;
use alloc::boxed::Box;
use core::fmt;

impl dyn Filter + '_ {
    /// Whether `key` is probably in the filter; `false` is certain.
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

macro_rules! forward_reading {
    ($($(#[$cfg:meta])* $pointer:ty;)*) => {$(
        $(#[$cfg])*
        impl<F: Filter + ?Sized> Filter for $pointer {
            crate::trait_methods! { self => **self; kind seed state contains }
        }

        $(#[$cfg])*
        impl<F: CountFilter + ?Sized> CountFilter for $pointer {
            crate::trait_methods! { self => **self; count }
        }
    )*};
}

forward_reading! {
    &F;
    &mut F;
    Box<F>;
    #[cfg(target_has_atomic = "ptr")]
    alloc::sync::Arc<F>;
}

macro_rules! forward_writing {
    ($($pointer:ty;)*) => {$(
        impl<F: InsertFilter + ?Sized> InsertFilter for $pointer {
            crate::trait_methods! { self => **self; insert }
        }

        impl<F: ClearFilter + ?Sized> ClearFilter for $pointer {
            crate::trait_methods! { self => **self; clear }
        }

        impl<F: RemoveFilter + ?Sized> RemoveFilter for $pointer {
            crate::trait_methods! { self => **self; remove }
        }
    )*};
}

forward_writing! {
    &mut F;
    Box<F>;
}
