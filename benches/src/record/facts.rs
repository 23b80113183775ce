//! The contenders and key sets of a run, and the words for what they are.

use crate::keys::Source;
use crate::record::program::versions;
use serde::{Deserialize, Serialize};

/// Families, each drawn in one colour. `SplitBlock` has Bloom filters with eight bits per key in a
/// block, `Fuse` all static filters that read three random slots, `Floor` what is not a filter.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Family {
    Classic,
    SplitBlock,
    Counting,
    Scalable,
    Cuckoo,
    Quotient,
    Ribbon,
    Fuse,
    #[default]
    Exact,
    Floor,
}

serde_plain::derive_display_from_serialize!(Family);

#[derive(Clone, Copy, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Role {
    #[default]
    Filter,
    /// The same filter entered again: the difference between the two is noise.
    Twin,
    /// A map from keys to values: its rate is how often an absent key has the value expected.
    Map,
    /// A baseline to subtract: it hashes the keys and answers nothing.
    Floor,
}

/// What a filter can do besides answering queries.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Ability {
    Insert,
    /// Through a shared reference, from several threads.
    ConcurrentInsert,
    Remove,
    Count,
    Merge,
    /// Beyond the number of keys it was planned for.
    Grow,
    /// Answers many keys in one call, faster than one by one.
    Batch,
    Values,
    /// Is built from all keys at once and never changes.
    Static,
}

serde_plain::derive_display_from_serialize!(Ability);

#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct KeySetFacts {
    pub(crate) name: String,
    /// What they are and how they were split.
    pub(crate) about: String,
    pub(crate) present: u64,
    pub(crate) absent: u64,
    pub(crate) queries: u64,
    pub(crate) source: Source,
}

/// A contender's description: its entry in `contenders.toml`, and in records.
#[derive(Clone, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Info {
    /// Its name in records, file names and `--only`.
    pub name: String,
    pub family: Family,
    pub role: Role,
    pub ours: bool,
    /// Its packages, its own first. `std` is the compiler's.
    pub packages: Vec<String>,
    /// Their versions, in records.
    pub version: String,
    /// The line with which a user imports it.
    pub import: String,
    /// What to expect of it and why, in a few sentences.
    pub analysis: String,
    pub abilities: Vec<Ability>,
    /// Whether its rate is its own: it takes part once per number of keys.
    pub fixed_rate: bool,
    /// Whether it can be asked for a number of bits per key instead of a rate.
    pub bits_budget: bool,
    /// Whether its size jumps, mostly by a factor of two, while the keys grow steadily in number.
    pub jumps: bool,
    /// The most keys that it is measured with, if there is a limit.
    pub max_keys: Option<u64>,
    /// Whether it takes no seed, unlike most: there is only one filter to verify.
    pub seedless: bool,
    /// So slow that it takes part at one rate, with the main keys, and answers a part of a stream.
    pub slow: bool,
    /// Whether it builds with threads of its own: the memory of all threads is counted.
    pub threads: bool,
    /// The contender that it repeats, for a twin.
    pub twin_of: Option<String>,
    /// The names of courses that it takes no part in, whatever its abilities.
    pub skips: Vec<String>,
    /// The command that measured it, in records: not the run's if it was measured again alone.
    pub command: String,
}

impl Info {
    pub fn can(&self, ability: Ability) -> bool {
        self.abilities.contains(&ability)
    }

    /// The same in a record.
    pub fn measured_by(&self, command: &str) -> Self {
        let (version, command) = (versions(&self.packages), command.to_owned());
        Self { version, command, ..self.clone() }
    }
}
