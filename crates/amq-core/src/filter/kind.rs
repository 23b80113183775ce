//! The variants, by number and by name.

use alloc::string::String;
use core::fmt;
use core::str::FromStr;

/// Writes the enum and what is known of each kind, from one table: the number that stands for it in
/// files, its name on command lines, and its name in running text.
macro_rules! kinds {
    (
        filters { $($(#[$doc:meta])* $kind:ident = $number:literal, $id:literal, $name:literal;)* }
        others {
            $($(#[$other_doc:meta])*
            $other:ident = $other_number:literal, $other_id:literal, $other_name:literal;)*
        }
    ) => {
        /// What kind of filter a filter is.
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
            $($(#[$doc])* $kind,)*
            $($(#[$other_doc])* $other,)*
            /// A filter of another crate than this family's, which names itself: what comes before
            /// the word "filter" in running text, such as `"xor"`.
            ///
            /// It has no number, since the file format is this family's alone, and is in no list.
            Other(&'static str),
        }

        impl FilterKind {
            /// Every kind of filter of this family, in the order of their numbers; not the map,
            /// and not what is made of filters.
            pub const ALL: [Self; [$($number),*].len()] = [$(Self::$kind),*];

            /// What else a file can hold.
            const OTHERS: [Self; [$($other_number),*].len()] = [$(Self::$other),*];

            /// The number that stands for it in files; 0, which no file has, for
            /// [`Other`](Self::Other).
            #[must_use]
            pub const fn number(self) -> u8 {
                match self {
                    $(Self::$kind => $number,)*
                    $(Self::$other => $other_number,)*
                    Self::Other(_) => 0,
                }
            }

            /// The variant's name in running text.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$kind => $name,)*
                    $(Self::$other => $other_name,)*
                    Self::Other(name) => name,
                }
            }

            /// The variant's name on command lines and in configuration files; [`FromStr`] reads
            /// those of [`ALL`](Self::ALL).
            ///
            /// `ribbon` is the bumped one, which is what most programs want of the four.
            #[must_use]
            pub const fn id(self) -> &'static str {
                match self {
                    $(Self::$kind => $id,)*
                    $(Self::$other => $other_id,)*
                    Self::Other(name) => name,
                }
            }
        }
    };
}

kinds! {
    filters {
        /// Classic Bloom filter: k bits anywhere in the table.
        Bloom = 1, "bloom", "Bloom";
        /// Split-block Bloom filter: eight bits in one 32-byte block.
        BlockedBloom = 2, "blocked-bloom", "split-block Bloom";
        /// Counting Bloom filter with 4-bit counters.
        Counting = 3, "counting", "counting Bloom";
        /// Scalable Bloom filter: stages that grow and tighten.
        Scalable = 4, "scalable", "scalable Bloom";
        /// Cuckoo filter: fingerprints in buckets.
        Cuckoo = 5, "cuckoo", "cuckoo";
        /// Quotient filter: remainders in runs.
        Quotient = 6, "quotient", "quotient";
        /// Ribbon filter: a solved linear system, with rows of 128 bits.
        StandardRibbon = 7, "ribbon-standard", "ribbon";
        /// Counting Bloom filter with eight 4-bit counters in one 64-byte block.
        BlockedCounting = 8, "blocked-counting", "blocked counting Bloom";
        /// Scalable Bloom filter whose stages are split-block filters.
        ScalableBlocked = 9, "scalable-blocked", "scalable split-block Bloom";
        /// Cuckoo filter whose buckets overlap.
        WindowedCuckoo = 10, "windowed-cuckoo", "windowed cuckoo";
        /// Ribbon filter that bumps keys to further layers, with rows of 64 bits.
        BumpedRibbon = 11, "ribbon", "bumped ribbon";
        /// Ribbon filter with rows of 64 bits.
        NarrowRibbon = 12, "ribbon-narrow", "narrow ribbon";
        /// Bumped ribbon filter with rows of 128 bits.
        WideBumpedRibbon = 13, "ribbon-wide", "wide bumped ribbon";
        /// Quotient filter that doubles when it is full, with longer fingerprints for later keys.
        ExpandableQuotient = 15, "expandable-quotient", "expandable quotient";
    }
    others {
        /// Static map from keys to values, solved as a bumped ribbon: in files beside the filters,
        /// but no filter.
        RibbonMap = 14, "ribbon-map", "ribbon map";
        /// Filters of one kind among which keys are shared out: in files beside the filters; the
        /// kind of such a filter is that of its shards.
        Sharded = 16, "sharded", "sharded";
        /// The generations of a stream: likewise.
        Rolling = 17, "rolling", "rolling";
    }
}

impl FilterKind {
    /// The kind that a number in a file stands for.
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
#[derive(Clone, PartialEq, Eq)]
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

crate::impl_error!(UnknownKind);

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

    #[test]
    fn the_numbers_of_files_are_those_that_were_given_out() {
        let numbers = FilterKind::ALL.map(FilterKind::number);
        assert_eq!(numbers, [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 15]);
        assert_eq!(FilterKind::RibbonMap.number(), 14);
    }

    #[test]
    fn a_kind_of_another_crate_names_itself_and_is_in_no_file_and_no_list() {
        let other = FilterKind::Other("xor");
        assert_eq!((other.name(), other.id(), other.to_string().as_str()), ("xor", "xor", "xor"));
        assert_eq!((other.number(), FilterKind::from_number(0)), (0, None));
        assert!("xor".parse::<FilterKind>().is_err() && !FilterKind::ALL.contains(&other));
        // Not even under the name of one of ours.
        assert_ne!(FilterKind::Other("bloom"), FilterKind::Bloom);
        let error = PlanError::LeftOut { kind: other };
        assert!(error.to_string().starts_with("the xor filter is of another crate"), "{error}");
    }

    #[test]
    fn every_kind_is_read_from_its_id_and_from_no_other() {
        for kind in FilterKind::ALL {
            assert_eq!(kind.id().parse(), Ok(kind));
            assert_eq!(FilterKind::from_number(kind.number()), Some(kind));
        }
        let long = "x".repeat(1000);
        for name in ["", "Bloom", "bloom ", "split-block Bloom", &long] {
            let error = name.parse::<FilterKind>().unwrap_err();
            assert!(name.starts_with(&error.name) && error.name.len() <= 64);
        }
    }
}
