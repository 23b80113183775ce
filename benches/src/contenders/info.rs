//! What a contender says of itself: its entry in `contenders.toml`.

use crate::record::{Ability, ContenderFacts, Family, Role, versions};
use serde::{Deserialize, Deserializer};
use std::collections::BTreeMap;
use std::sync::LazyLock;

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
    /// The names of courses that it takes no part in, whatever its abilities.
    #[serde(deserialize_with = "leaked")]
    pub skips: &'static [&'static str],
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

    /// The same for readers of the records; with the command that measures it.
    pub fn facts(&self, command: &str) -> ContenderFacts {
        ContenderFacts {
            name: self.name.to_owned(),
            family: self.family,
            role: self.role,
            ours: self.ours,
            crate_name: self.crate_name().to_owned(),
            version: versions(self.packages),
            import: self.import.to_owned(),
            analysis: self.analysis.to_owned(),
            abilities: self.abilities.to_vec(),
            takes_rate: !self.fixed_rate,
            takes_bits: self.bits_budget,
            twin_of: self.twin_of.map(str::to_owned),
            command: command.to_owned(),
        }
    }
}
