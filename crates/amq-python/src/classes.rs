//! A class for each kind, written from the facade's table.

use crate::direct::give_add;
use crate::filter::{Filter, StaticFilter};
use crate::hashing::Hashing;
use crate::insert::InsertFilter;
use crate::make;
use crate::number::{Natural, Real, SecretKey};
use crate::remove::RemoveFilter;
use crate::state::Content;
use amq::{AnyFile, FilterKind};
use pyo3::PyClassInitializer;
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// Writes the class of one kind. What it can do chooses its base.
macro_rules! class {
    ($name:ident $type:ident [insert remove $($can:ident)*]) => {
        class!(empty $name $type RemoveFilter, |base: PyClassInitializer<Filter>| {
            base.add_subclass(InsertFilter).add_subclass(RemoveFilter)
        });
    };
    ($name:ident $type:ident [insert $($can:ident)*]) => {
        class!(empty $name $type InsertFilter, |base: PyClassInitializer<Filter>| {
            base.add_subclass(InsertFilter)
        });
    };
    ($name:ident $type:ident [build_only $($can:ident)*]) => {
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

        impl $type {
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

/// Writes all of them.
macro_rules! classes {
    (; $($feature:literal $name:ident: $module:ident::$type:ident [$($can:ident)*];)*) => {
        $(class!($name $type [$($can)*]);)*

        /// Adds the classes to the module, each with its kind's own words.
        pub(crate) fn add_to(module: &Bound<'_, PyModule>) -> PyResult<()> {
            $(
                module.add_class::<$type>()?;
                let class = module.py().get_type::<$type>();
                class.setattr("__doc__", format!("{}{}", FilterKind::$name.about(), HOW))?;
                give_add(&class)?;
            )*
            Ok(())
        }

        /// What is in a file, as an object of its kind's class.
        pub(crate) fn instance(
            py: Python<'_>,
            hashing: Hashing,
            file: AnyFile,
        ) -> PyResult<Bound<'_, PyAny>> {
            match file.filter().kind() {
                $(FilterKind::$name => {
                    Ok(Bound::new(py, $type::of(hashing, file))?.into_any())
                })*
                // The table has every kind that there is.
                other => Err(pyo3::exceptions::PyTypeError::new_err(other.name())),
            }
        }
    };
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

amq::kinds!(classes);
