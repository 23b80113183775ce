//! The layout of the table: where the bits of a key and of a bin are.

use crate::query::and_rows;
use crate::{BinError, Bins};
use amq_bloom::{BlockedParams, MAX_BLOCKS, SALTS};
use amq_core::format::{ENTRY, HEADER};
use amq_core::{KeyHash, PlanError};
use core::ops::Range;

/// The most bins of a filter.
pub const MAX_BINS: u64 = 1 << 32;

/// Bits of a block of one bin, and so the rows of a block of all bins.
pub(crate) const ROWS: u64 = 256;

/// Where the table begins in a file: behind the header, and a directory of a head, three sections
/// and an entry.
const TABLE_START: u64 = (HEADER + 5 * ENTRY) as u64;

/// The parameters of an interleaved table.
///
/// They tell where the bits of a key are in a file, so that a program can look keys up in a file
/// that it does not hold: [`row_range`](Self::row_range) and [`bins_in_row`](Self::bins_in_row).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub struct InterleavedParams {
    /// The number of bins, 1 to [`MAX_BINS`].
    pub bins: u64,
    /// Blocks of 256 bits in each bin, 1 to [`MAX_BLOCKS`].
    pub blocks: u64,
}

amq_core::parameters!(InterleavedParams { bins: "bins", blocks: "blocks of 256 rows" });

impl InterleavedParams {
    /// A table of this many bins of `blocks` blocks each. Not checked yet.
    #[must_use]
    pub const fn new(bins: u64, blocks: u64) -> Self {
        Self { bins, blocks }
    }

    /// Checks the ranges; nothing is allocated.
    pub fn check(&self) -> Result<(), PlanError> {
        PlanError::check_parameter("bins", self.bins, 1, MAX_BINS)?;
        PlanError::check_parameter("blocks", self.blocks, 1, MAX_BLOCKS)?;
        let bytes = u128::from(self.blocks * ROWS) * u128::from(self.row_bytes());
        let max_bytes = i64::MAX as u64;
        match bytes <= max_bytes.into() {
            true => Ok(()),
            false => Err(PlanError::TooLarge { bytes: bytes as f64, max_bytes }),
        }
    }

    /// Bytes of a row, a bit for each bin: a multiple of 8, and above 512 bins of 64, a cache line.
    #[inline]
    #[must_use]
    pub const fn row_bytes(&self) -> u64 {
        let bytes = self.bins.div_ceil(64) * 8;
        if bytes > 64 { bytes.next_multiple_of(64) } else { bytes }
    }

    /// Bytes of the table; saturates.
    #[must_use]
    pub const fn bytes(&self) -> u64 {
        self.blocks.saturating_mul(ROWS).saturating_mul(self.row_bytes())
    }

    /// The parameters of the single filter that a bin is.
    #[must_use]
    pub const fn bin(&self) -> BlockedParams {
        BlockedParams::new(self.blocks)
    }

    /// Words of an answer: a bit for each bin.
    #[inline]
    pub(crate) const fn words(&self) -> usize {
        self.bins.div_ceil(64) as usize
    }

    /// The bits of the last word of an answer that stand for bins.
    #[inline]
    pub(crate) const fn last_word(&self) -> u64 {
        u64::MAX >> (self.bins.wrapping_neg() % 64)
    }

    /// The block of a key.
    #[inline(always)]
    pub(crate) fn block(&self, hash: KeyHash) -> u64 {
        (hash.get() >> 32).wrapping_mul(self.blocks) >> 32
    }

    /// The eight rows of a key, in ascending order: row r has bit r of each bin's table.
    #[inline(always)]
    pub(crate) fn rows(&self, hash: KeyHash) -> [u64; 8] {
        let (first, low) = (self.block(hash) * ROWS, hash.get() as u32);
        core::array::from_fn(|word| {
            let bit = low.wrapping_mul(SALTS[word]) >> 27;
            first + 32 * word as u64 + u64::from(bit)
        })
    }

    /// The bytes of a [file](crate::FilterFile) that a lookup of this hash needs, counted from the
    /// file's first byte: from the first of the key's eight rows to the last, all in one block.
    ///
    /// A program that keeps the file in an object store reads this range, an eighth less than 32
    /// bytes for each bin, and hands it to [`bins_in_row`](Self::bins_in_row).
    ///
    /// ```
    /// use amq_interleaved::{FilterFile, Goal, InterleavedBloomFilter, Key};
    ///
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let mut days = InterleavedBloomFilter::new(365, Goal::fpr(1000, 0.01))?;
    /// days.insert(17, "203.0.113.7")?;
    /// let file = days.to_bytes()?; // in the store
    ///
    /// // All that must be known of it: its parameters and its seed.
    /// let (params, seed) = (days.params(), days.seed());
    /// let hash = "203.0.113.7".key_hash(seed);
    /// let range = params.row_range(hash);
    /// let bytes = &file[range.start as usize..range.end as usize]; // one read, 11 kB
    /// assert!(params.bins_in_row(bytes, hash)?.contains(17));
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    pub fn row_range(&self, hash: KeyHash) -> Range<u64> {
        let [first, .., last] = self.rows(hash);
        let at = |row: u64| TABLE_START.saturating_add(row.saturating_mul(self.row_bytes()));
        at(first)..at(last + 1)
    }

    /// The bins that may hold the key of this hash, from the bytes of
    /// [`row_range`](Self::row_range). Another number of bytes is an error.
    ///
    /// Nothing else is checked: a wrong seed, or bytes from elsewhere, deny keys.
    pub fn bins_in_row(&self, bytes: &[u8], hash: KeyHash) -> Result<Bins, BinError> {
        self.check()?;
        let range = self.row_range(hash);
        let (expected, given) = (range.end - range.start, bytes.len() as u64);
        if given != expected {
            return Err(BinError::RangeLength { bytes: given, expected });
        }
        let rows = self.rows(hash);
        let mut answer = Bins::new(self.bins);
        and_rows(self, bytes, rows.map(|row| row - rows[0]), answer.words_mut());
        Ok(answer)
    }
}
