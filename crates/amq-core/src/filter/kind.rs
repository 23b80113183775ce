//! The variants, by number and by name.

use alloc::string::String;
use core::fmt;
use core::str::FromStr;

/// A kind of filter.
///
/// ```
/// use amq_core::FilterKind;
///
/// let ours = FilterKind::Cuckoo;
/// assert_eq!((ours.id(), ours.number()), ("cuckoo", 5));
/// let yours = FilterKind::Other("xor"); // what `Filter::kind` of your own type returns
/// assert_eq!((yours.id(), yours.number()), ("xor", 0));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum FilterKind {
    /// Classic Bloom filter: k bits anywhere in the table.
    Bloom,
    /// Split-block Bloom filter: eight bits in one 32-byte block.
    BlockedBloom,
    /// Counting Bloom filter with 4-bit counters.
    Counting,
    /// Scalable Bloom filter: stages that grow and tighten.
    Scalable,
    /// Cuckoo filter: fingerprints in buckets.
    Cuckoo,
    /// Quotient filter: remainders in runs.
    Quotient,
    /// Counting Bloom filter with eight 4-bit counters in one 64-byte block.
    BlockedCounting,
    /// Scalable Bloom filter whose stages are split-block filters.
    ScalableBlocked,
    /// Cuckoo filter whose buckets overlap.
    WindowedCuckoo,
    /// Ribbon filter: a solved linear system, close to the least possible space.
    Ribbon,
    /// Quotient filter that doubles when it is full, with longer fingerprints for later keys.
    ExpandableQuotient,
    /// Binary fuse filter: fingerprints spread over three slots.
    Fuse,
    /// Wide-block Bloom filter: a few bits in one 64-byte block.
    WideBlockedBloom,
    /// Static map from keys to values, solved like a ribbon filter. It has a file, but is not a
    /// filter.
    RibbonMap,
    /// Many equal split-block filters, all queried by one lookup. It has a file, but is not a
    /// filter.
    Interleaved,
    /// Keys divided among filters of one kind. Only files have this kind;
    /// [`Filter::kind`](crate::Filter::kind) returns that of the shards.
    Sharded,
    /// The generations of a stream. Only files have this kind.
    Rolling,
    /// A filter from another crate, with the name that precedes the word "filter" in text, such as
    /// `"xor"`.
    ///
    /// It has no number in files and is in no list.
    Other(&'static str),
}

impl FilterKind {
    /// Every kind of filter, in the order of their numbers. Excludes the ribbon map, the
    /// interleaved filter, and the containers (sharded, rolling).
    pub const ALL: [Self; 13] = [
        Self::Bloom,
        Self::BlockedBloom,
        Self::Counting,
        Self::Scalable,
        Self::Cuckoo,
        Self::Quotient,
        Self::BlockedCounting,
        Self::ScalableBlocked,
        Self::WindowedCuckoo,
        Self::Ribbon,
        Self::ExpandableQuotient,
        Self::Fuse,
        Self::WideBlockedBloom,
    ];

    /// Other contents of a file.
    const OTHERS: [Self; 4] = [Self::RibbonMap, Self::Sharded, Self::Rolling, Self::Interleaved];

    /// Its number, id and name.
    const fn row(self) -> (u8, &'static str, &'static str) {
        match self {
            Self::Bloom => (1, "bloom", "Bloom"),
            Self::BlockedBloom => (2, "blocked-bloom", "split-block Bloom"),
            Self::Counting => (3, "counting", "counting Bloom"),
            Self::Scalable => (4, "scalable", "scalable Bloom"),
            Self::Cuckoo => (5, "cuckoo", "cuckoo"),
            Self::Quotient => (6, "quotient", "quotient"),
            Self::BlockedCounting => (8, "blocked-counting", "blocked counting Bloom"),
            Self::ScalableBlocked => (9, "scalable-blocked", "scalable split-block Bloom"),
            Self::WindowedCuckoo => (10, "windowed-cuckoo", "windowed cuckoo"),
            Self::Ribbon => (11, "ribbon", "ribbon"),
            Self::ExpandableQuotient => (15, "expandable-quotient", "expandable quotient"),
            Self::Fuse => (18, "fuse", "binary fuse"),
            Self::WideBlockedBloom => (19, "wide-blocked-bloom", "wide-block Bloom"),
            Self::RibbonMap => (14, "ribbon-map", "ribbon map"),
            Self::Sharded => (16, "sharded", "sharded"),
            Self::Rolling => (17, "rolling", "rolling"),
            Self::Interleaved => (20, "interleaved-bloom", "interleaved Bloom"),
            Self::Other(name) => (0, name, name),
        }
    }

    /// The kind's number in files; 0 for [`Other`](Self::Other), which no file has.
    #[must_use]
    pub const fn number(self) -> u8 {
        self.row().0
    }

