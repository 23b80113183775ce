//! Errors of inserting keys.

use super::number::{Counted, Limit, noun};
use super::{LengthMismatch, UnevenHashes};
use core::fmt;

/// The insert was refused. The filter is unchanged.
#[derive(Clone, Copy, PartialEq)]
#[non_exhaustive]
pub enum InsertError {
    /// The table has no free slot for this key.
    Table {
        /// Number of keys in the filter.
        len: u64,
        /// Number of keys that the filter was planned for.
        capacity: u64,
        /// Share of all slots in use, 0 to 1.
        load: f64,
    },

    /// Copies of this key, and perhaps of others, fill every slot that it can use.
    Copies {
        /// Number of copies.
        copies: u64,
    },

    /// The filter would exceed a limit that was set when it was created.
    Limit {
        /// The limited quantity, in the plural.
        what: &'static str,
        /// The limit.
        limit: u64,
    },

    /// No further stage can be planned: too little of the false-positive rate remains.
    Stages {
        /// Number of stages.
        stages: u64,
    },

    /// The filter must double to insert the key, but would fill up with entries without a
    /// fingerprint: each of them takes two slots of the next table.
    UsedUp {
        /// Number of entries without a fingerprint.
        entries: u64,
        /// The most slots that may be in use.
        of: u64,
    },

    /// The caller's hashes are not evenly distributed. None of the batch was inserted.
    Uneven(UnevenHashes),

    /// The batch and the slice for its answers differ in length. Nothing was inserted.
    Length(LengthMismatch),

    /// This thread is visiting the key's shard, and so already has its filter.
    Visited,

    /// The filter must grow or be copied to insert the key, and the allocator refused.
    OutOfMemory {
        /// Bytes requested.
        bytes: u64,
    },
}

impl fmt::Display for InsertError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Table { len, capacity, load } => write!(
                f,
                "the filter is full: it holds {}, was planned for {capacity}, and has {:.1} % of \
                 its slots in use. Remove keys (advance a rolling filter), or plan a larger one",
                Counted(*len, "keys"),
                load * 100.0
            ),
            Self::Copies { copies } => write!(
                f,
                "a key is in {} already, and there is no place for another copy. Insert each key \
                 once, or choose a filter with room for more copies",
                Counted(*copies, "times")
            ),
            Self::Limit { what, limit } => write!(
                f,
                "the filter would exceed its limit of {} {}. Allow it more {what}",
                Limit(*limit),
                noun(*limit, what)
            ),
            Self::Stages { stages } => write!(
                f,
                "the filter has {}, and too little of its false-positive rate is left for \
                 another. Start with one planned for more keys, or for a higher rate",
                Counted(*stages, "stages")
            ),
            Self::UsedUp { entries, of } => write!(
                f,
                "the filter cannot double any more: {entries} of {of} entries have used up their \
                 fingerprints, and would fill the next table. Start one with longer fingerprints"
            ),
            Self::Uneven(error) => write!(f, "{error}"),
            Self::Length(error) => write!(f, "{error}"),
            Self::Visited => f.write_str(
                "this thread visits the key's shard: insert into the shard that the visit was \
                 given, or after the visit",
            ),
            Self::OutOfMemory { bytes } => write!(
                f,
                "the allocator refused {} {}. Free memory and try again",
                Limit(*bytes),
                noun(*bytes, "bytes")
            ),
        }
    }
}

impl fmt::Debug for InsertError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl core::error::Error for InsertError {}

impl From<UnevenHashes> for InsertError {
    fn from(error: UnevenHashes) -> Self {
        Self::Uneven(error)
    }
}

/// A batch insert was refused part of the way.
///
/// Each insert is all or nothing; a batch is not. The first `done` keys were inserted, the others
/// were not.
#[derive(Clone, Copy, PartialEq)]
pub struct BatchInsertError {
    /// Number of keys, from the start of the batch, that are in the filter.
    pub done: u64,
    /// Why the next key was refused.
    pub error: InsertError,
}

impl BatchInsertError {
    /// `Ok` if there is one answer per key; see
    /// [`InsertFilter::insert_batch_new`](crate::InsertFilter::insert_batch_new).
    #[inline]
    pub fn check_length(keys: usize, answers: usize) -> Result<(), Self> {
        LengthMismatch::check(keys, answers)
            .map_err(|error| Self { done: 0, error: InsertError::Length(error) })
    }

    /// The same error for a batch in which `before` keys were inserted earlier.
    #[must_use]
    pub(crate) const fn after(self, before: u64) -> Self {
        Self { done: self.done.saturating_add(before), ..self }
    }
}

impl fmt::Display for BatchInsertError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.done {
            0 => self.error.fmt(f),
            1 => write!(
                f,
                "the first key of the batch is in, the next one was refused: {}",
                self.error
            ),
            done => write!(
                f,
                "the first {done} keys of the batch are in, the next one was refused: {}",
                self.error
            ),
        }
    }
}

impl fmt::Debug for BatchInsertError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl core::error::Error for BatchInsertError {}
