//! `run.toml`: what was run, with which options and code, and the noise.

use crate::contenders::{Ability, Family, Info, Role};
use crate::keys::Source;
use crate::record::{Workload, lock};
use clap::ValueEnum;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::fmt;
use std::path::Path;
use std::process::Command;

/// The reports of the user's own keys, in the workspace.
pub const OWN_REPORTS: &str = "reports/own";

/// The edition of the records: it changes with the meaning of a column.
pub const SCHEMA: i64 = 2;

/// The size of a run.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Suite {
    /// A thousand keys, in seconds: does everything work? Its times mean nothing.
    Smoke,
    /// A hundred to a million keys, within three minutes.
    Quick,
    /// Up to ten million keys, and a hundred million of the compact filters: tens of minutes and
    /// several gigabytes.
    Full,
}

impl fmt::Display for Suite {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.serialize(f)
    }
}

/// The description of a run.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Run {
    /// [`SCHEMA`].
    pub schema: i64,
    /// The day it began, in UTC.
    pub date: String,
    /// The command that measures again.
    pub command: String,
    /// The command that draws again.
    pub render_command: String,
    /// Duration of the measurement, verification included, over all parts of a resumed run.
    pub seconds: f64,
    /// Whether all cells were measured.
    pub complete: bool,
    /// How the times were taken, and which estimate `ns` is, in a sentence.
    pub clock: String,
    /// The median over all twins' cells of the relative difference between them; none without
    /// twins.
    pub noise_median: Option<f64>,
    /// The difference that nine in ten cells stay below: anything less is a tie.
    pub noise_floor: Option<f64>,
    /// Rounds that scatter by more than this share of their median are flagged unstable.
    pub unstable_above: f64,
    /// Standard deviations allowed between a false-positive count and its prediction.
    pub sigmas: f64,
    /// The conditions: all must be equal for numbers to be comparable.
    pub options: Options,
    /// The noise of each workload.
    #[serde(default)]
    pub noise: Vec<Noise>,
    /// The keys of each group.
    #[serde(default)]
    pub key_set: Vec<KeySetFacts>,
    /// Who took part.
    #[serde(default)]
    pub contender: Vec<ContenderFacts>,
}

/// How far the same filter entered twice differs from itself.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Noise {
    /// In this workload.
    pub workload: Workload,
    /// Pairs of cells compared.
    pub pairs: u64,
    /// The median relative difference.
    pub median: f64,
    /// The difference that nine in ten pairs stay below.
    pub floor: f64,
}

impl Run {
    /// A run that begins today, with nothing measured yet.
    pub fn new(command: &str, options: Options, contender: Vec<ContenderFacts>) -> Self {
        Self {
            schema: SCHEMA,
            date: today(),
            command: command.to_owned(),
            render_command: render_command(&options),
            seconds: 0.0,
            complete: false,
            clock: String::new(),
            noise_median: None,
            noise_floor: None,
            unstable_above: 0.0,
            sigmas: 0.0,
            options,
            noise: Vec::new(),
            key_set: Vec::new(),
            contender,
        }
    }

    /// Adds contenders; `replace` says whether to keep the entries of those that it has.
    pub fn take_in(&mut self, contenders: Vec<ContenderFacts>, replace: bool) {
        for facts in contenders {
            let old = self.contender.iter_mut().find(|old| old.name == facts.name);
            match old {
                Some(old) if replace => *old = facts,
                Some(_) => {}
                None => self.contender.push(facts),
            }
        }
        self.complete = false;
    }

    /// The relative difference of two times of a workload that is noise.
    pub fn floor(&self, workload: Workload) -> Option<f64> {
        let of = self.noise.iter().find(|noise| noise.workload == workload);
        of.map(|noise| noise.floor).or(self.noise_floor)
    }
}

/// The conditions: everything that determines what is measured, and the code.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Options {
    /// `--suite`.
    pub suite: Suite,
    /// `--rounds`, or the suite's.
    pub rounds: u64,
    /// `--seed`: of keys, filters, streams and order.
    pub seed: u64,
    /// `--keys`, if the sizes are not the suite's.
    #[serde(default)]
    pub keys: Vec<u64>,
    /// The key file's name, if there is one.
    pub keys_file: Option<String>,
    /// XXH3-64 of its contents.
    pub keys_file_xxh3: Option<String>,
    /// The compiler.
    pub rustc: String,
    /// The target it compiled for.
    pub target: String,
    /// The profile and its optimisation level.
    pub profile: String,
    /// Flags given to the compiler.
    pub rustflags: String,
    /// Instruction sets assumed at compile time.
    pub target_features: String,
    /// The commit, as `git describe` has it, where there is a repository.
    pub git: Option<String>,
    /// XXH3-64 of the lock file.
    pub lock_xxh3: String,
}

impl Options {
    /// The options of this program for a run.
    pub fn new(
        suite: Suite,
        rounds: u64,
        seed: u64,
        keys_file: Option<(String, u64)>,
        root: &Path,
    ) -> Self {
        let (keys_file, digest) = keys_file.unzip();
        Self {
            suite,
            rounds,
            seed,
            keys: Vec::new(),
            keys_file,
            keys_file_xxh3: digest.map(|digest| format!("{digest:016x}")),
            rustc: env!("AMQ_RUSTC").to_owned(),
            target: env!("AMQ_TARGET").to_owned(),
            profile: env!("AMQ_PROFILE").to_owned(),
            rustflags: env!("AMQ_RUSTFLAGS").to_owned(),
            target_features: env!("AMQ_TARGET_FEATURES").to_owned(),
            git: git_describe(root),
            lock_xxh3: lock::digest(),
        }
    }

