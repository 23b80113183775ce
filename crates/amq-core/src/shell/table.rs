//! What a variant says of its table, and what can be written for any such table without a macro.

use super::header::Header;
use crate::{BuildError, FilterKind, Full, Inserted, KeyHash, MergeError, Plan};
use core::convert::Infallible;
use core::fmt;

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
