//! The table of kinds. Everything about a single kind is in this file: a variant of the type, the
//! conversions to trait objects, a row of functions, and its abilities.

use super::make::{AnyPlan, AnyTarget};
use crate::*;
use Ability::{
    BuildOnly, Count as Counts, Grow, Insert, List, Map, Merge, NeverFull, Remove, Save,
    SharedInsert, Truncate,
};
use alloc::boxed::Box;
use alloc::vec::Vec;
use amq_core::internal::{
    Contents, FileFormat, Hashing, Opened, SectionStream, Sections, fill_from_hashes,
};
use core::any::Any;
use core::fmt::Debug;

/// A filter of any kind: chosen at run time, or found in a file.
///
/// Created [by kind](AnyFilter::new), [built](AnyFilter::build_hashes) from all keys, or read from
/// a file ([`FilterFile`]). An operation that the kind lacks returns [`Unsupported`]; [`Abilities`]
/// lists what each kind can do. The crate's features select the kinds: one that was left out is
/// refused by name.
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
/// `B` holds the table. A view of borrowed bytes is an [`AnyView`]. A view of shared bytes, such as
/// a memory map, can be kept in a struct:
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
pub enum AnyFilter<B: Bytes = Table> {
    #[cfg(feature = "bloom")]
    /// A [`BloomFilter`].
    Bloom(BloomFilter<B>),
    #[cfg(feature = "bloom")]
    /// A [`BlockedBloomFilter`].
    BlockedBloom(BlockedBloomFilter<B>),
    #[cfg(feature = "bloom")]
    /// A [`WideBlockedBloomFilter`].
    WideBlockedBloom(WideBlockedBloomFilter<B>),
    #[cfg(feature = "counting")]
    /// A [`CountingBloomFilter`].
    Counting(CountingBloomFilter<B>),
    #[cfg(feature = "counting")]
    /// A [`BlockedCountingBloomFilter`].
    BlockedCounting(BlockedCountingBloomFilter<B>),
    #[cfg(feature = "scalable")]
    /// A [`ScalableBloomFilter`].
    Scalable(ScalableBloomFilter<B>),
    #[cfg(feature = "scalable")]
    /// A [`ScalableBlockedBloomFilter`].
    ScalableBlocked(ScalableBlockedBloomFilter<B>),
    #[cfg(feature = "cuckoo")]
    /// A [`CuckooFilter`].
    Cuckoo(CuckooFilter<B>),
    #[cfg(feature = "cuckoo")]
    /// A [`WindowedCuckooFilter`].
    WindowedCuckoo(WindowedCuckooFilter<B>),
    #[cfg(feature = "quotient")]
    /// A [`QuotientFilter`].
    Quotient(QuotientFilter<B>),
    #[cfg(feature = "quotient")]
    /// An [`ExpandableQuotientFilter`].
    ExpandableQuotient(ExpandableQuotientFilter<B>),
    #[cfg(feature = "ribbon")]
    /// A [`RibbonFilter`].
    Ribbon(RibbonFilter<B>),
    #[cfg(feature = "fuse")]
    /// A [`FuseFilter`].
    Fuse(FuseFilter<B>),
}

