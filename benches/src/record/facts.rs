//! The contenders and key sets of a run, and their families and abilities.

use crate::record::Workload;
use crate::record::program::versions;
use crate::scenarios::keys::Source;
use serde::{Deserialize, Serialize};

/// Families, each drawn in one colour. `SplitBlock` has Bloom filters with eight bits per key in a
/// block, `Fuse` all static filters that read three random slots, `Floor` contenders that are not
/// filters.
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
    Twin,
    Keyed,
    Map,
    Floor,
}

/// Keys in each set, on average, where filters say which of many sets may hold a key.
pub const SET_KEYS: u64 = 128;

/// What a filter can do besides answering queries.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Ability {
    Insert,
    ConcurrentInsert,
    Remove,
    Count,
    Merge,
    Grow,
    Truncate,
    Batch,
    Values,
    Static,
}

serde_plain::derive_display_from_serialize!(Ability);

#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct KeySetFacts {
    pub(crate) name: String,
    pub(crate) about: String,
    pub(crate) present: u64,
    pub(crate) absent: u64,
    pub(crate) queries: u64,
    pub(crate) source: Source,
}

/// A contender's description: its entry in `contenders.toml`, whose head explains each field.
#[derive(Clone, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Info {
    pub name: String,
    pub family: Family,
    pub role: Role,
    pub ours: bool,
    pub packages: Vec<String>,
    pub version: String,
    pub import: String,
    pub analysis: String,
    pub abilities: Vec<Ability>,
    pub fixed_rate: bool,
    pub bits_budget: bool,
    pub jumps: bool,
    pub max_keys: Option<u64>,
    pub seedless: bool,
    pub slow: bool,
    pub many_sets: bool,
    pub threads: bool,
    pub twin_of: Option<String>,
    pub skips: Vec<Workload>,
    pub only: Vec<Workload>,
    pub command: String,
}

impl Info {
    pub fn can(&self, ability: Ability) -> bool {
        self.abilities.contains(&ability)
    }

    /// These facts for a record, with versions and the command that measured them.
    pub fn measured_by(&self, command: &str) -> Self {
        let (version, command) = (versions(&self.packages), command.to_owned());
        Self { version, command, ..self.clone() }
    }
}
