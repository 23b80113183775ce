//! Filters that are asked where they lie, in a mapped file: only what is asked is read.

use crate::input;
use amq::format::{FileInfo, HEADER, HashedBy};
use amq::{
    AnyFile, AnyFilter, DecodeError, Filter, KeyEncoding, LoadOptions, Secret, SharedBytes, SipKey,
};
use anyhow::Context;
use memmap2::Mmap;
use std::fs::File;
use std::io::Read;
use std::path::Path;
use std::sync::Arc;

/// A filter to look keys up in.
pub(crate) enum Asked {
    Whole(Box<AnyFile>),
    Mapped(Box<AnyFilter<SharedBytes<Mmap>>>, KeyEncoding),
}

impl Asked {
    /// Maps a filter. One that is a stream, or has a secret key, is loaded.
    pub(crate) fn open(path: &Path, key: Option<SipKey>) -> anyhow::Result<Self> {
        let map = || -> anyhow::Result<Option<Self>> {
            if key.is_some() || !path.is_file() {
                return Ok(None);
            }
            let mut file = File::open(path)?;
            let mut header = Vec::new();
            file.by_ref().take(HEADER as u64).read_to_end(&mut header)?;
            match FileInfo::of(&header) {
                Ok(info) if info.hashed_by == HashedBy::Seed && !info.withheld => {
                    let view = LoadOptions::new()
                        .unchecked_payload()
                        .view_shared::<AnyFilter, _>(Arc::new(bytes(&file)?))?;
                    Ok(Some(Self::Mapped(Box::new(view), info.encoding)))
                }
                _ => Ok(None),
            }
        };
        match map() {
            Ok(Some(mapped)) => Ok(mapped),
            Err(error) if error.downcast_ref::<DecodeError>().is_none() => {
                Err(error).with_context(|| input::name(path))
            }
            // Loading says what is wrong.
            _ => Ok(Self::Whole(input::load_for_keys(path, key)?.into())),
        }
    }

    pub(crate) fn filter(&self) -> &(dyn Filter + Sync) {
        match self {
            Self::Whole(file) => file.filter().into_inner(),
            Self::Mapped(view, _) => &**view,
        }
    }

    pub(crate) fn encoding(&self) -> KeyEncoding {
        match self {
            Self::Whole(file) => file.encoding(),
            Self::Mapped(_, encoding) => *encoding,
        }
    }

    pub(crate) fn secret(&self) -> Secret {
        match self {
            Self::Whole(file) => file.secret(),
            Self::Mapped(view, _) => Secret::Seed(view.seed()),
        }
    }
}

#[allow(unsafe_code)]
fn bytes(file: &File) -> std::io::Result<Mmap> {
    // SAFETY: the file must not change while it is mapped. This program and the library write none
    // in place: they rename a new one over it, and the map keeps the old one.
    unsafe { Mmap::map(file) }
}
