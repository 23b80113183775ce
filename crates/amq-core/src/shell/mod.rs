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
mod query;

use crate::{Budget, BuildError, FilterKind, Full, Inserted, KeyHash, MergeError, Parts, Plan};
use core::convert::Infallible;
use core::fmt;

/// What every filter keeps beside its table.
#[derive(Clone, Copy, Debug)]
pub struct Header {
    /// The seed its keys are hashed with.
    pub seed: u64,
    /// The number of keys it was planned for.
    pub capacity: u64,
    /// The budget it was planned for, if known.
    pub budget: Option<Budget>,
    /// The caller hashes its keys: there is no seed, and a key cannot be asked for.
    pub hashed_by_caller: bool,
}

impl Header {
    /// The header of a filter made from a plan.
    pub const fn new<P>(plan: &Plan<P>, seed: u64) -> Self {
        Self { seed, capacity: plan.items, budget: plan.budget, hashed_by_caller: false }
    }

    /// The header of a filter whose table was handed in.
    pub const fn of_parts<P>(parts: &Parts<P>) -> Self {
        Self {
            seed: if parts.hashed_by_caller { 0 } else { parts.seed },
            capacity: parts.capacity,
            budget: None,
            hashed_by_caller: parts.hashed_by_caller,
        }
    }

    /// What a filter with this header consists of beside its table.
    pub const fn parts<P: Copy>(&self, params: P, len: u64) -> Parts<P> {
        Parts {
            params,
            seed: self.seed,
            hashed_by_caller: self.hashed_by_caller,
            capacity: self.capacity,
            len,
        }
    }

    /// The header of a filter whose keys the caller hashes.
    #[must_use]
    pub const fn by_caller(self) -> Self {
        Self { seed: 0, hashed_by_caller: true, ..self }
    }

    /// [`Filter::key_seed`](crate::Filter::key_seed).
    #[inline(always)]
    pub const fn key_seed(&self) -> Option<u64> {
        match self.hashed_by_caller {
            true => None,
            false => Some(self.seed),
        }
    }

    /// `Ok` if both filters hash their keys in one way: what every merge begins with.
    pub const fn check_hashes(&self, other: &Self) -> Result<(), MergeError> {
        MergeError::check_hashes(self.key_seed(), other.key_seed())
    }
}

/// The budget is a note on how the parameters were found; it is no part of a filter's identity.
impl PartialEq for Header {
    fn eq(&self, other: &Self) -> bool {
        (self.key_seed(), self.capacity) == (other.key_seed(), other.capacity)
    }
}

impl Eq for Header {}

/// A table that can be queried.
pub trait Shell {
    /// The parameters that determine the table.
    type Params: fmt::Debug;
    /// The variant.
    const KIND: FilterKind;
    /// The type's name.
    const NAME: &'static str;

    /// Seed and capacity.
    fn header(&self) -> &Header;
    /// The parameters.
    fn table_params(&self) -> Self::Params;
    /// Number of keys the table accounts for.
    fn items(&self) -> u64;
    /// [`Filter::capacity`](crate::Filter::capacity), where it is not the header's.
    #[inline]
    fn planned(&self) -> u64 {
        self.header().capacity
    }
    /// Bytes of the table.
    fn bytes(&self) -> u64;
    /// The present false-positive rate, in [0, 1].
    fn rate(&self) -> f64;
    /// The share of the table in use.
    fn used(&self) -> f64;
    /// Number of places that will never change again.
    fn stuck(&self) -> u64 {
        0
    }
    /// Whether the key with this hash is probably in the filter; `false` is certain.
    fn has(&self, hash: KeyHash) -> bool;
    /// The same for many hashes; the slices are equally long.
    #[inline]
    fn has_each(&self, hashes: &[KeyHash], answers: &mut [bool]) {
        for (answer, &hash) in answers.iter_mut().zip(hashes) {
            *answer = self.has(hash);
        }
    }
}

/// How many of a batch were new; or how many went in before one was refused, and why.
pub type Batch<R> = Result<u64, (u64, R)>;

/// A table that starts empty and takes keys one by one.
pub trait Fill: Shell + Sized {
    /// Why a key may be refused: [`Full`], or [`Infallible`].
    type Refusal: Into<Full>;

    /// An empty table as planned.
    fn empty(plan: &Plan<Self::Params>, seed: u64) -> Result<Self, BuildError>;
    /// Inserts the key with this hash.
    fn put(&mut self, hash: KeyHash) -> Result<Inserted, Self::Refusal>;
    /// The same for many hashes.
    #[inline]
    fn put_each(&mut self, hashes: &[KeyHash]) -> Batch<Self::Refusal> {
        let mut new = 0;
        for (done, &hash) in (0..).zip(hashes) {
            let inserted = self.put(hash).map_err(|refusal| (done, refusal))?;
            new += u64::from(inserted.is_new());
        }
        Ok(new)
    }
    /// Removes every key. Seed and parameters stay, and so does the memory, unless the filter had
    /// grown.
    fn wipe(&mut self);
}

impl From<Infallible> for Full {
    fn from(never: Infallible) -> Self {
        match never {}
    }
}

/// Panics with the error: for operators, which cannot return one.
#[track_caller]
#[allow(clippy::panic, reason = "documented where it is used: operators cannot return errors")]
pub fn agreed(combined: Result<(), MergeError>) {
    if let Err(error) = combined {
        panic!("{error}");
    }
}

/// Formats a filter as its type, its parameters and its number of keys. The table is left out,
/// since it may be gigabytes, and so is the seed, since it may be secret.
pub fn debug<F: Shell>(filter: &F, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    f.debug_struct(F::NAME)
        .field("params", &filter.table_params())
        .field("len", &filter.items())
        .field("capacity", &filter.planned())
        .finish_non_exhaustive()
}

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
