//! Spark's Bloom filter, byte for byte.

use super::error::SparkError;
use super::hash;
use std::f64::consts::LN_2;

/// The most words of a table: the longest array of Java.
const MAX_WORDS: u64 = i32::MAX as u64;

/// One of Spark's two versions of layout and probing.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum SparkVersion {
    /// Spark before 4.1. Bits are chosen in 32-bit arithmetic: large filters have a higher rate
    /// than planned.
    V1,
    /// Spark since 4.1 (SPARK-47547): 64-bit arithmetic, and a seed.
    #[default]
    V2,
}

/// The Bloom filter of Spark's `bloom_filter_agg` and `might_contain`.
///
/// Not a kind of [`AnyFilter`](amq::AnyFilter): keys are hashed by Murmur3, and the format is
/// Spark's, big-endian.
///
/// ```
/// use amq_datafusion::spark::{SparkBloomFilter, SparkVersion};
///
/// # fn main() -> Result<(), amq_datafusion::spark::SparkError> {
/// let mut filter = SparkBloomFilter::new(SparkVersion::V2, 1000, 7293)?;
/// filter.insert_long(42);
/// let bytes = filter.to_bytes(); // `might_contain` of Spark reads them
/// assert!(SparkBloomFilter::from_bytes(&bytes)?.contains_long(42));
/// # Ok(())
/// # }
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SparkBloomFilter {
    version: SparkVersion,
    seed: i32,
    probes: i32,
    words: Vec<u64>,
}

impl SparkBloomFilter {
    /// `spark.sql.optimizer.runtime.bloomFilter.expectedNumItems`: the default items of
    /// `bloom_filter_agg`.
    pub const DEFAULT_ITEMS: u64 = 1_000_000;
    /// `spark.sql.optimizer.runtime.bloomFilter.numBits`.
    pub const DEFAULT_BITS: u64 = 8_388_608;
    /// `spark.sql.optimizer.runtime.bloomFilter.maxNumItems`.
    pub const MAX_ITEMS: u64 = 4_000_000;
    /// `spark.sql.optimizer.runtime.bloomFilter.maxNumBits`.
    pub const MAX_BITS: u64 = 67_108_864;

    /// An empty filter for `items` items in at least `bits` bits, with seed 0.
    pub fn new(version: SparkVersion, items: u64, bits: u64) -> Result<Self, SparkError> {
        Self::with_seed(version, items, bits, 0)
    }

    /// An empty filter with a seed, which V1 does not have.
    pub fn with_seed(
        version: SparkVersion,
        items: u64,
        bits: u64,
        seed: i32,
    ) -> Result<Self, SparkError> {
        if items == 0 {
            return Err(SparkError::Items { items });
        }
        let count = bits.div_ceil(64);
        if count == 0 || count > MAX_WORDS {
            return Err(SparkError::Bits { bits });
        }
        if version == SparkVersion::V1 && seed != 0 {
            return Err(SparkError::SeedOfV1 { seed });
        }
        // Java's Math.round is floor(x + 1/2); a float-to-integer cast saturates.
        let probes = ((bits as f64 / items as f64 * LN_2 + 0.5).floor() as i32).max(1);
        let mut words = Vec::new();
        words
            .try_reserve_exact(count as usize)
            .map_err(|_| SparkError::OutOfMemory { bytes: count * 8 })?;
        words.resize(count as usize, 0);
        Ok(Self { version, seed, probes, words })
    }

    /// Spark's number of bits for `items` items at this rate: `-n ln p / ln^2 2`.
    pub fn bits_for(items: u64, fpr: f64) -> Result<u64, SparkError> {
        if !(fpr > 0.0 && fpr < 1.0) {
            return Err(SparkError::Fpr { fpr });
        }
        Ok((-(items as f64) * fpr.ln() / (LN_2 * LN_2)) as u64)
    }

    /// Inserts an integer; all widths are one key. Returns whether a bit changed.
    pub fn insert_long(&mut self, key: i64) -> bool {
        self.set(hash::long(key, self.seed), |seed| hash::long(key, seed))
    }

    /// Inserts a string or binary by its bytes. Returns whether a bit changed.
    pub fn insert_bytes(&mut self, key: &[u8]) -> bool {
        self.set(hash::bytes(key, self.seed), |seed| hash::bytes(key, seed))
    }

    /// Whether this integer is probably in: `false` is certain.
    #[must_use]
    pub fn contains_long(&self, key: i64) -> bool {
        let first = hash::long(key, self.seed);
        self.bits(first, hash::long(key, first)).all(|bit| self.has(bit))
    }

    /// Whether the string or binary of these bytes is probably in: `false` is certain.
    #[must_use]
    pub fn contains_bytes(&self, key: &[u8]) -> bool {
        let first = hash::bytes(key, self.seed);
        self.bits(first, hash::bytes(key, first)).all(|bit| self.has(bit))
    }

