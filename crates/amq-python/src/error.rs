//! Errors of the library as exceptions, with their own texts; or in the words of Python, where
//! these name types and methods.

use amq::bloom::FoldError;
use amq::{
    AnyError, BatchInsertError, BuildError, DecodeError, FilterKind, InsertError, MergeError,
    PlanError, ReadError, TruncateError, UnevenHashes, Unsupported,
};
use pyo3::PyErrArguments;
use pyo3::exceptions::{
    PyException, PyMemoryError, PyOSError, PyTypeError, PyUserWarning, PyValueError,
};
use pyo3::prelude::*;
use std::io;
use std::path::Path;

/// The exceptions, under the names that Python has for them.
mod raised {
    use super::{PyException, PyTypeError, PyUserWarning, PyValueError};
    use pyo3::create_exception;

    create_exception!(
        amq,
        Full,
        PyException,
        "The filter has no place for the key: it is full. inserted is how many of the call's keys \
         are in, the first ones."
    );
    create_exception!(
        amq,
        DecodeError,
        PyValueError,
        "The bytes are not a filter, or not an undamaged one."
    );
    create_exception!(
        amq,
        Unsupported,
        PyTypeError,
        "This kind of filter cannot do that. The text names the kinds that can."
    );
    create_exception!(
        amq,
        OverfullWarning,
        PyUserWarning,
        "A filter holds more keys than planned, and errs more often than promised. Where warnings are \
         errors, inserted is how many of the call's keys are in, the first ones."
    );
}

pub(crate) use raised::{DecodeError as NotDecoded, OverfullWarning};

/// Adds the exceptions to the module.
pub(crate) fn add_to(module: &Bound<'_, PyModule>) -> PyResult<()> {
    let py = module.py();
    let (full, overfull) = (py.get_type::<raised::Full>(), py.get_type::<OverfullWarning>());
    full.setattr("inserted", 0)?;
    overfull.setattr("inserted", 0)?;
    module.add("Full", full)?;
    module.add("DecodeError", py.get_type::<raised::DecodeError>())?;
    module.add("Unsupported", py.get_type::<raised::Unsupported>())?;
    module.add("OverfullWarning", overfull)
}

/// The exception for an error of the library.
pub(crate) trait Raise {
    fn raise(self) -> PyErr;
}

/// As in `result.raised()?`.
pub(crate) trait OrRaise<T> {
    fn raised(self) -> PyResult<T>;
}

impl<T, E: Raise> OrRaise<T> for Result<T, E> {
    #[inline]
    fn raised(self) -> PyResult<T> {
        self.map_err(Raise::raise)
    }
}

/// What is an error of a filter of any kind, too.
macro_rules! raise_as_any {
    ($($error:ty)*) => {
        $(impl Raise for $error {
            fn raise(self) -> PyErr {
                AnyError::from(self).raise()
            }
        })*
    };
}

raise_as_any!(
    BatchInsertError BuildError DecodeError InsertError MergeError PlanError Unsupported
);

/// With the text of what the error is part of, and the number of keys that are in.
fn refused(error: InsertError, text: String, inserted: u64) -> PyErr {
    match error {
        InsertError::OutOfMemory { .. } => PyMemoryError::new_err(text),
        _ => raised::Full::new_err(Refusal { text, inserted }),
    }
}

/// What a call says that inserted some of its keys.
fn of_call(error: BatchInsertError) -> String {
    let BatchInsertError { done, error, .. } = error;
    match done {
        0 => error.to_string(),
        1 => format!("the first key of the call is in, the next one was refused: {error}"),
        done => {
            format!("the first {done} keys of the call are in, the next one was refused: {error}")
        }
    }
}

/// What the exception is made of, once the interpreter is there.
struct Refusal {
    text: String,
    inserted: u64,
}

impl PyErrArguments for Refusal {
    /// The exception itself: Python takes that, too.
    fn arguments(self, py: Python<'_>) -> Py<PyAny> {
        let made = || {
            let error = py.get_type::<raised::Full>().call1((&self.text,))?;
            error.setattr("inserted", self.inserted)?;
            Ok(error)
        };
        made()
            .unwrap_or_else(|error: PyErr| error.into_value(py).into_bound(py).into_any())
            .unbind()
    }
}

impl Raise for FoldError {
    fn raise(self) -> PyErr {
        match self {
            Self::OutOfMemory { .. } => PyMemoryError::new_err(self.to_string()),
            other => PyValueError::new_err(other.to_string()),
        }
    }
}

