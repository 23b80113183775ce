//! The file of a filter of bins, which records how the keys were encoded.

use crate::input;
use crate::stdio::{self, is_dash};
use amq::format::{FileInfo, HEADER};
use amq::{
    BuildError, Bytes, DecodeError, FilterFile, FilterKind, InterleavedBloomFilter, KeyEncoding,
    LoadOptions, Table,
};
use amq_core::internal::{Contents, FileFormat, Hashing, Opened, Sections};
use anyhow::Context;
use std::fs::File;
use std::io::Read;
use std::path::Path;

/// A filter of bins, and the encoding of its keys: [`amq::AnyFile`] has no filter of this kind.
pub(crate) struct Recorded<B: Bytes = Table> {
    pub(crate) filter: InterleavedBloomFilter<B>,
    pub(crate) encoding: KeyEncoding,
}

impl<B: Bytes> FileFormat for Recorded<B> {
    type With<C: Bytes> = Recorded<C>;
    type Geometry = <InterleavedBloomFilter<B> as FileFormat>::Geometry;

    fn contents(&self, hashing: Hashing) -> Result<Contents<'_>, BuildError> {
        Ok(Contents { encoding: self.encoding, ..self.filter.contents(hashing)? })
    }

    fn geometry(opened: &Opened<'_>) -> Result<Self::Geometry, DecodeError> {
        InterleavedBloomFilter::<B>::geometry(opened)
    }

    fn from_sections<C: Bytes>(
        opened: &Opened<'_>,
        geometry: Self::Geometry,
        sections: Sections<'_, C>,
    ) -> Result<Recorded<C>, DecodeError> {
        let filter = InterleavedBloomFilter::<B>::from_sections(opened, geometry, sections)?;
        Ok(Recorded { filter, encoding: opened.encoding() })
    }
}

impl Recorded {
    /// Loads a filter of bins. All of it is checked.
    pub(crate) fn load(path: &Path) -> anyhow::Result<Self> {
        let load = || match is_dash(path) {
            true => Self::read_from(stdio::stdin()?).map_err(Into::into),
            false => LoadOptions::new().load::<Self>(path).map_err(input::plain),
        };
        load().with_context(|| input::name(path))
    }
}

/// Whether a file has bins, and is whole as far as its header goes.
pub(crate) fn is_bins(path: &Path) -> bool {
    let mut header = Vec::new();
    let read = |file: File| file.take(HEADER as u64).read_to_end(&mut header);
    // A pipe can be read only once.
    let file = path.is_file().then(|| File::open(path).and_then(read));
    matches!(file, Some(Ok(_)))
        && FileInfo::of(&header).is_ok_and(|info| info.kind == Some(FilterKind::Interleaved))
}
