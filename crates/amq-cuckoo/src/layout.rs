//! The layout of buckets.

use amq_core::FilterKind;

/// How buckets are laid out: disjoint ([`Buckets`]) or overlapping ([`OverlappingBuckets`]).
///
/// This trait is sealed.
pub trait Layout: sealed::Sealed + Copy + Eq + core::fmt::Debug + Send + Sync + 'static {
    /// The kind of filter.
    const KIND: FilterKind;
    /// The filter type's name.
    const NAME: &'static str;
    /// Slots in a bucket.
    const SLOTS: u32;
    /// Slots from the start of one bucket to the start of the next.
    const STRIDE: u32;
    /// Bits of a slot that store the fingerprint's position in its bucket. If buckets overlap, a
    /// slot alone does not determine the bucket of its fingerprint.
    const MARK_BITS: u32;
    /// The widest slot with which a bucket fits a 64-bit word at any bit offset.
    const NARROW_BITS: u32;
    /// The load factor of a plan.
    const LOAD: f64;
    /// The narrowest slot of a plan. Narrower slots give too few distinct pairs of buckets to fill
    /// a large table to this load.
    const PLANNED_BITS: u32;
    /// The highest mean number of crowded cells in a planned filter; see
    /// [`theory::crowded_cells`](crate::theory::crowded_cells).
    const CROWDED: f64;
}

/// Buckets of four slots, side by side: the filter of Fan et al.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Buckets;

/// Buckets of two slots, each starting one slot after the previous one, so that neighbours share a
/// slot: windows over the table.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct OverlappingBuckets;

impl Layout for Buckets {
    const KIND: FilterKind = FilterKind::Cuckoo;
    const NAME: &'static str = "CuckooFilter";
    const SLOTS: u32 = 4;
    const STRIDE: u32 = 4;
    const MARK_BITS: u32 = 0;
    // Four times 15 plus an offset of up to 4 bits, or four times 16 and no offset.
    const NARROW_BITS: u32 = 16;
    const LOAD: f64 = 0.95;
    const PLANNED_BITS: u32 = 5;
    const CROWDED: f64 = 1e-6;
}

impl Layout for OverlappingBuckets {
    const KIND: FilterKind = FilterKind::WindowedCuckoo;
    const NAME: &'static str = "WindowedCuckooFilter";
    const SLOTS: u32 = 2;
    const STRIDE: u32 = 1;
    const MARK_BITS: u32 = 1;
    // Twice 28 plus an offset of up to 7.
    const NARROW_BITS: u32 = 28;
    const LOAD: f64 = 0.94;
    const PLANNED_BITS: u32 = 6;
    const CROWDED: f64 = 1e-4;
}

mod sealed {
    pub trait Sealed {}
    impl Sealed for super::Buckets {}
    impl Sealed for super::OverlappingBuckets {}
}
