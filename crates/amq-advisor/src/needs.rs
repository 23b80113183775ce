//! The words for what is needed: one list for the command, the page and Python, with what this
//! family does and what it does not.

use crate::Need;
use alloc::string::{String, ToString};
use core::fmt;
use core::str::FromStr;

impl Need {
    /// The needs without a number: the word that `amq choose --need` takes, a line about it, and
    /// the need.
    pub const WORDS: [(&'static str, &'static str, Self); 7] = [
        ("remove", "Take keys out again: delete, expire", Self::Remove),
        ("list", "List the hashes in it, in order", Self::List),
        ("merge", "Become the union with another filter", Self::Merge),
        ("grow", "Begin small and grow at the same rate", Self::Grow),
        ("shared-insert", "Let several threads insert at once", Self::SharedInsert),
        ("files", "Be saved, loaded and mapped", Self::Files),
        ("exact", "Never err: the keys themselves, as a set, a bitmap or a list", Self::Exact),
    ];
}

/// Something that no filter of this family does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
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
    /// All of them, in the words of the first page.
    pub const ALL: [Self; 4] = [
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
    ];
}

impl fmt::Display for Beyond {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "no filter of this family {}: take {}", self.wanted, self.instead)
    }
}

amq_core::impl_error! {
    /// Why a word is no [`Need`] that can be asked for.
    #[derive(Clone, PartialEq, Eq)]
    #[non_exhaustive]
    pub enum NeedError {
        /// It names something that no filter of this family does.
        Beyond from(beyond: Beyond) => "{beyond}";
        /// It is none of the words.
        Unknown {
            /// The word.
            word: String,
        } => "there is no need {word}: there are {}", words();
    }
}

fn words() -> String {
    let known = Need::WORDS.map(|(word, ..)| word).join(", ");
    known + ", " + &Beyond::ALL.map(|beyond| beyond.name).join(", ")
}

/// Reads the words of [`Need::WORDS`].
impl FromStr for Need {
    type Err = NeedError;

    fn from_str(word: &str) -> Result<Self, NeedError> {
        let mut known = Self::WORDS.into_iter();
        if let Some((_, _, need)) = known.find(|(known, ..)| *known == word) {
            return Ok(need);
        }
        let beyond = Beyond::ALL.into_iter().find(|beyond| beyond.name == word);
        Err(beyond.map_or_else(|| NeedError::Unknown { word: word.to_string() }, Into::into))
    }
}