    /// Adds every key of `other`. All or nothing: version, seed, probes and bits must match.
    pub fn merge(&mut self, other: &Self) -> Result<(), SparkError> {
        let parts = |of: &Self| (of.version, of.seed, of.probes, of.words.len());
        if parts(self) != parts(other) {
            return Err(SparkError::Mismatch { ours: self.to_string(), theirs: other.to_string() });
        }
        for (ours, theirs) in self.words.iter_mut().zip(&other.words) {
            *ours |= theirs;
        }
        Ok(())
    }

    /// The version of its layout.
    #[must_use]
    pub const fn version(&self) -> SparkVersion {
        self.version
    }

    /// The number of bits probed for a key.
    #[must_use]
    pub const fn probes(&self) -> u32 {
        self.probes as u32
    }

    /// Bits of the table.
    #[must_use]
    pub const fn bits_in_table(&self) -> u64 {
        self.words.len() as u64 * 64
    }

    /// Bits that are set. Reads the whole table.
    #[must_use]
    pub fn count_ones(&self) -> u64 {
        self.words.iter().map(|word| u64::from(word.count_ones())).sum()
    }

    /// Whether no bit is set.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.words.iter().all(|&word| word == 0)
    }

    /// The filter in Spark's format.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        let words = (self.words.len() as i32).to_be_bytes();
        let probes = self.probes.to_be_bytes();
        let mut bytes = match self.version {
            SparkVersion::V1 => [1i32.to_be_bytes(), probes, words].concat(),
            SparkVersion::V2 => {
                [2i32.to_be_bytes(), probes, self.seed.to_be_bytes(), words].concat()
            }
        };
        bytes.reserve_exact(self.words.len() * 8);
        bytes.extend(self.words.iter().flat_map(|word| word.to_be_bytes()));
        bytes
    }

    /// Reads exactly one filter in Spark's format. Every number is checked before anything is
    /// allocated. (The format has no checksum, so damaged words are not detected.)
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, SparkError> {
        let (head, _) = bytes.as_chunks::<4>();
        let number = |index: usize| {
            let word = head.get(index).copied().map(i32::from_be_bytes);
            word.ok_or(SparkError::Truncated { bytes: bytes.len() as u64 })
        };
        let (version, seed, next) = match number(0)? {
            1 => (SparkVersion::V1, 0, 2),
            2 => (SparkVersion::V2, number(2)?, 3),
            version => return Err(SparkError::Version { version }),
        };
        let (probes, count) = (number(1)?, number(next)?);
        let body = bytes.get((next + 1) * 4..).unwrap_or_default();
        if count <= 0 || body.len() as u64 != count as u64 * 8 {
            return Err(SparkError::Length { words: count, bytes: body.len() as u64 });
        }
        // More probes than bits would probe a bit twice: never written by Spark, and a loop of
        // hours.
        if probes <= 0 || probes as u64 > count as u64 * 64 {
            return Err(SparkError::Probes { probes });
        }
        let (body, _) = body.as_chunks::<8>();
        let mut words = Vec::new();
        words
            .try_reserve_exact(body.len())
            .map_err(|_| SparkError::OutOfMemory { bytes: count as u64 * 8 })?;
        words.extend(body.iter().map(|&word| u64::from_be_bytes(word)));
        Ok(Self { version, seed, probes, words })
    }

    fn set(&mut self, first: i32, again: impl Fn(i32) -> i32) -> bool {
        let mut changed = false;
        for bit in self.bits(first, again(first)) {
            let (word, mask) = (&mut self.words[(bit >> 6) as usize], 1 << (bit & 63));
            changed |= *word & mask == 0;
            *word |= mask;
        }
        changed
    }

    fn has(&self, bit: u64) -> bool {
        self.words[(bit >> 6) as usize] & (1 << (bit & 63)) != 0
    }

    /// The bits of a key with these two hashes. A negative sum is complemented where it is used;
    /// the next step continues from the sum itself.
    fn bits(&self, first: i32, second: i32) -> impl Iterator<Item = u64> + use<> {
        let (size, version) = (self.bits_in_table(), self.version);
        let mut wide = i64::from(first).wrapping_mul(i64::from(i32::MAX));
        let mut narrow = first;
        (0..self.probes).map(move |_| match version {
            SparkVersion::V1 => {
                narrow = narrow.wrapping_add(second);
                (if narrow < 0 { !narrow } else { narrow }) as u64 % size
            }
            SparkVersion::V2 => {
                wide = wide.wrapping_add(i64::from(second));
                (if wide < 0 { !wide } else { wide }) as u64 % size
            }
        })
    }
}

/// `V2, 5 probes, 7360 bits, seed 0`
impl std::fmt::Display for SparkBloomFilter {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { version, seed, probes, .. } = self;
        write!(f, "{version:?}, {probes} probes, {} bits, seed {seed}", self.bits_in_table())
    }
}
