//! What each kind of filter can do.

use crate::kinds;
use amq_core::FilterKind;
use core::fmt;

/// Writes the abilities, as fields and as values.
macro_rules! abilities {
    ($($(#[$doc:meta])* $name:ident $field:ident: $text:literal;)*) => {
        /// Something that some kinds of filter can do and others cannot.
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
        #[non_exhaustive]
        pub enum Ability {$(
            $(#[$doc])*
            $name,
        )*}

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
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
        #[non_exhaustive]
        pub struct Abilities {$(
            $(#[$doc])*
            pub $field: bool,
        )*}

        impl Ability {
            /// All of them.
            pub const ALL: &'static [Self] = &[$(Self::$name,)*];
        }

        /// Fits after "can" and "cannot".
        impl fmt::Display for Ability {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(match self {$(Self::$name => $text,)*})
            }
        }

        impl Abilities {
            /// Whether the kind has this ability.
            #[must_use]
            pub const fn has(&self, ability: Ability) -> bool {
                match ability {$(Ability::$name => self.$field,)*}
            }
        }
    };
}

abilities! {
    /// Take keys one by one, after it was made.
    Insert insert: "insert keys one by one";
    /// Remove keys that were inserted.
    Remove remove: "remove keys";
    /// Say how many copies of a key it holds.
    Count count: "count the copies of a key";
    /// List the hashes it stores, and so be copied into another table without the keys.
    List list: "list what it stores";
    /// Absorb another filter of the same parameters and seed.
    Merge merge: "be merged";
    /// Go beyond the number of keys it was planned for and keep its promise. A quotient filter does
    /// if told so, with [`with_max_slots`](amq_quotient::QuotientParams::with_max_slots), at twice
    /// the rate with each doubling.
    Grow grow: "grow beyond its plan";
    /// Take every key, however full: the rate rises, and no insert is ever refused.
    NeverFull never_full: "take any number of keys";
    /// Be built from all keys at once, in no other way.
    BuildOnly build_only: "be built only from all keys at once";
    /// Take keys from several threads through a shared reference, without a lock: as an
    /// [`AtomicBloomFilter`](amq_bloom::AtomicBloomFilter) or
    /// [`AtomicBlockedBloomFilter`](amq_bloom::AtomicBlockedBloomFilter), which the filter turns
    /// into and out of. For the others there is `sharded`.
    SharedInsert shared_insert: "take keys from several threads without a lock";
    /// Be saved as a file, and loaded.
    Save save: "be saved";
    /// Be queried in its file, through a memory map.
    Map map: "be queried in a mapped file";
}

/// Reads the table of kinds.
macro_rules! of_kind {
    (
        $kind:expr;
        $($feature:literal $name:ident: $module:ident::$type:ident [$($can:ident)*];)*
    ) => {
        match $kind {
            $(FilterKind::$name => Self {
                insert: kinds!(can insert in [$($can)*] { true } else { false }),
                remove: kinds!(can remove in [$($can)*] { true } else { false }),
                count: kinds!(can count in [$($can)*] { true } else { false }),
                list: kinds!(can list in [$($can)*] { true } else { false }),
                merge: kinds!(can merge in [$($can)*] { true } else { false }),
                grow: kinds!(can grow in [$($can)*] { true } else { false }),
                never_full: kinds!(can never_full in [$($can)*] { true } else { false }),
                build_only: kinds!(can build_only in [$($can)*] { true } else { false }),
                shared_insert: kinds!(can shared_insert in [$($can)*] { true } else { false }),
                // Every kind there is has files, and views of them.
                save: true,
                map: true,
            },)*
            _ => Self::NONE,
        }
    };
}

impl Abilities {
    /// None at all: a kind that this version does not know.
    const NONE: Self = Self {
        insert: false,
        remove: false,
        count: false,
        list: false,
        merge: false,
        grow: false,
        never_full: false,
        build_only: false,
        shared_insert: false,
        save: false,
        map: false,
    };

    /// What this kind can do, whether or not the program was built with it.
    #[must_use]
    pub const fn of(kind: FilterKind) -> Self {
        kinds!(of_kind kind)
    }

    /// Whether the kind has all of these abilities.
    #[must_use]
    pub fn has_all(&self, abilities: &[Ability]) -> bool {
        abilities.iter().all(|&ability| self.has(ability))
    }

    /// The abilities it has.
    pub fn iter(self) -> impl Iterator<Item = Ability> {
        let all = Ability::ALL.iter().copied();
        all.filter(move |&ability| self.has(ability))
    }
}

impl Ability {
    /// The kinds that have this ability, whether or not the program was built with them.
    pub fn kinds(self) -> impl Iterator<Item = FilterKind> {
        let all = FilterKind::ALL.into_iter();
        all.filter(move |&kind| Abilities::of(kind).has(self))
    }
}
