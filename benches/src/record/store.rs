//! Records on disk.
//!
//! A file is written under a temporary name, flushed and renamed, so that a crash leaves either the
//! old file or the new one. A run writes to a subfolder of its record's folder, and replaces the
//! record when it is finished, so an interrupted run loses nothing. A second record of a day has a
//! folder beside the first one's.

use crate::error::BenchError;
use crate::record::{Machine, Row, Run, SCHEMA};
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::cmp::Reverse;
use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

const RUN: &str = "run.toml";
const MACHINE: &str = "machine.toml";
/// The folders of unfinished runs, of all contenders and of some: separate, so that neither
/// overwrites the other.
const UNFINISHED: [&str; 2] = ["unfinished", "unfinished-only"];

/// Length of a date: 2000-01-01.
const DATE: usize = 10;

/// The folder of one run's records.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Records {
    folder: PathBuf,
}

/// Finding a run.
impl Records {
    /// The folder of a machine and a day; it need not exist.
    pub fn of_day(records: &Path, machine: &str, date: &str) -> Self {
        Self { folder: records.join(machine).join(date) }
    }

    /// The folder for a run that begins on this day. A run of some contenders is merged into the
    /// day's last finished record; a run of all gets a new folder. That of the day's second record
    /// ends in `-2`.
    pub fn for_run(records: &Path, machine: &str, date: &str, only: bool) -> Self {
        let numbered = |number: usize| match number {
            0 | 1 => Self::of_day(records, machine, date),
            _ => Self::of_day(records, machine, &format!("{date}-{number}")),
        };
        let finished = (1..).take_while(|&number| numbered(number).folder.join(RUN).is_file());
        let finished = finished.count();
        numbered(if only { finished } else { finished + 1 })
    }

    /// The newest folder with a finished run: `records` itself, or one below it; of this machine if
    /// it has one.
    pub fn newest(records: &Path, machine: Option<&str>) -> Option<Self> {
        days(records, RUN, machine).pop().map(|folder| Self { folder })
    }

    /// Whether this folder is that of one finished run.
    pub fn is_one(folder: &Path) -> bool {
        folder.join(RUN).is_file()
    }

    /// The newest records of every other machine in the folder that this machine's are in.
    pub fn newest_of_other_machines(&self) -> Vec<Self> {
        let machine = self.folder.parent();
        let folders = machine.and_then(Path::parent).map(Path::to_owned);
        let mut all: Vec<Self> =
            Self::of_machines(folders.as_slice()).into_iter().flatten().collect();
        all.retain(|records| records.folder.parent() != machine);
        all
    }

    /// Of each machine its newest records in these folders, those of most folders first.
    pub fn of_machines(folders: &[PathBuf]) -> Vec<Vec<Self>> {
        let machines = folders.iter().flat_map(|folder| entries(folder));
        let names = machines.filter_map(|path| Some(path.file_name()?.to_str()?.to_owned()));
        let newest = |name: &str, folder: &PathBuf| {
            let found = Self::newest(folder, Some(name))?;
            is_of(&found.folder, Some(name)).then_some(found)
        };
        let of = |name: &String| folders.iter().filter_map(|folder| newest(name, folder)).collect();
        let names: BTreeSet<String> = names.collect();
        let mut all: Vec<Vec<Self>> = names.iter().map(of).collect();
        all.sort_by_key(|records| Reverse(records.len()));
        all
    }

    /// This machine's newest folder with an interrupted run, of all contenders or of some; if there
    /// is none, with a finished one.
    pub fn newest_to_resume(records: &Path, machine: &str, only: bool) -> Option<Self> {
        let newest = |run: &str| {
            days(records, run, Some(machine)).pop().filter(|day| is_of(day, Some(machine)))
        };
        let interrupted = newest(&format!("{}/{RUN}", UNFINISHED[usize::from(only)]));
        interrupted.or_else(|| newest(RUN)).map(|folder| Self { folder })
    }

    /// The folder of an unfinished run of all or some contenders.
    pub fn unfinished(&self, only: bool) -> Self {
        Self { folder: self.folder.join(UNFINISHED[usize::from(only)]) }
    }

    pub fn folder(&self) -> &Path {
        &self.folder
    }
}

/// The folders that have such a file: `records` itself, or days below it or below its machines.
/// This machine's come last, the newest last of all; within a day, the machine's name decides.
fn days(records: &Path, file: &str, machine: Option<&str>) -> Vec<PathBuf> {
    if records.join(file).is_file() {
        return vec![records.to_owned()];
    }
    let below = entries(records);
    let days = below.iter().flat_map(|machine| entries(machine)).chain(below.iter().cloned());
    let mut days: Vec<PathBuf> = days.filter(|day| day.join(file).is_file()).collect();
    days.sort_by_key(|day| (is_of(day, machine), date(day), day.clone()));
    days
}

/// The date in a folder's name, which sorts as text, and its number among that day's records.
fn date(day: &Path) -> (String, u64) {
    let name = day.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let number = |rest: &str| rest.strip_prefix('-')?.parse().ok();
    let date = name.get(..DATE).unwrap_or(&name);
    (date.to_owned(), number(&name[date.len()..]).unwrap_or(1))
}

fn is_of(day: &Path, machine: Option<&str>) -> bool {
    day.parent().zip(machine).is_some_and(|(folder, machine)| folder.ends_with(machine))
}

fn entries(of: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(of).into_iter().flatten().flatten();
    entries.map(|entry| entry.path()).collect()
}

