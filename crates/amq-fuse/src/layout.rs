//! The geometry of a table, which maps keys to slots. Holds no data.

use crate::FuseParams;
use amq_core::index::{index, index_and_rest, remix};

/// The first bit of a key's word that chooses its third slot. The second slot uses the lowest bits.
pub(crate) const THIRD: u32 = 20;

/// A table's geometry, computed once from its parameters.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Layout {
    /// Odd, so that it maps hashes one to one; each internal seed has its own.
    multiplier: u64,
    /// The starts of all shards: the possible first slots of a key.
    starts: u64,
    shards: u64,
    /// Slots of a segment.
    segment: u64,
    /// The starts of a shard, and its slots.
    shard_starts: u64,
    shard_slots: u64,
    pub(crate) fingerprint_bits: u32,
    /// Bytes of the table, which contain all slots of every place.
    bytes: u64,
}

/// The slots of a key in a table, and the word whose upper bits are its fingerprint.
#[derive(Clone, Copy, Default, Debug)]
pub(crate) struct Place {
    pub(crate) slots: [u64; 3],
    mixed: u64,
}

impl Layout {
    /// The geometry of these parameters. For parameters out of range, one that no table fits.
    pub(crate) fn new(params: &FuseParams) -> Self {
        if params.check().is_err() {
            return Self { bytes: u64::MAX, ..Self::new(&FuseParams::new(1)) };
        }
        let segment = 1 << params.segment_bits;
        Self {
            multiplier: remix(params.internal_seed.into(), 0) | 1,
            starts: u64::from(params.segments) * u64::from(params.shards) * segment,
            shards: params.shards.into(),
            segment,
            shard_starts: u64::from(params.segments) * segment,
            shard_slots: params.shard_slots(),
            fingerprint_bits: params.fingerprint_bits,
            bytes: params.bytes(),
        }
    }

    /// The word that determines slots and fingerprint: uniform like the hash, and different for
    /// each internal seed.
    #[inline(always)]
    pub(crate) const fn word(&self, hash: u64) -> u64 {
        hash.wrapping_mul(self.multiplier)
    }

    /// The slots of a key in the table: the start in its segment, and one slot in each of the next
    /// two. Scaling preserves order and refines: the shard, and the start within it from the rest
    /// of the word, equal those of a start scaled from the whole word.
    #[inline(always)]
    pub(crate) const fn place(&self, hash: u64) -> Place {
        let word = self.word(hash);
        let start = if self.shards > 1 {
            let (shard, rest) = index_and_rest(word, self.shards);
            shard * self.shard_slots + index(rest, self.shard_starts)
        } else {
            index(word, self.starts)
        };
        Place { slots: self.slots(word, start), mixed: mixed(word) }
    }

    /// The slots of a key in its shard, whose first start is `first`.
    #[inline(always)]
    pub(crate) fn slots_in_shard(&self, word: u64, first: u64) -> [usize; 3] {
        self.slots(word, index(word, self.starts).wrapping_sub(first)).map(|slot| slot as usize)
    }

    #[inline(always)]
    const fn slots(&self, word: u64, start: u64) -> [u64; 3] {
        let mask = self.segment - 1;
        let second = (start + self.segment) ^ (word & mask);
        let third = (start + 2 * self.segment) ^ (word >> THIRD & mask);
        [start, second, third]
    }

    /// The fingerprint of a key's word.
    #[inline(always)]
    pub(crate) const fn fingerprint(&self, word: u64) -> u32 {
        upper(mixed(word), self.fingerprint_bits)
    }

    /// The starts of one shard.
    pub(crate) const fn starts_of_shard(&self) -> u64 {
        self.shard_starts
    }

    pub(crate) const fn shards(&self) -> u64 {
        self.shards
    }

    /// Whether a table is not empty and contains all slots of every place.
    #[inline(always)]
    pub(crate) const fn fits(&self, table: &[u8]) -> bool {
        self.bytes != 0 && table.len() as u64 >= self.bytes
    }
}

impl Place {
    #[inline(always)]
    pub(crate) const fn fingerprint(&self, bits: u32) -> u32 {
        upper(self.mixed, bits)
    }
}

#[inline(always)]
const fn upper(word: u64, bits: u32) -> u32 {
    (word >> (64 - bits)) as u32
}

/// A word whose upper bits, the fingerprint, depend on all bits of `word`.
#[inline(always)]
const fn mixed(word: u64) -> u64 {
    (word ^ word >> 32).wrapping_mul(0x9E37_79B9_7F4A_7C15)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sizing::sized;
    use amq_core::KeyHash;

    #[test]
    fn a_key_lies_in_three_neighbouring_segments_of_its_shard() {
        // The slots of the last case need 64-bit numbers.
        let most = if usize::BITS == 64 { 1 << 35 } else { 1 << 30 };
        for keys in [1u64, 2, 7, 100, 5000, 1_000_000, 30_000_000, most] {
            for seed in [0, 1, 31] {
                let params = FuseParams { internal_seed: seed, ..sized(FuseParams::new(8), keys) };
                let layout = Layout::new(&params);
                let slots = params.shard_slots();
                let hashes = (0..1000).map(|key: u64| KeyHash::of(&key, keys).get());
                for hash in hashes.chain([0, 1, u64::MAX, u64::MAX - 1]) {
                    let place = layout.place(hash).slots;
                    assert!(place.iter().all(|&slot| slot < params.slots()));
                    let shard = place[0] / slots;
                    assert!(shard < layout.shards());
                    let first = shard * layout.starts_of_shard();
                    let own = layout.slots_in_shard(layout.word(hash), first);
                    assert_eq!(own.map(|slot| slot as u64 + shard * slots), place);
                    let segments = own.map(|slot| slot as u64 / layout.segment);
                    let begin = segments[0];
                    assert!(begin < params.segments.into());
                    assert_eq!(segments, [begin, begin + 1, begin + 2]);
                }
            }
        }
    }

    #[test]
    fn slots_and_fingerprints_are_uniform_and_independent() {
        // 16 cells of the start, second or third slot within its segment, by 16 of the fingerprint.
        let params = sized(FuseParams::new(4), 90_000);
        let layout = Layout::new(&FuseParams { segment_bits: 10, ..params });
        let mut cells = [[0u64; 256]; 3];
        for key in 0..1u64 << 16 {
            let place = layout.place(KeyHash::of(&key, 5).get());
            for (cells, slot) in cells.iter_mut().zip(place.slots) {
                cells[(slot as usize >> 6 & 15) << 4 | place.fingerprint(4) as usize] += 1;
            }
        }
        for cells in cells {
            let chi2: f64 = cells.iter().map(|&n| (n as f64 - 256.0).powi(2) / 256.0).sum();
            // 255 degrees of freedom: mean 255, sd 22.6; five sd on both sides.
            assert!((142.0..368.0).contains(&chi2), "chi-square {chi2}");
        }
    }
}
