//! Files as arguments: read, mapped and written, for all classes that have them.
#![allow(unsafe_code, reason = "whoever maps a file must promise that nobody changes it")]

use crate::data::of_data;
use crate::error::{OrRaise, of_file};
use crate::number::Natural;
use amq::format::{FileInfo, HEADER, HashedBy};
use amq::{FilterFile, LoadOptions, ReadError, SaveOptions, SharedBytes, Table};
use memmap2::Mmap;
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::intern;
use pyo3::prelude::*;
use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// What Python's own `open` takes: `str`, `bytes`, or what has `__fspath__`.
#[derive(Debug)]
pub(crate) struct FilePath(pub(crate) PathBuf);

impl<'py> FromPyObject<'_, 'py> for FilePath {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        let py = object.py();
        let path =
            py.import(intern!(py, "os"))?.call_method1(intern!(py, "fsdecode"), (object,))?;
        let path = path.extract::<OsString>()?;
        match path.as_encoded_bytes().contains(&0) {
            true => Err(PyValueError::new_err("a path has no null byte")),
            false => Ok(Self(path.into())),
        }
    }
}

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

/// What is read into memory.
pub(crate) trait Owned: FilterFile<With<Table> = Self> + Send {}

impl<F: FilterFile<With<Table> = F> + Send> Owned for F {}

/// What is in the file of this path.
pub(crate) fn load<F: Owned>(py: Python<'_>, path: &Path, options: LoadOptions) -> PyResult<F> {
    let loaded = py.detach(|| {
        expect_file(path)?;
        options.load(path)
    });
    loaded.map_err(|error| of_file(error, path))
}

/// What is in the bytes of an object.
pub(crate) fn decode<F: Owned>(data: &Bound<'_, PyAny>, options: LoadOptions) -> PyResult<F> {
    of_data(data, |bytes| data.py().detach(|| options.from_bytes(bytes)).raised())
}

/// What is in the file of this path, under a seed that is given if the file omits it, and whether
/// it does.
pub(crate) fn load_seeded<F: Owned>(
    py: Python<'_>,
    path: &Path,
    seed: Option<Natural>,
) -> PyResult<(F, bool)> {
    let loaded = load(py, path, seeded(seed))?;
    Ok((loaded, seed.is_some() && py.detach(|| info(path)).is_none_or(|info| info.withheld)))
}

/// The same of the bytes of an object.
pub(crate) fn decode_seeded<F: Owned>(
    data: &Bound<'_, PyAny>,
    seed: Option<Natural>,
) -> PyResult<(F, bool)> {
    let decoded = decode(data, seeded(seed))?;
    Ok((decoded, of_data(data, |bytes| Ok(FileInfo::of(bytes).raised()?.withheld))?))
}

pub(crate) fn seeded(seed: Option<Natural>) -> LoadOptions {
    seed.map_or(LoadOptions::new(), |seed| LoadOptions::new().seed(seed.0))
}

/// The bytes of a file that is mapped.
pub(crate) type Map = SharedBytes<Mmap>;

/// Maps a file: what is in it, what it says of itself, and its absolute path. What is not to be
/// checked is checked all the same if it is hashed under a secret key.
pub(crate) fn map<F: FilterFile>(
    path: &Path,
    check: bool,
    options: LoadOptions,
) -> Result<(F::With<Map>, FileInfo, PathBuf), ReadError> {
    expect_file(path)?;
    let path = std::path::absolute(path)?;
    let file = File::open(&path)?;
    // SAFETY: the documentation of what opens files in Python asks that nobody write to the file or
    // shorten it, as every mapping of a file must; `save` replaces files by renaming, which leaves
    // the mapped one.
    let map = unsafe { Mmap::map(&file) }?;
    let info = FileInfo::of(&map)?;
    let check = check || info.hashed_by == HashedBy::Key;
    let options = if check { options } else { options.unchecked_payload() };
    Ok((options.view_shared::<F, _>(Arc::new(map))?, info, path))
}

/// How a file is written. Whether it tells its seed or secret key is as the caller says, but what
/// comes from a file that withholds it goes into none that tells it.
pub(crate) fn saving(withheld: bool, secret: Option<bool>) -> PyResult<SaveOptions> {
    match (withheld, secret) {
        (true, Some(true)) => Err(PyValueError::new_err(
            "secret=True: the seed or secret key was left out of the file that this was loaded \
             from, and is in no file made of it: leave secret=True out, and give the secret to \
             whoever loads the new one",
        )),
        (withheld, secret) => Ok(match secret.unwrap_or(!withheld) {
            true => SaveOptions::new(),
            false => SaveOptions::new().without_secret(),
        }),
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
