//! Writing: single keys, many keys of a bin, and all bins at once.

use crate::InterleavedBloomFilter;
use crate::params::InterleavedParams;
use alloc::vec::Vec;
use amq_bloom::{BlockedBloomFilter, BlockedParams, ClearFilter, EmptyFilter};
#[cfg(feature = "rayon")]
use amq_core::internal::rayon::{self, prelude::*};
use amq_core::internal::{reserve, zeroed};
use amq_core::{BatchInsertError, BuildError, KeyHash, Plan};

/// The most keys that are sorted together.
const SORTED: usize = 1 << 20;

/// Fewer keys than this are not worth sorting.
const FEW: usize = 256;

/// The most ranges of blocks that keys are sorted by.
const RANGES: u64 = 4096;

/// Keys whose rows are prefetched before they are written.
const AHEAD: usize = 16;

/// Bins that are filled as single filters and transposed together: the bits of a word.
const GROUP: usize = 64;

/// The most groups that threads fill at a time: those that a cache line of a row has words of.
#[cfg(feature = "rayon")]
const GROUPS: usize = 8;

/// Sets the bits of a key in a bin, and returns whether any was clear.
#[inline(always)]
pub(crate) fn insert(
    params: &InterleavedParams,
    table: &mut [u8],
    bin: usize,
    hash: KeyHash,
) -> bool {
    let (stride, mask) = (params.row_bytes() as usize, 1 << (bin % 8));
    let mut all = mask;
    for row in params.rows(hash) {
        let byte = &mut table[row as usize * stride + bin / 8];
        all &= *byte;
        *byte |= mask;
    }
    all == 0
}

/// Inserts the hashes from `next`, approximately `about` of them, and returns how many were new.
pub(crate) fn insert_from(
    params: &InterleavedParams,
    table: &mut [u8],
    bin: usize,
    about: usize,
    next: &mut dyn FnMut(&mut [KeyHash]) -> usize,
) -> u64 {
    let mut new = 0;
    if about >= FEW {
        // Without memory to sort in, keys are inserted as they come.
        if let Ok(mut sorter) = Sorter::new(params, about.min(SORTED)) {
            while let Some(hashes) = sorter.sorted(next) {
                new += insert_ahead(params, table, bin, hashes);
            }
        }
    }
    let mut hashes = [KeyHash::default(); FEW];
    loop {
        let count = next(&mut hashes);
        if count == 0 {
            return new;
        }
        new += insert_ahead(params, table, bin, &hashes[..count]);
    }
}

fn insert_ahead(
    params: &InterleavedParams,
    table: &mut [u8],
    bin: usize,
    hashes: &[KeyHash],
) -> u64 {
    let mut new = 0;
    for (index, &hash) in hashes.iter().enumerate() {
        if let Some(&later) = hashes.get(index + AHEAD) {
            let at = bin / 8;
            for row in params.rows(later) {
                let start = row as usize * params.row_bytes() as usize;
                amq_core::prefetch::prefetch(table, start + at);
            }
        }
        new += u64::from(insert(params, table, bin, hash));
    }
    new
}

/// Sorts hashes by ranges of blocks, so that neighbours write to the same rows.
///
/// A range has whole blocks, whose keys stay in order: as many are new as one by one.
struct Sorter {
    params: InterleavedParams,
    /// The logarithm of a range's blocks.
    shift: u32,
    /// Where each range begins.
    starts: Vec<u32>,
    hashes: Vec<KeyHash>,
    sorted: Vec<KeyHash>,
}

impl Sorter {
    fn new(params: &InterleavedParams, most: usize) -> Result<Self, BuildError> {
        let shift = params.blocks.div_ceil(RANGES).next_power_of_two().ilog2();
        let ranges = params.blocks.div_ceil(1 << shift);
        let (hashes, sorted) = (zeroed(most as u64)?, zeroed(most as u64)?);
        Ok(Self { params: *params, shift, starts: zeroed(ranges + 1)?, hashes, sorted })
    }

    /// The next hashes, sorted; `None` if there are no more.
    fn sorted(&mut self, next: &mut dyn FnMut(&mut [KeyHash]) -> usize) -> Option<&[KeyHash]> {
        let mut count = 0;
        while count < self.hashes.len() {
            match next(&mut self.hashes[count..]) {
                0 => break,
                more => count += more,
            }
        }
        let hashes = &self.hashes[..count];
        let (params, shift) = (self.params, self.shift);
        let range = |hash: KeyHash| (params.block(hash) >> shift) as usize;
        self.starts.fill(0);
        for &hash in hashes {
            self.starts[range(hash) + 1] += 1;
        }
        let mut sum = 0;
        for start in &mut self.starts {
            sum += *start;
            *start = sum;
        }
        for &hash in hashes {
            let start = &mut self.starts[range(hash)];
            self.sorted[*start as usize] = hash;
            *start += 1;
        }
        (count > 0).then_some(&self.sorted[..count])
    }
}