    /// The kind's name on command lines and in configuration files: the words of its type's name.
    /// [`FromStr`] reads those of [`ALL`](Self::ALL).
    #[must_use]
    pub const fn id(self) -> &'static str {
        self.row().1
    }

    /// The kind's name in running text.
    #[must_use]
    pub const fn name(self) -> &'static str {
        self.row().2
    }

    /// A one-line description; empty for kinds that are not in [`ALL`](Self::ALL).
    #[must_use]
    pub const fn about(self) -> &'static str {
        match self {
            Self::Bloom => "Classic Bloom filter: k bits anywhere in the table.",
            Self::BlockedBloom => "Split-block Bloom filter: eight bits in one 32-byte block.",
            Self::Counting => "Counting Bloom filter with 4-bit counters.",
            Self::Scalable => "Scalable Bloom filter: stages that grow and tighten.",
            Self::Cuckoo => "Cuckoo filter: fingerprints in buckets.",
            Self::Quotient => "Quotient filter: remainders in runs.",
            Self::BlockedCounting => {
                "Counting Bloom filter with eight 4-bit counters in one 64-byte block."
            }
            Self::ScalableBlocked => "Scalable Bloom filter whose stages are split-block filters.",
            Self::WindowedCuckoo => "Cuckoo filter whose buckets overlap.",
            Self::Ribbon => {
                "Ribbon filter: a solved linear system, close to the least possible space."
            }
            Self::ExpandableQuotient => {
                "Quotient filter that doubles when it is full, with longer fingerprints for later keys."
            }
            Self::Fuse => "Binary fuse filter: fingerprints spread over three slots.",
            Self::WideBlockedBloom => "Wide-block Bloom filter: a few bits in one 64-byte block.",
            _ => "",
        }
    }

    /// Former ids of this kind, and ids of kinds that it replaced: those of versions 0.2 and 0.3 in
    /// the library, the command or the report.
    #[must_use]
    pub const fn former_ids(self) -> &'static [&'static str] {
        match self {
            Self::BlockedBloom => &["split-block"],
            Self::Counting => &["counting-bloom"],
            Self::Scalable => &["scalable-bloom"],
            Self::BlockedCounting => &["blocked-counting-bloom"],
            Self::WindowedCuckoo => &["cuckoo-windowed"],
            Self::Ribbon => &[
                "bumped-ribbon",
                "ribbon-bumped",
                "standard-ribbon",
                "ribbon-standard",
                "narrow-ribbon",
                "ribbon-narrow",
                "wide-bumped-ribbon",
                "ribbon-wide",
                "ribbon-bumped-wide",
            ],
            _ => &[],
        }
    }
}

/// Numbers and ids of kinds that were removed after version 0.3. The numbers are never reused.
const WITHDRAWN: [(u8, &str); 3] =
    [(7, "standard-ribbon"), (12, "narrow-ribbon"), (13, "wide-bumped-ribbon")];

impl FilterKind {
    /// The id of a withdrawn kind, by its number in files.
    pub(crate) fn withdrawn(number: u8) -> Option<&'static str> {
        WITHDRAWN.into_iter().find(|kind| kind.0 == number).map(|(_, id)| id)
    }

    /// The kind with this [`number`](Self::number) in files.
    #[must_use]
    pub fn from_number(number: u8) -> Option<Self> {
        let mut stored = Self::ALL.into_iter().chain(Self::OTHERS);
        stored.find(|&kind| kind.number() == number)
    }

    /// The kind with this [`id`](Self::id).
    #[must_use]
    pub fn from_id(id: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.id() == id)
    }
}

/// Parses the [`id`](FilterKind::id). Former ids are refused; the error names the current one.
///
/// ```
/// use amq_core::FilterKind;
///
/// assert_eq!("ribbon".parse(), Ok(FilterKind::Ribbon));
/// let error = "blom".parse::<FilterKind>().unwrap_err();
/// assert!(error.to_string().starts_with("no filter is called `blom`: the kinds are bloom, "));
/// let error = "bumped-ribbon".parse::<FilterKind>().unwrap_err();
/// assert!(error.to_string().ends_with("it is ribbon now"));
/// ```
impl FromStr for FilterKind {
    type Err = UnknownKind;

    fn from_str(id: &str) -> Result<Self, UnknownKind> {
        Self::from_id(id).ok_or_else(|| UnknownKind {
            // Bounds the error's size.
            name: id.chars().take(64).collect(),
        })
    }
}

/// The error for an unknown id. It names the current id for a [former one](FilterKind::former_ids),
/// and otherwise lists all ids.
#[derive(Clone, PartialEq, Eq)]
pub struct UnknownKind {
    /// The unknown name, cut to 64 characters.
    pub name: String,
}

