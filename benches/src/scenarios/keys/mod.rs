//! The keys (generated, shipped or the user's), their layout in memory, and streams of queries.

pub mod file;
mod memory;
pub mod sets;
pub mod stream;

pub use file::{FileKeys, Source};
pub use memory::{Arena, BenchKey, Either, Keys, Store, View};
pub use sets::{KeySet, Made};
pub use stream::{Stream, halves};
