//! One type for every kind of filter.

mod any_file;
mod change;
mod error;
mod file;
mod kinds;
mod make;

pub use any_file::AnyFile;
pub use error::{AnyError, Unsupported};
pub use kinds::AnyFilter;
pub(crate) use kinds::abilities;
pub use make::{AnyPlan, AnyTarget};

use alloc::vec::Vec;
use amq_core::{Bytes, Filter, FilterKind, Key, KeyHash, LengthMismatch, Parameter, Stats};
use core::fmt;

/// A filter of any kind over borrowed bytes: a memory map, a `static`, a page of a larger file.
pub type AnyView<'a> = AnyFilter<&'a [u8]>;

impl<B: Bytes> AnyFilter<B> {
    /// Whether `key` is probably in: `false` is certain.
    ///
    /// [`contains_iter`](amq_core::FilterExt::contains_iter) is faster on a large filter.
    #[inline]
    #[must_use]
    pub fn contains<K: Key + ?Sized>(&self, key: &K) -> bool {
        self.has(key)
    }

    /// The parameters of its table: the fields of the variant's own parameters, such as
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
        self.inside().parameters()
    }

    /// The state of the filter, in a value that can be printed. Reads the whole table.
    #[must_use]
    pub fn stats(&self) -> Stats {
        self.inside().stats()
    }
}

impl<B: Bytes> Filter for AnyFilter<B> {
    fn kind(&self) -> FilterKind {
        self.kind_inside()
    }
    fn len(&self) -> u64 {
        self.inside().len()
    }
    fn capacity(&self) -> u64 {
        self.inside().capacity()
    }
    fn size_in_bytes(&self) -> u64 {
        self.inside().size_in_bytes()
    }
    fn expected_fpr(&self) -> f64 {
        self.inside().expected_fpr()
    }
    fn load_factor(&self) -> f64 {
        self.inside().load_factor()
    }
    fn saturated(&self) -> u64 {
        self.inside().saturated()
    }
    fn stats(&self) -> Stats {
        self.inside().stats()
    }
    #[inline]
    fn seed(&self) -> u64 {
        self.seed_of_keys()
    }
    #[inline]
    fn contains_hash(&self, hash: KeyHash) -> bool {
        self.has_hash(hash)
    }
    fn contains_batch(
        &self,
        hashes: &[KeyHash],
        answers: &mut [bool],
    ) -> Result<(), LengthMismatch> {
        self.inside().contains_batch(hashes, answers)
    }
}

impl<B: Bytes> fmt::Debug for AnyFilter<B> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.inside().fmt(f)
    }
}
