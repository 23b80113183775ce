//! Where the sections of a payload come from: a slice that is copied, one that is borrowed, a pipe.

use super::directory::Place;
use super::format::ALIGN;
use super::opened::Opened;
use super::section::{Plain, to_machine_order};
use crate::memory::reserve;
use crate::{Bytes, DecodeError, Table};
use alloc::borrow::Cow;
use alloc::vec::Vec;
#[cfg(feature = "std")]
use xxhash_rust::xxh3::Xxh3;
use xxhash_rust::xxh3::xxh3_64;

/// Hands out the sections of one file, in their order.
///
/// Sealed: [`Copying`], [`Borrowing`] and `Streaming` are all there are. A section is a vector or a
/// borrowed slice, and so the same each time it is asked for; the vector code of ribbon filters
/// relies on that, since it checks a table's length once.
///
/// ```compile_fail,E0277
/// # use amq_core::DecodeError;
/// # use amq_core::internal::{Opened, Plain, Source};
/// struct Mine;
///
/// impl Source for Mine {
///     type Store<T: Plain> = Vec<T>;
///     fn section<T: Plain>(&mut self, _: &Opened<'_>) -> Result<Vec<T>, DecodeError> {
///         Ok(Vec::new())
///     }
///     type Bytes = amq_core::Table;
///     fn table(&mut self, _: &Opened<'_>) -> Result<amq_core::Table, DecodeError> {
///         Ok(amq_core::Table::default())
///     }
///     fn bytes(&mut self, _: &Opened<'_>) -> Result<std::borrow::Cow<'_, [u8]>, DecodeError> {
///         Ok((&[]).into())
///     }
///     fn finish(self, _: &Opened<'_>) -> Result<bool, DecodeError> {
///         Ok(true)
///     }
/// }
/// ```
pub trait Source: sealed::Sealed {
    /// What holds a section.
    type Store<T: Plain>: AsRef<[T]> + Send + Sync;

