//! What a filter must be able to do, and the words for it.

use core::fmt;
use core::str::FromStr;

/// Something the filter must be able to do beyond answering.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum Need {
    /// Take keys out again.
    Remove,
    /// Tell how often a key was inserted, up to `most` times.
    Count {
        /// The highest count to tell apart.
        most: u32,
    },
    /// List what is in it: hashes, since no filter keeps the keys.
    List,
    /// Absorb another filter: become the union of both.
    Merge,
    /// Begin small, and take more keys without a higher rate: up to the number of keys, or, if that
    /// is [`Keys::Unknown`](crate::Keys::Unknown), which implies it, without end.
    Grow,
    /// Be made smaller without the keys: one file serves several sizes.
    Truncate,
    /// Let several threads insert (and remove, if that is needed) at once.
    SharedInsert,
    /// Give a value of this many bits for each key.
    Values {
        /// Bits of a value, 1 to 32.
        bits: u32,
    },
    /// Be saved to a file, loaded, and mapped into memory.
    Files,
    /// Forget by time: whenever time moves on, the oldest of the generations is forgotten.
    Forget {
        /// Generations, 2 to 4096.
        generations: u32,
    },
    /// Never err: no filter does, so the answer is the keys themselves.
    Exact,
    /// Tell whether any key lies in a range: the error names what does.
    Range,
    /// Find the keys that two sets do not share: the error names what does.
    Reconcile,
    /// Say which of many sets may hold a key: the error names what does. The sets are as many as
    /// [`filters`](crate::Workload::with_filters), each of that many keys.
    WhichSet,
}

/// What people call a need or an option, by other words: the first word of each row is ours.
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
    /// The needs without a number: the word that `amq choose --need` takes, a line about it, and
    /// the need. No filter of one set meets the last three.
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

    /// The word, or the option of `amq choose`, for what people call by another word.
    #[must_use]
    pub fn meant(word: &str) -> Option<&'static str> {
        let word = word.to_ascii_lowercase();
        let row = MEANT.into_iter().find(|row| row.split(' ').any(|known| known == word))?;
        row.split(' ').next()
    }
}

/// Why a word is no [`Need`]: it is none of [`Need::WORDS`].
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
