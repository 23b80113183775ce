//! The variants, by number and by name.

use core::fmt;

/// The variants, with the numbers that stand for them in files.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
#[repr(u8)]
pub enum FilterKind {
    /// Classic Bloom filter: k bits anywhere in the table.
    Bloom = 1,
    /// Split-block Bloom filter: eight bits in one 32-byte block.
    BlockedBloom = 2,
    /// Counting Bloom filter with 4-bit counters.
    Counting = 3,
    /// Scalable Bloom filter: stages that grow and tighten.
    Scalable = 4,
    /// Cuckoo filter: fingerprints in buckets.
    Cuckoo = 5,
    /// Quotient filter: remainders in runs.
    Quotient = 6,
    /// Ribbon filter: a solved linear system, with rows of 128 bits.
    Ribbon = 7,
    /// Counting Bloom filter with eight 4-bit counters in one 64-byte block.
    BlockedCounting = 8,
    /// Scalable Bloom filter whose stages are split-block filters.
    ScalableBlocked = 9,
    /// Cuckoo filter whose buckets overlap.
    WindowedCuckoo = 10,
    /// Ribbon filter that bumps keys to further layers, with rows of 64 bits.
    BumpedRibbon = 11,
    /// Ribbon filter with rows of 64 bits.
    NarrowRibbon = 12,
    /// Bumped ribbon filter with rows of 128 bits.
    WideBumpedRibbon = 13,
    /// Quotient filter that doubles when it is full, with longer fingerprints for later keys.
    ExpandableQuotient = 15,
}

impl FilterKind {
    /// Every kind, in the order of their numbers.
    pub const ALL: [Self; 14] = [
        Self::Bloom,
        Self::BlockedBloom,
        Self::Counting,
        Self::Scalable,
        Self::Cuckoo,
        Self::Quotient,
        Self::Ribbon,
        Self::BlockedCounting,
        Self::ScalableBlocked,
        Self::WindowedCuckoo,
        Self::BumpedRibbon,
        Self::NarrowRibbon,
        Self::WideBumpedRibbon,
        Self::ExpandableQuotient,
    ];

    /// The kind that a number in a file stands for.
    pub fn from_number(number: u8) -> Option<Self> {
        Self::ALL.into_iter().find(|&kind| kind as u8 == number)
    }

    /// The variant's name in running text.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Bloom => "Bloom",
            Self::BlockedBloom => "split-block Bloom",
            Self::Counting => "counting Bloom",
            Self::Scalable => "scalable Bloom",
            Self::Cuckoo => "cuckoo",
            Self::Quotient => "quotient",
            Self::Ribbon => "ribbon",
            Self::BlockedCounting => "blocked counting Bloom",
            Self::ScalableBlocked => "scalable split-block Bloom",
            Self::WindowedCuckoo => "windowed cuckoo",
            Self::BumpedRibbon => "bumped ribbon",
            Self::NarrowRibbon => "narrow ribbon",
            Self::WideBumpedRibbon => "wide bumped ribbon",
            Self::ExpandableQuotient => "expandable quotient",
        }
    }
}

impl fmt::Display for FilterKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
