//! Tables of 64-bit words taken as bits, and how a key's bits are tested: what the classic and the atomic
//! filter share.

use crate::BloomParams;
use crate::probes::Probes;
use amq_core::prefetch::prefetch;
use amq_core::{HASH_BLOCK, KeyHash, LengthMismatch};

/// Probes of a key that the first wave of a batch tests.
///
/// In a filter at its design load half the bits are set: three probes let one absent key in eight through.
const FIRST_WAVE: u32 = 3;

/// Probes that are tested together, without a branch, before anything depends on the result.
///
/// In a table that fits a core's cache a mispredicted branch costs more than the probes that it would save: up to
/// eight are tested at once, all there are down to a rate of 1/256. In a larger table each probe is a cache miss, so
/// two are tested, and one absent key in four goes on to the others.
const fn head(words: usize, probes: u32) -> u32 {
    /// Words in 2 MiB, the second-level cache of one core.
    const CACHED: usize = 1 << 18;
    let most = if words <= CACHED { 8 } else { 2 };
    if probes < most { probes } else { most }
}

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

/// Whether all bits of a key are set: the [`head`] first, the others only if those were.
#[inline(always)]
pub(crate) fn contains<W: Word>(words: &[W], params: BloomParams, hash: KeyHash) -> bool {
    let mut positions = Probes::new(hash, params.bits);
    let head = head(words.len(), params.probes);
    let set = all_set(words, &mut positions, head);
    // Asked first, since it is the same for every key: a filter without a tail has no branch on the answer.
    if head == params.probes {
        return set;
    }
    set && all_set(words, &mut positions, params.probes - head)
}

/// Whether the bits of the next `count` probes are all set, without a branch.
#[inline(always)]
fn all_set<W: Word>(words: &[W], positions: &mut Probes, count: u32) -> bool {
    let mut set = 1;
    for _ in 0..count {
        let bit = positions.next_bit();
        set &= words[(bit >> 6) as usize].load() >> (bit & 63);
    }
    set & 1 != 0
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
    let head = params.probes.min(FIRST_WAVE);
    let tail = params.probes - head;
    for &hash in hashes {
        prefetch_bits(words, Probes::new(hash, params.bits), head);
    }
    // The keys in question are moved to the front, without a branch on the answer.
    let mut open = [(0u8, Probes::new(KeyHash::new(0), params.bits)); HASH_BLOCK];
    let mut count = 0;
    for (i, (answer, &hash)) in answers.iter_mut().zip(hashes).enumerate() {
        let mut positions = Probes::new(hash, params.bits);
        *answer = all_set(words, &mut positions, head);
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
        answers[usize::from(i)] = all_set(words, &mut positions, tail);
    }
}

/// Asks for the words of the next `count` probes.
#[inline(always)]
fn prefetch_bits<W>(words: &[W], mut positions: Probes, count: u32) {
    for _ in 0..count {
        prefetch(words, place(positions.next_bit()).0);
    }
}
