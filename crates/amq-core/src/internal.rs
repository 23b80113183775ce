//! For the sibling crates only, and to anyone else it promises nothing: within a minor version
//! nothing here is removed or changes its meaning, so that releases of the siblings mix
//! (`STABILITY.md`).

pub use crate::cpu::{has_avx2, has_avx2_and_bits, has_avx512, has_bits};
pub use crate::envelope::{
    ALIGN, Asked, Borrowing, Contents, Copying, Description, ENTRY, Entry, HEADER, Hashing, MAGIC,
    OneTable, Opened, Plain, Restore, Section, Source, Stored, Written, decode, encode,
    encode_into, encoded_len, narrow, open, view, withholds_seed,
};
#[cfg(feature = "std")]
pub use crate::envelope::{Streaming, keep_permissions, load, load_as, read, read_as, save, write};
#[cfg(feature = "serde")]
pub use crate::envelope::{deserialize, serialize};
pub use crate::error::agreed;
pub use crate::filter::{fill_from_hashes, fill_from_keys, hashes_of};
pub use crate::header::Header;
pub use crate::key::HASH_BLOCK;
pub use crate::memory::{filled, reserve, zeroed};
pub use crate::prefetch::{DISTANCE, ahead, contains_each, insert_each, prefetch};
pub use crate::steps::step;
#[cfg(feature = "steps")]
pub use crate::steps::steps_of;
pub use bytemuck;
#[cfg(feature = "serde")]
pub use serde;