    /// Whether the keys or their number are the user's.
    pub const fn has_own_keys(&self) -> bool {
        self.keys_file.is_some() || !self.keys.is_empty()
    }

    /// The first option that differs, with both values.
    pub fn difference(&self, now: &Self) -> Option<(String, String, String)> {
        let table = |options| toml::Table::try_from(options).unwrap_or_default();
        let (before, now) = (table(self), table(now));
        let text = |table: &toml::Table, name| {
            let value = table.get(name);
            value.map_or_else(|| "none".to_owned(), ToString::to_string)
        };
        let mut names = before.keys().chain(now.keys());
        let name = names.find(|name| before.get(*name) != now.get(*name))?;
        Some((name.clone(), text(&before, name), text(&now, name)))
    }
}

/// One group's keys.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct KeySetFacts {
    /// Which.
    pub name: String,
    /// What they are and how they were split.
    pub about: String,
    /// Distinct present keys.
    pub present: u64,
    /// Distinct absent keys.
    pub absent: u64,
    /// Queries in a stream.
    pub queries: u64,
    /// What is known of their source.
    pub source: Source,
}

/// A contender's description, for readers of the records without the code.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct ContenderFacts {
    /// Its name.
    pub name: String,
    /// Its family.
    pub family: Family,
    /// Its role.
    pub role: Role,
    /// Whether it belongs to this workspace.
    pub ours: bool,
    /// The crate that it comes from.
    pub crate_name: String,
    /// Its packages and their versions.
    pub version: String,
    /// The line that imports it.
    pub import: String,
    /// What to expect of it and why.
    pub analysis: String,
    /// What it can do.
    pub abilities: Vec<Ability>,
    /// Whether it takes a target rate.
    pub takes_rate: bool,
    /// Whether it takes a budget in bits per key.
    pub takes_bits: bool,
    /// The contender that it repeats, for a twin.
    pub twin_of: Option<String>,
    /// The command that measured it; differs from the run's if it was measured again alone.
    pub command: String,
}

impl ContenderFacts {
    /// A contender's facts.
    pub fn new(info: &Info, command: &str) -> Self {
        Self {
            name: info.name.to_owned(),
            family: info.family,
            role: info.role,
            ours: info.ours,
            crate_name: info.crate_name().to_owned(),
            version: lock::versions(info.packages),
            import: info.import.to_owned(),
            analysis: info.analysis.to_owned(),
            abilities: info.abilities.to_vec(),
            takes_rate: info.takes_rate,
            takes_bits: info.bits_budget,
            twin_of: info.twin_of.map(str::to_owned),
            command: command.to_owned(),
        }
    }
}

/// The date, in UTC.
pub fn today() -> String {
    jiff::Timestamp::now().strftime("%Y-%m-%d").to_string()
}

/// The compiled commit. Like `git describe --always --dirty`, but new records do not make the code
/// dirty.
fn git_describe(root: &Path) -> Option<String> {
    let git = |arguments: &[&str]| {
        let output = Command::new("git").args(arguments).current_dir(root).output().ok()?;
        let text = String::from_utf8(output.stdout).ok()?;
        output.status.success().then(|| text.trim().to_owned())
    };
    let commit = git(&["describe", "--always"]).filter(|commit| !commit.is_empty())?;
    let code = ["status", "--porcelain", "--", "Cargo.toml", "Cargo.lock", "crates", "benches"];
    let dirty = if git(&code)?.is_empty() { "" } else { "-dirty" };
    Some(commit + dirty)
}

/// The command that draws the records of a run with these options.
pub fn render_command(options: &Options) -> String {
    let command = publishable(["render".to_owned()].into_iter());
    if options.has_own_keys() {
        return format!("{command} --records {OWN_REPORTS}/records");
    }
    command
}

/// A command line fit to publish: of any path, only the last component.
pub fn publishable(arguments: impl Iterator<Item = String>) -> String {
    let mut command = "cargo run --release -p amq-bench".to_owned();
    for (index, argument) in arguments.enumerate() {
        let (option, value) = match argument.split_once('=') {
            Some((option, value)) if option.starts_with("--") => (format!("{option}="), value),
            _ => (String::new(), argument.as_str()),
        };
        let last = value.rsplit(['/', '\\']).next().unwrap_or(value);
        command += if index == 0 { " -- " } else { " " };
        command += &option;
        // Only a zero byte cannot be quoted, and no argument has one.
        command += &shlex::try_quote(last).unwrap_or(Cow::Borrowed(last));
    }
    command
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn published_commands_name_no_place_on_the_disk() {
        let of = |words: &[&str]| publishable(words.iter().map(|&word| word.to_owned()));
        assert_eq!(of(&[]), "cargo run --release -p amq-bench");
        assert_eq!(
            of(&["measure", "--keys-file", "/home/me/my keys.txt", "--records=/tmp/x"]),
            "cargo run --release -p amq-bench -- measure --keys-file 'my keys.txt' --records=x"
        );
    }

    #[test]
    fn the_first_changed_option_is_named_with_both_values() {
        let options = Options::new(Suite::Smoke, 3, 1, None, Path::new("."));
        assert_eq!(options.difference(&options), None);
        for (other, words) in [
            (Options { seed: 2, ..options.clone() }, ["seed", "1", "2"]),
            (
                Options { keys_file: Some("x".to_owned()), ..options.clone() },
                ["keys_file", "none", "\"x\""],
            ),
        ] {
            let [option, before, now] = words.map(str::to_owned);
            assert_eq!(options.difference(&other), Some((option, before, now)));
        }
    }
}
