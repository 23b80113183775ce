//! Spark's Murmur3 x86_32.

const C1: u32 = 0xcc9e_2d51;
const C2: u32 = 0x1b87_3593;

const fn mix(hash: u32, word: u32) -> u32 {
    let word = word.wrapping_mul(C1).rotate_left(15).wrapping_mul(C2);
    (hash ^ word).rotate_left(13).wrapping_mul(5).wrapping_add(0xe654_6b64)
}

const fn finish(hash: u32, len: u32) -> u32 {
    let hash = hash ^ len;
    let hash = (hash ^ (hash >> 16)).wrapping_mul(0x85eb_ca6b);
    let hash = (hash ^ (hash >> 13)).wrapping_mul(0xc2b2_ae35);
    hash ^ (hash >> 16)
}

/// `Murmur3_x86_32.hashLong`: the low half, then the high one.
pub(super) const fn long(value: i64, seed: i32) -> i32 {
    let hash = mix(seed as u32, value as u32);
    finish(mix(hash, (value >> 32) as u32), 8) as i32
}

/// `Murmur3_x86_32.hashUnsafeBytes`. Not the standard algorithm: each byte of the tail is
/// sign-extended and mixed as a separate word.
pub(super) fn bytes(value: &[u8], seed: i32) -> i32 {
    let (words, tail) = value.as_chunks::<4>();
    let hash = words.iter().fold(seed as u32, |hash, &word| mix(hash, u32::from_le_bytes(word)));
    let hash = tail.iter().fold(hash, |hash, &byte| mix(hash, byte.cast_signed() as u32));
    // Java's lengths have 32 bits; a longer value, impossible in Spark, wraps.
    finish(hash, value.len() as u32) as i32
}
