//! Filters as files, bytes and pickles.

use crate::bins::Interleaved;
use crate::classes;
use crate::data::{of_data, to_object};
use crate::error::{NotDecoded, OrRaise, of_file, of_system};
use crate::file::{self, FilePath, expect_pickled, info, saving};
use crate::filter::{Filter, FilterView};
use crate::hashing::Hashing;
use crate::make::Options;
use crate::number::{Real, SecretKey};
use crate::ribbon_map::Map;
use crate::rolling::Rolling;
use crate::state::Content;
use amq::format::FileInfo;
use amq::{AnyFile, DecodeError, FilterKind, LoadOptions, ReadError};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyTuple, PyType};
use std::path::Path;

#[pymethods]
impl Filter {
    /// Saves the filter in a file, which replaces one of this name at once and as a whole; folders,
    /// devices and links are not replaced.
    ///
    /// secret=False leaves out the seed, or the secret key: whoever loads the file must give it. A
    /// filter from such a file, and whatever it was merged into, is saved without it in any case.
    #[pyo3(signature = (path, *, secret=None))]
    fn save(&self, py: Python<'_>, path: FilePath, secret: Option<bool>) -> PyResult<()> {
        let shared = self.shared(py);
        py.detach(|| {
            let state = shared.read();
            let saved = match (state.content(), secret) {
                (Content::Rolling(generations), None | Some(true)) => generations.save(&path.0),
                _ => {
                    let file = state.file()?;
                    saving(file.key_info().withheld, secret)?.save(file, &path.0)
                }
            };
            saved.map_err(|error| of_system(&error, &path.0))
        })
    }

