//! What each kind of filter can do.

use crate::any::abilities;
use amq_core::FilterKind;
use core::fmt;

/// An operation that some kinds of filter have and others lack.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum Ability {
    /// Take keys one by one, after it was made.
    Insert,
    /// Remove keys that were inserted.
    Remove,
    /// Say how many copies of a key it holds.
    Count,
    /// List the hashes it stores, and so be copied into another table without the keys.
    List,
    /// Absorb another filter of the same parameters and seed.
    Merge,
    /// Go beyond the number of keys it was planned for and keep its promise. A quotient filter does
    /// if told so, with [`with_max_slots`](amq_quotient::QuotientParams::with_max_slots), at twice
    /// the rate with each doubling.
    Grow,
    /// Take every key, however full: the rate rises, and no insert is ever refused.
    NeverFull,
    /// Be built from all keys at once, in no other way.
    BuildOnly,
    /// Take keys from several threads through a shared reference, without a lock: as an
    /// [`AtomicBloomFilter`](amq_bloom::AtomicBloomFilter) or
    /// [`AtomicBlockedBloomFilter`](amq_bloom::AtomicBlockedBloomFilter), which the filter turns
    /// into and out of. For the others there is `sharded`.
    SharedInsert,
    /// Be made smaller without its keys, at a higher rate.
    Truncate,
    /// Be saved as a file, and loaded.
    Save,
    /// Be queried in its file, through a memory map.
    Map,
}

impl Ability {
    /// All of them.
    pub const ALL: &'static [Self] = &[
        Self::Insert,
        Self::Remove,
        Self::Count,
        Self::List,
        Self::Merge,
        Self::Grow,
        Self::NeverFull,
        Self::BuildOnly,
        Self::SharedInsert,
        Self::Truncate,
        Self::Save,
        Self::Map,
    ];

    /// The kinds that have this ability, whether or not the program was built with them.
    pub fn kinds(self) -> impl Iterator<Item = FilterKind> {
        FilterKind::ALL.into_iter().filter(move |&kind| abilities(kind).contains(&self))
    }
}

/// Fits after "can" and "cannot".
impl fmt::Display for Ability {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Insert => "insert keys one by one",
            Self::Remove => "remove keys",
            Self::Count => "count the copies of a key",
            Self::List => "list what it stores",
            Self::Merge => "be merged",
            Self::Grow => "grow beyond its plan",
            Self::NeverFull => "take any number of keys",
            Self::BuildOnly => "be built only from all keys at once",
            Self::SharedInsert => "take keys from several threads without a lock",
            Self::Truncate => "be truncated",
            Self::Save => "be saved",
            Self::Map => "be queried in a mapped file",
        })
    }
}

/// What a kind of filter can do.
///
/// ```
/// use amq::{Abilities, Ability, FilterKind};
///
/// let cuckoo = Abilities::of(FilterKind::Cuckoo);
/// assert!(cuckoo.remove && !cuckoo.never_full);
/// let all = [Ability::Count, Ability::List];
/// assert!(Abilities::of(FilterKind::Quotient).has_all(&all));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
#[non_exhaustive]
pub struct Abilities {
    /// Take keys one by one, after it was made.
    pub insert: bool,
    /// Remove keys that were inserted.
    pub remove: bool,
    /// Say how many copies of a key it holds.
    pub count: bool,
    /// List the hashes it stores, and so be copied into another table without the keys.
    pub list: bool,
    /// Absorb another filter of the same parameters and seed.
    pub merge: bool,
    /// Go beyond the number of keys it was planned for; see [`Ability::Grow`].
    pub grow: bool,
    /// Take every key, however full: the rate rises, and no insert is ever refused.
    pub never_full: bool,
    /// Be built from all keys at once, in no other way.
    pub build_only: bool,
    /// Take keys from several threads without a lock; see [`Ability::SharedInsert`].
    pub shared_insert: bool,
    /// Be made smaller without its keys, at a higher rate.
    pub truncate: bool,
    /// Be saved as a file, and loaded.
    pub save: bool,
    /// Be queried in its file, through a memory map.
    pub map: bool,
    /// The same as a list.
    all: &'static [Ability],
}

impl Abilities {
    /// What this kind can do, whether or not the program was built with it.
    #[must_use]
    pub fn of(kind: FilterKind) -> Self {
        let all = abilities(kind);
        let can = |ability| all.contains(&ability);
        Self {
            insert: can(Ability::Insert),
            remove: can(Ability::Remove),
            count: can(Ability::Count),
            list: can(Ability::List),
            merge: can(Ability::Merge),
            grow: can(Ability::Grow),
            never_full: can(Ability::NeverFull),
            build_only: can(Ability::BuildOnly),
            shared_insert: can(Ability::SharedInsert),
            truncate: can(Ability::Truncate),
            save: can(Ability::Save),
            map: can(Ability::Map),
            all,
        }
    }

    /// Whether the kind has this ability.
    #[must_use]
    pub fn has(&self, ability: Ability) -> bool {
        self.all.contains(&ability)
    }

    /// Whether the kind has all of these abilities.
    #[must_use]
    pub fn has_all(&self, abilities: &[Ability]) -> bool {
        abilities.iter().all(|&ability| self.has(ability))
    }

    /// The abilities it has.
    pub fn iter(self) -> impl Iterator<Item = Ability> {
        self.all.iter().copied()
    }
}