impl fmt::Display for UnknownKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "no filter is called `{}`: ", self.name)?;
        let was = |kind: &FilterKind| kind.former_ids().contains(&self.name.as_str());
        let mut now = FilterKind::ALL.into_iter().filter(was).peekable();
        if now.peek().is_some() {
            f.write_str("it is ")?;
            ids(f, now, " or ")?;
            return f.write_str(" now");
        }
        f.write_str("the kinds are ")?;
        ids(f, FilterKind::ALL.into_iter(), ", ")
    }
}

/// Writes the ids of `kinds`, separated by `between`.
fn ids(
    f: &mut fmt::Formatter<'_>,
    kinds: impl Iterator<Item = FilterKind>,
    between: &str,
) -> fmt::Result {
    for (index, kind) in kinds.enumerate() {
        let separator = if index == 0 { "" } else { between };
        write!(f, "{separator}{}", kind.id())?;
    }
    Ok(())
}

impl fmt::Debug for UnknownKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl core::error::Error for UnknownKind {}

impl fmt::Display for FilterKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::PlanError;
    use std::string::ToString;
    use std::vec::Vec;

    #[test]
    fn the_numbers_of_files_are_those_that_were_given_out() {
        let numbers = FilterKind::ALL.map(FilterKind::number);
        // New kinds are appended.
        assert_eq!(numbers[..11], [1, 2, 3, 4, 5, 6, 8, 9, 10, 11, 15]);
        assert!(numbers.is_sorted_by(|a, b| a < b), "{numbers:?}");
        assert_eq!(FilterKind::RibbonMap.number(), 14);
        for (number, id) in WITHDRAWN {
            assert_eq!(FilterKind::from_number(number), None);
            assert!(FilterKind::Ribbon.former_ids().contains(&id), "{id}");
        }
    }

    /// Reads the table in FORMAT.md; its last column names the section with the layout.
    #[test]
    fn the_format_has_the_layout_of_every_kind() {
        let format = include_str!("../../FORMAT.md");
        let kinds = format.split("\n## Kinds\n").nth(1).unwrap();
        let rows: Vec<&str> = kinds.lines().skip(3).take_while(|line| !line.is_empty()).collect();
        let mut known = 0;
        for kind in (0..=u8::MAX).filter_map(FilterKind::from_number) {
            let start = std::format!("| {} | ", kind.number());
            let row = rows.iter().find_map(|row| row.strip_prefix(&start));
            let row = row.unwrap_or_else(|| panic!("FORMAT.md has no row of {kind}"));
            let name = row.split([':', '|']).next().unwrap().trim();
            assert_eq!(name, kind.name());
            let layout = row.split(['[', ']']).nth(1).unwrap();
            assert!(kinds.contains(&std::format!("\n### {layout}\n")), "{kind}: {layout}");
            known += 1;
        }
        assert_eq!(rows.len(), known);
    }

    #[test]
    fn a_kind_of_another_crate_names_itself_and_has_no_file() {
        let other = FilterKind::Other("xor");
        assert_eq!((other.name(), other.id(), other.to_string().as_str()), ("xor", "xor", "xor"));
        assert_eq!((other.number(), FilterKind::from_number(0)), (0, None));
        assert!("xor".parse::<FilterKind>().is_err() && !FilterKind::ALL.contains(&other));
        // Even with the name of one of our kinds.
        assert_ne!(FilterKind::Other("bloom"), FilterKind::Bloom);
        let error = PlanError::LeftOut { kind: other };
        assert!(error.to_string().starts_with("the xor filter is of another crate"), "{error}");
    }

    #[test]
    fn a_former_name_is_one_kind_and_no_name_of_today() {
        for kind in FilterKind::ALL {
            assert!(kind.about().ends_with('.') && kind.about().len() < 100, "{kind}");
            for former in kind.former_ids() {
                let was = |other: &FilterKind| other.former_ids().contains(former);
                let kinds = FilterKind::ALL.into_iter().filter(was).count();
                assert_eq!(kinds, 1, "{former}");
                assert_eq!(FilterKind::from_id(former), None);
            }
        }
        assert_eq!((FilterKind::Other("xor").about(), FilterKind::RibbonMap.about()), ("", ""));
    }

    #[test]
    fn every_kind_is_read_from_its_id_and_from_no_other() {
        for kind in FilterKind::ALL {
            assert_eq!(kind.id().parse(), Ok(kind));
            assert_eq!(FilterKind::from_number(kind.number()), Some(kind));
        }
        let long = "x".repeat(1000);
        for kind in FilterKind::ALL {
            for former in kind.former_ids() {
                let error = former.parse::<FilterKind>().unwrap_err().to_string();
                assert!(error.contains(kind.id()) && error.ends_with(" now"), "{error}");
            }
        }
        for name in ["", "Bloom", "bloom ", "split-block Bloom", &long] {
            let error = name.parse::<FilterKind>().unwrap_err();
            assert!(name.starts_with(&error.name) && error.name.len() <= 64);
        }
    }
}
