//! SipHash-1-3: a pseudorandom function of bytes, under a key of 128 bits.

use crate::SipKeyError;
use core::fmt;
use core::str::FromStr;

/// A secret key of 128 bits, under which a [`Keyed`](crate::Keyed) filter hashes.
///
/// Make it from random bytes of the operating system's generator (for example with the crate
/// `getrandom`), and store it like a password. `Debug` does not print it.
///
/// Not to be confused with the keys that a filter holds: the documentation always calls this one
/// the *secret key*.
///
/// ```
/// use amq_core::SipKey;
///
/// # let random = || *b"sixteen bytes...";
/// let bytes: [u8; 16] = random();
/// let key = SipKey::new(bytes);
/// assert_eq!(key.to_bytes(), bytes);
/// assert_eq!(format!("{key:?}"), "SipKey(..)");
///
/// // As the command `amq` has it in a key file.
/// let key: SipKey = "000102030405060708090a0b0c0d0e0f".parse()?;
/// assert_eq!(key.to_bytes()[15], 15);
/// # Ok::<(), amq_core::SipKeyError>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct SipKey([u64; 2]);

impl SipKey {
    /// A secret key from 16 bytes, which should be random.
    #[must_use]
    pub const fn new(bytes: [u8; 16]) -> Self {
        let both = u128::from_le_bytes(bytes);
        Self([both as u64, (both >> 64) as u64])
    }

    /// The key's bytes, to be stored in a safe place.
    #[must_use]
    pub const fn to_bytes(self) -> [u8; 16] {
        (self.0[0] as u128 | (self.0[1] as u128) << 64).to_le_bytes()
    }

    /// Whether all bytes are zero, which never happens with random bytes.
    pub(crate) const fn is_zero(self) -> bool {
        self.0[0] | self.0[1] == 0
    }

    /// A seed as a SipHash key, to compute the check of a withheld seed.
    pub(crate) const fn of_seed(seed: u64) -> Self {
        Self([seed, 0])
    }

    /// The SipHash-1-3 of these bytes.
    #[inline]
    pub(crate) fn hash(self, bytes: &[u8]) -> u64 {
        let mut state = State::new(self);
        state.absorb(bytes);
        state.finish(bytes, bytes.len() as u64)
    }
}

impl From<[u8; 16]> for SipKey {
    fn from(bytes: [u8; 16]) -> Self {
        Self::new(bytes)
    }
}

/// Parses 32 hexadecimal digits, in upper or lower case, without blanks. All zeros are refused.
impl FromStr for SipKey {
    type Err = SipKeyError;

    fn from_str(text: &str) -> Result<Self, SipKeyError> {
        let digits: &[u8; 32] =
            text.as_bytes().try_into().map_err(|_| SipKeyError::Length { bytes: text.len() })?;
        let mut bytes = [0; 16];
        for (at, &digit) in digits.iter().enumerate() {
            let value = (digit as char).to_digit(16).ok_or(SipKeyError::Digit { at })?;
            bytes[at / 2] = bytes[at / 2] << 4 | value as u8;
        }
        match Self::new(bytes) {
            key if key.is_zero() => Err(SipKeyError::Zero),
            key => Ok(key),
        }
    }
}

/// Does not print the key.
impl fmt::Debug for SipKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SipKey(..)")
    }
}

/// SipHash's state of four words.
#[derive(Clone, Copy)]
pub(super) struct State([u64; 4]);

impl State {
    #[inline]
    pub(super) const fn new(SipKey([k0, k1]): SipKey) -> Self {
        Self([
            k0 ^ 0x736F_6D65_7073_6575,
            k1 ^ 0x646F_7261_6E64_6F6D,
            k0 ^ 0x6C79_6765_6E65_7261,
            k1 ^ 0x7465_6462_7974_6573,
        ])
    }

    #[inline]
    const fn round(&mut self) {
        let [mut v0, mut v1, mut v2, mut v3] = self.0;
        v0 = v0.wrapping_add(v1);
        v1 = v1.rotate_left(13) ^ v0;
        v0 = v0.rotate_left(32);
        v2 = v2.wrapping_add(v3);
        v3 = v3.rotate_left(16) ^ v2;
        v0 = v0.wrapping_add(v3);
        v3 = v3.rotate_left(21) ^ v0;
        v2 = v2.wrapping_add(v1);
        v1 = v1.rotate_left(17) ^ v2;
        v2 = v2.rotate_left(32);
        self.0 = [v0, v1, v2, v3];
    }

    #[inline]
    const fn word(&mut self, word: u64) {
        self.0[3] ^= word;
        self.round();
        self.0[0] ^= word;
    }

    /// Absorbs the whole words of these bytes.
    #[inline]
    pub(super) fn absorb(&mut self, bytes: &[u8]) {
        for word in bytes.chunks_exact(8) {
            self.word(little_endian(word));
        }
    }

