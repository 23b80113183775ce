//! One type for every kind of filter that a file can hold.

use amq_core::envelope::{self, Borrowing, Copying, Opened, Restore};
use amq_core::{DecodeError, Filter, FilterKind, Key, KeyHash, LengthMismatch, Stats};
use core::fmt;

/// Writes everything that depends on which kinds there are.
macro_rules! kinds {
    ($($feature:literal $name:ident: $module:ident::$type:ident;)*) => {
        /// A filter of any kind: what a file holds, when that is not known beforehand.
        ///
        /// Asks the filter inside through one match. Which kinds there are depends on the crate's
        /// features; a file of a kind that was left out is refused by name.
        #[derive(Clone, PartialEq)]
        #[non_exhaustive]
        pub enum AnyFilter {$(
            #[cfg(feature = $feature)]
            #[doc = concat!("A [`", stringify!($type), "`](crate::", stringify!($type), ").")]
            $name($module::$type),
        )*}

        /// The same over borrowed bytes: a memory map, a `static`, a page of a larger file.
        #[non_exhaustive]
        pub enum AnyView<'a> {$(
            #[cfg(feature = $feature)]
            #[doc = concat!("A view of a [`", stringify!($type), "`](crate::", stringify!($type), ").")]
            $name(<$module::$type as Restore>::Over<Borrowing<'a>>),
        )*}

        $(
            #[cfg(feature = $feature)]
            impl From<$module::$type> for AnyFilter {
                fn from(filter: $module::$type) -> Self {
                    Self::$name(filter)
                }
            }
        )*

        impl AnyFilter {
            fn restore(opened: &Opened<'_>, source: Copying<'_>) -> Result<Self, DecodeError> {
                match FilterKind::from_number(opened.kind()) {
                    $(
                        #[cfg(feature = $feature)]
                        Some(FilterKind::$name) => {
                            Ok(Self::$name(<$module::$type as Restore>::restore(opened, source)?))
                        }
                    )*
                    other => Err(not_here(other, opened.kind())),
                }
            }

            /// Writes the filter as a file.
            #[cfg(feature = "std")]
            pub fn save(&self, path: impl AsRef<std::path::Path>) -> std::io::Result<()> {
                match self {$(
                    #[cfg(feature = $feature)]
                    Self::$name(filter) => filter.save(path),
                )*}
            }

            /// The filter as a file.
            pub fn to_bytes(&self) -> Result<alloc::vec::Vec<u8>, amq_core::BuildError> {
                match self {$(
                    #[cfg(feature = $feature)]
                    Self::$name(filter) => filter.to_bytes(),
                )*}
            }
        }

        impl<'a> AnyView<'a> {
            fn restore(opened: &Opened<'_>, source: Borrowing<'a>) -> Result<Self, DecodeError> {
                match FilterKind::from_number(opened.kind()) {
                    $(
                        #[cfg(feature = $feature)]
                        Some(FilterKind::$name) => {
                            Ok(Self::$name(<$module::$type as Restore>::restore(opened, source)?))
                        }
                    )*
                    other => Err(not_here(other, opened.kind())),
                }
            }
        }

        kinds!(@shared [] AnyFilter: $($feature $name;)*);
        kinds!(@shared ['a] AnyView<'a>: $($feature $name;)*);
    };

    (@shared [$($g:tt)*] $any:ty: $($feature:literal $name:ident;)*) => {
        impl<$($g)*> $any {
            /// Whether `key` is probably in: `false` is certain.
            #[inline]
            #[must_use]
            pub fn contains<K: Key + ?Sized>(&self, key: &K) -> bool {
                match self {$(
                    #[cfg(feature = $feature)]
                    Self::$name(filter) => filter.contains(key),
                )*}
            }

            /// How the filter stands, in one value that prints itself. Reads the whole table.
            #[must_use]
            pub fn stats(&self) -> Stats {
                Filter::stats(self)
            }
        }

        impl<$($g)*> Filter for $any {
            fn kind(&self) -> FilterKind {
                match self {$(#[cfg(feature = $feature)] Self::$name(f) => Filter::kind(f),)*}
            }
            #[inline]
            fn seed(&self) -> u64 {
                match self {$(#[cfg(feature = $feature)] Self::$name(f) => f.seed(),)*}
            }
            fn len(&self) -> u64 {
                match self {$(#[cfg(feature = $feature)] Self::$name(f) => f.len(),)*}
            }
            fn capacity(&self) -> u64 {
                match self {$(#[cfg(feature = $feature)] Self::$name(f) => f.capacity(),)*}
            }
            fn size_in_bytes(&self) -> u64 {
                match self {$(#[cfg(feature = $feature)] Self::$name(f) => f.size_in_bytes(),)*}
            }
            fn expected_fpr(&self) -> f64 {
                match self {$(#[cfg(feature = $feature)] Self::$name(f) => f.expected_fpr(),)*}
            }
            fn load_factor(&self) -> f64 {
                match self {$(#[cfg(feature = $feature)] Self::$name(f) => f.load_factor(),)*}
            }
            fn saturated(&self) -> u64 {
                match self {$(#[cfg(feature = $feature)] Self::$name(f) => Filter::saturated(f),)*}
            }
            #[inline]
            fn contains_hash(&self, hash: KeyHash) -> bool {
                match self {$(#[cfg(feature = $feature)] Self::$name(f) => f.contains_hash(hash),)*}
            }
            fn contains_batch(
                &self,
                hashes: &[KeyHash],
                answers: &mut [bool],
            ) -> Result<(), LengthMismatch> {
                match self {$(
                    #[cfg(feature = $feature)]
                    Self::$name(f) => f.contains_batch(hashes, answers),
                )*}
            }
        }

        impl<$($g)*> fmt::Debug for $any {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                match self {$(#[cfg(feature = $feature)] Self::$name(filter) => filter.fmt(f),)*}
            }
        }
    };
}

kinds! {
    "bloom" Bloom: amq_bloom::BloomFilter;
    "bloom" BlockedBloom: amq_bloom::BlockedBloomFilter;
    "counting" Counting: amq_counting::CountingBloomFilter;
    "counting" BlockedCounting: amq_counting::BlockedCountingBloomFilter;
    "scalable" Scalable: amq_scalable::ScalableBloomFilter;
    "scalable" ScalableBlocked: amq_scalable::ScalableBlockedBloomFilter;
    "cuckoo" Cuckoo: amq_cuckoo::CuckooFilter;
    "cuckoo" WindowedCuckoo: amq_cuckoo::WindowedCuckooFilter;
    "quotient" Quotient: amq_quotient::QuotientFilter;
    "ribbon" Ribbon: amq_ribbon::RibbonFilter;
    "ribbon" NarrowRibbon: amq_ribbon::NarrowRibbonFilter;
    "ribbon" BumpedRibbon: amq_ribbon::BumpedRibbonFilter;
    "ribbon" WideBumpedRibbon: amq_ribbon::WideBumpedRibbonFilter;
}

/// Why a file of no kind above is not read.
fn not_here(kind: Option<FilterKind>, number: u8) -> DecodeError {
    let Some(found) = kind else {
        return DecodeError::Kind { number };
    };
    let way_out = match found {
        FilterKind::RibbonMap => {
            "it gives every key a value and denies none; load it as a `RibbonMap`"
        }
        _ => "turn on the feature of the crate `amq` for it, or load it as its own type",
    };
    DecodeError::NotHere { found, way_out }
}

impl AnyFilter {
    /// The filter in these bytes, of whatever kind: one whole file and no more. Everything is
    /// checked.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, DecodeError> {
        let (opened, payload) = envelope::open(bytes, None)?;
        Self::restore(&opened, Copying::new(payload, &opened)?)
    }

    /// Loads the filter in a file.
    #[cfg(feature = "std")]
    pub fn load(path: impl AsRef<std::path::Path>) -> Result<Self, amq_core::ReadError> {
        Ok(Self::from_bytes(&std::fs::read(path)?)?)
    }
}

impl<'a> AnyView<'a> {
    /// The filter in these bytes, which stay where they are: one whole file and no more, beginning
    /// at a multiple of 64. Everything is checked, which reads them all once.
    pub fn open(bytes: &'a [u8]) -> Result<Self, DecodeError> {
        let (opened, payload) = envelope::open(bytes, None)?;
        Self::restore(&opened, Borrowing::new(payload, &opened, true)?)
    }

    /// The same, but only header and directory are checked: at once, whatever the size. **A payload
    /// that was damaged since it was written then answers anything**, keys denied included.
    pub fn open_without_checking_payload(bytes: &'a [u8]) -> Result<Self, DecodeError> {
        let (opened, payload) = envelope::open(bytes, None)?;
        Self::restore(&opened, Borrowing::new(payload, &opened, false)?)
    }
}
