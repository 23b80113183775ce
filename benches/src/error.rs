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
    /// A key set with a repeated key.
    #[error("the key set {key_set} made with seed {seed} repeats a key: choose another --seed")]
    KeysRepeat {
        /// Which set.
        key_set: String,
        /// The seed it was made with.
        seed: u64,
    },
    /// A key set with fewer keys than the suite needs.
    #[error(
        "the key set {key_set} has {half} present keys (half of its keys), but {wanted} are needed"
    )]
    KeySetTooSmall {
        /// Which set.
        key_set: String,
        /// Present keys needed.
        wanted: u64,
        /// Half of its keys.
        half: u64,
    },
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
        "construction uses the suite's keys: leave out --keys and --keys-file, or name contenders in --only"
    )]
    NothingToMeasure,
    /// A record or folder of records cannot be read or written.
    #[error("{doing} {path} failed: {reason}")]
    Io {
        /// The action, as a gerund.
        doing: &'static str,
        /// The file or folder.
        path: PathBuf,
        /// The system's error; not named `source`, or printing the chain of causes would print it
        /// twice.
        reason: io::Error,
    },
    /// A damaged record.
    #[error(
        "the record {path} is damaged: {reason}. Delete it and measure its subject again with \
         `-- measure --only NAME`"
    )]
    DamagedRecord {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
    /// A damaged description of a run.
    #[error("{path} is damaged: {reason}. Delete its folder and measure again")]
    DamagedRun {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
    /// Records of another edition of the harness.
    #[error(
        "{path} is of edition {found} of the records, and this program reads edition {SCHEMA}: \
         measure again, or use the harness of the commit that the file names"
    )]
    OtherSchema {
        /// The file.
        path: PathBuf,
        /// Its edition.
        found: i64,
    },
    /// `--resume` or `--only` over records measured with other options.
    #[error(
        "the records in {path} were measured with {option} = {before}, and now it is {now}: such numbers are not \
         comparable. Use the same options, name another folder with --records, or measure everything \
         again (without --resume and --only)"
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
    /// `render` without any records.
    #[error(
        "there are no records in {path}: run `-- measure` first, or name their folder with --records"
    )]
    NoRecords {
        /// The folder of records.
        path: PathBuf,
    },
}

impl BenchError {
    /// For `map_err`: `doing` is a gerund.
    pub fn io(doing: &'static str, path: impl Into<PathBuf>) -> impl FnOnce(io::Error) -> Self {
        let path = path.into();
        move |reason| Self::Io {
            doing,
            path,
            reason,
        }
    }
}
