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
}

impl Beyond {
    pub(super) const RANGE: Self = Self {
        name: "range",
        wanted: "tells whether any key lies in a range",
        instead: "a range filter, such as SuRF, Grafite or Rosetta; or the keys in a sorted list",
    };
    pub(super) const RECONCILE: Self = Self {
        name: "reconcile",
        wanted: "finds the keys that two sets do not share",
        instead: "an invertible Bloom lookup table (IBLT) or minisketch, whose bytes grow with the \
                  difference and not with the sets",
    };
    pub(super) const DISTINCT: Self = Self {
        name: "distinct",
        wanted: "only counts the distinct keys of a stream",
        instead: "HyperLogLog: 12 kB for an error of 0.8 %, four times that for half of it, however \
                  many keys; a few keys themselves take less",
    };
    pub(super) const FREQUENCIES: Self = Self {
        name: "frequencies",
        wanted: "counts far beyond 14 copies of most keys in few bits",
        instead: "a count-min sketch, whose counts may be too high: name the highest count, and the \
                  answer has its size; or a counting quotient filter with counters of variable \
                  length (Pandey et al. 2017)",
    };

    /// All of them, in the words of the first page.
    pub const ALL: [Self; 4] = [Self::RANGE, Self::RECONCILE, Self::DISTINCT, Self::FREQUENCIES];
}