/// Its files.
impl Records {
    pub fn run(&self) -> Result<Option<Run>, BenchError> {
        // Checked first: the rest of another edition cannot be read.
        let any: Option<toml::Table> = self.description(RUN)?;
        let schema = |run: toml::Table| run.get("schema").map_or(Some(1), toml::Value::as_integer);
        match any.and_then(schema) {
            Some(found) if found != SCHEMA => {
                Err(BenchError::OtherSchema(self.folder.join(RUN), found, SCHEMA))
            }
            _ => self.description(RUN),
        }
    }

    pub fn write_run(&self, run: &Run) -> Result<(), BenchError> {
        self.describe(RUN, run)
    }

    pub fn machine(&self) -> Result<Option<Machine>, BenchError> {
        self.description(MACHINE)
    }

    pub fn write_machine(&self, machine: &Machine) -> Result<(), BenchError> {
        self.describe(MACHINE, machine)
    }

    /// The rows of a contender; empty if it has no record.
    pub fn rows(&self, contender: &str) -> Result<Vec<Row>, BenchError> {
        self.table(contender)
    }

    /// The lines of a CSV file, named without its extension; empty if the record has none.
    pub fn table<T: DeserializeOwned>(&self, name: &str) -> Result<Vec<T>, BenchError> {
        let path = self.csv(name);
        if !path.exists() {
            return Ok(Vec::new());
        }
        let reader = csv::Reader::from_path(&path);
        let lines = reader.and_then(|reader| reader.into_deserialize().collect());
        lines.map_err(|error| BenchError::Damaged(path, error.to_string()))
    }

    pub fn write_table<T: Serialize>(&self, name: &str, lines: &[T]) -> Result<(), BenchError> {
        let path = self.csv(name);
        let mut writer = csv::Writer::from_writer(Vec::new());
        let written = lines.iter().try_for_each(|line| writer.serialize(line));
        let bytes = written.map_err(io::Error::from);
        let bytes = bytes.and_then(|()| writer.into_inner().map_err(|error| error.into_error()));
        write_atomically(&path, &bytes.map_err(BenchError::io("writing", &path))?)
    }

    fn csv(&self, name: &str) -> PathBuf {
        self.folder.join(format!("{name}.csv"))
    }

    fn description<T: DeserializeOwned>(&self, name: &str) -> Result<Option<T>, BenchError> {
        let path = self.folder.join(name);
        if !path.exists() {
            return Ok(None);
        }
        let text = fs::read_to_string(&path).map_err(BenchError::io("reading", &path))?;
        let found = toml::from_str(&text).map(Some);
        found.map_err(|error| BenchError::Damaged(path, error.message().to_owned()))
    }

    fn describe<T: Serialize>(&self, name: &str, value: &T) -> Result<(), BenchError> {
        let path = self.folder.join(name);
        let text = toml::to_string(value).map_err(io::Error::other);
        write_atomically(&path, text.map_err(BenchError::io("writing", &path))?.as_bytes())
    }
}

/// Putting a finished run in its place.
impl Records {
    /// Starts from scratch, or with copies of `earlier`'s files.
    pub fn start_from(&self, earlier: Option<&Self>) -> Result<(), BenchError> {
        if self.folder.exists() {
            fs::remove_dir_all(&self.folder).map_err(BenchError::io("removing", &self.folder))?;
        }
        fs::create_dir_all(&self.folder).map_err(BenchError::io("creating", &self.folder))?;
        for file in earlier.map(Self::files).unwrap_or_default() {
            fs::copy(&file, self.there(&file)).map_err(BenchError::io("copying", &file))?;
        }
        Ok(())
    }

    /// Replaces an earlier run completely.
    pub fn replace(&self, earlier: &Self) -> Result<(), BenchError> {
        let (old, new) = (earlier.files(), self.files());
        for file in &new {
            let place = earlier.there(file);
            fs::rename(file, &place).map_err(BenchError::io("writing", place))?;
        }
        for file in old.iter().filter(|old| !new.contains(&self.there(old))) {
            fs::remove_file(file).map_err(BenchError::io("removing", file))?;
        }
        fs::remove_dir_all(&self.folder).map_err(BenchError::io("removing", &self.folder))
    }

    /// The files of the run. The description is last: without it there is no run.
    fn files(&self) -> Vec<PathBuf> {
        let mut files = entries(&self.folder);
        let is_csv = |path: &Path| path.extension().is_some_and(|extension| extension == "csv");
        files.retain(|path| is_csv(path) || path.ends_with(RUN) || path.ends_with(MACHINE));
        files.sort_by_key(|path| path.ends_with(RUN));
        files
    }

    /// The file of the same name in this folder.
    fn there(&self, file: &Path) -> PathBuf {
        self.folder.join(file.file_name().unwrap_or_default())
    }
}

/// Writes a whole file or nothing.
pub fn write_atomically(path: &Path, bytes: &[u8]) -> Result<(), BenchError> {
    let folder = path.parent().unwrap_or(Path::new("."));
    let write = || {
        fs::create_dir_all(folder)?;
        // With the permissions of a normal new file, since temporary files are private.
        let mut file = tempfile::Builder::new().make_in(folder, |path| File::create_new(path))?;
        file.write_all(bytes)?;
        file.as_file().sync_all()?;
        file.persist(path).map_err(|error| error.error)
    };
    write().map(drop).map_err(BenchError::io("writing", path))
}
