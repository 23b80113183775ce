//! `run.toml`: the contenders, options, code and noise of a run.

use crate::record::{Info, KeySetFacts, OWN_REPORTS, Workload, program, today};
use clap::ValueEnum;
use serde::{Deserialize, Serialize};

/// The edition of the records: it changes with the meaning of a column.
pub const SCHEMA: i64 = 3;

#[derive(Clone, Copy, PartialEq, Eq, Default, Debug, ValueEnum, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Suite {
    /// A thousand keys, in seconds, to check that everything works. Its times are too coarse to
    /// compare filters by.
    Smoke,
    /// A hundred to a million keys, in three minutes.
    #[default]
    Quick,
    /// Up to ten million keys, and a hundred million of the compact filters: tens of minutes and
    /// several gigabytes.
    Full,
}

serde_plain::derive_display_from_serialize!(Suite);

#[derive(Clone, PartialEq, Default, Debug, Serialize, Deserialize)]
pub struct Run {
    pub(crate) schema: i64,
    /// The day it began, in UTC.
    pub(crate) date: String,
    /// The commands that measure and draw again.
    pub(crate) command: String,
    pub(crate) render_command: String,
    /// Duration of the measurement, verification included, over all parts of a resumed run.
    pub(crate) seconds: f64,
    pub(crate) complete: bool,
    /// The method of timing and the estimate `ns`, in a sentence.
    pub(crate) clock: String,
    /// The median and the 90th percentile of the twins' relative differences; the latter is a tie.
    pub(crate) noise_median: Option<f64>,
    pub(crate) noise_floor: Option<f64>,
    /// Cells that scatter by more than this share of their time are flagged unstable.
    pub(crate) unstable_above: f64,
    /// Standard deviations allowed between a false-positive count and its prediction.
    pub(crate) sigmas: f64,
    /// The conditions: all must be equal for numbers to be comparable.
    pub(crate) options: Options,
    #[serde(default)]
    pub(crate) noise: Vec<Noise>,
    #[serde(default)]
    pub(crate) key_set: Vec<KeySetFacts>,
    #[serde(default)]
    pub(crate) contender: Vec<Info>,
}

/// The differences between twins in one workload.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Noise {
    pub(crate) workload: Workload,
    pub(crate) pairs: u64,
    pub(crate) median: f64,
    pub(crate) floor: f64,
}

impl Run {
    /// A run that begins today, with nothing measured yet.
    pub fn new(command: &str, options: Options, contender: Vec<Info>) -> Self {
        let folders = match (records_of(command), options.has_own_keys()) {
            (Some(records), _) => {
                let above = records.rsplit_once('/').map_or(".", |(above, _)| above);
                format!(" --records {records} --out {above}/latest")
            }
            (None, true) => format!(" --records {OWN_REPORTS}/records"),
            (None, false) => String::new(),
        };
        Self {
            schema: SCHEMA,
            date: today(),
            command: command.to_owned(),
            render_command: format!("{} -- render{folders}", program::PROGRAM),
            options,
            contender,
            ..Self::default()
        }
    }

    /// Adds contenders; `replace` overwrites existing entries.
    pub fn take_in(&mut self, contenders: Vec<Info>, replace: bool) {
        for facts in contenders {
            match self.contender.iter_mut().find(|old| old.name == facts.name) {
                None => self.contender.push(facts),
                Some(old) if replace => *old = facts,
                Some(_) => {}
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

/// The folder for records that a command line names.
fn records_of(command: &str) -> Option<&str> {
    let (_, after) = command.split_once("--records")?;
    after.trim_start_matches(['=', ' ']).split(' ').next().filter(|folder| !folder.is_empty())
}

/// The conditions: everything that determines what is measured, and the code.
#[derive(Clone, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
pub struct Options {
    pub(crate) suite: Suite,
    /// `--rounds`, or the suite's.
    pub(crate) rounds: u64,
    /// Of keys, filters, streams and order.
    pub(crate) seed: u64,
    /// `--keys`, if the sizes are not the suite's.
    pub(crate) keys: Vec<u64>,
    /// The key file's name, if there is one, and XXH3-64 of its contents.
    pub(crate) keys_file: Option<String>,
    pub(crate) keys_file_xxh3: Option<String>,
    pub(crate) rustc: String,
    pub(crate) target: String,
    pub(crate) profile: String,
    pub(crate) rustflags: String,
    /// Instruction sets assumed at compile time.
    pub(crate) target_features: String,
    /// The commit by `git describe`, if there is a repository.
    pub(crate) git: Option<String>,
    pub(crate) lock_xxh3: String,
}

impl Options {
    /// The options for this program's code, without a request yet.
    pub fn of_program() -> Self {
        Self {
            rustc: env!("AMQ_RUSTC").to_owned(),
            target: env!("AMQ_TARGET").to_owned(),
            profile: env!("AMQ_PROFILE").to_owned(),
            rustflags: env!("AMQ_RUSTFLAGS").to_owned(),
            target_features: env!("AMQ_TARGET_FEATURES").to_owned(),
            git: program::git_describe(),
            lock_xxh3: program::lock_digest(),
            ..Self::default()
        }
    }

    /// Whether the keys or their number are the user's.
    pub const fn has_own_keys(&self) -> bool {
        self.keys_file.is_some() || !self.keys.is_empty()
    }

    /// The first option that differs, with both values.
    pub fn difference(&self, now: &Self) -> Option<[String; 3]> {
        let [before, now] = [self, now].map(|of| toml::Table::try_from(of).unwrap_or_default());
        let mut names = before.keys().chain(now.keys());
        let name = names.find(|&name| before.get(name) != now.get(name))?;
        let text = |value: Option<&toml::Value>| value.map_or("none".to_owned(), |v| v.to_string());
        Some([name.clone(), text(before.get(name)), text(now.get(name))])
    }
}

#[test]
fn a_report_is_drawn_from_the_records_that_the_command_names() {
    let drawn = |command| Run::new(command, Options::of_program(), Vec::new()).render_command;
    let render = format!("{} -- render", program::PROGRAM);
    assert_eq!(drawn("measure"), render);
    let full = format!("{render} --records reports/full/records --out reports/full/latest");
    for command in
        ["measure --records reports/full/records --suite full", "--records=reports/full/records"]
    {
        assert_eq!(drawn(command), full);
    }
}
