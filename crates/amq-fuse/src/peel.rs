//! Peeling: the order in which the slots of a shard are given their fingerprints.
//!
//! Keys are edges between three slots. A slot of one key alone is peeled: it will be that key's
//! own, and the key is taken off its other two slots, which may leave another slot with one key. If
//! all keys go in this way, the slots are set in the opposite order, each to what its key lacks. A
//! slot keeps the exclusive or of its keys' words, which for a slot of one key is that key's word,
//! and remains so: so no key is stored twice, and nothing is looked up.
//!
//! Slots are scanned from the first one on, and what a peeled slot leads to is peeled at once: the
//! work proceeds through the segments as a wave, of which three are in cache.

use crate::cells::Cells;
use crate::layout::Layout;
use crate::memory::cleared;
use alloc::vec::Vec;
use amq_core::{BuildError, KeyHash};

/// The working memory of one shard after another.
#[derive(Default, Debug)]
pub(crate) struct Peeler {
    /// The exclusive or of the words of each slot's keys.
    words: Vec<u64>,
    /// The keys of each slot, modulo 256.
    degrees: Vec<u8>,
    /// Slots in the order in which they were peeled, and those that wait for it.
    order: Vec<u32>,
    peeled: usize,
    /// The first start of the shard.
    first: u64,
}

/// A slot is written behind those that wait even if it need not wait.
const SPARE: u64 = 1;

/// Slots that are scanned at once.
const SCANNED: usize = 4096;

/// Bytes for a shard of this many slots.
pub(crate) const fn bytes_for(slots: u64) -> u64 {
    slots * 13 + 4 * SPARE
}

impl Peeler {
    /// Peels the keys of the shard whose first start is `first`, of this many slots. Returns
    /// whether all went.
    pub(crate) fn peel(
        &mut self,
        layout: &Layout,
        first: u64,
        slots: u64,
        hashes: &[KeyHash],
    ) -> Result<bool, BuildError> {
        cleared(&mut self.words, slots)?;
        cleared(&mut self.degrees, slots)?;
        cleared(&mut self.order, slots + SPARE)?;
        (self.first, self.peeled) = (first, 0);
        if hashes.len() as u64 > slots {
            return Ok(false);
        }
        self.add(layout, hashes);
        let all: u64 = self.degrees.iter().map(|&degree| u64::from(degree)).sum();
        // Else a slot has 256 keys, of which most are copies.
        if all != 3 * hashes.len() as u64 {
            return Ok(false);
        }
        self.run(layout);
        Ok(self.peeled == hashes.len())
    }

    /// Adds keys to their slots.
    fn add(&mut self, layout: &Layout, hashes: &[KeyHash]) {
        let words = &mut self.words[..];
        // As long as the words, so that one check is enough.
        let degrees = &mut self.degrees[..words.len()];
        for hash in hashes {
            let word = layout.word(hash.get());
            for slot in layout.slots_in_shard(word, self.first) {
                words[slot] ^= word;
                degrees[slot] = degrees[slot].wrapping_add(1);
            }
        }
    }

    fn run(&mut self, layout: &Layout) {
        let (words, order) = (&mut self.words[..], &mut self.order[..]);
        let degrees = &mut self.degrees[..words.len()];
        // Slots wait in the order's own list, behind those that are peeled: each waits once.
        let (mut peeled, mut next, mut waiting) = (0, 0, 0);
        for begin in (0..words.len()).step_by(SCANNED) {
            let end = words.len().min(begin + SCANNED);
            for (slot, &degree) in (begin..end).zip(&degrees[begin..end]) {
                order[waiting] = slot as u32;
                waiting += usize::from(degree == 1);
            }
            while next < waiting {
                let own = order[next] as usize;
                next += 1;
                if degrees[own] != 1 {
                    continue;
                }
                let word = words[own];
                for slot in layout.slots_in_shard(word, self.first) {
                    words[slot] ^= word;
                    let degree = degrees[slot].wrapping_sub(1);
                    degrees[slot] = degree;
                    order[waiting] = slot as u32;
                    waiting += usize::from(degree == 1);
                }
                words[own] = word;
                order[peeled] = own as u32;
                peeled += 1;
            }
        }
        self.peeled = peeled;
    }

    /// Sets the slots of the keys that were peeled, all of them, in a table of zeros.
    pub(crate) fn assign<C: Cells>(&self, layout: &Layout, table: &mut [u8]) {
        let bits = layout.fingerprint_bits;
        for &slot in self.order[..self.peeled].iter().rev() {
            let word = self.words[slot as usize];
            let mut fingerprint = layout.fingerprint(word);
            // Its own is zero.
            for slot in layout.slots_in_shard(word, self.first) {
                fingerprint ^= C::get(table, slot as u64, bits).unwrap_or_default();
            }
            C::set(table, slot.into(), bits, fingerprint);
        }
    }
}
