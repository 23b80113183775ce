//! Keys and their one hash.

use alloc::{borrow::Cow, boxed::Box, string::String, vec::Vec};
use xxhash_rust::xxh3::xxh3_64_with_seed;

/// The seed a filter uses unless it is given another.
///
/// It is public and fixed, so that the same keys give the same filter, byte for byte, everywhere. Whoever
/// lets strangers choose keys should use a secret seed instead: it stops them from preparing keys that
/// collide. It does not make XXH3 a cryptographic hash, and does not help once a filter has leaked.
pub const DEFAULT_SEED: u64 = 0;

/// How many keys are hashed together before a batch operation is given them: enough for its prefetching to get under
/// way, few enough that the hashes stay in the first-level cache.
pub const HASH_BLOCK: usize = 128;

/// The 64-bit hash of a key: all that a filter ever sees of it.
///
/// It is a type of its own so that a raw integer key is never taken for a hash: `filter.contains(&42u64)`
/// hashes 42, `filter.contains_hash(KeyHash::new(h))` takes `h` as it is. A hash made elsewhere must be
/// uniform over all 64 bits; every rate in this family rests on that.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
#[repr(transparent)]
pub struct KeyHash(u64);

impl KeyHash {
    /// Takes a ready-made, uniform 64-bit hash.
    #[inline]
    pub const fn new(hash: u64) -> Self {
        Self(hash)
    }

    /// Hashes a key with XXH3-64 under a seed.
    #[inline]
    pub fn of<K: Key + ?Sized>(key: &K, seed: u64) -> Self {
        key.key_hash(seed)
    }

    /// The hash as an integer.
    #[inline]
    pub const fn get(self) -> u64 {
        self.0
    }
}

/// Something that can be put into a filter.
///
/// The encoding is part of the file format and never changes: text and bytes hash their raw bytes, without
/// a length or a terminator; integers of up to 64 bits are widened (signed ones sign-extended) to eight
/// little-endian bytes, so that `42u8`, `42i32` and `42u64` are one key; 128-bit integers are sixteen
/// bytes. [`core::hash::Hash`] is not used: its encoding is neither portable nor stable.
///
/// A tuple or a struct is a key once its author has said how it becomes bytes:
///
/// ```
/// use amq_core::{Key, KeyHash};
///
/// struct Edge { from: u32, to: u32 }
///
/// impl Key for Edge {
///     fn key_hash(&self, seed: u64) -> KeyHash {
///         ((u64::from(self.from) << 32) | u64::from(self.to)).key_hash(seed)
///     }
/// }
/// assert_ne!(Edge { from: 1, to: 2 }.key_hash(0), Edge { from: 2, to: 1 }.key_hash(0));
/// ```
pub trait Key {
    /// The key's XXH3-64 hash under `seed`.
    fn key_hash(&self, seed: u64) -> KeyHash;
}

impl Key for [u8] {
    #[inline]
    fn key_hash(&self, seed: u64) -> KeyHash {
        KeyHash(xxh3_64_with_seed(self, seed))
    }
}

/// Types that hash as the bytes they show.
macro_rules! key_as_bytes {
    ($($(#[$generics:meta])* [$($g:tt)*] $type:ty => $bytes:expr;)*) => {$(
        impl $($g)* Key for $type {
            #[inline]
            fn key_hash(&self, seed: u64) -> KeyHash {
                let bytes: fn(&Self) -> &[u8] = $bytes;
                bytes(self).key_hash(seed)
            }
        }
    )*};
}

key_as_bytes! {
    [] str => |s| s.as_bytes();
    [] String => |s| s.as_bytes();
    [] Vec<u8> => |v| v;
    [<const N: usize>] [u8; N] => |a| a;
}

/// Integers that widen to 64 bits.
macro_rules! key_as_u64 {
    ($($type:ty => $wide:ty),* $(,)?) => {$(
        impl Key for $type {
            #[inline]
            fn key_hash(&self, seed: u64) -> KeyHash {
                // Two's complement: a signed value and its unsigned image are the same eight bytes.
                (*self as $wide).to_le_bytes().key_hash(seed)
            }
        }
    )*};
}

key_as_u64! {
    u8 => u64, u16 => u64, u32 => u64, u64 => u64, usize => u64,
    i8 => i64, i16 => i64, i32 => i64, i64 => i64, isize => i64,
    u128 => u128, i128 => i128,
}

/// Pointers hash as what they point to.
macro_rules! key_as_target {
    ($($(#[$cfg:meta])* [$($g:tt)*] $type:ty;)*) => {$(
        $(#[$cfg])*
        impl<$($g)*> Key for $type {
            #[inline]
            fn key_hash(&self, seed: u64) -> KeyHash {
                (**self).key_hash(seed)
            }
        }
    )*};
}

key_as_target! {
    [K: Key + ?Sized] &K;
    [K: Key + ?Sized] &mut K;
    [K: Key + ?Sized] Box<K>;
    [K: Key + ?Sized] alloc::rc::Rc<K>;
    #[cfg(target_has_atomic = "ptr")]
    [K: Key + ?Sized] alloc::sync::Arc<K>;
    [K: Key + ?Sized + alloc::borrow::ToOwned] Cow<'_, K>;
}

/// Hashes `keys` in blocks of at most [`HASH_BLOCK`] and hands each block on, with the index of its first
/// key; stops at the first error.
///
/// This is the loop under every `..._keys` method: the hashes live on the stack, so a batch of any length
/// needs no memory.
#[inline]
pub fn hash_blocks<K: Key, E>(
    keys: &[K],
    seed: u64,
    mut each: impl FnMut(usize, &[KeyHash]) -> Result<(), E>,
) -> Result<(), E> {
    let mut hashes = [KeyHash(0); HASH_BLOCK];
    for (block, keys) in keys.chunks(HASH_BLOCK).enumerate() {
        let hashes = &mut hashes[..keys.len()];
        for (hash, key) in hashes.iter_mut().zip(keys) {
            *hash = key.key_hash(seed);
        }
        each(block * HASH_BLOCK, hashes)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::string::ToString;

    /// Known answers of the reference implementation (xxHash's own sanity test: its generator fills the
    /// buffer, its tables give the hashes), so that a hash that changed would be seen.
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
            assert_eq!(
                buffer[..len].key_hash(seed).get(),
                want,
                "length {len}, seed {seed:#x}"
            );
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
        for n in [
            0,
            1,
            HASH_BLOCK - 1,
            HASH_BLOCK,
            HASH_BLOCK + 1,
            3 * HASH_BLOCK + 1,
        ] {
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
        let stopped = hash_blocks(&[0u64; 3 * HASH_BLOCK + 1], 0, |first, _| {
            calls += 1;
            if first == HASH_BLOCK {
                Err("stop")
            } else {
                Ok(())
            }
        });
        assert_eq!((stopped, calls), (Err("stop"), 2));
    }
}
