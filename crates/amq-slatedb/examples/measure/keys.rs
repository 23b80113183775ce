//! Keys of 16 to 64 bytes and values of 100, each made from a number.

/// The key of a number: 16 to 64 random bytes. The first eight tell the numbers apart, since
/// they are a permutation of them.
pub fn key(number: u64) -> Vec<u8> {
    let first = mixed(number);
    let mut key = bytes(first, 16 + (first % 49) as usize);
    key[..8].copy_from_slice(&first.to_be_bytes());
    key
}

/// The value stored under the key of a number.
pub fn value(number: u64) -> Vec<u8> {
    bytes(!mixed(number), 100)
}

fn bytes(seed: u64, len: usize) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(len + 8);
    let mut word = seed;
    while bytes.len() < len {
        word = mixed(word);
        bytes.extend_from_slice(&word.to_be_bytes());
    }
    bytes.truncate(len);
    bytes
}

/// SplitMix64.
fn mixed(number: u64) -> u64 {
    let mut z = number.wrapping_add(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}
