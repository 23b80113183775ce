//! Peeling: finds an order in which the slots of a shard can be set.
//!
//! Keys are edges between three slots. A slot of a single key is peeled: it is reserved for that
//! key, and the key is removed from its other two slots, which may leave another slot with one key.
//! If all keys can be removed, the slots are set in the opposite order, each to complete its key's
//! fingerprint. A slot stores the exclusive or of its keys' words, which for a single key is that
//! key's word: so no key is stored separately, or looked up.
//!
//! Slots are scanned in order, and slots that become single are peeled at once: the work moves
//! through the segments as a wave, with three of them in cache.

use crate::cells::Cells;
use crate::layout::Layout;
use crate::memory::cleared;
use alloc::vec::Vec;
use amq_core::{BuildError, KeyHash};

/// The working memory of a shard, reused for the next.
#[derive(Default, Debug)]
pub(crate) struct Peeler {
    /// The exclusive or of the words of each slot's keys.
    words: Vec<u64>,
    /// The keys of each slot, modulo 256.
    degrees: Vec<u8>,
    /// Slots in the order of peeling, then those that wait for it.
    order: Vec<u32>,
    peeled: usize,
    /// The first start of the shard.
    first: u64,
}

/// A slot is written behind those that wait even if it does not have to wait.
const SPARE: u64 = 1;

/// Slots that are scanned at once.
const SCANNED: usize = 4096;

/// Bytes for a shard of this many slots.
pub(crate) const fn bytes_for(slots: u64) -> u64 {
    slots * 13 + 4 * SPARE
}

impl Peeler {
    /// Peels the keys of the shard of this many slots whose first start is `first`. Returns whether
    /// all were peeled.
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
        // Otherwise a slot has 256 keys, most of them copies.
        if all != 3 * hashes.len() as u64 {
            return Ok(false);
        }
        self.run(layout);
        Ok(self.peeled == hashes.len())
    }

    /// Adds keys to their slots.
    fn add(&mut self, layout: &Layout, hashes: &[KeyHash]) {
        let words = &mut self.words[..];
        // As long as `words`, so that one bounds check is enough.
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
        // Slots wait in `order`, behind the peeled ones: each waits once.
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

    /// Sets the slots of all keys, which were peeled, in a table of zeros.
    pub(crate) fn assign<C: Cells>(&self, layout: &Layout, table: &mut [u8]) {
        let bits = layout.fingerprint_bits;
        for &slot in self.order[..self.peeled].iter().rev() {
            let word = self.words[slot as usize];
            let mut fingerprint = layout.fingerprint(word);
            // The key's own slot is still zero.
            for slot in layout.slots_in_shard(word, self.first) {
                fingerprint ^= C::get(table, slot as u64, bits).unwrap_or_default();
            }
            C::set(table, slot.into(), bits, fingerprint);
        }
    }
}
