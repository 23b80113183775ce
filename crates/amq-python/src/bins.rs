//! Many sets at once: which of them may hold a key.

use crate::answers;
use crate::data::{reserve, to_object, zeroed};
use crate::error::{OrRaise, Raise, of_file, of_system};
use crate::file::{self, FilePath, Map, decode_seeded, expect_pickled, load_seeded, saving};
use crate::guard::{Both, Guarded};
use crate::hashing::Hashing;
use crate::interrupts::{apart, now_and_then};
use crate::key;
use crate::make::Options;
use crate::many::{Many, Nulls, PIECE, all};
use crate::number::{Natural, Real};
use crate::repr::shown;
use amq::{BinError, FilterFile, Goal, InterleavedBloomFilter, KeyHash};
use pyo3::exceptions::{PyIndexError, PyKeyError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyMapping, PyString, PyTuple};
use std::collections::{HashMap, HashSet};
use std::iter;
use std::path::PathBuf;
use std::sync::OnceLock;

/// Cells of a matrix that are filled before Ctrl-C is heard again.
const CELLS: usize = 1 << 22;

/// Words of answers that are kept at a time: they stay in the cache.
const WORDS: usize = 1 << 14;

/// Many sets of keys, the bins, of which one lookup tells which may hold a key: files, days,
/// tenants. A bin that holds it is always among them; another one is with the rate fpr.
///
/// The first argument is the number of bins, or their names. capacity is the number of keys of the
/// largest bin, and the rate or size that of one bin: one of fpr (0.01), bits_per_key and bytes.
///
/// >>> from amq import InterleavedBloomFilter
/// >>> days = InterleavedBloomFilter(["monday", "tuesday"], 1000, 0.001)
/// >>> days.update("monday", ["ann", "bob"]), days.insert("tuesday", "bob")
/// (2, True)
/// >>> days.bins("bob")
/// ['monday', 'tuesday']
#[pyclass(frozen, name = "InterleavedBloomFilter", module = "amq")]
#[derive(Debug)]
pub(crate) struct Interleaved {
    state: Guarded<State>,
    seed: u64,
    /// Whether the seed was left out of its file.
    withheld: bool,
    /// The file that it was opened in.
    path: Option<PathBuf>,
}

/// Nothing of Python runs while its lock is held.
#[derive(Debug)]
struct State {
    content: Content,
    /// The bin of each name, once one was asked for; `None` if several bins have it.
    numbers: OnceLock<HashMap<String, Option<usize>>>,
}

#[derive(Debug)]
enum Content {
    Own(InterleavedBloomFilter),
    /// In a file that is mapped.
    View(InterleavedBloomFilter<Map>),
}

/// Asks the filter, wherever it is.
macro_rules! ask {
    ($content:expr, $filter:ident => $answer:expr) => {
        match $content {
            Content::Own($filter) => $answer,
            Content::View($filter) => $answer,
        }
    };
}

/// A bin as an answer names it.
#[derive(IntoPyObject)]
enum Label {
    Name(String),
    Number(usize),
}

impl Raise for BinError {
    fn raise(self) -> PyErr {
        match self {
            Self::Build(error) => error.raise(),
            Self::NoSuchBin { .. } => PyIndexError::new_err(self.to_string()),
            _ => PyValueError::new_err(self.to_string()),
        }
    }
}

impl State {
    fn bins(&self) -> usize {
        usize::try_from(ask!(&self.content, it => it.bin_count())).unwrap_or(usize::MAX)
    }

    fn name(&self, bin: usize) -> &str {
        ask!(&self.content, it => it.name(bin))
    }

    /// The bins whose bits are set, by name or number.
    fn labels(&self, words: &[u64]) -> Vec<Label> {
        let bins = ones(words).take_while(|&bin| bin < self.bins());
        bins.map(|bin| match self.name(bin) {
            "" => Label::Number(bin),
            name => Label::Name(name.to_owned()),
        })
        .collect()
    }

