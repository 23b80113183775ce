//! Many keys at once into a table larger than a core's cache: sorted by ranges of the table first.
//!
//! ```text
//!   hashes --> segment 0: range 0 | range 1 | range 2 ...      sorted, in the order they came;
//!         `--> segment 1: range 0 | range 1 | range 2 ...      on several threads, several
//!                            v         v         v
//!   table                 range 0 | range 1 | range 2 ...      inserted: a range stays in the
//!                                                              cache; each has one thread
//! ```
//!
//! Each range takes its keys in the order they came, so table and count of new keys are those of
//! inserting one by one, whatever the number of threads.

pub mod blocks;
mod bulk;
pub mod places;
mod segment;
#[cfg(test)]
mod tests;

use amq_core::KeyHash;
#[cfg(feature = "rayon")]
use amq_core::internal::rayon;
use segment::{Page, Sorter};

/// Hashes to insert.
#[allow(missing_debug_implementations, reason = "it has a function")]
pub enum Hashes<'a> {
    /// They are there.
    Slice(&'a [KeyHash]),
    /// About so many, which a function writes; see
    /// [`InsertFilter::insert_from`](amq_core::InsertFilter::insert_from).
    From(u64, &'a mut dyn FnMut(&mut [KeyHash]) -> usize),
    /// Threads of a rayon pool ask for them.
    #[cfg(feature = "rayon")]
    Shared(&'a dyn amq_core::HashSource),
}

impl Hashes<'_> {
    /// Number of threads that may insert them.
    #[inline(always)]
    fn threads(&self) -> u64 {
        match self {
            Self::Slice(_) | Self::From(..) => 1,
            #[cfg(feature = "rayon")]
            Self::Shared(_) => rayon::current_num_threads() as u64,
        }
    }
}

/// Ranges of a large table: few enough for their cursors to stay in a core's cache.
const RANGES: u64 = 512;

/// Bytes of a range, a power of two: a `ranges`-th of the table or somewhat more, and no less than
/// a core's nearest cache holds.
fn range_bytes(table: u64, ranges: u64) -> u64 {
    let least = if cfg!(test) { 1 << 9 } else { 128 << 10 };
    (table / ranges).max(least).next_power_of_two()
}