    /// The next section. Whoever asks has called [`Opened::expect_sections`] with its length.
    fn section<T: Plain>(&mut self, opened: &Opened<'_>) -> Result<Self::Store<T>, DecodeError>;

    /// What holds a part of a table.
    type Bytes: Bytes;

    /// The next section as a table. Whoever asks has called [`Opened::expect_sections`] with its
    /// length.
    fn table(&mut self, opened: &Opened<'_>) -> Result<Self::Bytes, DecodeError>;

    /// The next section's bytes, for whoever reads a file within the file.
    fn bytes(&mut self, opened: &Opened<'_>) -> Result<Cow<'_, [u8]>, DecodeError>;

    /// To be called after the last section, before any of them is looked at: checks the payload's
    /// checksum. Says whether the table is to be walked.
    fn finish(self, opened: &Opened<'_>) -> Result<bool, DecodeError>;
}

mod sealed {
    pub trait Sealed {}
    impl Sealed for super::Copying<'_> {}
    impl Sealed for super::Borrowing<'_> {}
    #[cfg(feature = "std")]
    impl<R> Sealed for super::Streaming<'_, R> {}
}

fn next_place(opened: &Opened<'_>, next: &mut usize) -> Result<Place, DecodeError> {
    if *next >= opened.directory.sections() {
        return Err(DecodeError::Geometry {
            field: "sections",
            value: opened.directory.sections() as u64,
        });
    }
    let place = opened.directory.place(*next);
    *next += 1;
    Ok(place)
}

/// The number of elements of a section.
fn elements_of<T: Plain>(place: Place) -> Result<u64, DecodeError> {
    let size = size_of::<T>() as u64;
    match place.bytes % size {
        0 => Ok(place.bytes / size),
        _ => Err(DecodeError::Geometry { field: "bytes of a section", value: place.bytes }),
    }
}

/// Room for more elements.
fn make_room<T: Plain>(elements: &mut Vec<T>, more: u64) -> Result<(), DecodeError> {
    let bytes = more.saturating_mul(size_of::<T>() as u64);
    reserve(elements, more).map_err(|_| DecodeError::OutOfMemory { bytes })
}

/// The bytes of a section.
fn bytes_of(payload: &[u8], place: Place) -> &[u8] {
    &payload[place.offset as usize..(place.offset + place.bytes) as usize]
}

/// The padding behind it, which must be zero.
fn check_padding(payload: &[u8], place: Place) -> Result<(), DecodeError> {
    let end = (place.offset + place.bytes) as usize;
    let padding = &payload[end..end.next_multiple_of(ALIGN)];
    match padding.iter().all(|&byte| byte == 0) {
        true => Ok(()),
        false => Err(DecodeError::Reserved { part: "payload" }),
    }
}

/// Copies sections out of a slice that holds the whole payload.
#[derive(Debug)]
pub struct Copying<'a> {
    payload: &'a [u8],
    next: usize,
}

impl<'a> Copying<'a> {
    /// Over a payload, whose checksum is checked.
    pub fn new(payload: &'a [u8], opened: &Opened<'_>) -> Result<Self, DecodeError> {
        check_sum(payload, opened)?;
        Ok(Self { payload, next: 0 })
    }
}

fn check_sum(payload: &[u8], opened: &Opened<'_>) -> Result<(), DecodeError> {
    match xxh3_64(payload) == opened.file.payload_sum {
        true => Ok(()),
        false => Err(DecodeError::Checksum { part: "payload" }),
    }
}

impl Source for Copying<'_> {
    type Store<T: Plain> = Vec<T>;

    fn section<T: Plain>(&mut self, opened: &Opened<'_>) -> Result<Vec<T>, DecodeError> {
        let place = next_place(opened, &mut self.next)?;
        check_padding(self.payload, place)?;
        let bytes = bytes_of(self.payload, place);
        let mut elements = Vec::new();
        make_room::<T>(&mut elements, elements_of::<T>(place)?)?;
        elements.resize(bytes.len() / size_of::<T>(), T::zeroed());
        let held: &mut [u8] = bytemuck::cast_slice_mut(&mut elements);
        held.copy_from_slice(bytes);
        to_machine_order(held, T::WIDTH);
        Ok(elements)
    }

    type Bytes = Table;

    fn table(&mut self, opened: &Opened<'_>) -> Result<Table, DecodeError> {
        let place = next_place(opened, &mut self.next)?;
        check_padding(self.payload, place)?;
        let bytes = place.bytes;
        let mut table = Table::zeroed(bytes).map_err(|_| DecodeError::OutOfMemory { bytes })?;
        table.copy_from_slice(bytes_of(self.payload, place));
        Ok(table)
    }

    fn bytes(&mut self, opened: &Opened<'_>) -> Result<Cow<'_, [u8]>, DecodeError> {
        let place = next_place(opened, &mut self.next)?;
        check_padding(self.payload, place)?;
        Ok(bytes_of(self.payload, place).into())
    }

    fn finish(self, _: &Opened<'_>) -> Result<bool, DecodeError> {
        Ok(true)
    }
}

/// Borrows sections from a slice that holds the whole payload, aligned.
#[derive(Debug)]
pub struct Borrowing<'a> {
    payload: &'a [u8],
    next: usize,
    check: bool,
}

impl<'a> Borrowing<'a> {
    /// Over a payload, whose checksum is checked if `check` says so.
    pub fn new(payload: &'a [u8], opened: &Opened<'_>, check: bool) -> Result<Self, DecodeError> {
        if check {
            check_sum(payload, opened)?;
        }
        Ok(Self { payload, next: 0, check })
    }
}

impl<'a> Source for Borrowing<'a> {
    type Store<T: Plain> = &'a [T];

    fn section<T: Plain>(&mut self, opened: &Opened<'_>) -> Result<&'a [T], DecodeError> {
        let place = next_place(opened, &mut self.next)?;
        if self.check {
            check_padding(self.payload, place)?;
        }
        let bytes = bytes_of(self.payload, place);
        if cfg!(target_endian = "big") && T::WIDTH > 1 {
            return Err(DecodeError::BigEndian);
        }
        bytemuck::try_cast_slice(bytes).map_err(|error| match error {
            bytemuck::PodCastError::TargetAlignmentGreaterAndInputNotAligned => {
                DecodeError::Misaligned { needed: align_of::<T>() }
            }
            _ => DecodeError::Geometry { field: "bytes of a section", value: place.bytes },
        })
    }

    type Bytes = &'a [u8];

    fn table(&mut self, opened: &Opened<'_>) -> Result<&'a [u8], DecodeError> {
        let place = next_place(opened, &mut self.next)?;
        if self.check {
            check_padding(self.payload, place)?;
        }
        Ok(bytes_of(self.payload, place))
    }

    fn bytes(&mut self, opened: &Opened<'_>) -> Result<Cow<'_, [u8]>, DecodeError> {
        self.table(opened).map(Cow::Borrowed)
    }

    fn finish(self, _: &Opened<'_>) -> Result<bool, DecodeError> {
        Ok(self.check)
    }
}

/// Reads sections as they come, in steps: a length that is stated is not yet memory.
#[cfg(feature = "std")]
pub struct Streaming<'a, R> {
    reader: &'a mut R,
    /// Bytes of the payload that the reader is known to hold; 0 if unknown.
    sure: u64,
    sum: Xxh3,
    next: usize,
    /// Bytes of the payload so far.
    read: u64,
    /// The reader's own error, which a [`DecodeError`] cannot hold.
    pub(super) failed: &'a mut Option<std::io::Error>,
}

/// The most bytes that are taken before any have come.
#[cfg(feature = "std")]
const FIRST: u64 = 1 << 15;

/// The most bytes that are read at once.
#[cfg(feature = "std")]
const STEP: usize = 1 << 20;

/// Fills as many of these bytes as the reader has, and says how many. A reader that claims to have
/// filled more than it was given is an error.
#[cfg(feature = "std")]
pub(super) fn fill<R: std::io::Read>(
    reader: &mut R,
    bytes: &mut [u8],
    failed: &mut Option<std::io::Error>,
) -> Result<usize, DecodeError> {
    let mut held = 0;
    while held < bytes.len() {
        match reader.read(&mut bytes[held..]) {
            Ok(0) => break,
            Ok(more) if more <= bytes.len() - held => held += more,
            Ok(more) => {
                let asked = bytes.len() - held;
                *failed = Some(std::io::Error::other(std::format!(
                    "the reader says that it read {more} bytes into a buffer of {asked}: mend its \
                     `read`"
                )));
                return Err(DecodeError::Interrupted);
            }
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
            Err(error) => {
                *failed = Some(error);
                return Err(DecodeError::Interrupted);
            }
        }
    }
    Ok(held)
}

/// This many elements, each piece of them filled by `fill`. Takes memory for what is `sure` to
/// come, for [`FIRST`] bytes, or for as much again as has come, and never for a mere claim.
#[cfg(feature = "std")]
pub(super) fn grow<T: Plain>(
    count: u64,
    sure: u64,
    mut fill: impl FnMut(&mut [u8]) -> Result<(), DecodeError>,
) -> Result<Vec<T>, DecodeError> {
    let mut elements = Vec::new();
    while (elements.len() as u64) < count {
        let held = elements.len();
        let step = (sure.max(FIRST) / size_of::<T>() as u64).max(held as u64);
        let more = (count - held as u64).min(step);
        make_room(&mut elements, more)?;
        let end = held + more as usize;
        while elements.len() < end {
            let start = elements.len();
            elements.resize((start + STEP / size_of::<T>()).min(end), T::zeroed());
            fill(bytemuck::cast_slice_mut(&mut elements[start..]))?;
        }
    }
    Ok(elements)
}

#[cfg(feature = "std")]
impl<R> core::fmt::Debug for Streaming<'_, R> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("Streaming").finish_non_exhaustive()
    }
}

#[cfg(feature = "std")]
impl<'a, R: std::io::Read> Streaming<'a, R> {
    pub(super) fn new(
        reader: &'a mut R,
        sure: u64,
        failed: &'a mut Option<std::io::Error>,
    ) -> Self {
        Self { reader, sure, sum: Xxh3::new(), next: 0, read: 0, failed }
    }

    /// The next bytes of the payload.
    fn fill(&mut self, bytes: &mut [u8], opened: &Opened<'_>) -> Result<(), DecodeError> {
        let held = fill(self.reader, bytes, self.failed)?;
        self.read += held as u64;
        if held < bytes.len() {
            let length = opened.file.file_bytes()?;
            return Err(DecodeError::Truncated {
                bytes: length - opened.file.payload_bytes + self.read,
                needed: length,
            });
        }
        self.sum.update(bytes);
        Ok(())
    }

    /// The padding behind a section, which must be zero.
    fn padding(&mut self, place: Place, opened: &Opened<'_>) -> Result<(), DecodeError> {
        let mut padding = [0; ALIGN];
        let length = place.bytes as usize % ALIGN;
        let padding = &mut padding[..length.next_multiple_of(ALIGN) - length];
        self.fill(padding, opened)?;
        match padding.iter().all(|&byte| byte == 0) {
            true => Ok(()),
            false => Err(DecodeError::Reserved { part: "payload" }),
        }
    }
}

#[cfg(feature = "std")]
impl<R: std::io::Read> Source for Streaming<'_, R> {
    type Store<T: Plain> = Vec<T>;

    fn section<T: Plain>(&mut self, opened: &Opened<'_>) -> Result<Vec<T>, DecodeError> {
        let place = next_place(opened, &mut self.next)?;
        let sure = self.sure.saturating_sub(self.read);
        let elements = grow::<T>(elements_of::<T>(place)?, sure, |bytes| {
            self.fill(bytes, opened)?;
            to_machine_order(bytes, T::WIDTH);
            Ok(())
        })?;
        self.padding(place, opened)?;
        Ok(elements)
    }

    type Bytes = Table;

    fn table(&mut self, opened: &Opened<'_>) -> Result<Table, DecodeError> {
        let place = next_place(opened, &mut self.next)?;
        let sure = self.sure.saturating_sub(self.read);
        let table = Table::fill(place.bytes, sure, |bytes| self.fill(bytes, opened))?;
        self.padding(place, opened)?;
        Ok(table)
    }

    fn bytes(&mut self, opened: &Opened<'_>) -> Result<Cow<'_, [u8]>, DecodeError> {
        self.section::<u8>(opened).map(Cow::Owned)
    }

    fn finish(self, opened: &Opened<'_>) -> Result<bool, DecodeError> {
        match self.sum.digest() == opened.file.payload_sum {
            true => Ok(true),
            false => Err(DecodeError::Checksum { part: "payload" }),
        }
    }
}