    /// Finishes the hash of `length` bytes whose whole words have been absorbed. `bytes` is all of
    /// them or their end, shorter by a multiple of eight.
    #[inline]
    pub(super) fn finish(mut self, bytes: &[u8], length: u64) -> u64 {
        self.word(length << 56 | rest(bytes));
        self.0[2] ^= 0xFF;
        self.round();
        self.round();
        self.round();
        let [v0, v1, v2, v3] = self.0;
        v0 ^ v1 ^ v2 ^ v3
    }
}

/// Up to eight bytes as an integer.
#[inline]
fn little_endian(bytes: &[u8]) -> u64 {
    let mut word = [0; 8];
    word[..bytes.len()].copy_from_slice(bytes);
    u64::from_le_bytes(word)
}

/// The bytes after the last whole word, in few loads: short keys have no others.
#[inline]
fn rest(bytes: &[u8]) -> u64 {
    let (length, left) = (bytes.len(), bytes.len() % 8);
    let byte = |at: usize| u64::from(bytes[at]) << (8 * at);
    match (length, left) {
        (_, 0) => 0,
        (8.., _) => little_endian(&bytes[length - 8..]) >> (64 - 8 * left),
        (4.., _) => {
            let last = little_endian(&bytes[length - 4..]) << (8 * (length - 4));
            little_endian(&bytes[..4]) | last
        }
        _ => byte(0) | byte(length / 2) | byte(length - 1),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::key::Encoder;
    use core::hash::Hasher;
    use siphasher::sip::SipHasher13;
    use std::string::ToString;
    use std::vec::Vec;

    const KEY: [u8; 16] = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15];

    /// Test vectors of the reference implementation: the length `n`, and the hash of the bytes 0,
    /// 1, 2 up to `n - 1`.
    const KNOWN: [(usize, u64); 11] = [
        (0, 0xABAC_0158_050F_C4DC),
        (1, 0xC9F4_9BF3_7D57_CA93),
        (2, 0x82CB_9B02_4DC7_D44D),
        (3, 0x8BF8_0AB8_E7DD_F7FB),
        (4, 0xCF75_5760_88D3_8328),
        (7, 0xD392_7D98_9BB1_1140),
        (8, 0x3690_9511_8D29_9A8E),
        (9, 0x25A4_8EB3_6C06_3DE4),
        (15, 0xD320_D86D_2A51_9956),
        (16, 0xCC4F_DD1A_7D90_8B66),
        (63, 0x9D19_9062_B7BB_B3A8),
    ];

    #[test]
    fn hashes_are_siphash_1_3_known_answers() {
        for (length, want) in KNOWN {
            let bytes: Vec<u8> = (0..length as u8).collect();
            assert_eq!(SipKey::new(KEY).hash(&bytes), want, "{length} bytes");
        }
    }

    #[test]
    fn hashes_are_those_of_siphasher_at_every_length() {
        let bytes: Vec<u8> = (0..700u32).map(|i| (i * 7 % 251) as u8).collect();
        for (number, key) in [KEY, [0; 16], [0xFF; 16]].into_iter().enumerate() {
            let ours = SipKey::new(key);
            for length in 0..bytes.len() {
                let bytes = &bytes[..length];
                let mut theirs = SipHasher13::new_with_key(&key);
                theirs.write(bytes);
                let want = theirs.finish();
                assert_eq!(ours.hash(bytes), want, "{length} bytes, key {number}");
                for step in [1, 7, 8, 127, 128, 129, 300] {
                    let mut encoder = Encoder::new(&ours);
                    for piece in bytes.chunks(step) {
                        encoder.bytes(piece);
                    }
                    assert_eq!(encoder.finish().get(), want, "{length} bytes by {step}");
                }
            }
        }
    }

    #[test]
    fn a_key_is_its_bytes_and_shows_none_of_them() {
        assert_eq!(SipKey::new(KEY).to_bytes(), KEY);
        assert_eq!(SipKey::from(KEY), SipKey::new(KEY));
        assert_ne!(SipKey::new(KEY), SipKey::new([0; 16]));
        assert_eq!(SipKey::of_seed(0x0706_0504_0302_0100).to_bytes()[..8], KEY[..8]);
        assert_eq!(std::format!("{:?}", SipKey::new(KEY)), "SipKey(..)");
    }

    #[test]
    fn a_sip_key_is_32_hex_digits_that_no_error_shows() {
        let digits = "000102030405060708090a0B0C0d0e0f";
        assert_eq!(digits.parse(), Ok(SipKey::new(KEY)));
        let long = std::format!("{digits}0");
        let sign = digits.replace("0f", "+f");
        let wide = digits.replace("0f", "é");
        for (text, why) in [
            ("", SipKeyError::Length { bytes: 0 }),
            (&digits[1..], SipKeyError::Length { bytes: 31 }),
            (&long, SipKeyError::Length { bytes: 33 }),
            (&sign, SipKeyError::Digit { at: 30 }),
            (&wide, SipKeyError::Digit { at: 30 }),
            (&"0".repeat(32), SipKeyError::Zero),
        ] {
            assert_eq!(text.parse::<SipKey>(), Err(why));
            assert!(!why.to_string().contains("0b0c") && !why.to_string().contains("0B0C"));
        }
    }
}
