//! For the sibling crates only; no stability is promised to others. Within a minor version nothing
//! here is removed or changes its meaning, so that releases of the siblings can be mixed
//! (`STABILITY.md`).

pub use crate::cpu::{Cpu, Threads};
#[cfg(feature = "std")]
pub use crate::envelope::keep_permissions;
pub use crate::envelope::{
    ByteSource, Contents, Entry, FileFormat, Hashing, Opened, Section, SectionStream, Sections,
    from_payload, table_of, to_bytes,
};
#[cfg(feature = "serde")]
pub use crate::envelope::{deserialize, serialize};
#[cfg(feature = "rayon")]
pub use crate::filter::par_fill_from;
pub use crate::filter::{extend, fill_from_hashes, fill_from_keys, hashes_of};
pub use crate::header::Header;
pub use crate::memory::{reserve, zeroed};
#[cfg(feature = "rayon")]
pub use crate::parallel::{Hashed, collect_hashes, par_extend};
pub use crate::steps::step;
#[cfg(feature = "__steps")]
pub use crate::steps::steps_of;
#[cfg(feature = "rayon")]
pub use rayon;
#[cfg(feature = "serde")]
pub use serde;
