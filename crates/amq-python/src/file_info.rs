//! What a file tells of itself, and what of it may be told on.

use amq::format::{FileInfo, HEADER};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::Path;

/// What a file says of itself, if it can be read and begins as one of this library.
pub(crate) fn info(path: &Path) -> Option<FileInfo> {
    expect_file(path).ok()?;
    let mut header = [0; HEADER];
    File::open(path).and_then(|mut file| file.read_exact(&mut header)).ok()?;
    FileInfo::of(&header).ok()
}

/// Refuses what would be waited for, such as a pipe: nobody could interrupt that.
pub(crate) fn expect_file(path: &Path) -> io::Result<()> {
    let kind = fs::metadata(path)?.file_type();
    if kind.is_dir() {
        // The system says so in its own words, as it does to Python.
        return File::open(path)?.read(&mut [0]).map(drop);
    }
    match kind.is_file() {
        true => Ok(()),
        false => Err(io::Error::new(
            io::ErrorKind::InvalidInput,
            "not a regular file: read it yourself, and give its bytes to from_bytes",
        )),
    }
}

/// Whether a file is to tell its seed or secret key: as the caller says, but what comes from a file
/// that withholds it goes into none that tells it.
pub(crate) fn tells(withheld: bool, secret: Option<bool>) -> PyResult<bool> {
    match (withheld, secret) {
        (true, Some(true)) => Err(PyValueError::new_err(
            "secret=True: the seed or secret key was left out of the file that this was loaded \
             from, and is in no file made of it: leave secret=True out, and give the secret to \
             whoever loads the new one",
        )),
        (withheld, secret) => Ok(secret.unwrap_or(!withheld)),
    }
}

/// Refuses a pickle that would tell a secret which a file withholds.
pub(crate) fn expect_pickled(withheld: bool) -> PyResult<()> {
    match withheld {
        false => Ok(()),
        true => Err(PyTypeError::new_err(
            "a pickle tells the seed or secret key, which was left out of the file that this was \
             loaded from: hand on the path, or to_bytes(), and the secret by a way of its own",
        )),
    }
}
