//! What no filter of this family does.

/// Something that no filter of this family does.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub struct Beyond {
    /// The word that `amq choose --need` takes.
    pub name: &'static str,
    /// The rest of a sentence that begins with "no filter of this family".
    pub wanted: &'static str,
    /// What to take instead.
    pub instead: &'static str,
    /// What becomes of other needs there: removing, merging, listing, growing, and inserts by
    /// several threads.
    pub(super) beside: &'static [&'static str; 5],
}

/// Where each library does as it likes.
const OWN: &[&str; 5] = &["ask its library"; 5];

impl Beyond {
    pub(super) const RANGE: Self = Self {
        name: "range",
        wanted: "tells whether any key lies in a range",
        instead: "a range filter, such as SuRF, Grafite or Rosetta; or the keys in a sorted list",
        beside: &[
            "none of these filters removes: a search tree of the keys does",
            "build them again from all keys, or merge the sorted lists",
            "the sorted list has the keys, the filters do not",
            "SuRF and Grafite are built from all keys at once: a search tree grows",
            "a search tree behind a lock, or one for each thread",
        ],
    };
    pub(super) const RECONCILE: Self = Self {
        name: "reconcile",
        wanted: "finds the keys that two sets do not share",
        instead: "an invertible Bloom lookup table (IBLT) or minisketch, whose bytes grow with the \
                  difference and not with the sets: name the most keys that differ (`--changes`)",
        beside: &[
            "both remove: a key taken out is subtracted from an IBLT, or added to minisketch again",
            "two sketches of one size combine into that of the keys in one set alone",
            "they list the keys that differ, and not the set: keep that beside them",
            "neither grows: make it again, from the set, for more differences",
            "one for each thread, and combine them",
        ],
    };
    pub(super) const DISTINCT: Self = Self {
        name: "distinct",
        wanted: "only counts the distinct keys of a stream",
        instead: "HyperLogLog: 12 kB for an error of 0.8 %, four times that for half of it, however \
                  many keys; a few keys themselves take less",
        beside: &[
            "it cannot remove: keep one for each period, or an exact set",
            "those with as many registers merge without loss, by the higher of each two",
            "it keeps no keys",
            "its size stays the same, however many keys come",
            "one for each thread, and merge them",
        ],
    };
    pub(super) const FREQUENCIES: Self = Self {
        name: "frequencies",
        wanted: "counts far beyond 14 copies of most keys in few bits",
        instead: "a count-min sketch, whose counts may be too high: name the highest count \
                  (`--count`), and the answer has its size; or a counting quotient filter with \
                  counters of variable length (Pandey et al. 2017)",
        beside: &[
            "a plain count-min sketch decrements, one with conservative update cannot; the quotient \
             filter removes",
            "count-min sketches of one size and seed add up; quotient filters merge",
            "a count-min sketch keeps no keys; the quotient filter lists their hashes",
            "a count-min sketch never grows, its counts only get worse; the quotient filter doubles",
            "a count-min sketch takes atomic counters, or one for each thread, added up",
        ],
    };

    const SIMILAR: Self = Self {
        name: "similar",
        wanted: "finds what is nearly equal, such as a photo that was compressed again",
        instead: "a perceptual hash or MinHash of each, in an index of near hashes (LSH): a filter \
                  tells only whether the very same bytes are in",
        beside: OWN,
    };
    const PRIVATE: Self = Self {
        name: "private",
        wanted: "hides its keys from those who hold it",
        instead: "private set intersection (PSI): whoever can ask a filter can try every number \
                  or name that there may be",
        beside: OWN,
    };
    pub(super) const FRESH: Self = Self {
        name: "fresh",
        wanted: "lets every new key through, and in return some repeats",
        instead: "a table of the last keys themselves, one in each slot, where a new key replaces the \
                  old (a direct-mapped cache, or inverse Bloom filter), in any number of bytes; or an \
                  exact set. A filter errs the other way: a false positive is a new key lost",
        beside: OWN,
    };

    /// All of them; `CHOOSING.md` of `amq` has a row for each.
    pub const ALL: [Self; 7] = [
        Self::RANGE,
        Self::RECONCILE,
        Self::DISTINCT,
        Self::FREQUENCIES,
        Self::SIMILAR,
        Self::PRIVATE,
        Self::FRESH,
    ];
}
