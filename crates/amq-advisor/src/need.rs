//! Abilities that a filter must have, and their names.

use core::fmt;
use core::str::FromStr;

/// An ability that the filter must have, beyond answering queries.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum Need {
    /// Remove keys.
    Remove,
    /// Count how often a key was inserted, up to `most` times.
    Count {
        /// The highest count to distinguish.
        most: u32,
    },
    /// List its contents: hashes, since no filter stores the keys.
    List,
    /// Merge with another filter.
    Merge,
    /// Start small and grow without a higher rate: up to the number of keys, or without a bound for
    /// [`Keys::Unknown`](crate::Keys::Unknown), which implies this need.
    Grow,
    /// Shrink without the keys: one file serves several sizes.
    Truncate,
    /// Let several threads insert (and remove, if needed) concurrently.
    SharedInsert,
    /// Store a value of this many bits for each key.
    Values {
        /// Bits of a value, 1 to 32.
        bits: u32,
    },
    /// Be saved to a file and loaded again. The files of plain and atomic filters can also be
    /// queried in place, in a memory map; those of sharded and rolling ones cannot.
    Files,
    /// Forget by time: at each step, the oldest of the generations is forgotten.
    Forget {
        /// Generations, 2 to 4096.
        generations: u32,
    },
    /// Never err: no filter qualifies, so the answer is an exact set of the keys.
    Exact,
    /// Tell whether any key is in a range: the error names structures that can.
    Range,
    /// Find the keys in which two sets differ: the error names structures that can.
    Reconcile,
    /// Tell which of many sets may contain a key: the error names structures that can.
    /// [`filters`](crate::Workload::with_filters) is the number of sets; the keys are those of one.
    WhichSet,
}

/// Synonyms of needs and options; the first word of each row is ours.
const MEANT: [&str; 16] = [
    "remove delete erase expire evict",
    "list iterate enumerate sort order scan",
    "merge union combine join distributed",
    "grow resize scale expand unbounded dynamic",
    "truncate shrink smaller sizes",
    "shared-insert threads concurrent parallel atomic",
    "files save load file mmap persist disk",
    "exact set no-errors certain",
    "range between prefix ranges",
    "reconcile diff sync",
    "which-set which bins sets interleaved index",
    "--forget forget window sliding-window ttl rolling generations",
    "--count count counts counter frequencies frequency multiset",
    "--values values value map dictionary",
    "--strangers strangers hostile adversary untrusted keyed",
    "--changes changes delta",
];

impl Need {
    /// The needs without a number: the word for `amq choose --need`, a description, and the need.
    /// No filter of a single set meets the last three.
    pub const WORDS: [(&'static str, &'static str, Self); 11] = [
        ("remove", "Remove keys", Self::Remove),
        ("list", "List the hashes it stores, not the keys", Self::List),
        ("merge", "Merge with another filter", Self::Merge),
        ("grow", "Start small and grow", Self::Grow),
        ("truncate", "Be made smaller without the keys", Self::Truncate),
        ("shared-insert", "Let several threads insert at once", Self::SharedInsert),
        ("files", "Be saved as a file", Self::Files),
        ("exact", "Never err, by keeping the keys themselves", Self::Exact),
        ("range", "Tell whether any key lies in a queried range", Self::Range),
        ("reconcile", "Find the keys that two sets do not share", Self::Reconcile),
        ("which-set", "Say which of many sets (--filters) may hold a key", Self::WhichSet),
    ];

    /// Our word for a need, or the option of `amq choose`, given a synonym.
    #[must_use]
    pub fn meant(word: &str) -> Option<&'static str> {
        let word = word.to_ascii_lowercase();
        let row = MEANT.into_iter().find(|row| row.split(' ').any(|known| known == word))?;
        row.split(' ').next()
    }
}

/// The error for a word that is not one of [`Need::WORDS`].
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct NeedError {
    /// The word.
    pub word: String,
}

impl fmt::Display for NeedError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let meant = Need::meant(&self.word).map_or_else(String::new, |need| {
            let is_option = need.starts_with("--");
            format!("{} {need}? ", if is_option { "do you mean the option" } else { "do you mean" })
        });
        let known = Need::WORDS.map(|(word, ..)| word).join(", ");
        write!(f, "unknown need {}: {meant}known are {known}", self.word)
    }
}

impl fmt::Debug for NeedError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl core::error::Error for NeedError {}

impl FromStr for Need {
    type Err = NeedError;

    fn from_str(word: &str) -> Result<Self, NeedError> {
        let mut known = Self::WORDS.into_iter();
        let found = known.find(|(known, ..)| *known == word);
        found.map(|(.., need)| need).ok_or_else(|| NeedError { word: word.to_string() })
    }
}
