//! What a contender says of itself: its entry in `contenders.toml`.

use crate::record::Workload;
use serde::{Deserialize, Deserializer, Serialize};
use std::collections::BTreeMap;
use std::sync::LazyLock;

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

#[derive(Clone, Copy, PartialEq, Default, Debug, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Info {
    /// Its name in records, file names and `--only`.
    pub name: &'static str,
    pub family: Family,
    pub role: Role,
    pub ours: bool,
    /// Its packages, its own first; the lock file gives their versions. `std` is the compiler's.
    #[serde(deserialize_with = "leaked")]
    pub packages: &'static [&'static str],
    /// The line with which a user imports it.
    pub import: &'static str,
    /// What to expect of it and why, in a few sentences.
    #[serde(deserialize_with = "leaked")]
    pub analysis: &'static str,
    #[serde(deserialize_with = "leaked")]
    pub abilities: &'static [Ability],
    /// Whether its rate is its own: it takes none, unlike most, and takes part once per number of
    /// keys.
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
    pub twin_of: Option<&'static str>,
    /// Courses that it takes no part in, whatever its abilities.
    #[serde(deserialize_with = "leaked")]
    pub skips: &'static [Workload],
}

/// The entries of the file. That it can be read, a test ensures.
pub(super) static ENTRIES: LazyLock<Result<Vec<Info>, toml::de::Error>> = LazyLock::new(|| {
    let mut lists: BTreeMap<&str, _> = toml::from_str(include_str!("../../contenders.toml"))?;
    Ok(lists.remove("contender").unwrap_or_default())
});

fn leaked<'de, D, T>(value: D) -> Result<&'static T, D::Error>
where
    D: Deserializer<'de>,
    T: ?Sized + 'static,
    Box<T>: Deserialize<'de>,
{
    Ok(Box::leak(Box::deserialize(value)?))
}

impl Info {
    /// The entry of this name. That all contenders have one, a test ensures.
    pub(super) fn of(name: &'static str) -> Self {
        let entry = ENTRIES.iter().flatten().find(|entry| entry.name == name);
        entry.copied().unwrap_or(Self { name, ..Self::default() })
    }

    pub(super) fn twin(self) -> Self {
        Self {
            name: format!("{}-twin", self.name).leak(),
            role: Role::Twin,
            twin_of: Some(self.name),
            analysis: "The same code as its twin, entered again and built apart: whatever the two \
                       differ by is noise.",
            ..self
        }
    }

    pub fn crate_name(&self) -> &'static str {
        self.packages.first().copied().unwrap_or_default()
    }

    pub fn can(&self, ability: Ability) -> bool {
        self.abilities.contains(&ability)
    }

    /// Whether it takes part in this course, as far as its abilities tell. (The one over loads also
    /// needs [slots](super::Built::slots).)
    pub fn goes(&self, course: Workload) -> bool {
        let fits = match course {
            Workload::Grow => self.can(Ability::Grow),
            Workload::Overfill => self.can(Ability::Insert) && !self.can(Ability::Grow),
            Workload::LoadInsert => self.can(Ability::Insert),
            Workload::Churn => self.can(Ability::Insert) && self.can(Ability::Remove),
            Workload::Merge => self.can(Ability::Insert) && self.can(Ability::Merge),
            _ => false,
        };
        fits && !self.skips.contains(&course) && matches!(self.role, Role::Filter | Role::Twin)
    }
}
