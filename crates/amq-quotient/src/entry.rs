//! How the bits of a slot represent a fingerprint.
//!
//! A table stores numbers in runs, each run sorted, and moves them without knowing what they mean.
//! All it asks is which entries of a run answer for a key: those equal to its remainder
//! ([`Whole`]), or those that are a prefix of it ([`Aged`]).

use crate::bits::lowest;
use crate::fields::Fields;
use crate::table::Table;
use amq_core::KeyHash;
use amq_core::index::index;
use core::fmt::Debug;

mod aged;
mod whole;

pub(crate) use aged::Aged;
pub(crate) use whole::Whole;

/// Positions of a quotient's run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Run {
    /// Its first slot, or the one where it would start.
    pub(crate) start: u64,
    /// One past its last slot; `start` if there is no run.
    pub(crate) end: u64,
}

/// The entries of a run that answer for a key.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Matches {
    pub(crate) copies: u64,
    /// The value of the longest of them; zero if there is none.
    pub(crate) longest: u64,
}

/// A meaning of the bits in a slot.
pub(crate) trait Entry: Copy + Eq + Debug {
    /// Bits that are set in the value of every new key.
    const MARK: u64;
    /// The most entries that may answer for one key; another one is refused.
    const MAX_COPIES: u64;

    /// For each field of a load: zero if it answers for the key with this value.
    fn differing(fields: &Fields, window: u64, value: u64) -> u64;

    /// As `differing`, for a single field, of a load or not.
    fn differs(field: u64, value: u64) -> u64;

    /// The field to remove for a key: the first of the longest. In `found` the highest bit is set
    /// of each field of the load that answers for the key, at least one; returns one of these bits.
    fn longest(fields: &Fields, window: u64, found: u64) -> u64;

    /// Whether an entry of the run answers for the key.
    fn is_in<S: AsRef<[u8]>>(table: &Table<S, Self>, run: Run, value: u64) -> bool;

    /// The entries of the run that answer for the key. A count of two means two or more.
    fn found<S: AsRef<[u8]>>(table: &Table<S, Self>, run: Run, value: u64) -> Matches;

    /// How many fingerprints the table stops answering for if it loses this entry of the run, the
    /// only one that answers for its key.
    fn alone<S: AsRef<[u8]>>(table: &Table<S, Self>, run: Run, value: u64) -> u64;

    /// How many fingerprints the entries of a table answer for, whose runs are consistent and have
    /// this many `different` values; `None` if one of them is no entry.
    fn answered<S: AsRef<[u8]>>(table: &Table<S, Self>, different: u64) -> Option<u64>;
}

/// The lowest 1 of an entry: among entries that answer for one key, the longest has the lowest. For
/// an [`Aged`] entry it is 2^age, the number of fingerprints it answers for.
#[inline(always)]
pub(crate) const fn width(value: u64) -> u64 {
    lowest(value)
}

impl<S: AsRef<[u8]>, E: Entry> Table<S, E> {
    /// The bits of a hash that the table keeps: monotone in the hash. (With those that are set in
    /// every new entry.)
    #[inline(always)]
    pub(crate) fn fingerprint(&self, hash: KeyHash) -> u64 {
        index(hash.get(), self.fingerprints) | E::MARK
    }
}
