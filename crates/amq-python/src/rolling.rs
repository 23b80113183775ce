//! Filters of the last generations of a stream.

use crate::data::of_data;
use crate::error::{OrRaise, of_file};
use crate::file::{FilePath, expect_file};
use crate::filter::Filter;
use crate::hashing::Hashing;
use crate::insert::InsertFilter;
use crate::make::Options;
use crate::number::{Natural, Real};
use crate::plan::kind_named;
use crate::state::Content;
use amq::rolling::Rolling as Generations;
use amq::{
    BlockedBloomFilter, BloomFilter, BuildError, ClearFilter, CuckooFilter, DecodeError,
    EmptyFilter, Filter as _, FilterFile, FilterKind, Goal, InsertFilter as Insert, Part,
    ReadError,
};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::fmt::Debug;
use std::fs;
use std::io;
use std::path::Path;

/// Generations of some kind.
pub(crate) trait AnyGenerations: Insert + ClearFilter + Debug {
    fn advance(&mut self);
    fn generations(&self) -> usize;
    fn advanced(&self) -> u64;
    fn copied(&self) -> Box<dyn AnyGenerations>;
    fn file(&self) -> Result<Vec<u8>, BuildError>;
    fn save(&self, path: &Path) -> io::Result<()>;
}

impl<F> AnyGenerations for Generations<F>
where
    F: Part + Insert + ClearFilter + Clone + Debug + 'static,
{
    fn advance(&mut self) {
        self.advance();
    }

    fn generations(&self) -> usize {
        self.generations()
    }

    fn advanced(&self) -> u64 {
        self.advanced()
    }

    fn copied(&self) -> Box<dyn AnyGenerations> {
        Box::new(self.clone())
    }

    fn file(&self) -> Result<Vec<u8>, BuildError> {
        self.to_bytes()
    }

    fn save(&self, path: &Path) -> io::Result<()> {
        FilterFile::save(self, path)
    }
}

/// A filter of the last generations of a stream, which forgets the oldest one as a whole.
///
/// capacity is the number of keys in all generations together, and fpr the rate of all; a key is
/// remembered for at least generations - 1 whole periods between two calls of advance. kind is that
/// of the generations: BloomFilter, BlockedBloomFilter or CuckooFilter. by_count=True advances
/// whenever the newest generation has its share of the keys.
///
/// >>> import amq
/// >>> seen = amq.Rolling(700_000, 0.001, generations=7)
/// >>> seen.add("event 1")
/// True
/// >>> for _ in range(6):
/// ...     seen.advance()                      # every ten minutes
/// >>> "event 1" in seen
/// True
/// >>> seen.advance()
/// >>> "event 1" in seen
/// False
#[pyclass(frozen, extends = InsertFilter, module = "amq")]
#[derive(Debug)]
pub(crate) struct Rolling;

