//! Errors around a measurement. A failure *in* a measurement becomes an error row instead.

use std::io;
use std::path::PathBuf;
use thiserror::Error;

/// An error of the harness; each names its subject and the way out.
#[derive(Debug, Error)]
pub enum BenchError {
    /// The file as given, or standard input, and why it yields no keys.
    #[error("{0} {1}")]
    KeyFile(String, String),
    #[error("the key set {0}, made with --seed {1}, repeats a key: choose another --seed")]
    KeysRepeat(String, u64),
    #[error(
        "half of the key set {0} is {1} keys, but {2} are needed: choose a smaller --suite, or \
         --keys-file with more keys"
    )]
    KeySetTooSmall(String, u64, u64),
    #[error("there is no contender named {name}. There are: {known}")]
    UnknownContender { name: String, known: String },
    /// The operation is a gerund. The system's reason is not the source, so that it is printed only
    /// once.
    #[error(
        "{0} {1} failed: {2}. Check its permissions and the room on its disk, or name another \
         folder"
    )]
    Io(&'static str, PathBuf, io::Error),
    #[error(
        "{0} is damaged: {1}. Delete its folder and measure again; of one contender alone, `-- \
         measure --only NAME` replaces the files"
    )]
    Damaged(PathBuf, String),
    #[error(
        "{0} is of edition {1} of the records, and this program reads edition {2}: measure \
         again, or use the harness of the commit that the file names"
    )]
    OtherSchema(PathBuf, i64, i64),
    #[error(
        "the records in {0} were measured with {option} = {before}, and now it is {now}: such \
         numbers are not comparable. Use the same options, name another folder with --records, or \
         measure everything again (without --resume and --only)",
        option = .1[0], before = .1[1], now = .1[2]
    )]
    OptionsChanged(PathBuf, [String; 3]),
    #[error("there is no run to resume in {path}: measure without --resume first")]
    NothingToResume { path: PathBuf },
    #[error(
        "the record of {date} has no twins, which measure the noise of its times: \
         measure with all contenders, or name a twin in --only, such as bloom,bloom-twin"
    )]
    NoTwins { date: String },
    #[error("there are no records in {path}: run `-- measure` first, or name a folder with some")]
    NoRecords { path: PathBuf },
}

impl BenchError {
    /// For `map_err`: `doing` is a gerund.
    pub fn io(doing: &'static str, path: impl Into<PathBuf>) -> impl FnOnce(io::Error) -> Self {
        let path = path.into();
        move |reason| Self::Io(doing, path, reason)
    }
}
