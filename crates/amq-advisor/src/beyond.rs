//! What people ask of filters that none of this family does, and what does it.

use core::fmt;

/// Something that no filter of this family does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Beyond {
    /// What `amq choose --need` calls it.
    pub name: &'static str,
    /// The rest of a sentence that begins with "no filter of this family".
    pub wanted: &'static str,
    /// What to take instead.
    pub instead: &'static str,
}

impl Beyond {
    /// All of them, in the words of the first page.
    pub const ALL: [Self; 5] = [
        Self {
            name: "range",
            wanted: "tells whether any key lies in a range",
            instead: "a range filter, such as SuRF, Grafite or Rosetta; or the keys in a sorted \
                      list",
        },
        Self {
            name: "reconcile",
            wanted: "finds the keys that two sets do not share",
            instead: "an invertible Bloom lookup table (IBLT) or minisketch, whose bytes grow with \
                      the difference and not with the sets",
        },
        Self {
            name: "distinct",
            wanted: "only counts the distinct keys of a stream",
            instead: "HyperLogLog: 12 kB for an error of 0.8 %, however many keys",
        },
        Self {
            name: "frequencies",
            wanted: "counts far beyond 14 copies of most keys in few bits",
            instead: "a count-min sketch, whose counts may be too high; or a counting quotient \
                      filter with counters of variable length (Pandey et al. 2017)",
        },
        Self {
            name: "exact",
            wanted: "never errs over a known universe of keys",
            instead: "a cascade of filters, such as CRLite; or a `RibbonMap` of one bit, built from \
                      every key that can be asked",
        },
    ];
}

impl fmt::Display for Beyond {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "no filter of this family {}: take {}", self.wanted, self.instead)
    }
}
