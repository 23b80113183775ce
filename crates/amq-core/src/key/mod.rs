//! Keys and their hashes.

mod by_hash;
mod encode;
mod kinds;
mod sip;
mod structs;

pub use by_hash::ByHash;
pub use encode::Encoder;
pub(crate) use encode::KeyHasher;
pub use sip::SipKey;

use crate::KeyEncoding;
use crate::index::{index, remix};

/// The default seed.
///
/// It is public and fixed: the same keys give the same filter, byte for byte, everywhere. If
/// strangers choose the keys, use a secret seed instead, so that they cannot prepare keys that
/// collide. A secret seed does not make XXH3 a cryptographic hash, and it does not help once a
/// filter has leaked.
pub const DEFAULT_SEED: u64 = 0;

/// Keys hashed per block of a batch operation. Each block starts with nothing prefetched, so blocks
/// must be long; but their hashes must fit the L1 cache.
const BLOCK: usize = 512;
/// A shorter block, for batches too small to pay for zeroing the long one.
const FEW: usize = 32;

/// The layer for choosing shards; filters number their own layers from 0.
const SHARD_LAYER: u64 = u64::MAX;

/// The 64-bit hash of a key. Filters work on hashes alone.
///
/// A newtype, so that an integer key is not mistaken for a hash: `filter.contains(&42u64)` hashes
/// 42, `filter.contains_hash(KeyHash::new(h))` takes `h` as it is.
///
/// **A hash computed elsewhere must be uniform over all 64 bits**; every false-positive rate in
/// these crates depends on it. Do not reuse a hash after choosing a shard or a file by some of its
/// bits: those bits are constant within the shard, which raises a quotient filter's rate from 0.67
/// % to 10.8 %. [`KeyHash::shard`] chooses a shard independently of the filter.
///
/// Do not look up keys in a filter of such hashes: it would hash them with its own function and
/// deny keys that are in. [`Prehashed`](crate::Prehashed) wraps such a filter and has no methods
/// that take a key.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
#[repr(transparent)]
pub struct KeyHash(u64);

impl KeyHash {
    /// Wraps an existing, uniform 64-bit hash.
    #[inline]
    #[must_use]
    pub const fn new(hash: u64) -> Self {
        Self(hash)
    }

    /// Hashes a key with XXH3-64 under a seed.
    #[inline]
    #[must_use]
    pub fn of<K: Key + ?Sized>(key: &K, seed: u64) -> Self {
        key.key_hash(seed)
    }

    /// The hash as an integer.
    #[inline]
    #[must_use]
    pub const fn get(self) -> u64 {
        self.0
    }

    /// The key's shard, from 0 to `shards - 1` (0 if `shards` is 0).
    ///
    /// Independent of the bits that filters use, so each shard's filter keeps its rate. A shard
    /// gets `n / shards` of `n` keys, give or take the square root of that.
    ///
    /// ```
    /// use amq_core::KeyHash;
    /// let hash = KeyHash::of("203.0.113.7", 0);
    /// assert!(hash.shard(16) < 16);
    /// ```
    #[inline]
    #[must_use]
    pub const fn shard(self, shards: usize) -> usize {
        index(remix(self.0, SHARD_LAYER), shards as u64) as usize
    }
}

