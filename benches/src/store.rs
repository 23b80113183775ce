//! Records on disk: `<records>/<machine>/<date>/` with a CSV file per contender,
//! `construction.csv`, `machine.toml` and `run.toml`.
//!
//! A file is written to a temporary name, flushed to disk and renamed, so that a crash leaves
//! either the old file or the new one. A run writes to its own folder within the day's and replaces
//! the day's records when it is finished, so an interrupted run loses none of them.

use crate::construction;
use crate::error::BenchError;
use crate::machine::Machine;
use crate::record::{Row, Trial};
use crate::run::Run;
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use tempfile::NamedTempFile;

const RUN: &str = "run.toml";
const MACHINE: &str = "machine.toml";
/// The folders of unfinished runs: of all contenders, and of some. Two, so that neither overwrites
/// the other.
const UNFINISHED: [&str; 2] = ["unfinished", "unfinished-only"];

/// The folder of one run's records.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Records {
    folder: PathBuf,
}

impl Records {
    /// The folder of a machine and a day; it need not exist.
    pub fn of_day(records: &Path, machine: &str, date: &str) -> Self {
        Self {
            folder: records.join(machine).join(date),
        }
    }

    /// The newest folder with a finished run: `records` itself, or one below it; this machine's if
    /// it has one.
    pub fn newest(records: &Path, machine: Option<&str>) -> Option<Self> {
        Self::newest_with(Path::new(RUN), records, machine)
    }

    /// The newest folder with an interrupted run, or, if there is none, with a finished one.
    pub fn newest_to_resume(records: &Path, machine: &str, only: bool) -> Option<Self> {
        let interrupted = Path::new(UNFINISHED[usize::from(only)]).join(RUN);
        Self::newest_with(&interrupted, records, Some(machine))
            .or_else(|| Self::newest(records, Some(machine)))
    }

    fn newest_with(file: &Path, records: &Path, machine: Option<&str>) -> Option<Self> {
        if records.join(file).is_file() {
            return Some(Self {
                folder: records.to_owned(),
            });
        }
        let mut days: Vec<PathBuf> = entries(records)
            .into_iter()
            .filter(|folder| machine.is_none_or(|machine| folder.ends_with(machine)))
            .flat_map(|folder| entries(&folder))
            .filter(|folder| folder.join(file).is_file())
            .collect();
        // Dates sort as text; within a day, the machine's name decides.
        days.sort_by(|a, b| a.file_name().cmp(&b.file_name()).then_with(|| a.cmp(b)));
        days.pop().map(|folder| Self { folder })
    }

    /// Where a run of all or some contenders writes until it is finished.
    #[must_use]
    pub fn unfinished(&self, only: bool) -> Self {
        Self {
            folder: self.folder.join(UNFINISHED[usize::from(only)]),
        }
    }

    /// Its path.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// The description of the run, if there is one.
    pub fn run(&self) -> Result<Option<Run>, BenchError> {
        self.description(RUN)
    }

    /// Writes the description of the run.
    pub fn write_run(&self, run: &Run) -> Result<(), BenchError> {
        self.describe(RUN, run)
    }

    /// The description of the machine, if there is one.
    pub fn machine(&self) -> Result<Option<Machine>, BenchError> {
        self.description(MACHINE)
    }

    /// Writes the description of the machine.
    pub fn write_machine(&self, machine: &Machine) -> Result<(), BenchError> {
        self.describe(MACHINE, machine)
    }

    /// The rows of a contender; empty if it has no record.
    pub fn rows(&self, contender: &str) -> Result<Vec<Row>, BenchError> {
        self.lines(contender)
    }

    /// Replaces the record of a contender.
    pub fn write_rows(&self, contender: &str, rows: &[Row]) -> Result<(), BenchError> {
        self.write_lines(contender, rows)
    }