impl Raise for AnyError {
    fn raise(self) -> PyErr {
        let text = self.to_string();
        match self {
            Self::Unsupported(_) => raised::Unsupported::new_err(text),
            Self::Decode(error) => not_decoded(error, ""),
            Self::Batch(error) => refused(error.error, of_call(error), error.done),
            Self::Insert(error) | Self::Merge(MergeError::Insert(error)) => refused(error, text, 0),
            Self::Build(BuildError::Insert(error)) => refused(error.error, text, 0),
            Self::Build(BuildError::Uneven(error)) => uneven(error),
            Self::Build(BuildError::OutOfMemory { .. }) => PyMemoryError::new_err(text),
            _ => PyValueError::new_err(text),
        }
    }
}

impl Raise for TruncateError {
    fn raise(self) -> PyErr {
        match self {
            Self::OutOfMemory { .. } => PyMemoryError::new_err(self.to_string()),
            Self::Kind { .. } => raised::Unsupported::new_err(self.to_string()),
            _ => PyValueError::new_err(self.to_string()),
        }
    }
}

/// What is wrong with the bytes of this file.
fn not_decoded(error: DecodeError, file: &str) -> PyErr {
    let of_class = match error {
        DecodeError::OutOfMemory { .. } => PyMemoryError::new_err,
        _ => NotDecoded::new_err,
    };
    of_class(format!("{file}{}", decode_text(error)))
}

/// What went wrong with the file of this path.
pub(crate) fn of_file(error: ReadError, path: &Path) -> PyErr {
    match error {
        ReadError::Io(error) => of_system(&error, path),
        ReadError::Decode(DecodeError::Budget(error)) => error.raise(),
        ReadError::Decode(error) => not_decoded(error, &format!("{}: ", path.display())),
        other => PyValueError::new_err(other.to_string()),
    }
}

/// As `open` raises it: with the number, which decides on the class, the text and the path.
pub(crate) fn of_system(error: &io::Error, path: &Path) -> PyErr {
    match error.raw_os_error() {
        Some(number) => {
            let text = error.to_string();
            let said = text.split(" (os error").next().unwrap_or_default().to_owned();
            PyOSError::new_err((number, said, path.as_os_str().to_owned()))
        }
        None => PyOSError::new_err(format!("{}: {error}", path.display())),
    }
}

/// What is wrong with some bytes, or with what was given beside them.
fn decode_text(error: DecodeError) -> String {
    let text = match error {
        DecodeError::Prehashed => {
            "the file's keys were hashed by the program that made it: load it with hash_func, the \
             function that it hashed them by"
        }
        DecodeError::Keyed => "the file's keys are hashed under a secret key: give it, as key=",
        DecodeError::NotKeyed => {
            "the file's keys are hashed under a seed, and not under a secret key: leave key= out"
        }
        DecodeError::SeedWithheld => "the file omits its seed: give it, as seed=",
        DecodeError::KeyWithheld => {
            "the file omits the secret key that its keys are hashed under: give it, as key="
        }
        DecodeError::OtherSeed => {
            "the seed given is not the one that the file's keys were hashed with: give that one, or \
             find the file that belongs to this seed. A file that stores its seed is read without"
        }
        DecodeError::UnsupportedKind { found: FilterKind::RibbonMap } => {
            "the file holds a map, which gives every key a value and denies none: amq.load reads it"
        }
        DecodeError::UnsupportedKind { found: FilterKind::Rolling } => {
            "the file holds a rolling filter: amq.load reads it"
        }
        DecodeError::UnsupportedKind { found: FilterKind::Interleaved } => {
            "the file holds bins, of which a lookup tells those that may hold a key: amq.load reads \
             it, and amq.InterleavedBloomFilter.view maps it"
        }
        DecodeError::UnsupportedKind { found } => {
            return format!(
                "the file holds a {found} filter, which is not read in Python: the command amq and \
                 the library in Rust do"
            );
        }
        DecodeError::OutOfMemory { bytes } => {
            return format!("no memory for {bytes} bytes: free some, or let amq.open map the file");
        }
        other => return other.to_string(),
    };
    text.to_owned()
}

/// What it is called in Python, and the way out there.
pub(crate) fn uneven(error: UnevenHashes) -> PyErr {
    PyValueError::new_err(format!(
        "{} different hashes of hash_func agree in their highest 16 bits, {:#06x}, and a filter \
         needs integers that are evenly distributed over all 64 bits: use a 64-bit hash, such as \
         XXH3, or leave hash_func out and insert the weak hash as a key, which the filter hashes \
         once more: add(crc32(key))",
        error.hashes, error.highest
    ))
}
