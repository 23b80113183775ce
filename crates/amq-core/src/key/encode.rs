//! Incremental hashing of keys with several parts.

use super::sip::State;
use super::{Key, KeyHash, SipKey};
use core::fmt;
use xxhash_rust::xxh3::{Xxh3, xxh3_64_with_seed};

/// Encodings up to this many bytes are hashed in one piece.
const INLINE: usize = 128;

/// A hash function of keys: XXH3 under a seed, or SipHash under a secret key.
///
/// Sealed: the trait is not exported.
pub trait KeyHasher {
    /// The hash of a whole encoding.
    fn of_bytes(&self, bytes: &[u8]) -> KeyHash;

    /// A fresh encoder for this hash.
    fn encoder(&self) -> Encoder;

    /// The hash of a key that is not part of a larger one.
    fn of<K: Key + ?Sized>(&self, key: &K) -> KeyHash;
}

impl KeyHasher for u64 {
    #[inline]
    fn of_bytes(&self, bytes: &[u8]) -> KeyHash {
        KeyHash(xxh3_64_with_seed(bytes, *self))
    }

    #[inline]
    fn encoder(&self) -> Encoder {
        Encoder::of(Stream::Xxh3 { seed: *self, spilled: None })
    }

    #[inline]
    fn of<K: Key + ?Sized>(&self, key: &K) -> KeyHash {
        key.key_hash(*self)
    }
}

impl KeyHasher for SipKey {
    #[inline]
    fn of_bytes(&self, bytes: &[u8]) -> KeyHash {
        KeyHash(self.hash(bytes))
    }

    #[inline]
    fn encoder(&self) -> Encoder {
        Encoder::of(Stream::Sip { state: State::new(*self), absorbed: 0 })
    }

    #[inline]
    fn of<K: Key + ?Sized>(&self, key: &K) -> KeyHash {
        key.key_hash_under(self)
    }
}

/// Hashes the bytes of a key's encoding; see [`Key::encode`].
///
/// The hash depends on the bytes alone, not on how they are split between calls. Does not allocate.
pub struct Encoder {
    used: usize,
    inline: [u8; INLINE],
    stream: Stream,
}

/// The streaming hash, used once the encoding outgrows `inline`.
#[allow(clippy::large_enum_variant, reason = "an encoder needs no heap, and lives for one key")]
enum Stream {
    Xxh3 {
        seed: u64,
        spilled: Option<Xxh3>,
    },
    /// `absorbed` counts the bytes already in the state.
    Sip {
        state: State,
        absorbed: u64,
    },
}

impl Encoder {
    /// An encoder for a seed or a secret key.
    #[inline]
    pub(super) fn new(under: &impl KeyHasher) -> Self {
        under.encoder()
    }

    #[inline]
    const fn of(stream: Stream) -> Self {
        Self { used: 0, inline: [0; INLINE], stream }
    }

    /// Appends another key, encoded as a part.
    #[inline]
    pub fn part<K: Key + ?Sized>(&mut self, key: &K) -> &mut Self {
        key.encode(self);
        self
    }

    /// Appends bytes without their length: for encodings of a fixed length.
    #[inline]
    pub fn bytes(&mut self, bytes: &[u8]) -> &mut Self {
        let end = self.used + bytes.len();
        let spilled = matches!(self.stream, Stream::Xxh3 { spilled: Some(_), .. });
        match self.inline.get_mut(self.used..end) {
            Some(room) if !spilled => {
                room.copy_from_slice(bytes);
                self.used = end;
            }
            _ => self.spill(bytes),
        }
        self
    }

    #[cold]
    fn spill(&mut self, mut bytes: &[u8]) {
        match &mut self.stream {
            Stream::Xxh3 { seed, spilled } => {
                let inline = &self.inline[..self.used];
                let stream = spilled.get_or_insert_with(|| {
                    let mut stream = Xxh3::with_seed(*seed);
                    stream.update(inline);
                    stream
                });
                stream.update(bytes);
            }
            Stream::Sip { state, absorbed } => {
                while self.used + bytes.len() >= INLINE {
                    let (now, later) = bytes.split_at(INLINE - self.used);
                    self.inline[self.used..].copy_from_slice(now);
                    state.absorb(&self.inline);
                    *absorbed += INLINE as u64;
                    (self.used, bytes) = (0, later);
                }
                self.inline[..bytes.len()].copy_from_slice(bytes);
                self.used = bytes.len();
            }
        }
    }

    /// The hash of the bytes so far.
    #[inline]
    pub(super) fn finish(&self) -> KeyHash {
        let inline = &self.inline[..self.used];
        KeyHash(match &self.stream {
            Stream::Xxh3 { seed, spilled: None } => xxh3_64_with_seed(inline, *seed),
            Stream::Xxh3 { spilled: Some(stream), .. } => stream.digest(),
            Stream::Sip { state, absorbed } => {
                let mut state = *state;
                state.absorb(inline);
                state.finish(inline, absorbed + self.used as u64)
            }
        })
    }
}

/// Shows neither the bytes nor the seed or key, which may be secret.
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
                let mut encoder = Encoder::new(&5);
                for piece in whole[..length].chunks(step) {
                    encoder.bytes(piece);
                }
                assert_eq!(encoder.finish().get(), want, "{length} bytes by {step}");
            }
        }
    }
}
