//! Keys of Python as the library encodes them: the same bits as in Rust.

use crate::data::{expect_room, reserve};
use crate::encoding::Given;
use crate::number;
use crate::repr::{class_of, shown};
use amq::{Key, KeyHash, SipKey};
use pyo3::exceptions::{PyTypeError, PyUnicodeEncodeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyByteArray, PyBytes, PyInt, PyMemoryView, PyString, PyTuple};

/// What a key is hashed under.
pub(crate) trait Under: Copy + Send + Sync + 'static {
    fn hash<K: Key + ?Sized>(self, key: &K) -> KeyHash;
}

/// A seed.
impl Under for u64 {
    #[inline]
    fn hash<K: Key + ?Sized>(self, key: &K) -> KeyHash {
        key.key_hash(self)
    }
}

impl Under for SipKey {
    #[inline]
    fn hash<K: Key + ?Sized>(self, key: &K) -> KeyHash {
        key.key_hash_under(&self)
    }
}

/// The hash of a key, and what it was given as.
#[inline]
pub(crate) fn hashed(key: &Bound<'_, PyAny>, under: impl Under) -> PyResult<(KeyHash, Given)> {
    match common(key, under) {
        Some(hashed) => Ok(hashed),
        None => other(key, under),
    }
}

/// The hash of a key of the common types: of exactly these, which is a comparison of pointers.
#[inline(always)]
pub(crate) fn common(key: &Bound<'_, PyAny>, under: impl Under) -> Option<(KeyHash, Given)> {
    if let Ok(number) = key.cast_exact::<PyInt>() {
        return Some((under.hash(&number::short(number)?), Given::INTEGERS));
    }
    if let Ok(text) = key.cast_exact::<PyString>() {
        return Some((under.hash(text.to_str().ok()?), Given::TEXT));
    }
    if let Ok(bytes) = key.cast_exact::<PyBytes>() {
        return Some((under.hash(bytes.as_bytes()), Given::BYTES));
    }
    None
}

/// The rarer keys, and what is none.
#[cold]
fn other(key: &Bound<'_, PyAny>, under: impl Under) -> PyResult<(KeyHash, Given)> {
    if key.is_instance_of::<PyTuple>() {
        let mut encoded = Vec::with_capacity(64);
        encode(key, &mut encoded, 0)?;
        return Ok((under.hash(encoded.as_slice()), Given::OTHERS));
    }
    with_bytes(key, |bytes, given| Ok((under.hash(bytes), given)))
}

/// Calls `take` with the bytes of a key that is no tuple, and what it was given as.
fn with_bytes<T>(
    key: &Bound<'_, PyAny>,
    take: impl FnOnce(&[u8], Given) -> PyResult<T>,
) -> PyResult<T> {
    // Bools are integers, here as there.
    if let Ok(number) = key.cast::<PyInt>() {
        return with_integer(number, take);
    }
    if let Some(number) = number::index(key)? {
        return with_integer(&number, take);
    }
    if let Ok(text) = key.cast::<PyString>() {
        return take(utf8(text)?.as_bytes(), Given::TEXT);
    }
    if let Ok(bytes) = key.cast::<PyBytes>() {
        return take(bytes.as_bytes(), Given::BYTES);
    }
    // Bytes that can change meanwhile are copied.
    if let Ok(bytes) = key.cast::<PyByteArray>() {
        expect_room(bytes.len() as u64)?;
        return take(&bytes.to_vec(), Given::BYTES);
    }
    if key.is_instance_of::<PyMemoryView>() {
        let bytes = key.call_method0("tobytes")?;
        return take(bytes.cast::<PyBytes>()?.as_bytes(), Given::BYTES);
    }
    // numpy.bool, which is no integer.
    if let Ok(truth) = key.extract::<bool>() {
        return take(&u64::from(truth).to_le_bytes(), Given::INTEGERS);
    }
    let text: String = shown(key)?.chars().take(100).collect();
    Err(PyTypeError::new_err(format!(
        "{} {text} is no key: keys are str, bytes, int, bool and tuples of them. Leave it out, or \
         give an integer or a text for it: of a time decide on a unit and a time zone, of a float \
         what -0.0 and nan are. With hash_func, you hash any object yourself",
        class_of(key)?
    )))
}

/// The same of an integer: 8 bytes, to which signed ones are sign-extended, or 16.
fn with_integer<T>(
    number: &Bound<'_, PyInt>,
    take: impl FnOnce(&[u8], Given) -> PyResult<T>,
) -> PyResult<T> {
    if let Some(number) = number::short(number) {
        return take(&number.to_le_bytes(), Given::INTEGERS);
    }
    // pyo3 shifts it, which a subclass may do as it likes.
    let exact = number.py().get_type::<PyInt>().call_method1("__pos__", (number,))?;
    let bytes = match (exact.extract::<u128>(), exact.extract::<i128>()) {
        (Ok(number), _) => number.to_le_bytes(),
        (_, Ok(number)) => number.to_le_bytes(),
        _ => {
            return Err(PyValueError::new_err(
                "an integer below -2**127 or from 2**128 on is no key: take its digits, str(key), \
                 or its bytes",
            ));
        }
    };
    take(&bytes, Given::OTHERS)
}

/// The UTF-8 of a text; one with half of a surrogate pair has none.
fn utf8<'a>(text: &'a Bound<'_, PyString>) -> PyResult<&'a str> {
    let py = text.py();
    text.to_str().inspect_err(|error| {
        if error.is_instance_of::<PyUnicodeEncodeError>(py) {
            let reason = "surrogates have no UTF-8: take os.fsencode(key) if it is the name of a \
                          file, or else key.encode('utf-8', 'surrogatepass')";
            // Without it, the error says what is wrong all the same.
            let _ = error.value(py).setattr("reason", reason);
        }
    })
}

/// Tuples within tuples, and no deeper.
const MAX_DEPTH: usize = 64;

/// Bytes of an encoded tuple. A few tuples, each of which has the one before twice, come to more
/// than any memory.
const MAX_BYTES: usize = 1 << 28;

/// Appends a key's encoding as part of a larger one: see `amq::Key`.
fn encode(key: &Bound<'_, PyAny>, to: &mut Vec<u8>, depth: usize) -> PyResult<()> {
    if let Ok(parts) = key.cast::<PyTuple>() {
        if parts.is_empty() {
            return Err(PyValueError::new_err("an empty tuple is no key"));
        }
        if depth == MAX_DEPTH {
            let text = format!("a key has more than {MAX_DEPTH} tuples within each other");
            return Err(PyValueError::new_err(text));
        }
        for part in parts.iter_borrowed() {
            encode(&part, to, depth + 1)?;
        }
        return Ok(());
    }
    with_bytes(key, |bytes, given| {
        if given == Given::TEXT || given == Given::BYTES {
            append(&(bytes.len() as u64).to_le_bytes(), to)?;
        }
        append(bytes, to)
    })
}

fn append(bytes: &[u8], to: &mut Vec<u8>) -> PyResult<()> {
    if bytes.len() > MAX_BYTES - to.len() {
        return Err(PyValueError::new_err(format!(
            "the parts of a tuple have more than {MAX_BYTES} bytes in all: take a digest of them, \
             such as that of hashlib"
        )));
    }
    reserve(to, bytes.len())?;
    to.extend_from_slice(bytes);
    Ok(())
}
