//! Decoding: header, directory and payload, each checked before use.

use super::contents::Hashing;
use super::file_format::FileFormat;
use super::format::HEADER;
use super::header::FileHeader;
use super::opened::Opened;
use super::pieces::SectionStream;
use super::sections::{Sections, ranges};
use crate::format::HashedBy;
use crate::{Budget, Bytes, DecodeError, Secret, SharedBytes, Table};
use alloc::sync::Arc;

impl<'a> Opened<'a> {
    /// Checks header and directory of a file that is exactly these bytes; also returns the payload.
    pub fn in_bytes(
        bytes: &'a [u8],
        secret: Option<Secret>,
    ) -> Result<(Self, &'a [u8]), DecodeError> {
        let file = FileHeader::decode(bytes, secret)?;
        let (length, held) = (file.file_bytes()?, bytes.len() as u64);
        if held < length {
            return Err(DecodeError::Truncated { bytes: held, needed: length });
        }
        if held > length {
            return Err(DecodeError::Trailing { bytes: held - length });
        }
        let (directory, payload) = bytes[HEADER..].split_at(file.directory_bytes as usize);
        Ok((Self::new(file, directory)?, payload))
    }

    /// [`in_bytes`](Self::in_bytes), for a file that is read as an `F`.
    fn of<F: FileFormat>(
        bytes: &'a [u8],
        secret: Option<Secret>,
    ) -> Result<(Self, &'a [u8], F::Geometry), DecodeError> {
        let opened = Self::in_bytes(bytes, secret);
        let (opened, payload) = opened.map_err(|error| Self::refusal(error, F::HASHED_BY))?;
        let geometry = opened.geometry_of::<F>()?;
        Ok((opened, payload, geometry))
    }

    /// The geometry, if the keys are hashed as `F` hashes them.
    fn geometry_of<F: FileFormat>(&self) -> Result<F::Geometry, DecodeError> {
        if let Some(wanted) = F::HASHED_BY {
            self.expect_hashed_by(wanted)?;
            // Without its seed or secret key, the filter would deny keys that it holds.
            match self.file.hashing {
                Hashing::Unknown(HashedBy::Seed) => return Err(DecodeError::SeedWithheld),
                Hashing::Unknown(HashedBy::Key) => return Err(DecodeError::KeyWithheld),
                _ => {}
            }
        }
        F::geometry(self)
    }
}

/// The filter in these bytes, which are copied.
pub(crate) fn from_bytes<F: FileFormat>(
    bytes: &[u8],
    secret: Option<Secret>,
) -> Result<F::With<Table>, DecodeError> {
    let (opened, payload, geometry) = Opened::of::<F>(bytes, secret)?;
    copied::<F>(&opened, payload, geometry)
}

/// The filter in these bytes, truncated to a budget. Only the part that is kept is copied.
pub(crate) fn truncated<F: FileFormat>(
    bytes: &[u8],
    secret: Option<Secret>,
    budget: Budget,
) -> Result<F::With<Table>, DecodeError> {
    let (opened, payload, geometry) = Opened::of::<F>(bytes, secret)?;
    // Checks the payload.
    drop(ranges(payload, &opened, true)?);
    let mut rest = payload;
    let mut fill = |bytes: &mut [u8]| {
        let (now, later) = rest.split_at(bytes.len());
        bytes.copy_from_slice(now);
        rest = later;
        Ok(())
    };
    let mut sections = SectionStream::new(&opened, true, &mut fill);
    let filter = F::truncated(&opened, geometry, budget, &mut sections)?;
    sections.finish()?;
    Ok(filter)
}

/// A filter that is part of another one, from its payload; accepts any hashing of keys.
pub fn from_payload<F: FileFormat>(
    opened: &Opened<'_>,
    payload: &[u8],
) -> Result<F::With<Table>, DecodeError> {
    copied::<F>(opened, payload, F::geometry(opened)?)
}

fn copied<F: FileFormat>(
    opened: &Opened<'_>,
    payload: &[u8],
    geometry: F::Geometry,
) -> Result<F::With<Table>, DecodeError> {
    let mut ranges = ranges(payload, opened, true)?;
    let mut next = || Ok(&payload[ranges.next().unwrap_or_default()]);
    F::from_copies(opened, geometry, Sections::new(opened, true, &mut next))
}

