//! From bytes to a filter, in the order that lets nothing unchecked through.

use super::format::HEADER;
use super::header::FileHeader;
use super::opened::Opened;
#[cfg(feature = "std")]
use super::source::{Streaming, fill, grow};
use crate::{DecodeError, Secret};

impl<'a> Opened<'a> {
    /// Checks header and directory of a file that is all of these bytes; also gives the payload.
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
}

#[cfg(feature = "std")]
impl<R: std::io::Read> Streaming<'_, R> {
    /// Reads one file, and no byte more; also gives its length. `restore` decides what becomes of
    /// it, once header and directory are checked. A file that says it is longer than `max_bytes` is
    /// refused.
    pub fn read<T>(
        reader: &mut R,
        secret: Option<Secret>,
        max_bytes: u64,
        restore: impl FnOnce(&Opened<'_>, Streaming<'_, R>) -> Result<T, DecodeError>,
    ) -> Result<(T, u64), crate::ReadError> {
        read_sure(reader, 0, secret, max_bytes, restore)
    }
}

/// [`Streaming::read`] from a reader that is known to hold exactly `sure` bytes, or any number if
/// that is 0: memory for known bytes is taken at once.
#[cfg(feature = "std")]
pub(super) fn read_sure<T, R: std::io::Read>(
    reader: &mut R,
    sure: u64,
    secret: Option<Secret>,
    max_bytes: u64,
    restore: impl FnOnce(&Opened<'_>, Streaming<'_, R>) -> Result<T, DecodeError>,
) -> Result<(T, u64), crate::ReadError> {
    let mut failed = None;
    let read = read_parts(reader, sure, &mut failed, secret, max_bytes, restore);
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
    secret: Option<Secret>,
    max_bytes: u64,
    restore: impl FnOnce(&Opened<'_>, Streaming<'_, R>) -> Result<T, DecodeError>,
) -> Result<(T, u64), DecodeError> {
    let mut header = [0; HEADER];
    let held = fill(reader, &mut header, failed)?;
    let file = FileHeader::decode(&header[..held], secret)?;
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