    /// The filter as the bytes of a file; secret=False as in save.
    #[pyo3(signature = (*, secret=None))]
    fn to_bytes<'py>(
        &self,
        py: Python<'py>,
        secret: Option<bool>,
    ) -> PyResult<Bound<'py, PyBytes>> {
        let shared = self.shared(py);
        let bytes = py.detach(|| {
            let state = shared.read();
            if let Content::Rolling(generations) = state.content()
                && secret != Some(false)
            {
                return generations.file().raised();
            }
            let file = state.file()?;
            saving(file.key_info().withheld, secret)?.to_bytes(file).raised()
        })?;
        to_object(py, &bytes)
    }

    /// The name that rbloom has for to_bytes.
    fn save_bytes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        self.to_bytes(py, None)
    }

    /// Loads a filter from a file that holds nothing else; everything is checked.
    ///
    /// Filter.load takes a file of any kind, a class of a kind only its own. hash_func is for a
    /// filter of hashes that the caller made, seed and key for a file that leaves them out. With
    /// fpr, bits_per_key or bytes it is as much of the filter as truncate leaves, in the memory of
    /// that.
    #[classmethod]
    #[pyo3(
        signature = (path, hash_func=None, **options),
        text_signature = "(path, hash_func=None, *, seed=None, key=None, fpr=None, \
                          bits_per_key=None, bytes=None)"
    )]
    fn load<'py>(
        cls: &Bound<'py, PyType>,
        path: FilePath,
        hash_func: Option<Bound<'py, PyAny>>,
        options: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let alone = expect_only(&[], FilterKind::Rolling, hash_func.as_ref(), options);
        let (load, size) =
            Options::read(options, |it| Ok((it.load()?, it.size(it.take("fpr")?)?)))?;
        if rolls(cls, || info(&path.0))? {
            let rolling = Rolling::load(cls.py(), path)?;
            return alone.map(|()| rolling);
        }
        let load = size.map_or(load, |size| load.budget(size));
        of_class(cls, file::load(cls.py(), &path.0, load)?, hash_func)
    }

    /// Makes the filter smaller without its keys: the one that they would have been built into at
    /// this rate, or within bits_per_key or bytes. A RibbonFilter, FuseFilter or QuotientFilter
    /// only.
    ///
    /// >>> import amq
    /// >>> keys = amq.RibbonFilter.build(range(1000), 0.0001)
    /// >>> keys.truncate(0.01)
    /// >>> keys == amq.RibbonFilter.build(range(1000), 0.01)
    /// True
    #[pyo3(
        signature = (fpr=None, **options),
        text_signature = "($self, fpr=None, *, bits_per_key=None, bytes=None)"
    )]
    fn truncate(
        &self,
        py: Python<'_>,
        fpr: Option<Real>,
        options: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<()> {
        let Some(budget) = Options::read(options, |it| it.size(fpr))? else {
            return Err(PyTypeError::new_err("give one of fpr, bits_per_key and bytes"));
        };
        let shared = self.shared(py);
        py.detach(|| shared.write().file_mut()?.filter_mut().truncate(budget).raised())
    }

    /// The filter in these bytes; see load.
    #[classmethod]
    #[pyo3(
        signature = (data, hash_func=None, **options),
        text_signature = "(data, hash_func=None, *, seed=None, key=None)"
    )]
    fn from_bytes<'py>(
        cls: &Bound<'py, PyType>,
        data: &Bound<'py, PyAny>,
        hash_func: Option<Bound<'py, PyAny>>,
        options: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let alone = expect_only(&[], FilterKind::Rolling, hash_func.as_ref(), options);
        let load = Options::read(options, Options::load)?;
        if of_data(data, |bytes| rolls(cls, || FileInfo::of(bytes).ok()))? {
            let rolling = Rolling::from_bytes(data)?;
            return alone.map(|()| rolling);
        }
        of_class(cls, file::decode(data, load)?, hash_func)
    }

    /// The name that rbloom has for from_bytes.
    #[classmethod]
    #[pyo3(signature = (data, hash_func=None))]
    fn load_bytes<'py>(
        cls: &Bound<'py, PyType>,
        data: &Bound<'py, PyAny>,
        hash_func: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        Self::from_bytes(cls, data, hash_func, None)
    }

    /// Pickles are the bytes of a file, secret included; or the path of a file that was opened.
    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<(Bound<'py, PyAny>, Py<PyTuple>)> {
        let (py, this) = (slf.py(), slf.get());
        let module = py.import("amq._amq")?;
        let (path, withheld) = match this.read(py).content() {
            Content::View(view, path) => (Some(path.clone()), view.key_info().withheld),
            Content::File(file) => (None, file.key_info().withheld),
            Content::Rolling(_) => (None, false),
        };
        expect_pickled(withheld)?;
        if let Some(path) = path {
            let arguments = PyTuple::new(py, [path])?;
            return Ok((module.getattr("open")?, arguments.unbind()));
        }
        let arguments = (this.to_bytes(py, None)?, this.hashing.function());
        Ok((module.getattr("_restore")?, arguments.into_pyobject(py)?.unbind()))
    }
}

/// Loads what is in a file of this library: a filter of any kind, a RibbonMap or an
/// InterleavedBloomFilter.
///
/// hash_func is for a filter of hashes that the caller made; seed and key for a file that leaves
/// them out. fpr, bits_per_key or bytes loads a smaller filter, as Filter.truncate makes it.
#[pyfunction]
#[pyo3(
    signature = (path, hash_func=None, **options),
    text_signature = "(path, hash_func=None, *, seed=None, key=None, fpr=None, \
                      bits_per_key=None, bytes=None)"
)]
pub(crate) fn load<'py>(
    py: Python<'py>,
    path: FilePath,
    hash_func: Option<Bound<'py, PyAny>>,
    options: Option<&Bound<'py, PyDict>>,
) -> PyResult<Bound<'py, PyAny>> {
    let kind = match py.detach(|| info(&path.0)).and_then(|info| info.kind) {
        Some(kind @ (FilterKind::RibbonMap | FilterKind::Interleaved)) => kind,
        _ => return Filter::load(&py.get_type::<Filter>(), path, hash_func, options),
    };
    expect_only(&["seed"], kind, hash_func.as_ref(), options)?;
    let seed = Options(options.cloned()).take("seed")?;
    match kind {
        FilterKind::RibbonMap => Ok(Bound::new(py, Map::load(py, path, seed)?)?.into_any()),
        _ => Ok(Bound::new(py, Interleaved::load(py, path, seed)?)?.into_any()),
    }
}

