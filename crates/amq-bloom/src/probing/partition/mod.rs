//! Many keys at once into a table larger than a core's cache: sorted by ranges of the table first.
//!
//! ```text
//!   hashes --> segment 0: range 0 | range 1 | range 2 ...      sorted, in the order they came;
//!         `--> segment 1: range 0 | range 1 | range 2 ...      several, if threads share the work
//!                            v         v         v
//!   table                 range 0 | range 1 | range 2 ...      inserted: a range stays in the
//!                                                              cache; each has one thread
//! ```
//!
//! Each range takes its keys in the order they came, so table and count of new keys are those of
//! inserting one by one, whatever the number of threads.

pub mod blocks;
mod bulk;
#[cfg(feature = "parallel")]
mod crew;
mod many;
pub mod places;
mod segment;
#[cfg(test)]
mod tests;

use bulk::{News, Partition};
use segment::{Page, Sorter};

/// What a filter's number of keys grows by when `keys` keys are inserted, `new` of them new.
fn counted(copies: bool, keys: u64, new: u64) -> u64 {
    if copies { keys } else { new }
}

/// Bytes of a range, a power of two: few enough for a core's nearest cache, or nearly, but no more
/// than some 1000 ranges.
fn range_bytes(table: u64) -> u64 {
    let least = if cfg!(test) { 1 << 9 } else { 128 << 10 };
    (table >> 9).max(least).next_power_of_two()
}
