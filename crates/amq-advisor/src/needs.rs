//! The words for what is needed: one list for the command, the page and Python, with what this
//! family does and what it does not.

use crate::{Beyond, Need};
use alloc::format;
use alloc::string::{String, ToString};
use core::fmt;
use core::str::FromStr;

impl Need {
    /// The needs without a number: the word that `amq choose --need` takes, a line about it, and
    /// the need.
    pub const WORDS: [(&'static str, &'static str, Self); 7] = [
        ("remove", "Remove keys: delete, expire", Self::Remove),
        ("list", "List the hashes it stores, in order", Self::List),
        ("merge", "Merge with another filter: become the union", Self::Merge),
        ("grow", "Start small and grow: up to the number of keys, or without a bound", Self::Grow),
        ("shared-insert", "Let several threads insert at once", Self::SharedInsert),
        ("files", "Be saved as a file, and loaded or queried in place", Self::Files),
        ("exact", "Never err: keep the keys themselves, as a set, a bitmap or a list", Self::Exact),
    ];
}

/// Why a word is no [`Need`] that can be asked for.
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum NeedError {
    /// It is none of the words.
    Unknown {
        /// The word.
        word: String,
    },
}

impl fmt::Display for NeedError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unknown { word } => {
                write!(f, "unknown need {word}: {}known are {}", meant(word), words())
            }
        }
    }
}

impl fmt::Debug for NeedError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl core::error::Error for NeedError {}

impl Need {
    /// The word, or the option of `amq choose`, for what people call by another word, if that is
    /// known.
    #[must_use]
    pub fn meant(word: &str) -> Option<&'static str> {
        // The first of each row.
        const MEANT: [&str; 20] = [
            "remove delete erase expire evict subtract unset churn",
            "list iterate enumerate keys sort order scan dump",
            "merge union combine join add-up distributed",
            "grow resize scale expand unbounded dynamic",
            "shared-insert threads concurrent parallel atomic lock-free multithreaded",
            "files save load file mmap persist disk serialize",
            "exact set no-errors no-false-positives certain perfect",
            "distinct cardinality unique count-distinct hyperloglog",
            "frequencies frequency heavy-hitters top-k count-min",
            "range between prefix ranges",
            "reconcile diff sync",
            "similar near near-duplicates fuzzy nearest perceptual",
            "private secret privacy psi anonymous",
            "fresh inverse new lossless",
            "--forget forget window sliding-window ttl rolling generations",
            "--count count counts counting counter multiset",
            "--values values value map dictionary lookup-table",
            "--strangers strangers hostile adversary untrusted keyed security",
            "--static static built-once immutable read-only",
            "--changes changes delta",
        ];
        let word = word.to_ascii_lowercase();
        let row = MEANT.into_iter().find(|row| row.split(' ').any(|known| known == word))?;
        row.split(' ').next()
    }
}

fn meant(word: &str) -> String {
    Need::meant(word).map_or_else(String::new, |need| match need.starts_with("--") {
        true => format!("that is an option, {need}; "),
        false => format!("did you mean {need}? "),
    })
}

fn words() -> String {
    let known = Need::WORDS.map(|(word, ..)| word).join(", ");
    known + ", " + &Beyond::ALL.map(|beyond| beyond.name).join(", ")
}

/// Reads the words of [`Need::WORDS`] and [`Beyond::ALL`].
impl FromStr for Need {
    type Err = NeedError;

    fn from_str(word: &str) -> Result<Self, NeedError> {
        let known = Self::WORDS.into_iter().map(|(known, _, need)| (known, need));
        let beyond = Beyond::ALL.into_iter().map(|beyond| (beyond.name, Self::Beyond(beyond)));
        let found = known.chain(beyond).find(|(known, _)| *known == word);
        found.map(|(_, need)| need).ok_or_else(|| NeedError::Unknown { word: word.to_string() })
    }
}