/// Something that can be inserted into a filter.
///
/// # Encoding
///
/// A key is encoded as a byte string, which is hashed with XXH3-64 under the filter's seed, or, in
/// a [`Keyed`](crate::Keyed) filter, with SipHash-1-3 under the filter's secret key. The encoding
/// is part of the file format: a key has the same hash on every machine and in every version.
///
/// | key | bytes |
/// | --- | --- |
/// | `[u8]`, `str`, and their owners | the bytes themselves, without length or terminator |
/// | integers to 64 bits, `bool`, `char`, `NonZero` | eight, little-endian; signed ones sign-extended |
/// | `u128`, `i128` | sixteen, little-endian |
/// | `Option` | 0; or 1 and the value's part |
/// | tuples | the part of each element |
/// | arrays, slices, vectors of keys | the part of each element |
/// | IP addresses | their 4 or 16 octets, as `[u8]`; socket addresses as (address, port), see below |
/// | `Duration` | as (seconds, nanoseconds) |
/// | paths and OS strings | the platform's own bytes, not portable between Unix and Windows; see below |
///
/// The *part* of a key within a larger one is its encoding, preceded by its length if the type does
/// not determine it: byte strings and slices begin with the number of their elements, as eight
/// bytes. So `("ab", "c")` and `("a", "bc")` differ, and no two keys of one type share an encoding,
/// with one exception below. Keys of different types may: `42u8` and `42u64` are the same key, and
/// so are `[1, 2]` and `(1, 2)`. [`core::hash::Hash`] is not used, since its encoding is neither
/// portable nor stable; [`ByHash`] adapts it where that does not matter.
///
/// Three types need care:
///
/// - `usize` and `isize` are encoded by their value, which may depend on the machine's width:
///   `-1i64 as usize` and `usize::MAX` are different keys on 32-bit and 64-bit machines. Use `u64`
///   and `i64` for filters that move between machines.
/// - [`SocketAddrV6`](core::net::SocketAddrV6) is encoded as its address and port. Values that
///   differ only in scope or flow information share an encoding; to tell them apart, use
///   `(address, address.scope_id(), address.flowinfo())` as the key.
/// - A `Path` is encoded as its bytes. `a/b`, `a//b`, `a/./b` and `a/b/` are equal paths but four
///   keys. To normalise them, use `path.components().collect::<PathBuf>()` as the key.
///
/// # Keys of your own
///
/// [`key!`](crate::key!) implements `Key` for a struct, which is encoded as the tuple of its
/// fields:
///
/// ```
/// # use amq_core as amq_bloom;
/// use amq_bloom::{Key, key}; // or the crate that you use
///
/// struct Edge { from: u32, to: u32, label: String }
/// key!(Edge { from, to, label });
///
/// let edge = |from, to| Edge { from, to, label: "knows".into() };
/// assert_ne!(edge(1, 2).key_hash(0), edge(2, 1).key_hash(0));
/// ```
///
/// For an enum, encode the number of the variant first:
///
/// ```
/// use amq_core::{Encoder, Key};
///
/// enum Event { Login { user: u32 }, Logout }
///
/// impl Key for Event {
///     fn encode(&self, to: &mut Encoder) {
///         match self {
///             Self::Login { user } => (0u8, user).encode(to),
///             Self::Logout => 1u8.encode(to),
///         }
///     }
/// }
/// assert_ne!(Event::Login { user: 1 }.key_hash(0), Event::Logout.key_hash(0));
/// ```
///
/// An encoding must be *self-delimiting*: no encoding is a prefix of another of the same type.
/// Encodings composed of parts of keys are self-delimiting.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a key",
    label = "no encoding as a key is known for this type",
    note = "for a struct of your own: `key!(Point {{ x, y }})`, which each crate of filters exports, \
            as in `use amq_bloom::key;`",
    note = "for a type that implements `std::hash::Hash`, wrap it: `ByHash(key)` (not portable)",
    note = "for a float, decide what -0.0 and NaN are, then use `key.to_bits()`"
)]
pub trait Key {
    /// Appends the key's self-delimiting encoding to `to`.
    fn encode(&self, to: &mut Encoder);

    /// The key's XXH3-64 hash under `seed`.
    ///
    /// Defaults to the hash of the encoding. Override it only for a type whose hash is fixed
    /// elsewhere.
    #[inline]
    #[must_use]
    fn key_hash(&self, seed: u64) -> KeyHash {
        hash_of_part(self, &seed)
    }

    /// The key's SipHash-1-3 under the secret key `key`, as [`Keyed`](crate::Keyed) filters use it.
    ///
    /// Defaults to the hash of the encoding. A type that overrides [`key_hash`](Self::key_hash), so
    /// that it hashes as another type does, must override this too.
    #[inline]
    #[must_use]
    fn key_hash_under(&self, key: &SipKey) -> KeyHash {
        hash_of_part(self, key)
    }

    /// How the key is encoded, for the types that a file distinguishes: integers of up to 64 bits,
    /// and byte strings and text.
    ///
    /// Defaults to `Unknown`. A type that overrides [`key_hash`](Self::key_hash), so that it hashes
    /// as another type does, must override this too.
    #[inline]
    #[must_use]
    fn encoding(&self) -> KeyEncoding {
        KeyEncoding::Unknown
    }

