//! Truncating: the same filter with shorter fingerprints.
//!
//! A slot is the exclusive or of fingerprints and other slots, bit by bit. So the upper bits of all
//! slots are the table for the upper bits of the fingerprints, which are the fingerprints of a
//! smaller filter. The seed that peels the keys does not depend on the bits.

use crate::cells::{Cells, Packed, Word};
use crate::file::validate;
use crate::{FuseFilter, FuseParams, theory};
use amq_core::internal::{ByteSource, Header, SectionStream, table_of};
use amq_core::{Budget, DecodeError, Goal, TruncateError, TruncateFilter};

/// Slots truncated at once: their bits are whole words.
const SLOTS: u64 = 64;

impl FuseFilter {
    /// Makes this the filter that its keys would make within a smaller budget, without the keys:
    /// one file serves several sizes.
    ///
    /// The budget applies to the number of keys planned for. A budget that the filter already meets
    /// exactly leaves it as it is, and a larger one is refused. The result equals a build within
    /// that budget, byte for byte, also after earlier truncation. The exception is a filter of few
    /// keys planned for many: where such a build takes up to seven bytes more than longer
    /// fingerprints, these are kept, so truncating never makes a filter larger. For a file, see
    /// [`LoadOptions::budget`].
    ///
    /// [`LoadOptions::budget`]: crate::LoadOptions::budget
    ///
    /// ```
    /// use amq_fuse::{Budget, FuseFilter};
    ///
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let mut filter = FuseFilter::build(Budget::Fpr(0.0001), 0..1000u64)?;
    /// filter.truncate(Budget::Fpr(0.01))?;
    /// assert!(filter == FuseFilter::build(Budget::Fpr(0.01), 0..1000u64)?);
    /// assert!(filter.truncate(Budget::Fpr(0.001)).is_err()); // the bits are gone
    /// # Ok(())
    /// # }
    /// ```
    pub fn truncate(&mut self, budget: Budget) -> Result<(), TruncateError> {
        let params = target(&self.params, &self.header, self.len(), budget)?;
        if params != self.params {
            let mut cut = Cut { from: self.params.fingerprint_bits, params, slot: 0 };
            let (mut table, bytes) = (&*self.table, params.bytes());
            let table = table_of(bytes, bytes, |kept| cut.next(&mut table, kept));
            let table = table.map_err(|_| TruncateError::OutOfMemory { bytes })?;
            *self = Self::of_parts(self.header, params, self.len(), table);
        }
        self.header.budget = Some(budget);
        Ok(())
    }
}

impl TruncateFilter for FuseFilter {
    fn truncate(&mut self, budget: Budget) -> Result<(), TruncateError> {
        Self::truncate(self, budget)
    }
}

/// Reads a filter from a file within a budget.
pub(crate) fn read(
    params: FuseParams,
    mut header: Header,
    len: u64,
    budget: Budget,
    sections: &mut SectionStream<'_>,
) -> Result<FuseFilter, DecodeError> {
    let target = target(&params, &header, len, budget)?;
    header.budget = Some(budget);
    if target == params {
        let table = sections.section()?;
        validate(&params, &table)?;
        return Ok(FuseFilter::of_parts(header, params, len, table));
    }
    let mut cut = Cut { from: params.fingerprint_bits, params: target, slot: 0 };
    sections.turn()?;
    let table = sections.table(target.bytes(), |sections, kept| cut.next(sections, kept))?;
    Ok(FuseFilter::of_parts(header, target, len, table))
}

