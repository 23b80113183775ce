//! The wheel `amq`: the filters of the family in Python.
//!
//! ```text
//!   Filter            in, contains, len, files            every kind
//!     InsertFilter    add, update, add_new, merge, clear
//!       RemoveFilter  discard, remove, count
//!       Rolling       advance                           the last generations of a stream
//!     StaticFilter    built from all keys at once
//! ```
//!
//! The classes of the kinds come from the facade's table and add nothing but their name: all state
//! is in [`filter::Filter`], a [`amq::AnyFile`] behind a lock. What takes many keys lets go of the
//! interpreter while it works.
#![deny(unsafe_code)]

mod answers;
mod bins;
mod choose;
mod classes;
mod column;
mod data;
mod encoding;
mod error;
mod file;
mod files;
mod filter;
mod guard;
mod hashing;
mod insert;
mod interrupts;
mod key;
mod make;
mod many;
mod number;
mod plan;
mod repr;
mod ribbon_map;
mod rolling;
mod sets;
mod state;

use pyo3::prelude::*;

/// Approximate-membership filters: small, fast sets that answer "definitely not in" or "probably
/// in".
#[pymodule]
fn _amq(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    error::add_to(module)?;
    module.add_class::<filter::Filter>()?;
    module.add_class::<insert::InsertFilter>()?;
    module.add_class::<insert::RemoveFilter>()?;
    module.add_class::<filter::StaticFilter>()?;
    module.add_class::<filter::FilterView>()?;
    module.add_class::<rolling::Rolling>()?;
    module.add_class::<column::Columns>()?;
    module.add_class::<ribbon_map::Map>()?;
    module.add_class::<bins::Interleaved>()?;
    module.add_class::<plan::Sized>()?;
    module.add_class::<choose::Chosen>()?;
    module.add_class::<choose::Advice>()?;
    module.add_function(wrap_pyfunction!(choose::choose, module)?)?;
    module.add_function(wrap_pyfunction!(plan::plan, module)?)?;
    module.add_function(wrap_pyfunction!(hashing::hash, module)?)?;
    module.add_function(wrap_pyfunction!(hashing::hashes, module)?)?;
    module.add_function(wrap_pyfunction!(files::load, module)?)?;
    module.add_function(wrap_pyfunction!(files::open, module)?)?;
    module.add_function(wrap_pyfunction!(files::_restore, module)?)?;
    classes::add_to(module)
}
