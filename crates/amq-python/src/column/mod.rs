//! Arrays of keys, read where they lie.

mod buffer;
mod capsule;
mod elements;
mod import;
mod keys;

pub(crate) use self::elements::{Elements, is_of_objects};
use self::import::columns_of;
use crate::data::len_of;
use crate::hashing::Hashing;
use crate::interrupts::Patience;
use crate::key::Under;
use crate::many::Block;
use crate::repr::class_of;
use amq::KeyHash;
use arrow_array::{Array, ArrayRef};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyTuple;

/// Keys that are hashed before the filter is asked: their hashes stay in the cache.
const BLOCK: usize = 1024;

/// Columns of which each row is one key: the tuple of its parts, as a list of tuples has them.
///
/// Give it where many keys are taken. The columns are arrays (NumPy, Arrow, pandas, polars) of one
/// length; a row with a null is a null. A table of several columns is the same by itself.
///
/// >>> import amq, numpy
/// >>> seen = amq.BloomFilter(1000)
/// >>> seen.update(amq.Columns(numpy.array([1, 1, 2]), numpy.array(["a", "b", "a"])))
/// 3
/// >>> (1, "b") in seen
/// True
#[pyclass(frozen, module = "amq")]
#[derive(Debug)]
pub(crate) struct Columns(Py<PyTuple>);

#[pymethods]
impl Columns {
    #[new]
    #[pyo3(signature = (*columns))]
    fn new(columns: Bound<'_, PyTuple>) -> PyResult<Self> {
        if columns.len() < 2 {
            let text = "a key of several columns has two or more: give one by itself";
            return Err(PyTypeError::new_err(text));
        }
        let mut first = None;
        for column in &columns {
            // A stream has no length: its rows are counted when it is read.
            let Some(len) = len_of(&column)? else { continue };
            if *first.get_or_insert(len) != len {
                return Err(unequal(&format!("{} and {len} rows", first.unwrap_or(0))));
            }
        }
        Ok(Self(columns.unbind()))
    }
}

fn unequal(what: &str) -> PyErr {
    PyValueError::new_err(format!("columns of {what}: a key has a part in each"))
}

/// Columns of keys, or of parts of keys.
pub(crate) struct Column(Vec<Reader>);

/// A column, and how far it was read.
struct Reader {
    /// The next array of a stream, or of pieces of a buffer.
    next: Box<dyn FnMut() -> PyResult<Option<ArrayRef>> + Send>,
    piece: Option<ArrayRef>,
    /// The next row of the piece.
    at: usize,
}

impl Column {
    /// The array that this object is, if it is one.
    pub(crate) fn of(object: &Bound<'_, PyAny>) -> PyResult<Option<Self>> {
        let Ok(columns) = object.cast::<Columns>() else {
            return Ok(Reader::of(object)?.map(|reader| Self(vec![reader])));
        };
        let columns = columns.get().0.bind(object.py()).iter();
        let readers = columns.map(|column| match Reader::of(&column)? {
            Some(reader) => Ok(reader),
            None => Err(PyTypeError::new_err(format!(
                "a column is an array, and no {}: give tuples instead, such as zip(a, b)",
                class_of(&column)?
            ))),
        });
        Ok(Some(Self(readers.collect::<PyResult<_>>()?)))
    }

    /// Calls `each` with the hashes of keys, block by block. To be called without the interpreter,
    /// which a stream may take for itself; the column is lent, so that it is freed with the
    /// interpreter.
    pub(crate) fn hashed(
        &mut self,
        hashing: &Hashing,
        mut each: impl FnMut(&Block<'_>) -> PyResult<()>,
    ) -> PyResult<()> {
        match hashing {
            Hashing::Seed(seed) => self.hashed_under(*seed, &mut each),
            Hashing::Key(key) => self.hashed_under(*key, &mut each),
            Hashing::Caller(_) => Err(elements::no_list()),
        }
    }

    fn hashed_under(
        &mut self,
        under: impl Under,
        each: &mut impl FnMut(&Block<'_>) -> PyResult<()>,
    ) -> PyResult<()> {
        let mut patience = Patience::new();
        loop {
            for reader in &mut self.0 {
                reader.fetch(&mut patience)?;
            }
            let most = self.0.iter().map(Reader::left).max().unwrap_or(0);
            let len = self.0.iter().map(Reader::left).min().unwrap_or(0);
            if len == 0 {
                return if most == 0 { Ok(()) } else { Err(unequal("different lengths")) };
            }
            let rows: Vec<_> = self.0.iter().flat_map(|reader| reader.rows(len)).collect();
            blocks(&rows, len, under, &mut patience, each)?;
            drop(rows);
            for reader in &mut self.0 {
                reader.at += len;
            }
        }
    }
}

/// Calls `each` with blocks of the first `len` rows of all these columns.
fn blocks(
    columns: &[ArrayRef],
    len: usize,
    under: impl Under,
    patience: &mut Patience,
    each: &mut impl FnMut(&Block<'_>) -> PyResult<()>,
) -> PyResult<()> {
    let (fill, given, are_null) = keys::hashed(columns, under);
    let (mut room, mut nulls) = ([KeyHash::new(0); BLOCK], Vec::new());
    for first in (0..len).step_by(BLOCK) {
        patience.hear()?;
        let hashes = &mut room[..BLOCK.min(len - first)];
        fill(first, hashes);
        if let Some(are_null) = &are_null {
            nulls.clear();
            nulls.extend((0..hashes.len()).filter(|row| are_null.is_null(first + row)));
        }
        each(&Block { hashes, given, nulls: &nulls })?;
    }
    Ok(())
}

impl Reader {
    fn of(object: &Bound<'_, PyAny>) -> PyResult<Option<Self>> {
        if elements::is_list(object) {
            return Ok(None);
        }
        capsule::expect_collected(object)?;
        capsule::expect_values(object)?;
        // The index of a table of pandas would be exported as a column.
        let object = &elements::without_index(object)?;
        if let Some(reader) = Self::of_arrow(object)? {
            return Ok(Some(reader));
        }
        match capsule::made(object)? {
            Some(made) => Self::of_arrow(&made),
            None => {
                let items = buffer::Items::of(object)?;
                Ok(items.map(|mut items| Self::new(None, move || items.next())))
            }
        }
    }

    fn of_arrow(object: &Bound<'_, PyAny>) -> PyResult<Option<Self>> {
        if let Some(array) = capsule::array(object)? {
            return Ok(Some(Self::new(Some(array), || Ok(None))));
        }
        Ok(capsule::stream(object)?.map(|mut stream| Self::new(None, move || stream.next())))
    }

    fn new(
        piece: Option<ArrayRef>,
        next: impl FnMut() -> PyResult<Option<ArrayRef>> + Send + 'static,
    ) -> Self {
        Self { next: Box::new(next), piece, at: 0 }
    }

    /// Rows that can be read before the next are fetched.
    fn left(&self) -> usize {
        self.piece.as_ref().map_or(0, |piece| piece.len() - self.at)
    }

    /// Makes sure that there are rows, unless that were all.
    fn fetch(&mut self, patience: &mut Patience) -> PyResult<()> {
        while self.left() == 0 {
            patience.hear()?;
            let Some(next) = (self.next)()? else { break };
            (self.piece, self.at) = (Some(next), 0);
        }
        Ok(())
    }

    /// The next rows: of a table, of each of its columns.
    fn rows(&self, len: usize) -> Vec<ArrayRef> {
        let piece = self.piece.as_ref();
        piece.map(|piece| columns_of(&piece.slice(self.at, len))).unwrap_or_default()
    }
}
