//! From bytes to a filter, in the order that lets nothing unchecked through.

use super::format::HEADER;
use super::header::FileHeader;
use super::opened::Opened;
use super::source::{Borrowing, Copying, Source};
#[cfg(feature = "std")]
use super::source::{Streaming, fill, grow};
use super::stored::Restore;
use crate::DecodeError;

/// Checks header and directory of a file that is all of these bytes; also gives the payload.
pub fn open(bytes: &[u8], seed: Option<u64>) -> Result<(Opened<'_>, &[u8]), DecodeError> {
    let file = FileHeader::decode(bytes, seed)?;
    let (length, held) = (file.file_bytes()?, bytes.len() as u64);
    if held < length {
        return Err(DecodeError::Truncated { bytes: held, needed: length });
    }
    if held > length {
        return Err(DecodeError::Trailing { bytes: held - length });
    }
    let (directory, payload) = bytes[HEADER..].split_at(file.directory_bytes as usize);
    Ok((Opened::new(file, directory)?, payload))
}

/// The filter of a file whose header and directory are checked, if its keys are hashed in the way
/// that `F` is for.
pub(super) fn restored<F: Restore, R: Source>(
    opened: &Opened<'_>,
    source: R,
) -> Result<F::Over<R>, DecodeError> {
    opened.expect_hashing(F::PREHASHED)?;
    F::restore(opened, source)
}

/// Whether the file that these bytes begin with withholds its seed.
pub fn withholds_seed(bytes: &[u8]) -> Result<bool, DecodeError> {
    match FileHeader::decode(bytes, None) {
        Ok(_) => Ok(false),
        Err(DecodeError::SeedWithheld) => Ok(true),
        Err(error) => Err(error),
    }
}

/// The filter in these bytes, and nothing besides.
pub fn decode<'a, F: Restore>(
    bytes: &'a [u8],
    seed: Option<u64>,
) -> Result<F::Over<Copying<'a>>, DecodeError> {
    let (opened, payload) = open(bytes, seed)?;
    restored::<F, _>(&opened, Copying::new(payload, &opened)?)
}

/// The filter over these bytes. Without `check` the payload is not looked at.
pub fn view<'a, F: Restore>(
    bytes: &'a [u8],
    seed: Option<u64>,
    check: bool,
) -> Result<F::Over<Borrowing<'a>>, DecodeError> {
    let (opened, payload) = open(bytes, seed)?;
    restored::<F, _>(&opened, Borrowing::new(payload, &opened, check)?)
}

/// Reads one file, and no byte more; also gives its length. One that says it is longer than
/// `max_bytes` is refused.
#[cfg(feature = "std")]
pub fn read<F, R>(
    reader: &mut R,
    seed: Option<u64>,
    max_bytes: u64,
) -> Result<(F, u64), crate::ReadError>
where
    F: for<'a> Restore<Over<Streaming<'a, R>> = F>,
    R: std::io::Read,
{
    read_as(reader, seed, max_bytes, |opened, source| restored::<F, _>(opened, source))
}

/// The same where `restore` decides what becomes of a file, once header and directory are checked.
#[cfg(feature = "std")]
pub fn read_as<T, R: std::io::Read>(
    reader: &mut R,
    seed: Option<u64>,
    max_bytes: u64,
    restore: impl FnOnce(&Opened<'_>, Streaming<'_, R>) -> Result<T, DecodeError>,
) -> Result<(T, u64), crate::ReadError> {
    read_sure(reader, 0, seed, max_bytes, restore)
}

/// The same from a reader that surely has `sure` bytes, and no more if that is not zero: memory is
/// taken for all of them at once.
#[cfg(feature = "std")]
pub(super) fn read_sure<T, R: std::io::Read>(
    reader: &mut R,
    sure: u64,
    seed: Option<u64>,
    max_bytes: u64,
    restore: impl FnOnce(&Opened<'_>, Streaming<'_, R>) -> Result<T, DecodeError>,
) -> Result<(T, u64), crate::ReadError> {
    let mut failed = None;
    let read = read_parts(reader, sure, &mut failed, seed, max_bytes, restore);
    match (read, failed) {
        (Err(_), Some(error)) => Err(error.into()),
        (read, _) => Ok(read?),
    }
}

#[cfg(feature = "std")]
fn read_parts<T, R: std::io::Read>(
    reader: &mut R,
    sure: u64,
    failed: &mut Option<std::io::Error>,
    seed: Option<u64>,
    max_bytes: u64,
    restore: impl FnOnce(&Opened<'_>, Streaming<'_, R>) -> Result<T, DecodeError>,
) -> Result<(T, u64), DecodeError> {
    let mut header = [0; HEADER];
    let held = fill(reader, &mut header, failed)?;
    let file = FileHeader::decode(&header[..held], seed)?;
    let length = file.file_bytes()?;
    if length > max_bytes {
        return Err(DecodeError::OverLimit { bytes: length, limit: max_bytes });
    }
    if sure != 0 && sure < length {
        return Err(DecodeError::Truncated { bytes: sure, needed: length });
    }
    let mut held = HEADER;
    let directory = grow::<u8>(file.directory_bytes, sure, |bytes| {
        let more = fill(reader, bytes, failed)?;
        held += more;
        match more == bytes.len() {
            true => Ok(()),
            false => Err(DecodeError::Truncated { bytes: held as u64, needed: length }),
        }
    })?;
    let opened = Opened::new(file, &directory)?;
    let sure = sure.min(file.payload_bytes);
    let restored = restore(&opened, Streaming::new(reader, sure, failed))?;
    Ok((restored, length))
}
