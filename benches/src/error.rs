//! Errors around a measurement. A failure *in* a measurement becomes an error row instead.

use crate::keys::KeyFileError;
use crate::record::SCHEMA;
use std::io;
use std::path::PathBuf;
use thiserror::Error;

/// An error of the harness; each names its subject and the way out.
#[derive(Debug, Error)]
pub enum BenchError {
    /// The user's key file.
    #[error(transparent)]
    KeyFile(#[from] KeyFileError),
    /// A key set, made with this seed, with a repeated key.
    #[error("the key set {0}, made with --seed {1}, repeats a key: choose another --seed")]
    KeysRepeat(String, u64),
    /// A key set, half of its keys, and the present keys that the suite needs.
    #[error(
        "half of the key set {0} is {1} keys, but {2} are needed: choose a smaller --suite, or \
         --keys-file with more keys"
    )]
    KeySetTooSmall(String, u64, u64),
    /// `--only` names an unknown contender.
    #[error("there is no contender named {name}. There are: {known}")]
    UnknownContender {
        /// The given name.
        name: String,
        /// All names.
        known: String,
    },
    /// `--only construction` with the user's keys.
    #[error(
        "--only construction uses the suite's keys: leave out --keys and --keys-file, or name \
         contenders in --only"
    )]
    NothingToMeasure,
    /// What failed, as a gerund; a record or folder of records; the system's reason, which is not
    /// the source, or printing the chain of causes would print it twice.
    #[error(
        "{0} {1} failed: {2}. Check its permissions and the room on its disk, or name another \
         folder"
    )]
    Io(&'static str, PathBuf, io::Error),
    /// A damaged record, and what is wrong with it.
    #[error(
        "the record {0} is damaged: {1}. Delete it and measure again; `-- measure --only NAME` \
         measures one contender alone"
    )]
    DamagedRecord(PathBuf, String),
    /// A damaged description of a run, and what is wrong with it.
    #[error("{0} is damaged: {1}. Delete its folder and measure again")]
    DamagedRun(PathBuf, String),
    /// Records of another edition of the harness.
    #[error(
        "{0} is of edition {1} of the records, and this program reads edition {SCHEMA}: measure \
         again, or use the harness of the commit that the file names"
    )]
    OtherSchema(PathBuf, i64),
    /// `--resume` or `--only` over records measured with other options.
    #[error(
        "the records in {path} were measured with {option} = {before}, and now it is {now}: such \
         numbers are not comparable. Use the same options, name another folder with --records, or \
         measure everything again (without --resume and --only)"
    )]
    OptionsChanged {
        /// The folder of records.
        path: PathBuf,
        /// The option.
        option: String,
        /// Its recorded value.
        before: String,
        /// Its value now.
        now: String,
    },
    /// `--resume` without a run to resume.
    #[error("there is no run to resume in {path}: measure without --resume first")]
    NothingToResume {
        /// The folder of records.
        path: PathBuf,
    },
    /// Nothing to draw or to compare.
    #[error("there are no records in {path}: run `-- measure` first, or name a folder with some")]
    NoRecords {
        /// The folder of records.
        path: PathBuf,
    },
}

impl BenchError {
    /// For `map_err`: `doing` is a gerund.
    pub fn io(doing: &'static str, path: impl Into<PathBuf>) -> impl FnOnce(io::Error) -> Self {
        let path = path.into();
        move |reason| Self::Io(doing, path, reason)
    }
}