/// A view of these bytes. Without `check`, the payload is not read.
pub(crate) fn view<F: FileFormat>(
    bytes: &[u8],
    secret: Option<Secret>,
    check: bool,
) -> Result<F::With<&[u8]>, DecodeError> {
    let (opened, payload, geometry) = Opened::of::<F>(bytes, secret)?;
    let mut ranges = ranges(payload, &opened, check)?;
    let mut next = || Ok(&payload[ranges.next().unwrap_or_default()]);
    F::from_sections(&opened, geometry, Sections::new(&opened, check, &mut next))
}

/// As [`view`], sharing ownership of the bytes.
pub(crate) fn view_shared<F: FileFormat, T: Bytes + ?Sized>(
    shared: &Arc<T>,
    secret: Option<Secret>,
    check: bool,
) -> Result<F::With<SharedBytes<T>>, DecodeError> {
    let bytes = (**shared).as_ref();
    let (opened, payload, geometry) = Opened::of::<F>(bytes, secret)?;
    let before = bytes.len() - payload.len();
    let mut ranges = ranges(payload, &opened, check)?;
    let mut next = || {
        let range = ranges.next().unwrap_or_default();
        Ok(SharedBytes::new(shared.clone(), before + range.start, range.len()))
    };
    F::from_sections(&opened, geometry, Sections::new(&opened, check, &mut next))
}

#[cfg(feature = "std")]
pub(crate) use stream::{Limits, load, read};

#[cfg(feature = "std")]
mod stream {
    use super::super::directory::Place;
    use super::super::format::ALIGN;
    use super::super::sections::check_padding;
    use super::{FileFormat, FileHeader, HEADER, Opened, SectionStream, Sections};
    use crate::error::number::Counted;
    use crate::memory::reserve;
    use crate::{Budget, DecodeError, ReadError, Secret, Table};
    use std::fs::File;
    use std::io::{self, BufReader, ErrorKind, Read};
    use std::path::Path;
    use std::vec::Vec;
    use xxhash_rust::xxh3::Xxh3;

    /// Limits on reading a file.
    #[derive(Clone, Copy, Debug)]
    pub(crate) struct Limits {
        /// Longer files are refused, by the length in their header.
        pub(crate) max_bytes: u64,
        /// The budget to truncate the filter to.
        pub(crate) budget: Option<Budget>,
    }

    #[cfg(feature = "serde")]
    impl Limits {
        /// No limits.
        pub(crate) const NONE: Self = Self { max_bytes: u64::MAX, budget: None };
    }

    /// Reads exactly one file; also returns its length.
    pub(crate) fn read<F: FileFormat>(
        reader: &mut dyn Read,
        secret: Option<Secret>,
        limits: Limits,
    ) -> Result<(F::With<Table>, u64), ReadError> {
        read_known::<F>(reader, 0, secret, limits)
    }

    /// Reads the file at `path`, which must hold nothing else.
    pub(crate) fn load<F: FileFormat>(
        path: &Path,
        secret: Option<Secret>,
        limits: Limits,
    ) -> Result<F::With<Table>, ReadError> {
        let file = File::open(path)?;
        let held = file.metadata()?.len();
        // Buffers the header and the directory; large reads bypass the buffer.
        let mut reader = BufReader::with_capacity(1 << 12, file);
        let (filter, length) = read_known::<F>(&mut reader, held, secret, limits)?;
        match reader.read(&mut [0])? {
            0 => Ok(filter),
            // A pipe's length is unknown.
            _ => Err(DecodeError::Trailing { bytes: held.saturating_sub(length).max(1) }.into()),
        }
    }

    /// [`read`] from a reader that holds exactly `known` bytes, or any number if that is 0. Memory
    /// for known bytes is allocated at once.
    fn read_known<F: FileFormat>(
        reader: &mut dyn Read,
        known: u64,
        secret: Option<Secret>,
        limits: Limits,
    ) -> Result<(F::With<Table>, u64), ReadError> {
        let mut stream = Stream { reader, read: 0, needed: HEADER as u64, failed: None };
        let read = stream.file::<F>(known, secret, limits);
        match (read, stream.failed) {
            (Err(_), Some(error)) => Err(error.into()),
            (Err(error), None) => Err(Opened::refusal(error, F::HASHED_BY).into()),
            (Ok(filter), _) => Ok(filter),
        }
    }

    /// `Ok` if the payload's checksum matches.
    fn check_sum(sum: &Xxh3, opened: &Opened<'_>) -> Result<(), DecodeError> {
        match sum.digest() == opened.file.payload_sum {
            true => Ok(()),
            false => Err(DecodeError::Checksum { part: "payload" }),
        }
    }

