//! Iterating over the stored fingerprints.

use crate::table::BucketTable;
use crate::{CuckooParams, Layout};
use core::fmt;
use core::iter::FusedIterator;
use core::marker::PhantomData;

/// A stored fingerprint, from [`Cuckoo::fingerprints`](crate::Cuckoo::fingerprints).
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Fingerprint<L: Layout> {
    pub(crate) params: CuckooParams,
    pub(crate) seed: u64,
    pub(crate) bucket: u64,
    pub(crate) value: u64,
    layout: PhantomData<L>,
}

impl<L: Layout> Fingerprint<L> {
    /// The bucket it is in: one of its key's two; the filter does not know which.
    #[must_use]
    pub const fn bucket(&self) -> u64 {
        self.bucket
    }

    /// The fingerprint itself, 1 or more.
    #[must_use]
    pub const fn value(&self) -> u64 {
        self.value
    }
}

/// Does not print the seed, which may be secret.
impl<L: Layout> fmt::Debug for Fingerprint<L> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Fingerprint")
            .field("bucket", &self.bucket)
            .field("value", &self.value)
            .finish_non_exhaustive()
    }
}

/// The fingerprints of a table, in the order of their slots.
#[derive(Clone)]
pub struct Fingerprints<'a, L: Layout> {
    pub(crate) table: BucketTable<L, &'a [u8]>,
    pub(crate) seed: u64,
    /// The next slot.
    pub(crate) slot: u64,
}

impl<L: Layout> fmt::Debug for Fingerprints<'_, L> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Fingerprints").field("slot", &self.slot).finish_non_exhaustive()
    }
}

impl<L: Layout> Iterator for Fingerprints<'_, L> {
    type Item = Fingerprint<L>;

    fn next(&mut self) -> Option<Fingerprint<L>> {
        while self.slot < self.table.params().slots::<L>() {
            let stored = self.table.stored(self.slot);
            self.slot += 1;
            if let Some((bucket, value)) = stored {
                return Some(Fingerprint {
                    params: self.table.params(),
                    seed: self.seed,
                    bucket,
                    value,
                    layout: PhantomData,
                });
            }
        }
        None
    }
}

impl<L: Layout> FusedIterator for Fingerprints<'_, L> {}
