//! Where the slots of a bucket lie.

use amq_core::FilterKind;

/// How buckets lie in the table: apart from each other ([`Buckets`]), or overlapping ([`Windows`]).
///
/// Sealed: these two are all there are.
pub trait Layout: sealed::Sealed + Copy + Eq + core::fmt::Debug + 'static {
    /// The number that stands for it in files.
    const KIND: FilterKind;
    /// The type's name.
    const NAME: &'static str;
    /// Slots in a bucket.
    const SLOTS: u32;
    /// Slots from the start of one bucket to that of the next.
    const STRIDE: u32;
    /// Bits of a fingerprint that say in which slot of its bucket it is: where buckets overlap, its slot alone doesn't say which
    /// bucket it belongs to.
    const MARK_BITS: u32;
    /// The most bits of a fingerprint with which a bucket fits a 64-bit word from whatever bit of a byte it begins at.
    const NARROW_BITS: u32;
    /// The share of slots that a plan fills.
    const LOAD: f64;
    /// The fewest bits of a fingerprint in a plan: with fewer there are so few different pairs of buckets that large tables cannot be filled
    /// that far.
    const PLANNED_BITS: u32;
    /// How many cells of a planned filter may be crowded, in the mean; see [`theory::crowded_cells`](crate::theory::crowded_cells).
    const CROWDED: f64;
}

/// Buckets of four slots, one after another: the filter of Fan et al.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Buckets;

/// Buckets of two slots, each of which begins one slot after the one before, so that neighbours share a slot: windows on the table.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Windows;

impl Layout for Buckets {
    const KIND: FilterKind = FilterKind::Cuckoo;
    const NAME: &'static str = "CuckooFilter";
    const SLOTS: u32 = 4;
    const STRIDE: u32 = 4;
    const MARK_BITS: u32 = 0;
    // Four times 15 and half a byte, or four times 16 and none.
    const NARROW_BITS: u32 = 16;
    const LOAD: f64 = 0.95;
    const PLANNED_BITS: u32 = 5;
    const CROWDED: f64 = 1e-6;
}

impl Layout for Windows {
    const KIND: FilterKind = FilterKind::WindowedCuckoo;
    const NAME: &'static str = "WindowedCuckooFilter";
    const SLOTS: u32 = 2;
    const STRIDE: u32 = 1;
    const MARK_BITS: u32 = 1;
    // Twice 28, and up to 7.
    const NARROW_BITS: u32 = 28;
    const LOAD: f64 = 0.94;
    const PLANNED_BITS: u32 = 6;
    const CROWDED: f64 = 1e-4;
}

mod sealed {
    pub trait Sealed {}
    impl Sealed for super::Buckets {}
    impl Sealed for super::Windows {}
}