    fn numbers(&self) -> &HashMap<String, Option<usize>> {
        self.numbers.get_or_init(|| {
            let mut numbers = HashMap::new();
            for bin in 0..self.bins() {
                let name = self.name(bin);
                if !name.is_empty() {
                    let number = numbers.entry(name.to_owned());
                    number.and_modify(|number| *number = None).or_insert(Some(bin));
                }
            }
            numbers
        })
    }

    fn own(&mut self) -> PyResult<&mut InterleavedBloomFilter> {
        match &mut self.content {
            Content::Own(filter) => Ok(filter),
            Content::View(_) => Err(PyTypeError::new_err(
                "the filter was opened in its file, and cannot be changed: amq.load reads it",
            )),
        }
    }
}

impl Interleaved {
    fn of(content: Content, withheld: bool, path: Option<PathBuf>) -> Self {
        let seed = ask!(&content, it => it.seed());
        let state = Guarded::new(State { content, numbers: OnceLock::new() });
        Self { state, seed, withheld, path }
    }

    fn new(mut filter: InterleavedBloomFilter, names: Option<Vec<String>>) -> PyResult<Self> {
        if let Some(names) = names {
            filter.set_names(names).raised()?;
        }
        Ok(Self::of(Content::Own(filter), false, None))
    }

    /// The number of a bin that is given by number or name.
    fn number(&self, bin: &Bound<'_, PyAny>) -> PyResult<usize> {
        let py = bin.py();
        if let Ok(name) = bin.cast::<PyString>() {
            let text = name.to_str()?;
            let found = self.state.read(py).numbers().get(text).copied();
            return match found {
                Some(Some(number)) => Ok(number),
                Some(None) => {
                    let text = format!("several bins are named {}: give a number", shown(bin)?);
                    Err(PyValueError::new_err(text))
                }
                None => Err(PyKeyError::new_err(text.to_owned())),
            };
        }
        let number = usize::try_from(bin.extract::<Natural>()?.0).unwrap_or(usize::MAX);
        let bins = self.state.read(py).bins();
        match number < bins {
            true => Ok(number),
            false => Err(BinError::NoSuchBin { bin: number, bins: bins as u64 }).raised(),
        }
    }

    /// The words of an answer.
    fn words(&self, py: Python<'_>) -> usize {
        ask!(&self.state.read(py).content, it => it.words())
    }

    /// Passes the answer for each of these keys to a function.
    fn each(
        &self,
        py: Python<'_>,
        hashes: &[KeyHash],
        mut take: impl FnMut(&[u64]) + Send,
    ) -> PyResult<()> {
        let (words, shared) = (self.words(py), self.state.shared(py));
        for hashes in hashes.chunks((CELLS / 64 / words).clamp(1, PIECE)) {
            py.check_signals()?;
            py.detach(|| {
                let state = shared.read();
                // Someone may have added bins.
                let words = ask!(&state.content, it => it.words());
                for hashes in hashes.chunks((WORDS / words).max(1)) {
                    let mut answers = zeroed(words * hashes.len())?;
                    ask!(&state.content, it => it.bins_batch(hashes, &mut answers))
                        .map_err(|error| PyValueError::new_err(error.to_string()))?;
                    answers.chunks(words).for_each(&mut take);
                }
                PyResult::Ok(())
            })?;
        }
        Ok(())
    }
}

