//! What cannot be put in.

use core::error::Error;
use core::fmt;

/// An insert that was refused. The filter is as it was before.
#[derive(Clone, Copy, PartialEq, Debug)]
#[non_exhaustive]
pub enum Full {
    /// The table has no room that this key can reach.
    Table {
        /// Items held.
        len: u64,
        /// Items the filter was planned for.
        capacity: u64,
        /// Share of all slots in use, 0 to 1.
        load: f64,
    },
    /// Every place this key can take already holds a copy of it.
    Copies {
        /// How many copies there are.
        copies: u64,
    },
    /// A limit that the caller set, or the widest number the layout can store, is reached.
    Limit {
        /// What is limited.
        what: &'static str,
        /// The limit.
        limit: u64,
    },
    /// The filter must grow to take the key, and the allocator refused.
    OutOfMemory {
        /// The bytes asked for.
        bytes: u64,
    },
}

impl fmt::Display for Full {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Table {
                len,
                capacity,
                load,
            } => write!(
                f,
                "the filter is full: it holds {len} items at {:.1} % load and was planned for {capacity}; \
                 nothing was changed. Plan a larger one, or remove items first",
                load * 100.0
            ),
            Self::Copies { copies } => write!(
                f,
                "the key is already there {copies} times, the most this filter can hold; nothing was changed"
            ),
            Self::Limit { what, limit } => write!(
                f,
                "the limit of {limit} {what} is reached; nothing was changed. Raise the limit, or plan a \
                 larger filter"
            ),
            Self::OutOfMemory { bytes } => write!(
                f,
                "the filter must grow and the allocator refused {bytes} bytes; nothing was changed"
            ),
        }
    }
}

impl Error for Full {}

/// A batch insert that was refused part of the way.
///
/// Each insert is all or nothing, a batch is not: the first `done` keys are in, the rest are not.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct BatchFull {
    /// How many keys of the batch, from its start, are in the filter.
    pub done: u64,
    /// Why the next one was refused.
    pub full: Full,
}

impl BatchFull {
    /// The same refusal in a batch of which `before` keys had gone in earlier.
    #[doc(hidden)]
    #[must_use]
    pub const fn after(self, before: u64) -> Self {
        Self {
            done: self.done + before,
            ..self
        }
    }
}

impl fmt::Display for BatchFull {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "after {} keys of the batch: {}", self.done, self.full)
    }
}

impl Error for BatchFull {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        Some(&self.full)
    }
}
