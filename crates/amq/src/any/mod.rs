//! One type for every kind of filter.

mod any_file;
mod change;
mod error;
mod file;
mod make;
mod table;
mod truncate;

pub use any_file::{AnyFile, Withheld};
pub use error::{AnyError, Unsupported};
pub use make::{AnyPlan, AnyTarget};
pub(crate) use table::variants;

use crate::kinds;
use alloc::vec::Vec;
use amq_core::internal::FileFormat;
use amq_core::{
    Bytes, Filter, FilterKind, Key, KeyHash, LengthMismatch, Parameter, Parameters, Stats, Table,
};
use core::fmt;
use table::each;

/// Writes the type.
macro_rules! types {
    (; $($feature:literal $name:ident: $module:ident::$type:ident [$($can:ident)*];)*) => {
        /// A filter of any kind: chosen at run time, or found in a file.
        ///
        /// Made [by kind](AnyFilter::new), [built](AnyFilter::build_hashes) from all keys, or read
        /// from a file ([`FilterFile`](crate::FilterFile)). Forwards what the filter inside can do
        /// through one match, and answers [`Unsupported`] to the rest;
        /// [`Abilities`](crate::Abilities) says which is which. Which kinds there are depends on
        /// the crate's features: a kind that was left out is refused by name.
        ///
        /// ```
        /// use amq::{AnyFilter, FilterKind, Goal};
        ///
        /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
        /// let kind: FilterKind = "cuckoo".parse()?; // from a configuration file
        /// let mut filter = AnyFilter::new(kind, Goal::fpr(1000, 0.01))?;
        /// filter.insert("a key")?;
        /// assert!(filter.remove("a key")?);
        /// # Ok(())
        /// # }
        /// ```
        ///
        /// `B` holds the table. A view of borrowed bytes is an [`AnyView`]; one of bytes that it
        /// shares, such as a memory map, is kept in a struct:
        ///
        /// ```
        /// use amq::{AnyFilter, BloomFilter, FilterFile, Goal, SharedBytes};
        /// use std::sync::Arc;
        ///
        /// struct Part {
        ///     keys: AnyFilter<SharedBytes<Vec<u8>>>, // or of a `memmap2::Mmap`
        /// }
        ///
        /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
        /// let mut filter = BloomFilter::new(Goal::fpr(100, 0.01))?;
        /// filter.insert("a key");
        /// // let map = unsafe { memmap2::Mmap::map(&File::open("part.amq")?)? };
        /// let map = filter.to_bytes()?;
        /// let part = Part { keys: AnyFilter::view_shared(Arc::new(map))? };
        /// assert!(part.keys.contains("a key"));
        /// # Ok(())
        /// # }
        /// ```
        #[derive(Clone, PartialEq)]
        #[non_exhaustive]
        pub enum AnyFilter<B: Bytes = Table> {$(
            #[cfg(feature = $feature)]
            #[doc = concat!("A [`", stringify!($type), "`](crate::", stringify!($type), ").")]
            $name(<$module::$type as FileFormat>::With<B>),
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
            /// The kinds this program was built with.
            pub const KINDS: &'static [FilterKind] = &[$(
                #[cfg(feature = $feature)]
                FilterKind::$name,
            )*];
        }
    };
}

kinds!(types);

/// A filter of any kind over borrowed bytes: a memory map, a `static`, a page of a larger file.
pub type AnyView<'a> = AnyFilter<&'a [u8]>;

impl<B: Bytes> AnyFilter<B> {
    /// Whether `key` is probably in: `false` is certain.
    #[inline]
    #[must_use]
    pub fn contains<K: Key + ?Sized>(&self, key: &K) -> bool {
        kinds!(each self, filter => filter.contains(key))
    }

    /// What determines its table: the fields of the variant's own parameters, such as
    /// [`BloomParams`](amq_bloom::BloomParams), each with its unit.
    ///
    /// ```
    /// use amq::{AnyFilter, FilterKind, Goal};
    ///
    /// # fn main() -> Result<(), amq::AnyError> {
    /// let filter = AnyFilter::new(FilterKind::Bloom, Goal::fpr(1_000_000, 0.01))?;
    /// let parameters = filter.parameters();
    /// assert_eq!(parameters[0].to_string(), "bits 9592960");
    /// assert_eq!((parameters[1].name, parameters[1].unit), ("probes", "bits per key"));
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    pub fn parameters(&self) -> Vec<Parameter> {
        kinds!(each self, filter => filter.params().parameters().collect())
    }

    /// How the filter stands, in one value that prints itself. Reads the whole table.
    #[must_use]
    pub fn stats(&self) -> Stats {
        Filter::stats(self)
    }
}

impl<B: Bytes> Filter for AnyFilter<B> {
    fn kind(&self) -> FilterKind {
        kinds!(each self, filter => filter.kind())
    }
    fn len(&self) -> u64 {
        kinds!(each self, filter => Filter::len(filter))
    }
    fn capacity(&self) -> u64 {
        kinds!(each self, filter => filter.capacity())
    }
    fn size_in_bytes(&self) -> u64 {
        kinds!(each self, filter => filter.size_in_bytes())
    }
    fn expected_fpr(&self) -> f64 {
        kinds!(each self, filter => filter.expected_fpr())
    }
    fn load_factor(&self) -> f64 {
        kinds!(each self, filter => filter.load_factor())
    }
    fn saturated(&self) -> u64 {
        kinds!(each self, filter => filter.saturated())
    }
    fn stats(&self) -> Stats {
        kinds!(each self, filter => Filter::stats(filter))
    }
    #[inline]
    fn seed(&self) -> u64 {
        kinds!(each self, filter => filter.seed())
    }
    #[inline]
    fn contains_hash(&self, hash: KeyHash) -> bool {
        kinds!(each self, filter => filter.contains_hash(hash))
    }
    fn contains_batch(
        &self,
        hashes: &[KeyHash],
        answers: &mut [bool],
    ) -> Result<(), LengthMismatch> {
        kinds!(each self, filter => filter.contains_batch(hashes, answers))
    }
}

impl<B: Bytes> fmt::Debug for AnyFilter<B> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        kinds!(each self, filter => filter.fmt(f))
    }
}
