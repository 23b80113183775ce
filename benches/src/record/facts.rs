//! The contenders and key sets of a run, and the words for what they are.

use crate::keys::Source;
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

/// A contender's description, for readers of the records without the code; for the fields see
/// [`Info`](crate::contenders::Info).
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct ContenderFacts {
    pub(crate) name: String,
    pub(crate) family: Family,
    pub(crate) role: Role,
    pub(crate) ours: bool,
    pub(crate) crate_name: String,
    pub(crate) version: String,
    pub(crate) import: String,
    pub(crate) analysis: String,
    pub(crate) abilities: Vec<Ability>,
    pub(crate) takes_rate: bool,
    pub(crate) takes_bits: bool,
    pub(crate) twin_of: Option<String>,
    /// The command that measured it; differs from the run's if it was measured again alone.
    pub(crate) command: String,
}