/// Fills an empty filter with a bin for each of these sets, whose keys `insert` puts into a single
/// filter.
pub(crate) fn build<S>(
    filter: &mut InterleavedBloomFilter,
    plan: Plan<BlockedParams>,
    sets: &[S],
    insert: impl Fn(&mut BlockedBloomFilter, &S) -> Result<u64, BatchInsertError>,
) -> Result<(), BuildError> {
    let mut singles: Vec<BlockedBloomFilter> = Vec::new();
    reserve(&mut singles, sets.len().min(GROUP) as u64)?;
    for (group, sets) in sets.chunks(GROUP).enumerate() {
        for (place, set) in sets.iter().enumerate() {
            if place == singles.len() {
                singles.push(BlockedBloomFilter::empty(plan, filter.header.seed)?);
            }
            let single = &mut singles[place];
            single.clear();
            insert(single, set)?;
            filter.labels.set_keys(GROUP * group + place, single.len());
        }
        let stride = filter.params.row_bytes() as usize;
        for (part, rows) in filter.table.chunks_exact_mut(64 * stride).enumerate() {
            transpose_part(stride, part, rows, group, &singles[..sets.len()]);
        }
    }
    Ok(())
}

/// [`build`] on the threads of a rayon pool, as many groups at a time as there are threads: these
/// fill the single filters, and then transpose them, each into rows of its own.
#[cfg(feature = "rayon")]
pub(crate) fn par_build<S: Sync>(
    filter: &mut InterleavedBloomFilter,
    plan: Plan<BlockedParams>,
    sets: &[S],
    insert: impl Fn(&mut BlockedBloomFilter, &S) -> Result<u64, BatchInsertError> + Sync,
) -> Result<(), BuildError> {
    let InterleavedBloomFilter { header, params, table, labels } = filter;
    let stride = params.row_bytes() as usize;
    let round = GROUP * rayon::current_num_threads().clamp(1, GROUPS);
    let mut singles: Vec<BlockedBloomFilter> = Vec::new();
    reserve(&mut singles, sets.len().min(round) as u64)?;
    for _ in 0..sets.len().min(round) {
        singles.push(BlockedBloomFilter::empty(plan, header.seed)?);
    }
    for (first, sets) in (0..).step_by(round).zip(sets.chunks(round)) {
        let singles = &mut singles[..sets.len()];
        singles.par_iter_mut().zip(sets).try_for_each(|(single, set)| {
            single.clear();
            insert(single, set).map(drop)
        })?;
        for (bin, single) in (first..).zip(&*singles) {
            labels.set_keys(bin, single.len());
        }
        table.par_chunks_exact_mut(64 * stride).enumerate().for_each(|(part, rows)| {
            for (group, singles) in (first / GROUP..).zip(singles.chunks(GROUP)) {
                transpose_part(stride, part, rows, group, singles);
            }
        });
    }
    Ok(())
}

/// Writes a word of each of up to 64 single filters into 64 rows of their bins, which are empty.
fn transpose_part(
    stride: usize,
    part: usize,
    rows: &mut [u8],
    group: usize,
    singles: &[BlockedBloomFilter],
) {
    let mut words = [0; 64];
    for (word, single) in words.iter_mut().zip(singles) {
        *word = u64::from_le_bytes(single.as_bytes().as_chunks().0[part]);
    }
    transpose(&mut words);
    for (row, word) in rows.chunks_exact_mut(stride).zip(words) {
        row.as_chunks_mut().0[group] = word.to_le_bytes();
    }
}

/// Transposes 64 words of 64 bits: swaps ever smaller squares across the diagonal.
fn transpose(words: &mut [u64; 64]) {
    let mut mask = u64::MAX;
    for width in [32, 16, 8, 4, 2, 1] {
        mask ^= mask << width;
        for pair in words.chunks_exact_mut(2 * width) {
            let (low, high) = pair.split_at_mut(width);
            for (low, high) in low.iter_mut().zip(high) {
                let swap = (*low >> width ^ *high) & mask;
                *low ^= swap << width;
                *high ^= swap;
            }
        }
    }
}