/// The parameters to which a filter of `len` keys with these parameters is truncated.
fn target(
    params: &FuseParams,
    header: &Header,
    len: u64,
    budget: Budget,
) -> Result<FuseParams, TruncateError> {
    let goal = Goal::new(header.capacity.max(len), budget).checked()?;
    if len == 0 {
        // An empty filter takes no space, which is within any budget.
        return Ok(*params);
    }
    let planned = goal.plan_by(theory::plan)?.params.fingerprint_bits;
    let fits = |params: &FuseParams| params.bytes() <= goal.max_bits() / 8;
    // A file's table may be larger than a plan's.
    let with = |bits: u32| FuseParams { fingerprint_bits: bits, ..*params };
    let fitting = (1..=planned).rev().map(with).find(fits);
    let Some(target) = fitting else {
        let bytes = goal.max_bits() / 8;
        return Err(amq_core::PlanError::Bytes { bytes, min: with(1).bytes() }.into());
    };
    let fpr = theory::fpr_of_bits(params.fingerprint_bits, len);
    let meets = matches!(budget, Budget::Fpr(asked) if fpr <= asked);
    if target.fingerprint_bits > params.fingerprint_bits {
        return match meets {
            true => Ok(*params),
            false => Err(TruncateError::larger(budget, fpr, params.bytes(), goal.keys)),
        };
    }
    // Fingerprints of whole bytes need no room behind them. In a filter of fewer keys than planned
    // they may take less than shorter ones.
    let kept = (target.fingerprint_bits..=params.fingerprint_bits).rev().map(with);
    Ok(kept.min_by_key(FuseParams::bytes).unwrap_or(target))
}

/// Rewrites the slots of a table in order, with shorter fingerprints.
struct Cut {
    /// The bits of the fingerprints read.
    from: u32,
    /// The parameters of the fingerprints written.
    params: FuseParams,
    /// The next slot.
    slot: u64,
}

impl Cut {
    /// Reads the next slots, and writes their upper bits. Returns the bytes written.
    fn next(&mut self, table: &mut impl ByteSource, kept: &mut [u8]) -> Result<usize, DecodeError> {
        let bits = self.params.fingerprint_bits;
        let slots = (self.params.slots() - self.slot).min(SLOTS);
        if slots == 0 {
            // The last packed fingerprints are read as words.
            kept[..7].fill(0);
            return Ok(7);
        }
        self.slot += slots;
        let [taken, writes] = [self.from, bits].map(|bits| (slots * u64::from(bits)).div_ceil(8));
        // With room for the word of the last slot.
        let mut held = [0; (SLOTS / 8) as usize * 32 + 8];
        held[..taken as usize].copy_from_slice(table.take(taken as usize)?);
        let (mut word, mut filled, mut at) = (0u64, 0, 0);
        for slot in 0..slots {
            let (byte, bit) = Packed::begin(slot, self.from);
            let fingerprint = u64::read(&held, byte).unwrap_or_default() >> bit;
            let upper = fingerprint << (64 - self.from) >> (64 - bits);
            word |= upper << filled;
            filled += bits;
            if filled >= 32 {
                kept[at..at + 4].copy_from_slice(&(word as u32).to_le_bytes());
                (word, filled, at) = (word >> 32, filled - 32, at + 4);
            }
        }
        let rest = word.to_le_bytes();
        let last = filled.div_ceil(8) as usize;
        kept[at..at + last].copy_from_slice(&rest[..last]);
        if self.slot == self.params.slots() {
            let whole = slots * u64::from(self.from) % 8;
            if whole != 0 && held[taken as usize - 1] >> whole != 0 {
                return Err(DecodeError::Structure { what: "bits past the last slot" });
            }
            self.check_rest(table)?;
        }
        Ok(writes as usize)
    }

    /// Reads and checks the bytes behind the last slot.
    fn check_rest(&self, table: &mut impl ByteSource) -> Result<(), DecodeError> {
        let params = FuseParams { fingerprint_bits: self.from, ..self.params };
        let slots = (params.slots() * u64::from(self.from)).div_ceil(8);
        let rest = table.take((params.bytes() - slots) as usize)?;
        match rest.iter().all(|&byte| byte == 0) {
            true => Ok(()),
            false => Err(DecodeError::Structure { what: "bits past the last slot" }),
        }
    }
}
