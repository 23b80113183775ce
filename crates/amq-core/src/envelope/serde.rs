//! The same bytes inside another format: serialised as one byte string, read through the same
//! decoder.

use super::{Copying, Restore, Stored, decode, encode};
use alloc::vec::Vec;
use core::fmt;
use core::marker::PhantomData;
use serde::de::{Error as _, SeqAccess, Visitor};
use serde::ser::Error as _;
use serde::{Deserializer, Serializer};

/// Writes the filter's file as a byte string.
pub fn serialize<F: Stored, S: Serializer>(filter: &F, serializer: S) -> Result<S::Ok, S::Error> {
    let bytes = encode(filter, false).map_err(S::Error::custom)?;
    serializer.serialize_bytes(&bytes)
}

/// Reads it; where the format has no byte strings, as a sequence of bytes.
pub fn deserialize<'de, F, D>(deserializer: D) -> Result<F, D::Error>
where
    F: for<'a> Restore<Over<Copying<'a>> = F>,
    D: Deserializer<'de>,
{
    deserializer.deserialize_byte_buf(File(PhantomData))
}

struct File<F>(PhantomData<F>);

impl<'de, F> Visitor<'de> for File<F>
where
    F: for<'a> Restore<Over<Copying<'a>> = F>,
{
    type Value = F;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the bytes of a filter")
    }

    fn visit_bytes<E: serde::de::Error>(self, bytes: &[u8]) -> Result<F, E> {
        decode::<F>(bytes, None).map_err(E::custom)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut sequence: A) -> Result<F, A::Error> {
        let mut bytes = Vec::new();
        while let Some(byte) = sequence.next_element()? {
            if bytes.len() == bytes.capacity() {
                let more = (bytes.len() as u64).max(4096);
                crate::reserve(&mut bytes, more).map_err(A::Error::custom)?;
            }
            bytes.push(byte);
        }
        decode::<F>(&bytes, None).map_err(A::Error::custom)
    }
}
