//! The types under test, each kind that `amq` has, with what the targets need of them.

use crate::extras;
use amq::{ClearFilter, Count, CountFilter, InsertFilter, MergeFilter, RemoveFilter};
use amq::{DecodeError, Filter, FilterFile, KeyHash, ReadError};
use core::fmt::Debug;

/// A filter that can be stored.
pub trait Subject: Filter + Clone + PartialEq + Debug + 'static {
    /// The file.
    fn encode(&self) -> Vec<u8>;
    /// The filter in a file.
    fn decode(bytes: &[u8]) -> Result<Self, DecodeError>;
    /// The first filter of a stream.
    fn read(reader: &mut &[u8]) -> Result<Self, ReadError>;
}

/// A filter that takes keys.
pub trait Changing: Subject + InsertFilter + ClearFilter {
    /// Removes a key, where the type can.
    const REMOVE: Option<fn(&mut Self, KeyHash) -> bool>;
    /// Counts a key, where the type can.
    const COUNT: Option<fn(&Self, KeyHash) -> Count>;
    /// Whether `len` counts every copy.
    const COPIES: bool = Self::REMOVE.is_some();

    /// Merges `other` into it, where the type can: all or nothing, and whether it did.
    fn try_merge(&mut self, other: &Self) -> bool;
    /// Whatever else changes the filter but not its keys, chosen by a number.
    fn rearrange(&mut self, how: u8) {
        extras::rearrange(self, how);
    }
    /// Whatever else can be asked.
    fn inspect(&self) {
        extras::inspect(self);
    }
}

/// [`Changing::try_merge`] of a type that can.
fn merged<F: Subject + MergeFilter>(filter: &mut F, other: &F) -> bool {
    let before = filter.clone();
    let allowed = filter.can_merge(other);
    let merged = filter.merge(other);
    match merged {
        Ok(()) => assert_eq!(allowed, Ok(())),
        Err(_) => assert!(*filter == before, "a refused merge changed the filter"),
    }
    merged.is_ok()
}

macro_rules! subjects {
    (; $($feature:literal $kind:ident: $module:ident::$type:ident [$($can:ident)*];)*) => {$(
        impl Subject for amq::$type {
            fn encode(&self) -> Vec<u8> {
                FilterFile::to_bytes(self).expect("memory for the file")
            }
            fn decode(bytes: &[u8]) -> Result<Self, DecodeError> {
                FilterFile::from_bytes(bytes)
            }
            fn read(reader: &mut &[u8]) -> Result<Self, ReadError> {
                FilterFile::read_from(reader)
            }
        }

        subjects!(@ $type [$($can)*] [$($can)*]);
    )*};
    (@ $type:ident [insert $($rest:ident)*] [$($can:ident)*]) => {
        impl Changing for amq::$type {
            const REMOVE: Option<fn(&mut Self, KeyHash) -> bool> =
                amq::kinds!(can remove in [$($can)*] {
                    Some(RemoveFilter::remove_hash)
                } else {
                    None
                });
            const COUNT: Option<fn(&Self, KeyHash) -> Count> =
                amq::kinds!(can count in [$($can)*] {
                    Some(CountFilter::count_hash)
                } else {
                    None
                });

            fn try_merge(&mut self, other: &Self) -> bool {
                amq::kinds!(can merge in [$($can)*] {
                    merged(self, other)
                } else {
                    let _ = other;
                    false
                })
            }
        }
    };
    (@ $type:ident [build_only $($rest:ident)*] $can:tt) => {};
}

amq::kinds!(subjects);

/// Calls a function that is generic over [`Subject`] for every type.
macro_rules! for_every_type {
    ($function:ident $arguments:tt) => {
        amq::kinds!(for_every_type @ $function $arguments)
    };
    (@ $function:ident $arguments:tt;
        $($feature:literal $kind:ident: $module:ident::$type:ident [$($can:ident)*];)*
    ) => {
        $($function::<amq::$type> $arguments;)*
    };
}
pub(crate) use for_every_type;