    /// A reader of one file.
    struct Stream<'a> {
        reader: &'a mut dyn Read,
        /// Bytes read so far.
        read: u64,
        /// Bytes of the whole file.
        needed: u64,
        /// The reader's own error, which a [`DecodeError`] cannot hold.
        failed: Option<io::Error>,
    }

    impl Stream<'_> {
        fn file<F: FileFormat>(
            &mut self,
            known: u64,
            secret: Option<Secret>,
            Limits { max_bytes, budget }: Limits,
        ) -> Result<(F::With<Table>, u64), DecodeError> {
            let mut header = [0; HEADER];
            let held = self.fill(&mut header)?;
            let file = FileHeader::decode(&header[..held], secret)?;
            let length = file.file_bytes()?;
            if length > max_bytes {
                return Err(DecodeError::OverLimit { bytes: length, limit: max_bytes });
            }
            if known != 0 && known < length {
                return Err(DecodeError::Truncated { bytes: known, needed: length });
            }
            self.needed = length;
            let directory = Table::fill(file.directory_bytes, known, |bytes| self.all(bytes))?;
            let opened = Opened::new(file, &directory)?;
            let geometry = opened.geometry_of::<F>()?;
            let mut sum = Xxh3::new();
            if let Some(budget) = budget {
                let mut fill = |bytes: &mut [u8]| {
                    self.all(bytes)?;
                    sum.update(bytes);
                    Ok(())
                };
                let mut sections = SectionStream::new(&opened, known > 0, &mut fill);
                let filter = F::truncated(&opened, geometry, budget, &mut sections)?;
                sections.finish()?;
                check_sum(&sum, &opened)?;
                return Ok((filter, length));
            }
            let mut sections = Vec::new();
            let count = opened.sections() as u64;
            let bytes = count.saturating_mul(size_of::<Table>() as u64);
            reserve(&mut sections, count).map_err(|_| DecodeError::OutOfMemory { bytes })?;
            for index in 0..opened.sections() {
                let (place, known) =
                    (opened.directory.place(index), known.saturating_sub(self.read));
                sections.push(self.section(place, known, &mut sum)?);
            }
            check_sum(&sum, &opened)?;
            let mut sections = sections.into_iter();
            let mut next = || Ok(sections.next().unwrap_or_default());
            let sections = Sections::new(&opened, true, &mut next);
            Ok((F::from_sections(&opened, geometry, sections)?, length))
        }

        /// Reads the next section and the padding after it.
        fn section(
            &mut self,
            place: Place,
            known: u64,
            sum: &mut Xxh3,
        ) -> Result<Table, DecodeError> {
            let mut padding = [0; ALIGN];
            let length = (place.bytes % ALIGN as u64) as usize;
            let padding = &mut padding[..length.next_multiple_of(ALIGN) - length];
            let table = Table::fill(place.bytes, known.min(place.bytes), |bytes| {
                self.all(bytes)?;
                sum.update(bytes);
                Ok(())
            })?;
            self.all(padding)?;
            sum.update(padding);
            check_padding(padding)?;
            Ok(table)
        }

        /// Fills the whole buffer.
        fn all(&mut self, bytes: &mut [u8]) -> Result<(), DecodeError> {
            match self.fill(bytes)? == bytes.len() {
                true => Ok(()),
                false => Err(DecodeError::Truncated { bytes: self.read, needed: self.needed }),
            }
        }

        /// Fills as much of the buffer as the reader can, and returns the number of bytes. A reader
        /// that claims more bytes than the buffer has is an error.
        fn fill(&mut self, bytes: &mut [u8]) -> Result<usize, DecodeError> {
            let mut held = 0;
            while held < bytes.len() {
                let asked = bytes.len() - held;
                let error = match self.reader.read(&mut bytes[held..]) {
                    Ok(0) => break,
                    Ok(more) if more <= asked => {
                        held += more;
                        self.read += more as u64;
                        continue;
                    }
                    Ok(more) => io::Error::other(std::format!(
                        "the reader says that it read {} into a buffer of {asked}: mend its \
                         `read`",
                        Counted(more as u64, "bytes")
                    )),
                    Err(error) if error.kind() == ErrorKind::Interrupted => continue,
                    Err(error) => error,
                };
                self.failed = Some(error);
                return Err(DecodeError::Interrupted);
            }
            Ok(held)
        }
    }
}