    /// The ribbon systems; empty if there is no record of them.
    pub fn trials(&self) -> Result<Vec<Trial>, BenchError> {
        let trials: Vec<Trial> = self.lines(construction::NAME)?;
        match trials.iter().find_map(Trial::fault) {
            None => Ok(trials),
            Some(reason) => Err(BenchError::DamagedRecord {
                path: self.csv(construction::NAME),
                reason,
            }),
        }
    }

    /// Replaces the record of the systems.
    pub fn write_trials(&self, trials: &[Trial]) -> Result<(), BenchError> {
        self.write_lines(construction::NAME, trials)
    }

    fn lines<T: DeserializeOwned>(&self, name: &str) -> Result<Vec<T>, BenchError> {
        let path = self.csv(name);
        if !path.exists() {
            return Ok(Vec::new());
        }
        let damaged = |error: csv::Error| BenchError::DamagedRecord {
            path: path.clone(),
            reason: error.to_string(),
        };
        let mut reader = csv::Reader::from_path(&path).map_err(damaged)?;
        reader
            .deserialize()
            .collect::<Result<_, _>>()
            .map_err(damaged)
    }

    fn write_lines<T: Serialize>(&self, name: &str, lines: &[T]) -> Result<(), BenchError> {
        let path = self.csv(name);
        let failed = |reason| BenchError::io("writing", &path)(reason);
        let mut writer = csv::Writer::from_writer(Vec::new());
        for line in lines {
            writer
                .serialize(line)
                .map_err(|error| failed(error.into()))?;
        }
        let bytes = writer
            .into_inner()
            .map_err(|error| failed(error.into_error()))?;
        write_atomically(&path, &bytes)
    }

    /// The files of the run. The description comes last: without it there is no run.
    fn files(&self) -> Vec<PathBuf> {
        let is_ours = |path: &PathBuf| {
            path.ends_with(RUN)
                || path.ends_with(MACHINE)
                || path.extension().is_some_and(|extension| extension == "csv")
        };
        let mut files: Vec<PathBuf> = entries(&self.folder).into_iter().filter(is_ours).collect();
        files.sort_by_key(|path| path.ends_with(RUN));
        files
    }

    /// Begins anew, with copies of `earlier`'s files, if given.
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
        let new = self.files();
        for file in &new {
            let place = earlier.there(file);
            fs::rename(file, &place).map_err(BenchError::io("writing", place))?;
        }
        for old in earlier.files() {
            if !new.iter().any(|file| file.file_name() == old.file_name()) {
                fs::remove_file(&old).map_err(BenchError::io("removing", old))?;
            }
        }
        fs::remove_dir_all(&self.folder).map_err(BenchError::io("removing", &self.folder))?;
        sync(&earlier.folder).map_err(BenchError::io("writing", &earlier.folder))
    }

    /// The file of the same name in this folder.
    fn there(&self, file: &Path) -> PathBuf {
        self.folder.join(file.file_name().unwrap_or_default())
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
        toml::from_str(&text)
            .map(Some)
            .map_err(|error| BenchError::DamagedRun {
                path,
                reason: error.message().to_owned(),
            })
    }

    fn describe<T: Serialize>(&self, name: &str, value: &T) -> Result<(), BenchError> {
        let path = self.folder.join(name);
        let text = toml::to_string(value)
            .map_err(std::io::Error::other)
            .map_err(BenchError::io("writing", &path))?;
        write_atomically(&path, text.as_bytes())
    }
}

fn entries(of: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(of).into_iter().flatten();
    entries
        .filter_map(Result::ok)
        .map(|entry| entry.path())
        .collect()
}

/// Writes a whole file or nothing.
pub fn write_atomically(path: &Path, bytes: &[u8]) -> Result<(), BenchError> {
    let folder = path.parent().unwrap_or(Path::new("."));
    let failed = |reason| BenchError::io("writing", path)(reason);
    fs::create_dir_all(folder).map_err(failed)?;
    let mut file = NamedTempFile::new_in(folder).map_err(failed)?;
    file.write_all(bytes).map_err(failed)?;
    file.as_file().sync_all().map_err(failed)?;
    readable_by_all(file.as_file()).map_err(failed)?;
    file.persist(path).map_err(|error| failed(error.error))?;
    sync(folder).map_err(failed)
}

