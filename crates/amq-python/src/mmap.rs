//! Files in memory.
#![allow(unsafe_code, reason = "whoever maps a file must promise that nobody changes it")]

use crate::bins::Mapped;
use crate::hashing::Hashing;
use crate::state::View;
use amq::format::{FileInfo, HashedBy};
use amq::{
    AnyFilter, Filter, FilterFile, InterleavedBloomFilter, Keyed, LoadOptions, ReadError, SipKey,
};
use memmap2::Mmap;
use std::fs::File;
use std::io;
use std::path::Path;
use std::sync::Arc;

/// The filter in a file, which is mapped, and what its keys are hashed under; `key` if the file
/// omits that.
pub(crate) fn open(
    path: &Path,
    check: bool,
    key: Option<SipKey>,
) -> Result<(Hashing, View), ReadError> {
    let map = map(path)?;
    let info = FileInfo::of(&map)?;
    let (hashing, filter) = if key.is_some() || info.hashed_by == HashedBy::Key {
        let options = key.map_or(LoadOptions::new(), |key| LoadOptions::new().key(key));
        let filter = options.view_shared::<Keyed<AnyFilter>, _>(Arc::new(map))?;
        (Hashing::Key(filter.key()), filter.into_inner())
    } else {
        let filter = match check {
            true => AnyFilter::view_shared(Arc::new(map))?,
            false => {
                LoadOptions::new().unchecked_payload().view_shared::<AnyFilter, _>(Arc::new(map))?
            }
        };
        (Hashing::Seed(filter.seed()), filter)
    };
    let path = path.to_owned();
    Ok((hashing, View { filter, path, encoding: info.encoding, withheld: info.withheld }))
}

/// The bins in a file, which is mapped, and whether it omits their seed, which is `seed` then.
pub(crate) fn open_bins(
    path: &Path,
    check: bool,
    seed: Option<u64>,
) -> Result<(Mapped, bool), ReadError> {
    let map = map(path)?;
    let info = FileInfo::of(&map)?;
    let options = seed.map_or(LoadOptions::new(), |seed| LoadOptions::new().seed(seed));
    let options = if check { options } else { options.unchecked_payload() };
    let filter = options.view_shared::<InterleavedBloomFilter, _>(Arc::new(map))?;
    Ok((filter, info.withheld))
}

fn map(path: &Path) -> io::Result<Mmap> {
    let file = File::open(path)?;
    // SAFETY: the documentation of what opens files in Python asks that nobody write to the file or
    // shorten it, as every mapping of a file must; `save` replaces files by renaming, which leaves
    // the mapped one.
    unsafe { Mmap::map(&file) }
}
