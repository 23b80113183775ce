//! Filters that are asked where they lie, in a mapped file: only what is asked is read.

use crate::input;
use crate::lock::{Stamp, stamp};
use amq::format::{FileInfo, HEADER, HashedBy};
use amq::{
    AnyFile, AnyFilter, DecodeError, Filter, KeyEncoding, LoadOptions, Secret, SharedBytes, SipKey,
};
use anyhow::{Context, bail};
use memmap2::Mmap;
use std::fs::File;
use std::io::Read;
use std::path::Path;
use std::sync::Arc;

/// A filter to look keys up in.
pub(crate) enum Asked {
    Whole(Box<AnyFile>),
    Mapped {
        view: Box<AnyFilter<SharedBytes<Mmap>>>,
        encoding: KeyEncoding,
        file: File,
        stamp: Stamp,
    },
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
                    let (view, encoding) = (Box::new(view), info.encoding);
                    Ok(Some(Self::Mapped { view, encoding, stamp: stamp(&file)?, file }))
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

    /// Fails if a program has written into the file since it was opened: answers may be wrong.
    pub(crate) fn check(&self) -> anyhow::Result<()> {
        match self {
            Self::Mapped { file, stamp: old, .. } if stamp(file)? != *old => bail!(
                "another program has written to this file while it was asked, so that answers may be \
                 wrong: run this again, and replace filters by mv, not by cp"
            ),
            _ => Ok(()),
        }
    }

    pub(crate) fn filter(&self) -> &(dyn Filter + Sync) {
        match self {
            Self::Whole(file) => file.filter().into_inner(),
            Self::Mapped { view, .. } => &**view,
        }
    }

    pub(crate) fn encoding(&self) -> KeyEncoding {
        match self {
            Self::Whole(file) => file.encoding(),
            Self::Mapped { encoding, .. } => *encoding,
        }
    }

    pub(crate) fn secret(&self) -> Secret {
        match self {
            Self::Whole(file) => file.secret(),
            Self::Mapped { view, .. } => Secret::Seed(view.seed()),
        }
    }
}

#[allow(unsafe_code)]
fn bytes(file: &File) -> std::io::Result<Mmap> {
    #[cfg(unix)]
    end_if_cut()?;
    // SAFETY: the file must not change while it is mapped. This program and the library write none
    // in place: they rename a new one over it, and the map keeps the old one. Of one that another
    // program changes, a view reads wrong bits, never beyond its bytes; and if they are cut off,
    // the system ends the run.
    unsafe { Mmap::map(file) }
}

/// Has the run end with an error, not as if it had a fault, when it reads what another program has
/// cut off.
#[cfg(unix)]
#[allow(unsafe_code)]
fn end_if_cut() -> std::io::Result<()> {
    use signal_hook::{consts::SIGBUS, low_level};
    use std::sync::Once;

    static SAID: &[u8] = b"amq: a filter's file was cut short while it was asked: run this again\n";
    static ONCE: Once = Once::new();
    let end = || {
        // SAFETY: a signal handler may call `write`, and the bytes are there.
        let _ = unsafe { libc::write(2, SAID.as_ptr().cast(), SAID.len()) };
        low_level::exit(2);
    };
    let mut done = Ok(());
    ONCE.call_once(|| {
        // SAFETY: `end` does nothing that a signal handler may not do.
        done = unsafe { low_level::register(SIGBUS, end) }.map(drop);
    });
    done
}