#[pymethods]
impl Rolling {
    #[new]
    #[pyo3(
        signature = (capacity, fpr=None, *, generations, kind=None, by_count=false, **options),
        text_signature = "(capacity, fpr=0.01, *, generations, kind=BloomFilter, by_count=False, \
                          bits_per_key=None, bytes=None, seed=None)"
    )]
    fn new(
        capacity: Natural,
        fpr: Option<Real>,
        generations: Natural,
        kind: Option<&Bound<'_, PyAny>>,
        by_count: bool,
        options: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<PyClassInitializer<Self>> {
        let (budget, seed) = Options::read(options, |it| Ok((it.budget(fpr)?, it.seed()?)))?;
        let goal = Goal::new(capacity.0, budget);
        let new = match kind.map_or(Ok(FilterKind::Bloom), kind_named)? {
            FilterKind::Bloom => made::<BloomFilter>,
            FilterKind::BlockedBloom => made::<BlockedBloomFilter>,
            FilterKind::Cuckoo => made::<CuckooFilter>,
            other => {
                return Err(PyTypeError::new_err(format!(
                    "generations are of BloomFilter, BlockedBloomFilter or CuckooFilter, and not \
                     {other}"
                )));
            }
        };
        Ok(Self::of(new(goal, generations.0, seed, by_count).raised()?))
    }

    /// Begins a new generation, and forgets the oldest: all of its keys at once.
    fn advance(slf: &Bound<'_, Self>) -> PyResult<()> {
        base(slf).write(slf.py()).generations_mut()?.advance();
        Ok(())
    }

    /// The number of generations.
    #[getter]
    fn generations(slf: &Bound<'_, Self>) -> PyResult<usize> {
        Ok(base(slf).read(slf.py()).generations()?.generations())
    }

    /// How often it has advanced.
    #[getter]
    fn advanced(slf: &Bound<'_, Self>) -> PyResult<u64> {
        Ok(base(slf).read(slf.py()).generations()?.advanced())
    }

    /// Loads a rolling filter from a file that holds nothing else.
    #[staticmethod]
    pub(crate) fn load(py: Python<'_>, path: FilePath) -> PyResult<Bound<'_, PyAny>> {
        let read = py.detach(|| {
            expect_file(&path.0)?;
            read(&fs::read(&path.0)?).map_err(ReadError::Decode)
        });
        instance(py, read.map_err(|error| of_file(error, &path.0))?)
    }

    /// The rolling filter in these bytes.
    #[staticmethod]
    pub(crate) fn from_bytes<'py>(data: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let py = data.py();
        of_data(data, |bytes| instance(py, py.detach(|| read(bytes)).raised()?))
    }
}

impl Rolling {
    fn of(generations: Box<dyn AnyGenerations>) -> PyClassInitializer<Self> {
        let hashing = Hashing::Seed(generations.seed());
        PyClassInitializer::from(Filter::new(hashing, Content::Rolling(generations)))
            .add_subclass(InsertFilter)
            .add_subclass(Self)
    }
}

fn base<'a>(slf: &'a Bound<'_, Rolling>) -> &'a Filter {
    slf.as_super().as_super().get()
}

/// The rolling filter as an object.
pub(crate) fn instance<'py>(
    py: Python<'py>,
    generations: Box<dyn AnyGenerations>,
) -> PyResult<Bound<'py, PyAny>> {
    Ok(Bound::new(py, Rolling::of(generations))?.into_any())
}

/// The rolling filter in these bytes, of whatever kind.
fn read(bytes: &[u8]) -> Result<Box<dyn AnyGenerations>, DecodeError> {
    let of_other_kind = |error: &DecodeError| matches!(error, DecodeError::WrongKind { found, .. } if *found != FilterKind::Rolling);
    match read_as::<BloomFilter>(bytes) {
        Err(error) if of_other_kind(&error) => match read_as::<BlockedBloomFilter>(bytes) {
            Err(error) if of_other_kind(&error) => read_as::<CuckooFilter>(bytes),
            read => read,
        },
        read => read,
    }
}

fn read_as<F>(bytes: &[u8]) -> Result<Box<dyn AnyGenerations>, DecodeError>
where
    F: Part + Insert + ClearFilter + Clone + Debug + 'static,
{
    Ok(Box::new(Generations::<F>::from_bytes(bytes)?))
}

fn made<F>(
    goal: Goal,
    generations: u64,
    seed: u64,
    by_count: bool,
) -> Result<Box<dyn AnyGenerations>, BuildError>
where
    F: Part + EmptyFilter + Clone + Debug + 'static,
{
    let generations = usize::try_from(generations).unwrap_or(usize::MAX);
    let made = Generations::<F>::with_seed(goal, generations, seed)?;
    Ok(Box::new(if by_count { made.by_count() } else { made }))
}

/// What a rolling filter is not.
pub(crate) fn no_single_filter() -> PyErr {
    PyValueError::new_err(
        "generations are not merged, compared or folded, and are saved with their seed: keep a \
         filter for each period for that",
    )
}
