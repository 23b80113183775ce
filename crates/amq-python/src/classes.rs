//! A class for each kind.

use crate::direct::give_add;
use crate::filter::{Filter, StaticFilter};
use crate::hashing::Hashing;
use crate::insert::InsertFilter;
use crate::make;
use crate::number::{Natural, Real, SecretKey};
use crate::remove::RemoveFilter;
use crate::state::Content;
use amq::{AnyFile, AnyFilter, FilterKind};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use pyo3::{PyClass, PyClassInitializer};

/// Writes the class of one kind. What it does with keys chooses its base.
macro_rules! class {
    ($type:ident of $name:ident, inserts, removes) => {
        class!(empty $name $type RemoveFilter, |base: PyClassInitializer<Filter>| {
            base.add_subclass(InsertFilter).add_subclass(RemoveFilter)
        });
    };
    ($type:ident of $name:ident, inserts) => {
        class!(empty $name $type InsertFilter, |base: PyClassInitializer<Filter>| {
            base.add_subclass(InsertFilter)
        });
    };
    ($type:ident of $name:ident) => {
        class!(of $name $type StaticFilter, |base: PyClassInitializer<Filter>| {
            base.add_subclass(StaticFilter)
        });
    };
    (empty $name:ident $type:ident $base:ident, $bases:expr) => {
        class!(of $name $type $base, $bases);

        #[pymethods]
        impl $type {
            #[new]
            #[pyo3(
                signature = (
                    capacity, fpr=None, hash_func=None, *,
                    bits_per_key=None, bytes=None, seed=None, key=None, **others
                ),
                text_signature = "(capacity, fpr=0.01, hash_func=None, *, bits_per_key=None, \
                                  bytes=None, seed=None, key=None)"
            )]
            #[allow(clippy::too_many_arguments, reason = "all but two by name")]
            fn new(
                capacity: Natural,
                fpr: Option<Real>,
                hash_func: Option<Bound<'_, PyAny>>,
                bits_per_key: Option<Real>,
                bytes: Option<Natural>,
                seed: Option<Natural>,
                key: Option<SecretKey>,
                others: Option<&Bound<'_, PyDict>>,
            ) -> PyResult<PyClassInitializer<Self>> {
                make::expect_known(others)?;
                let (hashing, file) = make::empty(
                    FilterKind::$name, capacity, fpr, hash_func, bits_per_key, bytes, seed, key,
                )?;
                Ok(Self::of(hashing, file))
            }
        }
    };
    (of $name:ident $type:ident $base:ident, $bases:expr) => {
        #[pyclass(frozen, extends = $base, module = "amq")]
        #[derive(Debug)]
        struct $type;

        impl Class for $type {
            const KIND: FilterKind = FilterKind::$name;

            fn of(hashing: Hashing, file: AnyFile) -> PyClassInitializer<Self> {
                let base = Filter::new(hashing, Content::File(file));
                ($bases)(PyClassInitializer::from(base)).add_subclass(Self)
            }
        }

        #[pymethods]
        impl $type {
            /// The name of the kind, as in files, settings and the command.
            #[classattr]
            fn kind() -> &'static str {
                FilterKind::$name.id()
            }
        }
    };
}

class!(BloomFilter of Bloom, inserts);
class!(BlockedBloomFilter of BlockedBloom, inserts);
class!(WideBlockedBloomFilter of WideBlockedBloom, inserts);
class!(CountingBloomFilter of Counting, inserts, removes);
class!(BlockedCountingBloomFilter of BlockedCounting, inserts, removes);
class!(ScalableBloomFilter of Scalable, inserts);
class!(ScalableBlockedBloomFilter of ScalableBlocked, inserts);
class!(CuckooFilter of Cuckoo, inserts, removes);
class!(WindowedCuckooFilter of WindowedCuckoo, inserts, removes);
class!(QuotientFilter of Quotient, inserts, removes);
class!(ExpandableQuotientFilter of ExpandableQuotient, inserts, removes);
class!(RibbonFilter of Ribbon);
class!(FuseFilter of Fuse);

/// The class of a kind.
trait Class: PyClass {
    const KIND: FilterKind;

    fn of(hashing: Hashing, file: AnyFile) -> PyClassInitializer<Self>;
}

/// What is done with a class that is not known.
struct Row {
    kind: FilterKind,
    add: fn(&Bound<'_, PyModule>) -> PyResult<()>,
    instance: for<'py> fn(Python<'py>, Hashing, AnyFile) -> PyResult<Bound<'py, PyAny>>,
}

/// The class of every kind.
static CLASSES: [Row; AnyFilter::KINDS.len()] = [
    Row::of::<BloomFilter>(),
    Row::of::<BlockedBloomFilter>(),
    Row::of::<WideBlockedBloomFilter>(),
    Row::of::<CountingBloomFilter>(),
    Row::of::<BlockedCountingBloomFilter>(),
    Row::of::<ScalableBloomFilter>(),
    Row::of::<ScalableBlockedBloomFilter>(),
    Row::of::<CuckooFilter>(),
    Row::of::<WindowedCuckooFilter>(),
    Row::of::<QuotientFilter>(),
    Row::of::<ExpandableQuotientFilter>(),
    Row::of::<RibbonFilter>(),
    Row::of::<FuseFilter>(),
];

impl Row {
    const fn of<C: Class>() -> Self {
        Self { kind: C::KIND, add: add::<C>, instance: instance_of::<C> }
    }
}

fn add<C: Class>(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<C>()?;
    let class = module.py().get_type::<C>();
    class.setattr("__doc__", format!("{}{HOW}", C::KIND.about()))?;
    give_add(&class)
}

fn instance_of<C: Class>(
    py: Python<'_>,
    hashing: Hashing,
    file: AnyFile,
) -> PyResult<Bound<'_, PyAny>> {
    Ok(Bound::new(py, C::of(hashing, file))?.into_any())
}

/// Adds the classes to the module, each with its kind's own words.
pub(crate) fn add_to(module: &Bound<'_, PyModule>) -> PyResult<()> {
    CLASSES.iter().try_for_each(|class| (class.add)(module))
}

/// What is in a file, as an object of its kind's class.
pub(crate) fn instance(
    py: Python<'_>,
    hashing: Hashing,
    file: AnyFile,
) -> PyResult<Bound<'_, PyAny>> {
    let kind = file.filter().kind();
    match CLASSES.iter().find(|class| class.kind == kind) {
        Some(class) => (class.instance)(py, hashing, file),
        None => Err(PyTypeError::new_err(kind.name())),
    }
}

/// Goes behind the words about a kind.
const HOW: &str = "\n\n\
    capacity is the number of keys planned for. What limits the size is one of fpr, the \
    false-positive\nrate with so many keys (0.01), bits_per_key and bytes. Bytes of little use are \
    left: ask for a\nrate instead.\n\n\
    Keys are str, bytes, int, bool and tuples of them, and have the same bits in every process and \
    in\nRust. Other objects take hash_func, a function that returns an integer of 64 evenly \
    distributed\nbits. seed replaces the public one; key, 16 secret bytes, makes a filter that \
    withstands\nstrangers who choose the keys.";
