//! Serde: a filter is serialised as its file, one byte string, and read by the same decoder.
//!
//! Formats with byte strings pass the whole file, so file and filter together need twice the file's
//! memory. Formats without (JSON) pass a sequence of bytes. With `std` it is read like any stream:
//! it needs at most twice the file's memory while the table moves, and never more than twice the
//! bytes that have arrived, whatever length is claimed. Without `std` the sequence is collected
//! first, which needs up to three times the file's memory.

use super::{FileFormat, Hashing, from_bytes, to_bytes};
use crate::Table;
#[cfg(feature = "std")]
use crate::{DecodeError, ReadError};
#[cfg(not(feature = "std"))]
use alloc::vec::Vec;
use core::fmt;
use core::marker::PhantomData;
use serde::de::{Error as _, SeqAccess, Visitor};
use serde::{Deserializer, Serializer};

/// Serialises the filter's file as a byte string.
pub fn serialize<F: FileFormat, S: Serializer>(
    filter: &F,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    let bytes = to_bytes(filter, Hashing::Seed).map_err(serde::ser::Error::custom)?;
    serializer.serialize_bytes(&bytes)
}

/// Deserialises it from a byte string, or from a sequence of bytes.
pub fn deserialize<'de, F, D>(deserializer: D) -> Result<F, D::Error>
where
    F: FileFormat<With<Table> = F>,
    D: Deserializer<'de>,
{
    deserializer.deserialize_byte_buf(File(PhantomData))
}

struct File<F>(PhantomData<F>);

impl<'de, F: FileFormat<With<Table> = F>> Visitor<'de> for File<F> {
    type Value = F;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the bytes of a filter")
    }

    fn visit_bytes<E: serde::de::Error>(self, bytes: &[u8]) -> Result<F, E> {
        from_bytes::<F>(bytes, None).map_err(E::custom)
    }

    #[cfg(feature = "std")]
    fn visit_seq<A: SeqAccess<'de>>(self, sequence: A) -> Result<F, A::Error> {
        let mut bytes = Bytes { sequence, failed: None };
        let filter = super::read::<F>(&mut bytes, None, super::Limits::NONE);
        let Bytes { mut sequence, failed } = bytes;
        match (filter, failed) {
            (_, Some(error)) => Err(error),
            (Err(ReadError::Decode(error)), None) => Err(A::Error::custom(error)),
            (Err(ReadError::Io(error)), None) => Err(A::Error::custom(error)),
            (Ok((filter, _)), None) => {
                let mut behind = 0;
                while sequence.next_element::<u8>()?.is_some() {
                    behind += 1;
                }
                match behind {
                    0 => Ok(filter),
                    bytes => Err(A::Error::custom(DecodeError::Trailing { bytes })),
                }
            }
        }
    }

    #[cfg(not(feature = "std"))]
    fn visit_seq<A: SeqAccess<'de>>(self, mut sequence: A) -> Result<F, A::Error> {
        let mut bytes = Vec::new();
        while let Some(byte) = sequence.next_element()? {
            if bytes.len() == bytes.capacity() {
                let more = (bytes.len() as u64).max(4096);
                crate::memory::reserve(&mut bytes, more).map_err(A::Error::custom)?;
            }
            bytes.push(byte);
        }
        from_bytes::<F>(&bytes, None).map_err(A::Error::custom)
    }
}

/// Reads a sequence of bytes as a stream.
#[cfg(feature = "std")]
struct Bytes<A, E> {
    sequence: A,
    /// The sequence's own error, which a stream's cannot hold.
    failed: Option<E>,
}

#[cfg(feature = "std")]
impl<'de, A: SeqAccess<'de>> std::io::Read for Bytes<A, A::Error> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        for (read, byte) in buffer.iter_mut().enumerate() {
            match self.sequence.next_element() {
                Ok(Some(next)) => *byte = next,
                Ok(None) => return Ok(read),
                Err(error) => {
                    self.failed = Some(error);
                    return Err(std::io::ErrorKind::InvalidData.into());
                }
            }
        }
        Ok(buffer.len())
    }
}
