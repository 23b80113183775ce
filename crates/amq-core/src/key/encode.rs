//! Incremental hashing of keys with several parts.

use super::{Key, KeyHash};
use core::fmt;
use xxhash_rust::xxh3::{Xxh3, xxh3_64_with_seed};

/// Encodings up to this many bytes are hashed in one piece.
const INLINE: usize = 128;

/// Takes the bytes of a key's encoding; see [`Key::encode`].
///
/// The hash depends on the bytes alone, not on how many calls deliver them. Needs no heap.
pub struct Encoder {
    seed: u64,
    used: usize,
    inline: [u8; INLINE],
    /// Takes over once the bytes no longer fit.
    stream: Option<Xxh3>,
}

impl Encoder {
    /// For a hash under `seed`.
    #[inline]
    pub(super) const fn new(seed: u64) -> Self {
        Self { seed, used: 0, inline: [0; INLINE], stream: None }
    }

    /// Appends the part of another key.
    #[inline]
    pub fn part<K: Key + ?Sized>(&mut self, key: &K) -> &mut Self {
        key.encode(self);
        self
    }

    /// Appends bytes as they are, without their length: for encodings of a fixed length.
    #[inline]
    pub fn bytes(&mut self, bytes: &[u8]) -> &mut Self {
        let end = self.used + bytes.len();
        match self.inline.get_mut(self.used..end) {
            Some(room) if self.stream.is_none() => {
                room.copy_from_slice(bytes);
                self.used = end;
            }
            _ => self.spill(bytes),
        }
        self
    }

    #[cold]
    fn spill(&mut self, bytes: &[u8]) {
        let (inline, seed) = (&self.inline[..self.used], self.seed);
        let stream = self.stream.get_or_insert_with(|| {
            let mut stream = Xxh3::with_seed(seed);
            stream.update(inline);
            stream
        });
        stream.update(bytes);
    }

    /// The hash of the bytes so far.
    #[inline]
    pub(super) fn finish(&self) -> KeyHash {
        KeyHash(match &self.stream {
            None => xxh3_64_with_seed(&self.inline[..self.used], self.seed),
            Some(stream) => stream.digest(),
        })
    }
}

/// Shows neither the bytes nor the seed, which may be secret.
impl fmt::Debug for Encoder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Encoder").finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::vec::Vec;

    #[test]
    fn bytes_in_any_number_of_calls_have_the_hash_of_the_whole() {
        let whole: Vec<u8> = (0..1000u32).map(|i| (i * 7 % 251) as u8).collect();
        for length in [0, 1, 8, 16, 127, 128, 129, 240, 241, 256, 257, 1000] {
            let want = xxh3_64_with_seed(&whole[..length], 5);
            for step in [1, 3, 8, 64, 127, 128, 129, 500, 1000] {
                let mut encoder = Encoder::new(5);
                for piece in whole[..length].chunks(step) {
                    encoder.bytes(piece);
                }
                assert_eq!(encoder.finish().get(), want, "{length} bytes by {step}");
            }
        }
    }
}
