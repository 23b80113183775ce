//! The variants, by number and by name.

use alloc::string::String;
use core::error::Error;
use core::fmt;
use core::str::FromStr;

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
    /// Static map from keys to values, solved as a bumped ribbon: in files beside the filters, but
    /// no filter.
    RibbonMap = 14,
    /// Quotient filter that doubles when it is full, with longer fingerprints for later keys.
    ExpandableQuotient = 15,
    /// Filters of one kind among which keys are shared out: in files beside the filters; the kind
    /// of such a filter is that of its shards.
    Sharded = 16,
    /// The generations of a stream: likewise.
    Rolling = 17,
}

impl FilterKind {
    /// Every kind of filter, in the order of their numbers; not the map, and not what is made of
    /// filters.
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
        let mut stored =
            Self::ALL.into_iter().chain([Self::RibbonMap, Self::Sharded, Self::Rolling]);
        stored.find(|&kind| kind as u8 == number)
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
            Self::RibbonMap => "ribbon map",
            Self::ExpandableQuotient => "expandable quotient",
            Self::Sharded => "sharded",
            Self::Rolling => "rolling",
        }
    }

    /// The variant's name on command lines and in configuration files; [`FromStr`] reads it.
    ///
    /// `ribbon` is the bumped one, which is what most programs want of the four.
    #[must_use]
    pub const fn id(self) -> &'static str {
        match self {
            Self::Bloom => "bloom",
            Self::BlockedBloom => "blocked-bloom",
            Self::Counting => "counting",
            Self::BlockedCounting => "blocked-counting",
            Self::Scalable => "scalable",
            Self::ScalableBlocked => "scalable-blocked",
            Self::Cuckoo => "cuckoo",
            Self::WindowedCuckoo => "windowed-cuckoo",
            Self::Quotient => "quotient",
            Self::BumpedRibbon => "ribbon",
            Self::WideBumpedRibbon => "ribbon-wide",
            Self::Ribbon => "ribbon-standard",
            Self::NarrowRibbon => "ribbon-narrow",
            Self::RibbonMap => "ribbon-map",
            Self::ExpandableQuotient => "expandable-quotient",
            Self::Sharded => "sharded",
            Self::Rolling => "rolling",
        }
    }

    /// The kind with this [`id`](Self::id).
    #[must_use]
    pub fn from_id(id: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.id() == id)
    }
}

/// Reads the [`id`](FilterKind::id).
///
/// ```
/// use amq_core::FilterKind;
///
/// assert_eq!("ribbon".parse(), Ok(FilterKind::BumpedRibbon));
/// let error = "blom".parse::<FilterKind>().unwrap_err();
/// assert!(error.to_string().starts_with("no filter is called `blom`: the kinds are bloom, "));
/// ```
impl FromStr for FilterKind {
    type Err = UnknownKind;

    fn from_str(id: &str) -> Result<Self, UnknownKind> {
        Self::from_id(id).ok_or_else(|| UnknownKind {
            // A name as long as a file is not worth keeping.
            name: id.chars().take(64).collect(),
        })
    }
}

/// A name that is no filter's. Its text lists the names there are.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct UnknownKind {
    /// The name given, or its first 64 characters.
    pub name: String,
}

impl fmt::Display for UnknownKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "no filter is called `{}`: the kinds are ", self.name)?;
        for (index, kind) in FilterKind::ALL.into_iter().enumerate() {
            let separator = if index == 0 { "" } else { ", " };
            write!(f, "{separator}{}", kind.id())?;
        }
        Ok(())
    }
}

impl Error for UnknownKind {}

impl fmt::Display for FilterKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_is_read_from_its_id_and_from_no_other() {
        for kind in FilterKind::ALL {
            assert_eq!(kind.id().parse(), Ok(kind));
            assert_eq!(FilterKind::from_number(kind as u8), Some(kind));
        }
        let long = "x".repeat(1000);
        for name in ["", "Bloom", "bloom ", "split-block Bloom", &long] {
            let error = name.parse::<FilterKind>().unwrap_err();
            assert!(name.starts_with(&error.name) && error.name.len() <= 64);
        }
    }
}
