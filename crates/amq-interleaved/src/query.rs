//! Lookups: the AND of eight rows.

use crate::params::InterleavedParams;
use crate::simd;
use amq_core::KeyHash;
use amq_core::prefetch::prefetch;

/// Cache lines that a batch has prefetched and not read yet, about. Two keys' at least.
const LINES_AHEAD: u64 = 256;

/// Bytes of a table that is in the cache anyway.
const CACHED: usize = 1 << 20;

/// Writes the AND of these rows of a table, or of a part of one, into `answer`.
#[inline(always)]
pub(crate) fn and_rows(
    params: &InterleavedParams,
    table: &[u8],
    rows: [u64; 8],
    answer: &mut [u64],
) {
    if let [answer] = answer {
        // Rows of one word.
        let table = table.as_chunks::<8>().0;
        let word = |row: u64| u64::from_le_bytes(table[row as usize]);
        *answer = rows.into_iter().fold(params.last_word(), |bins, row| bins & word(row));
        return;
    }
    let (stride, words) = (params.row_bytes() as usize, answer.len());
    let rows = rows.map(|row| {
        let start = row as usize * stride;
        &table[start..start + stride].as_chunks::<8>().0[..words]
    });
    simd::and(rows, answer);
    // A view whose payload was not checked may have bits behind the last bin.
    if let Some(last) = answer.last_mut() {
        *last &= params.last_word();
    }
}

/// Hints that the rows of this hash will be read.
#[inline(always)]
pub(crate) fn prefetch_rows(params: &InterleavedParams, table: &[u8], hash: KeyHash) {
    let stride = params.row_bytes() as usize;
    for row in params.rows(hash) {
        let start = row as usize * stride;
        for line in (0..stride).step_by(64) {
            prefetch(table, start + line);
        }
    }
}

/// Calls `answer` with each key's index and hash, in order, when its rows are on their way.
#[inline(always)]
pub(crate) fn batch(
    params: &InterleavedParams,
    table: &[u8],
    hashes: &[KeyHash],
    mut answer: impl FnMut(usize, KeyHash),
) {
    if table.len() <= CACHED {
        hashes.iter().enumerate().for_each(|(index, &hash)| answer(index, hash));
        return;
    }
    let lines = 8 * params.row_bytes().div_ceil(64);
    let ahead = (LINES_AHEAD / lines).clamp(2, 32) as usize;
    for &hash in hashes.iter().take(ahead) {
        prefetch_rows(params, table, hash);
    }
    for (index, &hash) in hashes.iter().enumerate() {
        if let Some(&later) = hashes.get(index + ahead) {
            prefetch_rows(params, table, later);
        }
        answer(index, hash);
    }
}
