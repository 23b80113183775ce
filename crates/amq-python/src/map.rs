//! Files in memory.
#![allow(unsafe_code, reason = "whoever maps a file must promise that nobody changes it")]

use amq::{AnyFilter, AnyOwnedView, ReadError};
use memmap2::Mmap;
use std::fs::File;
use std::path::Path;

/// The filter in a file, which is mapped.
pub(crate) fn open(path: &Path, check: bool) -> Result<AnyOwnedView, ReadError> {
    let file = File::open(path)?;
    // SAFETY: the documentation of `amq.open` asks that nobody write to the file or shorten it, as
    // every mapping of a file must; `save` replaces files by renaming, which leaves the mapped one.
    let map = unsafe { Mmap::map(&file) }?;
    let view = match check {
        true => AnyFilter::open_owned(map),
        false => AnyFilter::open_owned_without_checking_payload(map),
    };
    Ok(view?)
}