/// Opens a filter of any kind in its file, which is mapped into memory: at once, and shared by all
/// processes that do. It can be asked, and not changed. key is the secret key of a file that leaves
/// it out; one that leaves out its seed, or whose hashes the caller made, is for load.
///
/// check=False checks the header alone: a file that was damaged since it was written then answers
/// anything. A filter under a secret key is checked in any case. As with any mapped file, nobody
/// may write to it or shorten it; save replaces it.
#[pyfunction]
#[pyo3(signature = (path, *, check=true, key=None))]
pub(crate) fn open(
    py: Python<'_>,
    path: FilePath,
    check: bool,
    key: Option<SecretKey>,
) -> PyResult<Bound<'_, PyAny>> {
    let options = key.map_or(LoadOptions::new(), |key| LoadOptions::new().key(key.0));
    let mapped = py.detach(|| match file::map::<AnyFile>(&path.0, check, options)? {
        (AnyFile::Hashes(_), ..) => Err(DecodeError::Prehashed.into()),
        mapped => Ok(mapped),
    });
    let (file, _, path) = mapped.map_err(|error| not_opened(error, &path.0))?;
    let base = Filter::new(Hashing::of_file(&file, None)?, Content::View(file, path));
    let view = PyClassInitializer::from(base).add_subclass(FilterView);
    Ok(Bound::new(py, view)?.into_any())
}

/// What a pickle calls.
#[pyfunction]
pub(crate) fn _restore<'py>(
    data: &Bound<'py, PyAny>,
    hash_func: Option<Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyAny>> {
    Filter::from_bytes(&data.py().get_type::<Filter>(), data, hash_func, None)
}

/// Whether a file that is to be read for a class of several kinds holds a rolling filter.
fn rolls(
    cls: &Bound<'_, PyType>,
    info: impl FnOnce() -> Option<FileInfo> + Send,
) -> PyResult<bool> {
    let is_rolling = |info: FileInfo| info.kind == Some(FilterKind::Rolling);
    Ok(kind_of(cls)?.is_none() && cls.py().detach(info).is_some_and(is_rolling))
}

/// Refuses arguments that are for files of other kinds.
fn expect_only(
    taken: &[&str],
    kind: FilterKind,
    hash_func: Option<&Bound<'_, PyAny>>,
    options: Option<&Bound<'_, PyDict>>,
) -> PyResult<()> {
    let error = |name: &str| {
        let id = kind.id();
        let text = format!("a file of the kind {id} is loaded without {name}: leave it out");
        Err(PyTypeError::new_err(text))
    };
    for (name, value) in options.into_iter().flatten() {
        let name = name.extract::<String>()?;
        if !value.is_none() && !taken.contains(&name.as_str()) {
            return error(&name);
        }
    }
    if hash_func.is_some() { error("hash_func") } else { Ok(()) }
}

/// The filter as an object, if its kind is that of the class it was asked of.
fn of_class<'py>(
    cls: &Bound<'py, PyType>,
    file: AnyFile,
    hash_func: Option<Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyAny>> {
    let found = file.filter().kind();
    match kind_of(cls)? {
        Some(wanted) if wanted != found => Err(DecodeError::WrongKind { found, wanted }).raised(),
        _ => classes::instance(cls.py(), Hashing::of_file(&file, hash_func)?, file),
    }
}

/// The kind that a class stands for; `None` for the classes that several kinds share.
pub(crate) fn kind_of(cls: &Bound<'_, PyAny>) -> PyResult<Option<FilterKind>> {
    match cls.getattr_opt("kind")? {
        Some(kind) => Ok(kind.extract::<String>().ok().and_then(|id| FilterKind::from_id(&id))),
        None => Ok(None),
    }
}

/// The exception for a file that [`open`] does not take.
fn not_opened(error: ReadError, path: &Path) -> PyErr {
    match error {
        ReadError::Decode(DecodeError::SeedWithheld) => NotDecoded::new_err(
            "the file omits its seed, and is not mapped: amq.load(path, seed=...) reads it",
        ),
        ReadError::Decode(DecodeError::Prehashed) => NotDecoded::new_err(
            "the file's keys were hashed by the program that made it, and it is not mapped: \
             amq.load(path, hash_func) reads it",
        ),
        other => of_file(other, path),
    }
}
