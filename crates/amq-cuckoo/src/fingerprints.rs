//! What is stored, one by one.

use crate::table::{Place, Table};
use crate::{CuckooParams, Layout};
use core::fmt;
use core::iter::FusedIterator;
use core::marker::PhantomData;

/// A stored fingerprint: all that is left of a key. From [`Cuckoo::fingerprints`](crate::Cuckoo::fingerprints).
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Fingerprint<L: Layout> {
    pub(crate) params: CuckooParams,
    pub(crate) seed: u64,
    pub(crate) bucket: u64,
    pub(crate) tag: u64,
    layout: PhantomData<L>,
}

impl<L: Layout> Fingerprint<L> {
    /// The bucket it is in: one of the two that its key has, nobody knows which.
    pub const fn bucket(&self) -> u64 {
        self.bucket
    }

    /// The fingerprint itself, 1 or more.
    pub const fn tag(&self) -> u64 {
        self.tag
    }
}

impl<L: Layout> fmt::Debug for Fingerprint<L> {
    /// Without the seed, which may be secret.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Fingerprint")
            .field("bucket", &self.bucket)
            .field("tag", &self.tag)
            .finish_non_exhaustive()
    }
}

/// The fingerprints of a table, in the order of their slots.
#[derive(Clone)]
pub struct Fingerprints<'a, L: Layout> {
    table: &'a Table<L>,
    seed: u64,
    slot: u64,
    /// How many are still to come.
    left: u64,
}

impl<'a, L: Layout> Fingerprints<'a, L> {
    pub(crate) const fn new(table: &'a Table<L>, seed: u64, len: u64) -> Self {
        Self {
            table,
            seed,
            slot: 0,
            left: len,
        }
    }
}

impl<L: Layout> fmt::Debug for Fingerprints<'_, L> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Fingerprints")
            .field("left", &self.left)
            .finish_non_exhaustive()
    }
}

impl<L: Layout> Iterator for Fingerprints<'_, L> {
    type Item = Fingerprint<L>;

    fn next(&mut self) -> Option<Fingerprint<L>> {
        let slots = self.table.params().slots::<L>();
        while self.slot < slots {
            let slot = self.slot;
            self.slot += 1;
            if self.table.slot(slot) != 0 {
                self.left = self.left.saturating_sub(1);
                let (bucket, tag) = self.table.owner(slot);
                return Some(Fingerprint {
                    params: self.table.params(),
                    seed: self.seed,
                    bucket,
                    tag,
                    layout: PhantomData,
                });
            }
        }
        None
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let left = usize::try_from(self.left);
        (left.unwrap_or(usize::MAX), left.ok())
    }
}

impl<L: Layout> FusedIterator for Fingerprints<'_, L> {}

impl<L: Layout> Table<L> {
    /// How many different fingerprints there are in how many pairs of buckets: copies, and keys that cannot be told apart, count once.
    pub(crate) fn distinct(&self) -> u64 {
        let slots = 0..self.params().slots::<L>();
        let firsts = slots.filter(|&slot| {
            self.slot(slot) != 0 && {
                let (bucket, tag) = self.owner(slot);
                self.first_slot(self.place_of(bucket, tag)) == slot
            }
        });
        firsts.count() as u64
    }

    /// Where a fingerprint may be, by one of its buckets.
    #[inline(always)]
    pub(crate) fn place_of(&self, bucket: u64, tag: u64) -> Place {
        Place {
            first: bucket,
            second: self.other(bucket, tag),
            tag,
        }
    }
}
