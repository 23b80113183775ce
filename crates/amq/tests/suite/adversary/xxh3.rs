//! XXH3-64 of a key of eight bytes, run backwards.
//!
//! For such a key `hash = P(key ^ K)`: P is a fixed, public permutation of the 64-bit words, K a
//! word that the seed determines and that determines the seed. So whoever knows the seed can write
//! down a key for any hash; and whoever knows a key and its hash, the seed.

use amq::Key;

/// The multiplier of the permutation.
const PRIME: u64 = 0x9FB2_1C65_1E98_DF25;

/// The inverse of an odd number modulo 2^64, by Newton's method.
const fn inverse(odd: u64) -> u64 {
    // Right in the lowest three bits; each step doubles their number.
    let mut inverse = odd;
    let mut step = 0;
    while step < 5 {
        inverse = inverse.wrapping_mul(2u64.wrapping_sub(odd.wrapping_mul(inverse)));
        step += 1;
    }
    inverse
}

/// The linear map that the permutation begins with. As a polynomial in the rotation by one it is
/// 1 + x^49 + x^24, and its 64th power is 1 + x^(49 * 64) + x^(24 * 64) = 1.
const fn linear(word: u64) -> u64 {
    word ^ word.rotate_left(49) ^ word.rotate_left(24)
}

fn inverse_linear(word: u64) -> u64 {
    (1..64).fold(word, |word, _| linear(word))
}

/// The inverse of the permutation P.
pub(super) fn unscrambled(hash: u64) -> u64 {
    let word = hash ^ hash >> 28 ^ hash >> 56;
    let word = word.wrapping_mul(inverse(PRIME));
    // The upper 29 bits, which choose what is added, stay as they are: eight is the key's length.
    let word = word ^ ((word >> 35) + 8);
    inverse_linear(word.wrapping_mul(inverse(PRIME)))
}

/// What the permutation of a key of zeros begins with under the seed 0.
fn start() -> u64 {
    unscrambled(0u64.key_hash(0).get())
}

/// The seed as it is mixed in: the bytes of its lower half, in reverse, on top of its upper half.
fn spread(seed: u64) -> u64 {
    seed ^ u64::from((seed as u32).swap_bytes()) << 32
}

/// The key that has this hash under this seed: one evaluation of a hash, for any hash.
pub(super) fn key_of(hash: u64, seed: u64) -> u64 {
    (unscrambled(hash) ^ start().wrapping_sub(spread(seed))).rotate_left(32)
}

/// The seed under which this key has this hash. `spread` is its own inverse.
pub(super) fn seed_of(key: u64, hash: u64) -> u64 {
    spread(start().wrapping_sub(unscrambled(hash) ^ key.rotate_left(32)))
}

/// The key whose hash is related to this one's under every seed; see
/// [`hashes_of_relatives_differ_by_one_of_few_constants`].
pub(super) fn relative(key: u64) -> u64 {
    key ^ inverse_linear(1 << 63).rotate_left(32)
}

#[test]
fn xxh3_is_inverted_for_keys_and_for_seeds() {
    for (word, seed) in super::stream(2).zip(super::stream(3)).take(10_000) {
        assert_eq!(key_of(word, seed).key_hash(seed).get(), word, "{seed:#x}");
        assert_eq!(seed_of(word, word.key_hash(seed).get()), seed, "{word:#x}");
    }
}

/// What a pseudorandom function has no trace of: two keys, chosen without the seed, of which one
/// hash all but gives the other.
///
/// Their difference is the highest bit after the linear map. Multiplied by an odd number it stays
/// that bit; the shift copies it to bit 28; the second multiplication turns that into plus or minus
/// `PRIME << 28`, whose upper 28 bits nothing changes any more.
#[test]
fn hashes_of_relatives_differ_by_one_of_few_constants() {
    use super::victim::Under;
    let leading = |under: Under, key| under.hash(key).get() >> 36;
    let constant = (PRIME << 28 ^ 1 << 63) >> 36;
    let other = ((PRIME << 28).wrapping_neg() ^ 1 << 63) >> 36;
    let mut held = [0; 2];
    const PAIRS: usize = 10_000;
    for (key, secret) in super::stream(4).zip(super::stream(5)).take(PAIRS) {
        let mut bytes = [0; 16];
        bytes[..8].copy_from_slice(&secret.to_le_bytes());
        for (held, under) in held.iter_mut().zip([Under::Seed(secret), Under::Key(bytes)]) {
            let difference = leading(under, relative(key)).wrapping_sub(leading(under, key));
            // Or one more, by a carry from below.
            let near = |of: u64| difference.wrapping_sub(of) % (1 << 28) <= 1;
            *held += u32::from(near(constant) || near(other));
        }
    }
    // Four of 2^28 differences: by chance 0.0001 of 10,000 pairs.
    assert!(held[0] as usize > PAIRS * 99 / 100 && held[1] == 0, "{held:?}");
}