    /// A slice of keys as a byte string; `Some` only for `u8`. Hidden, because other overrides
    /// could give equal slices different encodings.
    #[doc(hidden)]
    #[inline]
    #[must_use]
    fn byte_string(keys: &[Self]) -> Option<&[u8]>
    where
        Self: Sized,
    {
        let _ = keys;
        None
    }
}

/// The hash of a key that is hashed as if it were part of a larger one.
#[inline]
fn hash_of_part<K: Key + ?Sized>(key: &K, under: &impl KeyHasher) -> KeyHash {
    let mut encoder = Encoder::new(under);
    key.encode(&mut encoder);
    encoder.finish()
}

/// Hashes `keys` in blocks, calls `each` with the index of a block's first key and its hashes, and
/// stops at the first error. `under` is a seed (XXH3) or a [`SipKey`] (SipHash).
///
/// Every method that takes many keys uses this loop. The hashes are on the stack, so batches of any
/// length allocate nothing.
///
/// ```
/// use amq_core::{KeyHash, hash_blocks};
///
/// let keys: Vec<u64> = (0..2000).collect();
/// let mut seen = 0;
/// let done: Result<(), &str> = hash_blocks(&keys, 7, |first, hashes| {
///     assert_eq!(first, seen);
///     assert_eq!(hashes[0], KeyHash::of(&keys[first], 7));
///     seen += hashes.len();
///     if seen > 1000 { Err("that is enough") } else { Ok(()) }
/// });
/// assert_eq!(done, Err("that is enough"));
/// assert!(seen < keys.len());
/// ```
#[inline]
pub fn hash_blocks<K: Key, E>(
    keys: &[K],
    under: impl KeyHasher,
    mut each: impl FnMut(usize, &[KeyHash]) -> Result<(), E>,
) -> Result<(), E> {
    if keys.len() <= FEW {
        let mut hashes = [KeyHash(0); FEW];
        return each(0, hashed(keys, &under, &mut hashes));
    }
    let mut hashes = [KeyHash(0); BLOCK];
    for (block, keys) in keys.chunks(BLOCK).enumerate() {
        each(block * BLOCK, hashed(keys, &under, &mut hashes))?;
    }
    Ok(())
}

/// A function that writes the next hashes of these keys into a buffer and returns how many, for
/// [`InsertFilter::insert_from`](crate::InsertFilter::insert_from). `under` is a seed or a
/// [`SipKey`].
///
/// ```
/// use amq_core::{KeyHash, hashes_from};
/// let mut next = hashes_from(&["a", "b", "c"], 7);
/// let mut hashes = [KeyHash::new(0); 2];
/// assert_eq!((next(&mut hashes), hashes[1]), (2, KeyHash::of("b", 7)));
/// assert_eq!((next(&mut hashes), hashes[0]), (1, KeyHash::of("c", 7)));
/// assert_eq!(next(&mut hashes), 0);
/// ```
pub fn hashes_from<'a, K: Key>(
    mut keys: &'a [K],
    under: impl KeyHasher + 'a,
) -> impl FnMut(&mut [KeyHash]) -> usize + 'a {
    move |hashes| {
        let (block, rest) = keys.split_at(hashes.len().min(keys.len()));
        keys = rest;
        hashed(block, &under, hashes).len()
    }
}

