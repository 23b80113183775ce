//! For the sibling crates only, and to anyone else it promises nothing: within a minor version
//! nothing here is removed or changes its meaning, so that releases of the siblings mix
//! (`STABILITY.md`).

pub use crate::cpu::Cpu;
#[cfg(feature = "serde")]
pub use crate::envelope::deserialize;
pub use crate::envelope::{
    Borrowing, Contents, Copying, Description, Entry, Hashing, OneTable, Opened, Plain, Restore,
    Section, Source, Stored, Written,
};
#[cfg(feature = "std")]
pub use crate::envelope::{Streaming, keep_permissions};
pub use crate::filter::{fill_from_hashes, fill_from_keys, hashes_of};
pub use crate::header::Header;
pub use crate::memory::{reserve, zeroed};
pub use crate::steps::step;
#[cfg(feature = "__steps")]
pub use crate::steps::steps_of;
pub use bytemuck;
#[cfg(feature = "serde")]
pub use serde;