/// A rename is durable only once the folder is flushed. Not every system can open a folder.
fn sync(folder: &Path) -> std::io::Result<()> {
    fs::File::open(folder).map_or(Ok(()), |folder| folder.sync_all())
}

/// Temporary files are private; records must be readable by anyone who may read the folder.
#[cfg(unix)]
fn readable_by_all(file: &fs::File) -> std::io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    file.set_permissions(fs::Permissions::from_mode(0o644))
}

#[cfg(not(unix))]
fn readable_by_all(_file: &fs::File) -> std::io::Result<()> {
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::{Cell, Workload};

    fn cell() -> Cell {
        Cell {
            key_set: "random-u64".to_owned(),
            keys: 1000,
            planned_keys: None,
            asked_fpr: Some(1.0 / 256.0),
        }
    }

    #[test]
    fn rows_come_back_as_they_were_written() {
        let dir = tempfile::tempdir().unwrap();
        let records = Records::of_day(dir.path(), "m", "2000-01-01");
        let mut row = Row::new("bloom", &cell(), Workload::Query50);
        (row.median_ns, row.unstable, row.hits) = (Some(0.1 + 0.2), Some(false), Some(7));
        let failed = Row::failed("bloom", &cell(), Workload::Verify, "a, \"quoted\"\nreason");
        records
            .write_rows("bloom", &[row.clone(), failed.clone()])
            .unwrap();
        assert_eq!(records.rows("bloom").unwrap(), [row, failed]);
        assert_eq!(records.rows("other").unwrap(), []);
    }

    #[test]
    fn a_run_takes_the_place_of_the_days_when_it_is_finished_and_not_before() {
        let dir = tempfile::tempdir().unwrap();
        let day = Records::of_day(dir.path(), "m", "2000-01-01");
        let row = |name: &str| Row::new(name, &cell(), Workload::Build);
        for name in ["bloom", "cuckoo"] {
            day.write_rows(name, &[row(name)]).unwrap();
        }
        write_atomically(&day.folder.join(RUN), b"old").unwrap();
        write_atomically(&day.folder.join("notes.txt"), b"mine").unwrap();
        let names = |records: &Records| {
            let of = |path: &PathBuf| path.file_name().unwrap().to_str().unwrap().to_owned();
            let mut names: Vec<String> = records.files().iter().map(of).collect();
            assert_eq!(names.pop().unwrap(), RUN, "the description is the last");
            names.sort();
            names
        };

        // A merged run begins with copies; leftovers of another run are gone.
        let joined = day.unfinished(true);
        joined.write_rows("left", &[row("left")]).unwrap();
        joined.start_from(Some(&day)).unwrap();
        assert_eq!(names(&joined), ["bloom.csv", "cuckoo.csv"]);

        let whole = day.unfinished(false);
        whole.start_from(None).unwrap();
        assert_eq!(whole.files(), [] as [PathBuf; 0]);
        let changed = [row("bloom"), row("bloom")];
        whole.write_rows("bloom", &changed).unwrap();
        let found = |only| Records::newest_to_resume(dir.path(), "m", only).unwrap();
        fs::remove_file(day.folder.join(RUN)).unwrap();
        assert_eq!(Records::newest(dir.path(), None), None);
        assert_eq!(found(true), day, "the joined run can be resumed");
        write_atomically(&whole.folder.join(RUN), b"new").unwrap();
        assert_eq!(found(false), day);
        assert_eq!(day.rows("bloom").unwrap(), [row("bloom")]);

        whole.replace(&day).unwrap();
        assert_eq!(names(&day), ["bloom.csv"]);
        assert_eq!(day.rows("bloom").unwrap(), changed);
        assert_eq!(fs::read(day.folder.join(RUN)).unwrap(), b"new");
        assert_eq!(fs::read(day.folder.join("notes.txt")).unwrap(), b"mine");
        assert!(!whole.folder.exists() && joined.folder.exists());
    }

    #[test]
    fn records_from_before_there_were_plans_are_read() {
        let dir = tempfile::tempdir().unwrap();
        let records = Records::of_day(dir.path(), "m", "2000-01-01");
        let row = Row::new("bloom", &cell(), Workload::Build);
        records
            .write_rows("bloom", std::slice::from_ref(&row))
            .unwrap();
        let text = fs::read_to_string(records.csv("bloom")).unwrap();
        let lines: Vec<Vec<&str>> = text.lines().map(|line| line.split(',').collect()).collect();
        let is_new =
            |place: usize| ["planned_keys", "refused_at", "load"].contains(&lines[0][place]);
        let without = |line: &Vec<&str>| {
            let kept: Vec<&str> = (0..line.len())
                .filter(|&i| !is_new(i))
                .map(|i| line[i])
                .collect();
            kept.join(",")
        };
        let old: Vec<String> = lines.iter().map(without).collect();
        assert!(old[0].len() < text.lines().next().unwrap().len());
        fs::write(records.csv("bloom"), old.join("\n")).unwrap();
        assert_eq!(records.rows("bloom").unwrap(), [row]);
    }

    #[test]
    fn a_record_cut_in_mid_row_is_an_error_that_names_the_file() {
        let dir = tempfile::tempdir().unwrap();
        let records = Records::of_day(dir.path(), "m", "2000-01-01");
        records
            .write_rows("bloom", &[Row::new("bloom", &cell(), Workload::Build)])
            .unwrap();
        let path = records.csv("bloom");
        let text = fs::read_to_string(&path).unwrap();
        fs::write(&path, &text[..text.len() - 20]).unwrap();
        let error = records.rows("bloom").unwrap_err().to_string();
        assert!(
            error.contains("bloom.csv") && error.contains("--only"),
            "{error}"
        );
    }

    #[test]
    fn trials_come_back_as_they_were_written_and_counts_that_do_not_add_up_do_not() {
        let dir = tempfile::tempdir().unwrap();
        let records = Records::of_day(dir.path(), "m", "2000-01-01");
        assert_eq!(records.trials().unwrap(), []);
        let size = Trial {
            row_bits: 64,
            keys: 1000,
            slots: 1050,
            built_slots: 1048,
            ..Trial::default()
        };
        let failed = Trial {
            error: "no, \"really\"".to_owned(),
            ..size.clone()
        };
        let trials = [size.clone().with(17, 3), failed];
        records.write_trials(&trials).unwrap();
        assert_eq!(records.trials().unwrap(), trials);
        let lost = Trial {
            solved: Some(16),
            ..trials[0].clone()
        };
        let none = size.clone().with(0, 0);
        for damaged in [lost, none, size] {
            records.write_trials(&[damaged]).unwrap();
            let error = records.trials().unwrap_err().to_string();
            assert!(
                error.contains("construction.csv") && error.contains("--only"),
                "{error}"
            );
        }
    }

    #[test]
    fn the_newest_day_is_found_wherever_one_starts_to_look() {
        let dir = tempfile::tempdir().unwrap();
        for day in ["a/2001-01-01", "b/2000-12-31", "b/2000-01-01"] {
            write_atomically(&dir.path().join(day).join(RUN), b"").unwrap();
        }
        let newest = |from: &Path, machine| Records::newest(from, machine).unwrap().folder;
        assert!(newest(dir.path(), None).ends_with("a/2001-01-01"));
        assert!(newest(dir.path(), Some("b")).ends_with("b/2000-12-31"));
        assert!(newest(&dir.path().join("b/2000-01-01"), None).ends_with("b/2000-01-01"));
        assert_eq!(Records::newest(&dir.path().join("none"), None), None);
    }
}