/// Hashes `keys` into the front of the buffer, which must have room for all of them.
#[inline]
fn hashed<'a, K: Key>(
    keys: &[K],
    under: &impl KeyHasher,
    hashes: &'a mut [KeyHash],
) -> &'a [KeyHash] {
    let hashes = &mut hashes[..keys.len()];
    for (hash, key) in hashes.iter_mut().zip(keys) {
        *hash = under.of(key);
    }
    hashes
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::{borrow::Cow, boxed::Box, vec::Vec};
    use std::string::ToString;

    /// Known answers of the reference implementation: the generator and tables of xxHash's own
    /// sanity test.
    #[test]
    fn hashes_are_xxh3_64_known_answers() {
        const PRIME32: u64 = 2_654_435_761;
        const PRIME64: u64 = 11_400_714_785_074_694_797;
        let mut generator = PRIME32;
        let buffer: Vec<u8> = (0..2243)
            .map(|_| {
                let byte = (generator >> 56) as u8;
                generator = generator.wrapping_mul(PRIME64);
                byte
            })
            .collect();
        for (len, seed, want) in [
            (0, 0, 0x2D06_8005_38D3_94C2),
            (0, PRIME64, 0xA8A6_B918_B2F0_364A),
            (1, 0, 0xC44B_DFF4_074E_ECDB),
            (1, PRIME64, 0x032B_E332_DD76_6EF8),
            (6, 0, 0x27B5_6A84_CD2D_7325),
            (6, PRIME64, 0x8458_9C11_6AB5_9AB9),
            (12, 0, 0xA713_DAF0_DFBB_77E7),
            (12, PRIME64, 0xE730_3E1B_2336_DE0E),
            (24, 0, 0xA3FE_70BF_9D35_10EB),
            (24, PRIME64, 0x850E_80FC_35BD_D690),
            (48, 0, 0x397D_A259_ECBA_1F11),
            (48, PRIME64, 0xADC2_CBAA_44AC_C616),
            (80, 0, 0xBCDE_FBBB_2C47_C90A),
            (80, PRIME64, 0xC6DD_0CB6_9953_2E73),
            (195, 0, 0xCD94_217E_E362_EC3A),
            (195, PRIME64, 0xBA68_003D_370C_B3D9),
            (403, 0, 0xCDEB_804D_65C6_DEA4),
            (403, PRIME64, 0x6259_F6EC_FD64_43FD),
            (512, 0, 0x617E_4959_9013_CB6B),
            (512, PRIME64, 0x3CE4_57DE_14C2_7708),
            (2048, 0, 0xDD59_E2C3_A5F0_38E0),
            (2048, PRIME64, 0x66F8_1670_669A_BABC),
            (2240, 0, 0x6E73_A905_39CF_2948),
            (2240, PRIME64, 0x757B_A8487D1B5247),
        ] {
            assert_eq!(buffer[..len].key_hash(seed).get(), want, "length {len}, seed {seed:#x}");
        }
    }

    #[test]
    fn one_number_is_one_key_at_every_width() {
        let want = 42u64.to_le_bytes().key_hash(7);
        for got in [
            42u8.key_hash(7),
            42u16.key_hash(7),
            42u32.key_hash(7),
            42u64.key_hash(7),
            42usize.key_hash(7),
            42i8.key_hash(7),
            42i16.key_hash(7),
            42i32.key_hash(7),
            42i64.key_hash(7),
            42isize.key_hash(7),
        ] {
            assert_eq!(got, want);
        }
        assert_eq!((-1i8).key_hash(7), u64::MAX.key_hash(7));
        assert_eq!((-1i64).key_hash(7), (-1i32).key_hash(7));
        assert_eq!(42u128.key_hash(7), 42u128.to_le_bytes().key_hash(7));
        assert_eq!((-1i128).key_hash(7), u128::MAX.key_hash(7));
        assert_ne!(42u128.key_hash(7), want, "sixteen bytes are not eight");
    }

    #[test]
    fn text_and_bytes_in_any_holder_are_one_key() {
        let want = b"amq"[..].key_hash(3);
        for got in [
            "amq".key_hash(3),
            "amq".to_string().key_hash(3),
            (&&"amq").key_hash(3),
            b"amq".key_hash(3),
            b"amq".to_vec().key_hash(3),
            Box::<str>::from("amq").key_hash(3),
            alloc::rc::Rc::<str>::from("amq").key_hash(3),
            alloc::sync::Arc::<str>::from("amq").key_hash(3),
            Cow::Borrowed("amq").key_hash(3),
        ] {
            assert_eq!(got, want);
        }
    }

    #[test]
    fn blocks_cover_every_key_once_and_stop_at_an_error() {
        for n in [0, 1, FEW, FEW + 1, BLOCK - 1, BLOCK, BLOCK + 1, 3 * BLOCK + 1] {
            let keys: Vec<u64> = (0..n as u64).collect();
            let mut seen = Vec::new();
            hash_blocks(&keys, 9, |first, hashes| {
                assert_eq!(first, seen.len());
                seen.extend_from_slice(hashes);
                Ok::<(), ()>(())
            })
            .unwrap();
            let want: Vec<KeyHash> = keys.iter().map(|k| k.key_hash(9)).collect();
            assert_eq!(seen, want);
        }
        let mut calls = 0;
        let stopped = hash_blocks(&[0u64; 3 * BLOCK + 1], 0, |first, _| {
            calls += 1;
            if first == BLOCK { Err("stop") } else { Ok(()) }
        });
        assert_eq!((stopped, calls), (Err("stop"), 2));
    }
}