/// Sets the bits of a single filter's table in a bin, row by row.
///
/// Each row is written once, and in order: several times faster than key by key.
pub(crate) fn add_column(params: &InterleavedParams, table: &mut [u8], bin: usize, single: &[u8]) {
    let (stride, mask) = (params.row_bytes() as usize, 1 << (bin % 8));
    let words = single.as_chunks::<8>().0;
    for (index, &word) in words.iter().enumerate() {
        if let Some(&later) = words.get(index + 1) {
            let start = 64 * (index + 1) * stride + bin / 8;
            for row in ones(later) {
                amq_core::prefetch::prefetch(table, start + row * stride);
            }
        }
        let rows = &mut table[64 * index * stride..][..64 * stride];
        for row in ones(word) {
            rows[row * stride + bin / 8] |= mask;
        }
    }
}

/// The places of the bits that are set in a word of a table.
#[inline(always)]
fn ones(word: [u8; 8]) -> impl Iterator<Item = usize> {
    let mut rest = u64::from_le_bytes(word);
    core::iter::from_fn(move || {
        let bit = rest.trailing_zeros() as usize;
        rest &= rest.wrapping_sub(1);
        (bit < 64).then_some(bit)
    })
}

/// Writes the table of a single filter into a bin: bit r of it is the bin's bit of row r.
pub(crate) fn set_column(params: &InterleavedParams, table: &mut [u8], bin: usize, single: &[u8]) {
    let rows = table.chunks_exact_mut(params.row_bytes() as usize);
    for (index, row) in rows.enumerate() {
        let (byte, shift) = (&mut row[bin / 8], bin % 8);
        let bit = single[index / 8] >> (index % 8) & 1;
        *byte = *byte & !(1 << shift) | bit << shift;
    }
}

/// Reads a bin into the empty table of a single filter.
pub(crate) fn read_column(params: &InterleavedParams, table: &[u8], bin: usize, single: &mut [u8]) {
    let rows = table.chunks_exact(params.row_bytes() as usize);
    for (index, row) in rows.enumerate().take(single.len() * 8) {
        single[index / 8] |= (row[bin / 8] >> (bin % 8) & 1) << (index % 8);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::params::ROWS;

    #[test]
    fn a_transposed_square_has_rows_for_columns() {
        let square: [u64; 64] = core::array::from_fn(|row| KeyHash::of(&(row as u64), 3).get());
        let mut transposed = square;
        transpose(&mut transposed);
        for (row, word) in square.into_iter().enumerate() {
            for (column, other) in transposed.into_iter().enumerate() {
                assert_eq!(word >> column & 1, other >> row & 1, "row {row}, column {column}");
            }
        }
        transpose(&mut transposed);
        assert_eq!(transposed, square);
    }

    #[test]
    fn sorted_hashes_are_the_hashes_in_the_order_of_their_blocks() {
        let params = InterleavedParams::new(3, 1000);
        let all: Vec<KeyHash> = (0..5000u64).map(|key| KeyHash::of(&key, 1)).collect();
        let mut sorter = Sorter::new(&params, 2000).unwrap();
        let mut rest = &all[..];
        let mut next = |room: &mut [KeyHash]| {
            // Fewer than asked for.
            let (now, later) = rest.split_at(rest.len().min(room.len()).min(300));
            room[..now.len()].copy_from_slice(now);
            rest = later;
            now.len()
        };
        let mut seen = Vec::new();
        while let Some(hashes) = sorter.sorted(&mut next) {
            assert!(hashes.is_sorted_by_key(|&hash| params.rows(hash)[0] / ROWS));
            seen.extend_from_slice(hashes);
        }
        let mut all = all.clone();
        all.sort_unstable();
        seen.sort_unstable();
        assert_eq!(seen, all);
    }
    /// Whether a key is new depends on the earlier keys of its block.
    #[test]
    fn sorted_hashes_of_a_block_stay_in_order() {
        // Above 4,096 blocks a range has several.
        for blocks in [4095, 4096, 4097, 5000, 70_001] {
            let params = InterleavedParams::new(3, blocks);
            let all: Vec<KeyHash> = (0..100_000u64).map(|key| KeyHash::of(&key, 1)).collect();
            let mut rest = &all[..];
            let mut next = |room: &mut [KeyHash]| {
                let (now, later) = rest.split_at(rest.len().min(room.len()));
                room[..now.len()].copy_from_slice(now);
                rest = later;
                now.len()
            };
            let mut sorter = Sorter::new(&params, all.len()).unwrap();
            let mut sorted = sorter.sorted(&mut next).unwrap().to_vec();
            // Stable sorts.
            let mut wanted = all.clone();
            wanted.sort_by_key(|&hash| params.block(hash));
            sorted.sort_by_key(|&hash| params.block(hash));
            assert!(sorted == wanted, "{blocks} blocks");
        }
    }
}