#[pymethods]
impl Interleaved {
    /// The name of the kind, as in files.
    #[classattr]
    fn kind() -> &'static str {
        amq::FilterKind::Interleaved.id()
    }

    #[new]
    #[pyo3(
        signature = (bins, capacity, fpr=None, **options),
        text_signature = "(bins, capacity, fpr=0.01, *, bits_per_key=None, bytes=None, seed=None)"
    )]
    fn empty(
        bins: &Bound<'_, PyAny>,
        capacity: Natural,
        fpr: Option<Real>,
        options: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Self> {
        let (budget, seed) = Options::read(options, |it| Ok((it.budget(fpr)?, it.seed()?)))?;
        let goal = Goal::new(capacity.0, budget);
        let names = match bins.is_instance_of::<PyString>() || bins.try_iter().is_err() {
            true => None,
            false => Some(names_of(bins)?),
        };
        let bins = match &names {
            Some(names) => names.len() as u64,
            None => bins.extract::<Natural>()?.0,
        };
        Self::new(InterleavedBloomFilter::with_seed(bins, goal, seed).raised()?, names)
    }

    /// A filter with a bin for each of these sets of keys: a dict from names to keys, or any
    /// iterable of sets without names. Keys are as in update. Several times faster than bin by bin.
    ///
    /// The largest set counts for the size of each bin. Keeps eight bytes a key until the filter is
    /// made.
    ///
    /// >>> from amq import InterleavedBloomFilter
    /// >>> InterleavedBloomFilter.build([["ann", "bob"], ["bob"], []], 0.001).bins("bob")
    /// [0, 1]
    #[staticmethod]
    #[pyo3(
        signature = (sets, fpr=None, **options),
        text_signature = "(sets, fpr=0.01, *, bits_per_key=None, bytes=None, seed=None)"
    )]
    fn build(
        sets: &Bound<'_, PyAny>,
        fpr: Option<Real>,
        options: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Self> {
        let (budget, seed) = Options::read(options, |it| Ok((it.budget(fpr)?, it.seed()?)))?;
        let (names, sets) = match sets.cast::<PyMapping>() {
            Ok(named) => (Some(names_of(named.keys()?.as_any())?), named.values()?.into_any()),
            Err(_) => (None, sets.clone()),
        };
        let (mut hashes, mut keys) = (Vec::new(), 0);
        for set in sets.try_iter()? {
            let (of_set, _) = all(&set?, &Hashing::Seed(seed), Nulls::LeftOut)?;
            keys += of_set.len();
            reserve(&mut hashes, 1)?;
            hashes.push(of_set);
        }
        let build = move || InterleavedBloomFilter::build_hashes(budget, seed, &hashes);
        Self::new(apart(sets.py(), keys, build)?.raised()?, names)
    }

    /// Inserts a key into a bin, given by number or name, and tells whether it is new.
    #[pyo3(signature = (bin, key, /))]
    fn insert(&self, bin: &Bound<'_, PyAny>, key: &Bound<'_, PyAny>) -> PyResult<bool> {
        let number = self.number(bin)?;
        let (hash, _) = key::hashed(key, self.seed)?;
        let inserted = self.state.write(key.py()).own()?.insert_hash(number, hash).raised()?;
        Ok(inserted.is_new())
    }

    /// Inserts many keys into a bin, an array or any iterable, and returns how many were new. Nulls
    /// of Arrow are left out. If one of them is no key, none is inserted.
    #[pyo3(signature = (bin, keys, /))]
    fn update(&self, bin: &Bound<'_, PyAny>, keys: &Bound<'_, PyAny>) -> PyResult<u64> {
        let (py, number) = (keys.py(), self.number(bin)?);
        self.state.write(py).own()?;
        let (hashes, _) = all(keys, &Hashing::Seed(self.seed), Nulls::LeftOut)?;
        let (mut new, shared) = (0, self.state.shared(py));
        for hashes in hashes.chunks(PIECE) {
            py.check_signals()?;
            new += py.detach(|| shared.write().own()?.insert_batch(number, hashes).raised())?;
        }
        Ok(new)
    }

    /// The bins that may hold a key, in order: each by its name, or by its number if it has none.
    #[pyo3(signature = (key, /))]
    fn bins(&self, key: &Bound<'_, PyAny>) -> PyResult<Vec<Label>> {
        let (hash, _) = key::hashed(key, self.seed)?;
        let state = self.state.read(key.py());
        Ok(state.labels(ask!(&state.content, it => it.bins_hash(hash)).words()))
    }

    /// The bins that may hold every one of these keys; all bins if there are no keys.
    ///
    /// >>> from amq import InterleavedBloomFilter
    /// >>> days = InterleavedBloomFilter.build({"mon": [1, 2], "tue": [2, 3]}, 0.001)
    /// >>> days.bins_of_all([2, 3])
    /// ['tue']
    #[pyo3(signature = (keys, /))]
    fn bins_of_all(&self, keys: &Bound<'_, PyAny>) -> PyResult<Vec<Label>> {
        let (hashes, _) = all(keys, &Hashing::Seed(self.seed), Nulls::LeftOut)?;
        let mut common = zeroed(self.words(keys.py()))?;
        common.fill(u64::MAX);
        self.each(keys.py(), &hashes, |answer| {
            common.iter_mut().zip(answer).for_each(|(all, word)| *all &= word);
        })?;
        Ok(self.state.read(keys.py()).labels(&common))
    }

    /// The bins that may hold at least `threshold` of these keys, such as the k-mers of a sequence.
    /// A key that comes twice counts twice.
    ///
    /// >>> from amq import InterleavedBloomFilter
    /// >>> days = InterleavedBloomFilter.build({"mon": [1, 2], "tue": [2, 3]}, 0.001)
    /// >>> days.at_least([1, 2, 4], 2)
    /// ['mon']
    #[pyo3(signature = (keys, threshold, /))]
    fn at_least(&self, keys: &Bound<'_, PyAny>, threshold: Natural) -> PyResult<Vec<Label>> {
        let (hashes, _) = all(keys, &Hashing::Seed(self.seed), Nulls::LeftOut)?;
        let mut bins = zeroed(self.words(keys.py()))?;
        let mut counts: Vec<u64> = zeroed(64 * bins.len())?;
        self.each(keys.py(), &hashes, |answer| {
            let answer = &answer[..bins.len().min(answer.len())];
            ones(answer).for_each(|bin| counts[bin] += 1);
        })?;
        for (bin, &count) in counts.iter().enumerate() {
            bins[bin / 64] |= u64::from(count >= threshold.0) << (bin % 64);
        }
        Ok(self.state.read(keys.py()).labels(&bins))
    }

    /// Which bins may hold each of many keys, an array or any iterable: a matrix of numpy.bool with
    /// a row for each key and a column for each bin, a byte each; or a memoryview where there is no
    /// NumPy. The row of a null is false.
    ///
    /// >>> from amq import InterleavedBloomFilter
    /// >>> days = InterleavedBloomFilter.build([[1, 2], [2, 3]], 0.001)
    /// >>> days.bins_many([1, 2, 9]).tolist()
    /// [[True, False], [True, True], [False, False]]
    #[pyo3(signature = (keys, /))]
    fn bins_many<'py>(&self, keys: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let (py, hashing) = (keys.py(), Hashing::Seed(self.seed));
        let (mut hashes, mut nulls) = (Vec::new(), Vec::new());
        Many::of(keys, &hashing)?.each(&hashing, |block| {
            reserve(&mut nulls, block.nulls.len())?;
            nulls.extend(block.nulls.iter().map(|null| hashes.len() + null));
            reserve(&mut hashes, block.hashes.len())?;
            hashes.extend_from_slice(block.hashes);
            Ok(())
        })?;
        let bins = self.state.read(py).bins();
        let mut matrix: Vec<u8> = zeroed(hashes.len().saturating_mul(bins))?;
        let mut rows = matrix.chunks_mut(bins);
        self.each(py, &hashes, |answer| {
            rows.next().into_iter().for_each(|row| write_row(row, answer));
        })?;
        nulls.iter().for_each(|null| matrix[null * bins..][..bins].fill(0));
        answers::matrix(py, &matrix, hashes.len(), bins)
    }

    /// Adds an empty bin, with a name or none, and returns its number.
    #[pyo3(signature = (name="", /))]
    fn add_bin(&self, py: Python<'_>, name: &str) -> PyResult<usize> {
        let mut state = self.state.write(py);
        if state.numbers().contains_key(name) {
            return Err(named_twice(name));
        }
        let number = state.own()?.add_bin(name).raised()?;
        state.numbers = OnceLock::new();
        Ok(number)
    }

    /// Empties a bin. Its name stays.
    #[pyo3(signature = (bin, /))]
    fn clear_bin(&self, bin: &Bound<'_, PyAny>) -> PyResult<()> {
        let (py, number) = (bin.py(), self.number(bin)?);
        self.state.write(py).own()?.clear_bin(number).raised()
    }

    /// The number of keys in a bin.
    #[pyo3(signature = (bin, /))]
    fn bin_len(&self, bin: &Bound<'_, PyAny>) -> PyResult<u64> {
        let number = self.number(bin)?;
        Ok(ask!(&self.state.read(bin.py()).content, it => it.bin_len(number)))
    }

    /// The names of the bins, in order; "" for one that has none.
    #[getter]
    fn names(&self, py: Python<'_>) -> Vec<String> {
        let state = self.state.read(py);
        (0..state.bins()).map(|bin| state.name(bin).to_owned()).collect()
    }

    /// The number of bins.
    #[getter]
    fn bin_count(&self, py: Python<'_>) -> usize {
        self.state.read(py).bins()
    }

    /// The number of keys that each bin was planned for.
    #[getter]
    fn capacity(&self, py: Python<'_>) -> u64 {
        ask!(&self.state.read(py).content, it => it.capacity())
    }

    /// Bytes of the table.
    #[getter]
    fn size_in_bytes(&self, py: Python<'_>) -> u64 {
        ask!(&self.state.read(py).content, it => it.size_in_bytes())
    }

    /// The number of keys in all bins; a key that is in two of them counts twice.
    fn __len__(&self, py: Python<'_>) -> usize {
        let len = ask!(&self.state.read(py).content, it => it.len());
        usize::try_from(len).unwrap_or(usize::MAX).min(usize::MAX >> 1)
    }

    fn __eq__(slf: &Bound<'_, Self>, other: &Bound<'_, PyAny>) -> PyResult<bool> {
        let Ok(other) = other.cast::<Self>() else { return Ok(false) };
        if slf.is(other) {
            return Ok(true);
        }
        let both = Both::new(slf.py(), &slf.get().state, &other.get().state);
        let equal = |ours: &State, theirs: &State| match (&ours.content, &theirs.content) {
            (Content::Own(ours), Content::Own(theirs)) => Ok(ours == theirs),
            (ours, theirs) => {
                let bytes = |content: &Content| ask!(content, it => it.to_bytes()).raised();
                Ok(bytes(ours)? == bytes(theirs)?)
            }
        };
        slf.py().detach(|| both.read(equal))
    }

    /// Saves the filter in a file; secret=False leaves out its seed, as of a filter.
    #[pyo3(signature = (path, *, secret=None))]
    fn save(&self, py: Python<'_>, path: FilePath, secret: Option<bool>) -> PyResult<()> {
        let options = saving(self.withheld, secret)?;
        let shared = self.state.shared(py);
        let saved = py.detach(|| ask!(&shared.read().content, it => options.save(it, &path.0)));
        saved.map_err(|error| of_system(&error, &path.0))
    }

    /// The filter as the bytes of a file; secret=False as in save.
    #[pyo3(signature = (*, secret=None))]
    fn to_bytes<'py>(
        &self,
        py: Python<'py>,
        secret: Option<bool>,
    ) -> PyResult<Bound<'py, PyBytes>> {
        let options = saving(self.withheld, secret)?;
        let shared = self.state.shared(py);
        let bytes = py.detach(|| ask!(&shared.read().content, it => options.to_bytes(it)));
        to_object(py, &bytes.raised()?)
    }

    /// Loads a filter from a file that holds nothing else.
    #[staticmethod]
    #[pyo3(signature = (path, *, seed=None))]
    pub(crate) fn load(py: Python<'_>, path: FilePath, seed: Option<Natural>) -> PyResult<Self> {
        let (filter, withheld) = load_seeded(py, &path.0, seed)?;
        Ok(Self::of(Content::Own(filter), withheld, None))
    }

    /// The filter in these bytes.
    #[staticmethod]
    #[pyo3(signature = (data, *, seed=None))]
    fn from_bytes(data: &Bound<'_, PyAny>, seed: Option<Natural>) -> PyResult<Self> {
        let (filter, withheld) = decode_seeded(data, seed)?;
        Ok(Self::of(Content::Own(filter), withheld, None))
    }

    /// Opens a filter in its file, which is mapped into memory, as amq.open does. A lookup reads
    /// eight rows of it. The filter cannot be changed.
    ///
    /// check=False checks the header alone. While it is open, nobody may write to the file or
    /// shorten it; save replaces it.
    #[staticmethod]
    #[pyo3(signature = (path, *, check=true, seed=None))]
    fn view(py: Python<'_>, path: FilePath, check: bool, seed: Option<Natural>) -> PyResult<Self> {
        let options = file::seeded(seed);
        let map = || file::map::<InterleavedBloomFilter>(&path.0, check, options);
        let mapped = py.detach(map).map_err(|error| of_file(error, &path.0));
        let (filter, info, path) = mapped?;
        Ok(Self::of(Content::View(filter), info.withheld, Some(path)))
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<(Bound<'py, PyAny>, Py<PyTuple>)> {
        let (py, this) = (slf.py(), slf.get());
        expect_pickled(this.withheld)?;
        let class = slf.get_type();
        match &this.path {
            Some(path) => Ok((class.getattr("view")?, PyTuple::new(py, [path])?.unbind())),
            None => {
                let arguments = (this.to_bytes(py, None)?,).into_pyobject(py)?;
                Ok((class.getattr("from_bytes")?, arguments.unbind()))
            }
        }
    }

    fn __repr__(&self, py: Python<'_>) -> String {
        let state = self.state.read(py);
        let (keys, bytes) = ask!(&state.content, it => (it.len(), it.size_in_bytes()));
        let bins = state.bins();
        format!("<amq.InterleavedBloomFilter: {bins} bins, {keys} keys, in {bytes} bytes>")
    }
}

