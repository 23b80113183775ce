//! Tables of 64-bit words taken as bits, and how a key's bits are tested: what the classic and the atomic
//! filter share.

use crate::BloomParams;
use crate::probes::Probes;
use amq_core::prefetch::prefetch;
use amq_core::{HASH_BLOCK, KeyHash, LengthMismatch};

/// Probes that are tested together before anything depends on the result.
///
/// In a filter at its design load half the bits are set: three probes let one absent key in eight through.
const HEAD: u32 = 3;

/// A word of the table, however it is held.
pub(crate) trait Word {
    fn load(&self) -> u64;
}

impl Word for u64 {
    #[inline(always)]
    fn load(&self) -> u64 {
        *self
    }
}

/// Words that hold `bits` bits.
pub(crate) const fn words_for(bits: u64) -> u64 {
    bits.div_ceil(64)
}

/// How many bits are set.
pub(crate) fn count_ones<W: Word>(words: &[W]) -> u64 {
    words
        .iter()
        .map(|word| u64::from(word.load().count_ones()))
        .sum()
}

/// Where a bit is: its word, and a mask for it.
#[inline(always)]
pub(crate) const fn place(bit: u64) -> (usize, u64) {
    ((bit >> 6) as usize, 1 << (bit & 63))
}

/// Whether all bits of a key are set: the first three are tested together, the others at their own places only
/// if those were set.
///
/// Otherwise the others look at the first word of the table, which is in the cache: their result no longer matters, but
/// a branch would be mispredicted whenever present and absent keys come mixed.
#[inline(always)]
pub(crate) fn contains<W: Word>(words: &[W], params: BloomParams, hash: KeyHash) -> bool {
    let mut positions = Probes::new(hash, params.bits);
    let head = params.probes.min(HEAD);
    let clear = clear_bits(words, &mut positions, head, usize::MAX);
    let keep = usize::from(clear == 0).wrapping_neg();
    clear | clear_bits(words, &mut positions, params.probes - head, keep) == 0
}

/// The bits among the next `count` probes that are not set, in no meaningful order; zero if all are set. Only
/// the bits `keep` of each word's index count.
#[inline(always)]
fn clear_bits<W: Word>(words: &[W], positions: &mut Probes, count: u32, keep: usize) -> u64 {
    let mut clear = 0;
    for _ in 0..count {
        let (word, mask) = place(positions.next_bit());
        clear |= mask & !words[word & keep].load();
    }
    clear
}

/// [`contains`] for many keys.
pub(crate) fn contains_batch<W: Word>(
    words: &[W],
    params: BloomParams,
    hashes: &[KeyHash],
    answers: &mut [bool],
) -> Result<(), LengthMismatch> {
    LengthMismatch::check(hashes.len(), answers.len())?;
    for (hashes, answers) in hashes
        .chunks(HASH_BLOCK)
        .zip(answers.chunks_mut(HASH_BLOCK))
    {
        contains_block(words, params, hashes, answers);
    }
    Ok(())
}

/// One block of a batch, in two waves: the first probes of all keys, then the others of those keys that are still
/// in question. Each wave asks for its cache lines before it looks.
fn contains_block<W: Word>(
    words: &[W],
    params: BloomParams,
    hashes: &[KeyHash],
    answers: &mut [bool],
) {
    let head = params.probes.min(HEAD);
    let tail = params.probes - head;
    for &hash in hashes {
        prefetch_bits(words, Probes::new(hash, params.bits), head);
    }
    // The keys in question are moved to the front, without a branch on the answer.
    let mut open = [(0u8, Probes::new(KeyHash::new(0), params.bits)); HASH_BLOCK];
    let mut count = 0;
    for (i, (answer, &hash)) in answers.iter_mut().zip(hashes).enumerate() {
        let mut positions = Probes::new(hash, params.bits);
        *answer = clear_bits(words, &mut positions, head, usize::MAX) == 0;
        open[count] = (i as u8, positions);
        count += usize::from(*answer);
    }
    if tail == 0 {
        return;
    }
    for &(_, positions) in &open[..count] {
        prefetch_bits(words, positions, tail);
    }
    for &(i, mut positions) in &open[..count] {
        answers[usize::from(i)] = clear_bits(words, &mut positions, tail, usize::MAX) == 0;
    }
}

/// Asks for the words of the next `count` probes.
#[inline(always)]
pub(crate) fn prefetch_bits<W>(words: &[W], mut positions: Probes, count: u32) {
    for _ in 0..count {
        prefetch(words, place(positions.next_bit()).0);
    }
}
