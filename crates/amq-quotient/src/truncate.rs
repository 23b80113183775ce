//! Truncating: the same slots with shorter remainders.
//!
//! The upper bits of a remainder are its hash's remainder in a table of as many slots and shorter
//! remainders. Runs stay in place and in order. So only the remainders of each block change, and
//! distinct fingerprints are counted again.

use crate::params::{BLOCK_SLOTS, MAX_REMAINDER_BITS, METADATA_BYTES};
use crate::table::SlotTable;
use crate::validate::Contents;
use crate::{QuotientFilter, QuotientParams, simd, theory};
use amq_core::internal::{ByteSource, Header, SectionStream, table_of};
use amq_core::{Budget, DecodeError, Goal, PlanError, Table, TruncateError, TruncateFilter};

impl QuotientFilter {
    /// Makes the filter smaller without its keys, by shortening the remainders. The slots stay: it
    /// still holds as many keys, and counts and removes them, but more of them share a fingerprint.
    ///
    /// The budget applies to the number of keys planned for, and to the table that holds them. A
    /// budget that the filter already meets exactly leaves it as it is, and a larger one is
    /// refused. For each bit dropped, the filter can double at most once less. The result is the
    /// filter that would have been made with these slots and remainders. For a file, see
    /// [`LoadOptions::budget`].
    ///
    /// [`LoadOptions::budget`]: crate::LoadOptions::budget
    ///
    /// ```
    /// use amq_quotient::{Budget, Filter, QuotientFilter};
    ///
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let mut filter = QuotientFilter::build(Budget::Fpr(0.0001), 0..1000u64)?;
    /// let before = filter.size_in_bytes();
    /// filter.truncate(Budget::Fpr(0.01))?;
    /// assert!(filter.size_in_bytes() < before * 2 / 3);
    /// assert!((0..1000u64).all(|key| filter.remove(&key)));
    /// assert!(filter.truncate(Budget::Fpr(0.001)).is_err()); // the bits are gone
    /// # Ok(())
    /// # }
    /// ```
    pub fn truncate(&mut self, budget: Budget) -> Result<(), TruncateError> {
        let from = self.params();
        let params = target(&from, &self.header, self.len(), budget)?;
        if params != from {
            let bytes = params.bytes();
            let mut source = self.table.bytes();
            let cut = |block: &mut [u8; 512]| cut(&from, &params, &mut source, block);
            let refused = |_| TruncateError::OutOfMemory { bytes };
            let table = table_of(bytes, bytes, cut).map_err(refused)?;
            // The runs are consistent, so the fingerprints can be counted.
            let mut table = SlotTable::over(params, table);
            let Contents { keys, distinct } = simd::contents(&table).map_err(refused)?;
            (table.entries, table.distinct) = (keys, distinct);
            self.table = table;
        }
        self.header.budget = Some(budget);
        Ok(())
    }
}

impl TruncateFilter for QuotientFilter {
    fn truncate(&mut self, budget: Budget) -> Result<(), TruncateError> {
        Self::truncate(self, budget)
    }
}

/// Reads a filter from a file within a budget.
pub(crate) fn read(
    (params, distinct): (QuotientParams, u64),
    mut header: Header,
    len: u64,
    budget: Budget,
    sections: &mut SectionStream<'_>,
) -> Result<QuotientFilter, DecodeError> {
    let target = target(&params, &header, len, budget)?;
    header.budget = Some(budget);
    sections.turn()?;
    let cut = |sections: &mut SectionStream<'_>, block: &mut [u8; 512]| {
        cut(&params, &target, sections, block)
    };
    let table: Table = sections.table(target.bytes(), cut)?;
    let mut table = SlotTable::over(target, table);
    let found = simd::contents(&table)?;
    if found.keys != len {
        return Err(DecodeError::Structure { what: "number of keys" });
    }
    let is_whole = target.remainder_bits == params.remainder_bits;
    if found.distinct > distinct || is_whole && found.distinct != distinct {
        return Err(DecodeError::Structure { what: "number of different fingerprints" });
    }
    (table.entries, table.distinct) = (found.keys, found.distinct);
    Ok(QuotientFilter { table, header })
}

/// The parameters to which a filter of `len` keys with these parameters is truncated.
fn target(
    params: &QuotientParams,
    header: &Header,
    len: u64,
    budget: Budget,
) -> Result<QuotientParams, TruncateError> {
    let goal = Goal::new(header.capacity.max(len), budget).checked()?;
    let with = |remainder_bits: u32| {
        let shorter = QuotientParams { remainder_bits, ..*params };
        shorter.with_max_slots(params.max_slots.min(shorter.fingerprints()))
    };
    let rate = |params: &QuotientParams| theory::fpr(params, goal.keys).mean;
    let size = |params: QuotientParams| theory::plan_params(params, goal.keys).map(|p| p.bytes);
    let widest = QuotientParams::widest(params.slots);
    let bits = match budget {
        Budget::Fpr(asked) => (0..=widest).find(|&bits| rate(&with(bits)) <= asked),
        Budget::BitsPerKey(_) | Budget::Bytes(_) => {
            let bytes = goal.max_bits() / 8;
            let fits = |bits: &u32| size(with(*bits)).is_ok_and(|size| size <= bytes);
            let Some(bits) = (0..=widest).rev().find(fits) else {
                return Err(PlanError::Bytes { bytes, min: size(with(0))? }.into());
            };
            Some(bits)
        }
    };
    match bits {
        Some(bits) if bits <= params.remainder_bits => Ok(with(bits)),
        _ => Err(TruncateError::larger(budget, rate(params), size(*params)?, goal.keys)),
    }
}

/// Words of a block's remainders, and one more.
const WORDS: usize = MAX_REMAINDER_BITS as usize + 1;

/// Reads the next block, and writes it with shorter remainders. Returns the bytes written.
fn cut(
    from: &QuotientParams,
    to: &QuotientParams,
    blocks: &mut impl ByteSource,
    kept: &mut [u8],
) -> Result<usize, DecodeError> {
    let [held, keep] = [from.remainder_bits, to.remainder_bits];
    let [held_bytes, keep_bytes] = [held, keep].map(|bits| 8 * bits as usize);
    let block = blocks.take(held_bytes + METADATA_BYTES as usize)?;
    let (remainders, metadata) = block.split_at(held_bytes);
    let (shorter, kept) = kept.split_at_mut(keep_bytes);
    kept[..metadata.len()].copy_from_slice(metadata);
    let bytes = keep_bytes + metadata.len();
    if keep == 0 || keep == held {
        shorter.copy_from_slice(&remainders[..keep_bytes]);
        return Ok(bytes);
    }
    let mut words = [0; WORDS];
    for (word, &bytes) in words.iter_mut().zip(remainders.as_chunks().0) {
        *word = u64::from_le_bytes(bytes);
    }
    let mut shorter = shorter.as_chunks_mut().0.iter_mut();
    let (mut word, mut filled) = (0u128, 0);
    for slot in 0..BLOCK_SLOTS as u32 {
        let (at, shift) = ((slot * held / 64) as usize, slot * held % 64);
        let both = u128::from(words[at]) | u128::from(words[at + 1]) << 64;
        // The upper bits of the remainder, without the bits after it.
        let upper = ((both >> shift) as u64) << (64 - held) >> (64 - keep);
        word |= u128::from(upper) << filled;
        filled += keep;
        if filled >= 64 {
            if let Some(next) = shorter.next() {
                *next = (word as u64).to_le_bytes();
            }
            (word, filled) = (word >> 64, filled - 64);
        }
    }
    Ok(bytes)
}