/// The indices of the bits that are set, in rising order.
fn ones(words: &[u64]) -> impl Iterator<Item = usize> {
    words.iter().enumerate().flat_map(|(index, &word)| {
        let mut rest = word;
        iter::from_fn(move || {
            let bit = rest.trailing_zeros() as usize;
            rest &= rest.wrapping_sub(1);
            (bit < 64).then_some(64 * index + bit)
        })
    })
}

/// Writes an answer, a bit for each bin, as bytes.
fn write_row(row: &mut [u8], answer: &[u64]) {
    for (cells, &word) in row.chunks_mut(64).zip(answer) {
        for (bit, cell) in cells.iter_mut().enumerate() {
            *cell = (word >> bit) as u8 & 1;
        }
    }
}

/// The names of bins, of which no two are one.
fn names_of(names: &Bound<'_, PyAny>) -> PyResult<Vec<String>> {
    let (mut all, mut known) = (Vec::new(), HashSet::new());
    for (index, name) in names.try_iter()?.enumerate() {
        let name = name?;
        now_and_then(name.py(), index)?;
        let Ok(text) = name.cast::<PyString>() else {
            let text = format!("{} is no name of a bin: names are str", shown(&name)?);
            return Err(PyTypeError::new_err(text));
        };
        let text = text.to_str()?.to_owned();
        if !text.is_empty() && !known.insert(text.clone()) {
            return Err(named_twice(&text));
        }
        reserve(&mut all, 1)?;
        all.push(text);
    }
    Ok(all)
}

fn named_twice(name: &str) -> PyErr {
    PyValueError::new_err(format!("{name:?} is the name of another bin already"))
}
