//! What all filter types have in common, written once.
//!
//! A variant crate owns its types, so that it can add methods and foreign traits. It gives each
//! type a [`Header`], a table, and the few functions of [`Shell`] (and of [`Fill`], if keys are
//! inserted one by one). The macro [`shell!`](crate::shell!) writes the rest: the inherent methods
//! with their documentation, and the traits. The storage is a type parameter: reading is written
//! for any storage, changing for the owned one.

mod build;
mod change;
mod file;
mod fill;
mod header;
mod query;
mod table;

pub use header::Header;
pub use table::{Batch, Fill, Shell, agreed, debug};

/// Writes what all filter types have in common: one arm a job. Those that are not here stand in the
/// files beside this one, each of which hands on what it does not know.
///
/// Inside `impl Shell`:
/// - `state params`: `header`, `items` and `table_params` from the fields `header`, `len` and, for
///   example, `params` or `table.params`. Without a path `table_params` is written by hand.
#[doc(hidden)]
#[macro_export]
macro_rules! shell {
    (state $($params:ident).+) => {
        $crate::shell!(state);

        #[inline(always)]
        fn table_params(&self) -> Self::Params {
            self.$($params).+
        }
    };

    (state) => {
        #[inline(always)]
        fn header(&self) -> &$crate::shell::Header {
            &self.header
        }

        #[inline(always)]
        fn items(&self) -> u64 {
            self.len
        }
    };

    ($($rest:tt)*) => { $crate::shell_query! { $($rest)* } };
}
