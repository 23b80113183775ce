//! What can go wrong around a measurement. What goes wrong *in* one becomes an error row instead.

use crate::keyfile::KeyFileError;
use std::io;
use std::path::PathBuf;
use thiserror::Error;

/// An error of the harness; each names the thing it is about and the way out.
#[derive(Debug, Error)]
pub enum BenchError {
    /// The user's key file.
    #[error(transparent)]
    KeyFile(#[from] KeyFileError),
    /// A key set in which a key occurs twice.
    #[error("the key set {key_set} made with seed {seed} repeats a key: choose another --seed")]
    KeysRepeat {
        /// Which set.
        key_set: String,
        /// The seed it was made with.
        seed: u64,
    },
    /// A key set with fewer keys than the suite wants.
    #[error(
        "the key set {key_set} can give {half} present keys (half of what it has), and {wanted} were wanted"
    )]
    KeySetTooSmall {
        /// Which set.
        key_set: String,
        /// Present keys wanted.
        wanted: u64,
        /// Half of what there is.
        half: u64,
    },
    /// `--only` names what there is not.
    #[error("there is no contender named {name}. There are: {known}")]
    UnknownContender {
        /// What was given.
        name: String,
        /// All names.
        known: String,
    },
    /// `--only construction` with keys of the user's.
    #[error(
        "construction is tried with the keys of the suite: leave out --keys and --keys-file, or name contenders in --only"
    )]
    NothingToMeasure,
    /// A record or a folder of records that cannot be read or written.
    #[error("{doing} {path} failed: {reason}")]
    Io {
        /// What was being done, as a gerund.
        doing: &'static str,
        /// With which file or folder.
        path: PathBuf,
        /// The system's; not called `source`, or whoever prints the chain of causes prints it twice.
        reason: io::Error,
    },
    /// A record that is not what was written.
    #[error(
        "the record {path} is damaged: {reason}. Delete it and measure what it is of again with \
         `-- measure --only NAME`"
    )]
    DamagedRecord {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
    /// A description of a run that is not what was written.
    #[error("{path} is damaged: {reason}. Delete its folder and measure again")]
    DamagedRun {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
    /// `--resume` or `--only` over records that were measured with other options.
    #[error(
        "the records in {path} were measured with {option} = {before}, and now it is {now}: numbers of two kinds do \
         not belong in one set. Use the same options, name another folder with --records, or measure everything \
         again (without --resume and --only)"
    )]
    OptionsChanged {
        /// The folder of records.
        path: PathBuf,
        /// Which option.
        option: &'static str,
        /// Its value then.
        before: String,
        /// Its value now.
        now: String,
    },
    /// `--resume` without anything to resume.
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
    /// An adapter for `map_err`: `doing` is a gerund.
    pub fn io(doing: &'static str, path: impl Into<PathBuf>) -> impl FnOnce(io::Error) -> Self {
        let path = path.into();
        move |reason| Self::Io {
            doing,
            path,
            reason,
        }
    }
}
