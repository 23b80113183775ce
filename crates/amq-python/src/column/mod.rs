//! Arrays of keys, read where they lie.

mod arrow;
mod block;
mod buffer;
mod capsule;
mod elements;
mod import;
mod spent;
mod stream;

use self::block::{Block, blocks};
pub(crate) use self::elements::{Elements, is_of_objects};
use self::spent::Spent;
use self::stream::Stream;
use crate::hashing::Hashing;
use crate::interrupts::Patience;
use crate::key::Under;
use arrow_array::ArrayRef;
use pyo3::prelude::*;

/// An array in pieces.
pub(crate) enum Column {
    Buffer(buffer::Items),
    Arrow(ArrayRef),
    Stream(Stream),
}

impl Column {
    /// The array that this object is, if it is one.
    pub(crate) fn of(object: &Bound<'_, PyAny>) -> PyResult<Option<Self>> {
        if elements::is_list(object) {
            return Ok(None);
        }
        capsule::expect_collected(object)?;
        capsule::expect_values(object)?;
        if let Some(column) = Self::of_arrow(object)? {
            return Ok(Some(column));
        }
        match capsule::made(object)? {
            Some(made) => Self::of_arrow(&made),
            None => Ok(buffer::Items::of(object)?.map(Self::Buffer)),
        }
    }

    fn of_arrow(object: &Bound<'_, PyAny>) -> PyResult<Option<Self>> {
        if let Some(array) = capsule::array(object)? {
            return Ok(Some(Self::Arrow(array)));
        }
        Ok(capsule::stream(object)?.map(Self::Stream))
    }

    /// Calls `each` with hashes and which of them are keys and no nulls, block by block. To be
    /// called without the interpreter, which a stream may take for itself; the column is lent, so
    /// that it is freed with the interpreter.
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
        let patience = &mut Patience::new();
        match self {
            Self::Buffer(items) => {
                blocks(&items.fill(under), items.len(), None, items.given(), patience, each)
            }
            Self::Arrow(array) => arrow::hashed(array, under, patience, each),
            Self::Stream(stream) => {
                let mut spent = Spent::default();
                while let Some(array) = stream.next()? {
                    let hashed = arrow::hashed(&array, under, patience, each);
                    spent.push(array);
                    hashed?;
                    patience.hear()?;
                }
                Ok(())
            }
        }
    }
}