/// Writes the code that is the same for every kind, from the list below.
macro_rules! kinds {
    ($($feature:literal $kind:ident($type:ident): $way:ident $($more:ident)*;)*) => {
        $(
            #[cfg(feature = $feature)]
            impl From<$type> for AnyFilter {
                fn from(filter: $type) -> Self {
                    Self::$kind(filter)
                }
            }

            #[cfg(feature = $feature)]
            impl<B: Bytes> Inside for $type<B> {
                fn parameters(&self) -> Vec<Parameter> {
                    self.params().parameters().collect()
                }
                fn contents(&self, hashing: Hashing) -> Result<Contents<'_>, BuildError> {
                    FileFormat::contents(self, hashing)
                }
            }
        )*

        /// The kinds that the program was built with.
        const ROWS: &[Row] = &[$(
            #[cfg(feature = $feature)]
            Row::$way::<$type>(
                FilterKind::$kind,
                (concat!("amq-", $feature), stringify!($type)),
            )$(.$more::<$type>())*,
        )*];

        impl<B: Bytes> AnyFilter<B> {
            pub(super) fn inside(&self) -> &dyn Inside {
                match self {$(#[cfg(feature = $feature)] Self::$kind(filter) => filter,)*}
            }

            /// Without a virtual call, like the three below.
            #[inline]
            pub(super) fn has<K: Key + ?Sized>(&self, key: &K) -> bool {
                match self {
                    $(#[cfg(feature = $feature)] Self::$kind(filter) => filter.contains(key),)*
                }
            }

            #[inline]
            pub(super) fn has_hash(&self, hash: KeyHash) -> bool {
                match self {$(
                    #[cfg(feature = $feature)]
                    Self::$kind(filter) => filter.contains_hash(hash),
                )*}
            }

            #[inline]
            pub(super) const fn kind_inside(&self) -> FilterKind {
                match self {$(#[cfg(feature = $feature)] Self::$kind(_) => FilterKind::$kind,)*}
            }

            #[inline]
            pub(super) fn seed_of_keys(&self) -> u64 {
                match self {$(#[cfg(feature = $feature)] Self::$kind(filter) => filter.seed(),)*}
            }

            /// The filter in a file of this kind; `None` if there is none of the kind.
            pub(super) fn read(
                kind: FilterKind,
                opened: &Opened<'_>,
                sections: Sections<'_, B>,
            ) -> Option<Result<Self, DecodeError>> {
                Some(match kind {
                    $(#[cfg(feature = $feature)] FilterKind::$kind => {
                        read::<$type, B>(opened, sections).map(Self::$kind)
                    })*
                    _ => return None,
                })
            }
        }

        impl AnyFilter {
            fn as_any(&self) -> &dyn Any {
                match self {$(#[cfg(feature = $feature)] Self::$kind(filter) => filter,)*}
            }

            fn as_any_mut(&mut self) -> &mut dyn Any {
                match self {$(#[cfg(feature = $feature)] Self::$kind(filter) => filter,)*}
            }
        }
    };
}

kinds! {
    "bloom" Bloom(BloomFilter): filled merging;
    "bloom" BlockedBloom(BlockedBloomFilter): filled merging;
    "bloom" WideBlockedBloom(WideBlockedBloomFilter): filled merging;
    "counting" Counting(CountingBloomFilter): filled merging;
    "counting" BlockedCounting(BlockedCountingBloomFilter): filled merging;
    "scalable" Scalable(ScalableBloomFilter): grown merging;
    "scalable" ScalableBlocked(ScalableBlockedBloomFilter): grown merging;
    "cuckoo" Cuckoo(CuckooFilter): filled merging;
    "cuckoo" WindowedCuckoo(WindowedCuckooFilter): filled merging;
    "quotient" Quotient(QuotientFilter): filled merging truncating;
    "quotient" ExpandableQuotient(ExpandableQuotientFilter): filled;
    "ribbon" Ribbon(RibbonFilter): built truncating;
    "fuse" Fuse(FuseFilter): built truncating;
}

/// A filter whose type is not known.
pub(super) trait Inside: Filter + Debug {
    fn parameters(&self) -> Vec<Parameter>;
    fn contents(&self, hashing: Hashing) -> Result<Contents<'_>, BuildError>;
}

impl<B: Bytes> AnyFilter<B> {
    #[inline]
    pub(super) const fn cannot(&self, operation: Ability) -> Unsupported {
        Unsupported::new(operation, self.kind_inside())
    }

    /// The filter inside, if it counts copies.
    pub fn as_count(&self) -> Result<&dyn CountFilter, Unsupported> {
        Ok(match self {
            #[cfg(feature = "counting")]
            Self::Counting(filter) => filter,
            #[cfg(feature = "counting")]
            Self::BlockedCounting(filter) => filter,
            #[cfg(feature = "cuckoo")]
            Self::Cuckoo(filter) => filter,
            #[cfg(feature = "cuckoo")]
            Self::WindowedCuckoo(filter) => filter,
            #[cfg(feature = "quotient")]
            Self::Quotient(filter) => filter,
            #[cfg(feature = "quotient")]
            Self::ExpandableQuotient(filter) => filter,
            other => return Err(other.cannot(Counts)),
        })
    }

    /// The stored hashes, every copy, in ascending order. A filter stores the leading bits of a
    /// hash; each is returned as the least hash with these bits.
    pub fn hashes(&self) -> Result<Box<dyn Iterator<Item = KeyHash> + '_>, Unsupported> {
        match self {
            #[cfg(feature = "quotient")]
            Self::Quotient(filter) => Ok(Box::new(filter.iter())),
            other => Err(other.cannot(List)),
        }
    }
}

impl AnyFilter {
    /// The filter inside, if it inserts keys.
    pub fn as_insert(&mut self) -> Result<&mut dyn InsertFilter, Unsupported> {
        Ok(self.as_fill()?)
    }

    pub(super) fn as_fill(&mut self) -> Result<&mut dyn Fill, Unsupported> {
        Ok(match self {
            #[cfg(feature = "bloom")]
            Self::Bloom(filter) => filter,
            #[cfg(feature = "bloom")]
            Self::BlockedBloom(filter) => filter,
            #[cfg(feature = "bloom")]
            Self::WideBlockedBloom(filter) => filter,
            #[cfg(feature = "counting")]
            Self::Counting(filter) => filter,
            #[cfg(feature = "counting")]
            Self::BlockedCounting(filter) => filter,
            #[cfg(feature = "scalable")]
            Self::Scalable(filter) => filter,
            #[cfg(feature = "scalable")]
            Self::ScalableBlocked(filter) => filter,
            #[cfg(feature = "cuckoo")]
            Self::Cuckoo(filter) => filter,
            #[cfg(feature = "cuckoo")]
            Self::WindowedCuckoo(filter) => filter,
            #[cfg(feature = "quotient")]
            Self::Quotient(filter) => filter,
            #[cfg(feature = "quotient")]
            Self::ExpandableQuotient(filter) => filter,
            other => return Err(other.cannot(Insert)),
        })
    }

    /// The filter inside, if it removes keys.
    pub fn as_remove(&mut self) -> Result<&mut dyn RemoveFilter, Unsupported> {
        Ok(match self {
            #[cfg(feature = "counting")]
            Self::Counting(filter) => filter,
            #[cfg(feature = "counting")]
            Self::BlockedCounting(filter) => filter,
            #[cfg(feature = "cuckoo")]
            Self::Cuckoo(filter) => filter,
            #[cfg(feature = "cuckoo")]
            Self::WindowedCuckoo(filter) => filter,
            #[cfg(feature = "quotient")]
            Self::Quotient(filter) => filter,
            #[cfg(feature = "quotient")]
            Self::ExpandableQuotient(filter) => filter,
            other => return Err(other.cannot(Remove)),
        })
    }
}

/// Filters that insert keys and can be cleared.
pub(super) trait Fill: InsertFilter + ClearFilter {}

impl<F: InsertFilter + ClearFilter> Fill for F {}

type Empty = fn(Goal, u64) -> Result<AnyFilter, BuildError>;

/// Of a crate and of a type.
type Names = (&'static str, &'static str);

/// Functions that need a kind but no filter.
#[derive(Debug)]
pub(super) struct Row {
    kind: FilterKind,
    names: Names,
    pub(super) plan: fn(FilterKind, Goal) -> Result<AnyPlan, PlanError>,
    /// Creates an empty filter, unless the kind is built from all keys at once.
    pub(super) empty: Option<Empty>,
    pub(super) build: fn(AnyTarget, u64, &[KeyHash]) -> Result<AnyFilter, BuildError>,
    #[cfg(feature = "rayon")]
    pub(super) par_build: fn(AnyTarget, u64, &[KeyHash]) -> Result<AnyFilter, BuildError>,
    /// Whether two filters can be merged, and the function that merges them.
    pub(super) merge: Option<Merging>,
    /// Whether a filter can be truncated: in memory, and while its file is read.
    pub(super) truncate: Option<Truncating>,
    /// Checks a file's header and directory.
    pub(super) check: fn(&Opened<'_>) -> Result<(), DecodeError>,
}

pub(super) type Merging = (
    fn(&AnyFilter, &AnyFilter) -> Result<(), MergeError>,
    fn(&mut AnyFilter, &AnyFilter) -> Result<(), MergeError>,
);

pub(super) type Truncating = (
    fn(&mut AnyFilter, Budget) -> Result<(), TruncateError>,
    fn(&Opened<'_>, Budget, &mut SectionStream<'_>) -> Result<AnyFilter, DecodeError>,
);

impl AnyFilter {
    /// The kinds this program was built with.
    pub const KINDS: &'static [FilterKind] = &{
        let mut kinds = [FilterKind::Bloom; ROWS.len()];
        let mut row = 0;
        while row < kinds.len() {
            kinds[row] = ROWS[row].kind;
            row += 1;
        }
        kinds
    };

    /// The names of the crate and of the type of a kind; `None` if this program was built without
    /// it.
    ///
    /// ```
    /// use amq::{AnyFilter, FilterKind};
    ///
    /// let names = AnyFilter::names(FilterKind::Cuckoo);
    /// assert_eq!(names, Some(("amq-cuckoo", "CuckooFilter")));
    /// ```
    #[must_use]
    pub fn names(kind: FilterKind) -> Option<(&'static str, &'static str)> {
        Row::of(kind).map(|row| row.names)
    }
}

impl Row {
    /// The row of this kind, if the program was built with it.
    pub(super) fn of(kind: FilterKind) -> Option<&'static Self> {
        ROWS.iter().find(|row| row.kind == kind)
    }

    /// Of a kind that is built from all keys at once.
    const fn built<F>(kind: FilterKind, names: Names) -> Self
    where
        F: BuildFilter + FileFormat + Into<AnyFilter>,
    {
        Self {
            kind,
            names,
            plan: |kind, goal| Ok(F::plan(goal)?.with_params(kind)),
            empty: None,
            build: |target, seed, hashes| Ok(F::build_hashes(target.of(), seed, hashes)?.into()),
            #[cfg(feature = "rayon")]
            par_build: |target, seed, hashes| {
                Ok(F::par_build_hashes(target.of(), seed, hashes)?.into())
            },
            merge: None,
            truncate: None,
            check: |opened| F::geometry(opened).map(drop),
        }
    }

    /// Of a kind that is also filled key by key.
    const fn filled<F>(kind: FilterKind, names: Names) -> Self
    where
        F: EmptyFilter + BuildFilter + FileFormat + Into<AnyFilter>,
    {
        Self {
            empty: Some(|goal, seed| Ok(F::empty(goal, seed)?.into())),
            ..Self::built::<F>(kind, names)
        }
    }

    /// Of a kind that is only filled key by key.
    const fn grown<F: EmptyFilter + FileFormat + Into<AnyFilter>>(
        kind: FilterKind,
        names: Names,
    ) -> Self {
        Self {
            kind,
            names,
            plan: |kind, goal| Ok(F::plan(goal)?.with_params(kind)),
            empty: Some(|goal, seed| Ok(F::empty(goal, seed)?.into())),
            build: |target, seed, hashes| {
                Ok(fill_from_hashes::<F>(target.of(), seed, hashes)?.into())
            },
            #[cfg(feature = "rayon")]
            par_build: |target, seed, hashes| {
                Ok(fill_from_hashes::<F>(target.of(), seed, hashes)?.into())
            },
            merge: None,
            truncate: None,
            check: |opened| F::geometry(opened).map(drop),
        }
    }

    /// Adds the function that merges two filters.
    const fn merging<F: MergeFilter + 'static>(self) -> Self {
        Self { merge: Some((can_merge::<F>, merge::<F>)), ..self }
    }

    /// Adds the functions that truncate a filter.
    const fn truncating<F>(self) -> Self
    where
        F: TruncateFilter + FileFormat<With<Table> = F> + Into<AnyFilter> + 'static,
    {
        Self { truncate: Some((truncate::<F>, read_within::<F>)), ..self }
    }
}

fn can_merge<F: MergeFilter + 'static>(
    ours: &AnyFilter,
    theirs: &AnyFilter,
) -> Result<(), MergeError> {
    match (ours.as_any().downcast_ref::<F>(), theirs.as_any().downcast_ref()) {
        (Some(ours), Some(theirs)) => ours.can_merge(theirs),
        _ => Err(MergeError::Kinds { ours: ours.kind(), theirs: theirs.kind() }),
    }
}

fn merge<F: MergeFilter + 'static>(
    ours: &mut AnyFilter,
    theirs: &AnyFilter,
) -> Result<(), MergeError> {
    let kinds = MergeError::Kinds { ours: ours.kind(), theirs: theirs.kind() };
    match (ours.as_any_mut().downcast_mut::<F>(), theirs.as_any().downcast_ref()) {
        (Some(ours), Some(theirs)) => ours.merge(theirs),
        _ => Err(kinds),
    }
}

fn truncate<F: TruncateFilter + 'static>(
    filter: &mut AnyFilter,
    budget: Budget,
) -> Result<(), TruncateError> {
    let kind = filter.kind();
    let inside = filter.as_any_mut().downcast_mut::<F>();
    inside.ok_or(TruncateError::Kind { kind })?.truncate(budget)
}

fn read_within<F: FileFormat<With<Table> = F> + Into<AnyFilter>>(
    opened: &Opened<'_>,
    budget: Budget,
    sections: &mut SectionStream<'_>,
) -> Result<AnyFilter, DecodeError> {
    Ok(F::truncated(opened, F::geometry(opened)?, budget, sections)?.into())
}

fn read<F: FileFormat, B: Bytes>(
    opened: &Opened<'_>,
    sections: Sections<'_, B>,
) -> Result<F::With<B>, DecodeError> {
    F::from_sections(opened, F::geometry(opened)?, sections)
}

/// What each kind can do, whether or not the program was built with it. Every kind has files, and
/// views of them.
pub(crate) const fn abilities(kind: FilterKind) -> &'static [Ability] {
    use FilterKind as Kind;
    match kind {
        Kind::Bloom | Kind::BlockedBloom => &[Insert, Merge, NeverFull, SharedInsert, Save, Map],
        Kind::WideBlockedBloom => &[Insert, Merge, NeverFull, Save, Map],
        Kind::Counting | Kind::BlockedCounting => {
            &[Insert, Remove, Counts, Merge, NeverFull, Save, Map]
        }
        Kind::Scalable | Kind::ScalableBlocked => &[Insert, Merge, Grow, Save, Map],
        Kind::Cuckoo | Kind::WindowedCuckoo => &[Insert, Remove, Counts, Merge, Save, Map],
        Kind::Quotient => &[Insert, Remove, Counts, List, Merge, Grow, Truncate, Save, Map],
        Kind::ExpandableQuotient => &[Insert, Remove, Counts, Grow, Save, Map],
        Kind::Ribbon | Kind::Fuse => &[BuildOnly, Truncate, Save, Map],
        _ => &[],
    }
}
