//! Queries filters in mapped files: only the pages that queries touch are read.

use crate::input;
use crate::lock::{Stamp, stamp};
use crate::recorded::Recorded;
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

/// A filter to look up keys in.
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
    /// Maps a filter. A stream, or a filter with a secret key, is loaded instead.
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
            // Loading reports the error.
            _ => Ok(Self::Whole(input::load_for_keys(path, key)?.into())),
        }
    }

    /// Fails if a program has written to the file since it was opened: answers may be wrong.
    pub(crate) fn check(&self) -> anyhow::Result<()> {
        match self {
            Self::Mapped { file, stamp, .. } => unchanged(file, stamp),
            Self::Whole(_) => Ok(()),
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

/// A filter of bins in a mapped file.
pub(crate) struct MappedBins {
    pub(crate) file: Recorded<SharedBytes<Mmap>>,
    opened: File,
    stamp: Stamp,
}

impl MappedBins {
    /// Maps a file, of which only the header and the directory are checked.
    pub(crate) fn open(path: &Path) -> anyhow::Result<Self> {
        let opened = File::open(path)?;
        let options = LoadOptions::new().unchecked_payload();
        let file = options.view_shared::<Recorded, _>(Arc::new(bytes(&opened)?))?;
        Ok(Self { file, stamp: stamp(&opened)?, opened })
    }

    /// As [`Asked::check`].
    pub(crate) fn check(&self) -> anyhow::Result<()> {
        unchanged(&self.opened, &self.stamp)
    }
}

fn unchanged(file: &File, old: &Stamp) -> anyhow::Result<()> {
    if stamp(file)? != *old {
        bail!(
            "another program has written to this file while it was queried, so answers may be \
             wrong: run this again, and replace filters by mv, not by cp"
        );
    }
    Ok(())
}

#[allow(unsafe_code)]
fn bytes(file: &File) -> std::io::Result<Mmap> {
    #[cfg(unix)]
    end_if_cut()?;
    // SAFETY: the file must not change while it is mapped. This program and the library never write
    // in place: they rename a new file over the old one, which the map keeps. If another program
    // changes the file, a view reads wrong bits, never beyond its bytes; if the file is cut short,
    // the system ends the run.
    unsafe { Mmap::map(file) }
}

/// Makes a run that reads beyond a file cut short by another program end with an error message, not
/// a crash.
#[cfg(unix)]
#[allow(unsafe_code)]
fn end_if_cut() -> std::io::Result<()> {
    use signal_hook::{consts::SIGBUS, low_level};
    use std::sync::Once;

    static SAID: &[u8] =
        b"amq: a filter's file was cut short while it was queried: run this again\n";
    static ONCE: Once = Once::new();
    let end = || {
        // SAFETY: `write` is async-signal-safe, and the bytes are static.
        let _ = unsafe { libc::write(2, SAID.as_ptr().cast(), SAID.len()) };
        low_level::exit(2);
    };
    let mut done = Ok(());
    ONCE.call_once(|| {
        // SAFETY: `end` makes only async-signal-safe calls.
        done = unsafe { low_level::register(SIGBUS, end) }.map(drop);
    });
    done
}
