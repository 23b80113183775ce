//! Checks that bytes are a quotient filter's table. A table from a file is checked before its first
//! query, and tests check after every operation.

use crate::bits::{Select, below, from};
use crate::entry::Entry;
use crate::params::BLOCK_SLOTS;
use crate::table::{Metadata, SATURATED, SlotTable};
use amq_core::Bytes;
use amq_core::DecodeError;

const fn inconsistent(what: &'static str) -> DecodeError {
    DecodeError::Structure { what }
}

/// The contents of a consistent table.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Contents {
    /// Fingerprints, counting every copy.
    pub(crate) keys: u64,
    /// The number of fingerprints that they match.
    pub(crate) distinct: u64,
}

impl<B: Bytes, E: Entry> SlotTable<B, E> {
    /// The contents of the table, if it is consistent. Reads it once, a block at a time.
    ///
    /// The first block's offset is the number of slots that wrapped runs take. It is assumed to be
    /// right, and compared at the end with the slots taken past the last one. From there, once
    /// around, the runs are placed in order: each takes the first runend from its start. This
    /// determines which slots are in a run, and which of these are followed by another slot of the
    /// same run; and so, which remainders are allowed.
    #[inline(always)]
    pub(crate) fn contents<I: Select>(&self) -> Result<Contents, DecodeError> {
        let wrapped = self.offset::<I>(0, self.metadata(0).offset);
        if wrapped > self.places() {
            return Err(inconsistent("offset of a block"));
        }
        let round = wrapped + self.places();
        let mut free = wrapped;
        let mut contents = Contents { keys: 0, distinct: 0 };
        for block in 0..self.blocks {
            let (here, begin) = (self.block_at(block), block * BLOCK_SLOTS);
            let metadata = self.metadata_from(here);
            let offset = free.saturating_sub(begin);
            if metadata.offset != offset.min(SATURATED) {
                return Err(inconsistent("offset of a block"));
            }
            let homes = self.params.slots - begin;
            if homes < BLOCK_SLOTS && metadata.occupieds >> homes != 0 {
                return Err(inconsistent("a run at home past the last slot"));
            }
            let (used, taken) = self.place_runs(begin, metadata, offset, round - begin);
            free = begin + taken;
            if free > round {
                return Err(inconsistent("a run without an end"));
            }
            if metadata.runends & !used != 0 {
                return Err(inconsistent("an end without a run"));
            }
            let keys = u64::from(used.count_ones());
            contents.keys += keys;
            let joined = used & !metadata.runends;
            let equal = match self.fields.bits {
                0..=28 => self.check_remainders::<true>(here, used, joined)?,
                _ => self.check_remainders::<false>(here, used, joined)?,
            };
            contents.distinct += keys - equal;
        }
        if free.saturating_sub(self.places()) != wrapped {
            return Err(inconsistent("offset of a block"));
        }
        contents.distinct =
            self.answered(contents.distinct).ok_or(inconsistent("a run with an empty slot"))?;
        Ok(contents)
    }

    /// Places the runs of a block whose first `offset` slots belong to earlier runs. Returns which
    /// of the block's slots are in a run, and how many slots from its first on are taken: more than
    /// `most` if a run has no end.
    #[inline(always)]
    fn place_runs(&self, begin: u64, metadata: Metadata, offset: u64, most: u64) -> (u64, u64) {
        let mut taken = offset;
        let mut used = match offset {
            0..BLOCK_SLOTS => below(offset as u32),
            _ => u64::MAX,
        };
        let mut homes = metadata.occupieds;
        while homes != 0 {
            let start = taken.max(u64::from(homes.trailing_zeros()));
            homes &= homes - 1;
            if start < BLOCK_SLOTS {
                let ends = metadata.runends & from(start as u32);
                if ends != 0 {
                    // The bits from the start to the end: the sum carries into the bit after them.
                    let end = ends & ends.wrapping_neg();
                    used |= from(start as u32).wrapping_add(end << 1);
                    taken = u64::from(ends.trailing_zeros()) + 1;
                    continue;
                }
                used |= from(start as u32);
            }
            taken = self.first_runend(begin + start) + 1 - begin;
            if taken > most {
                break;
            }
        }
        (used, taken)
    }

    /// Checks the remainders of the block at `here`: those outside the slots in `used` are zero,
    /// and those in `joined` are not above the next one, which is of the same run. Returns how
    /// many of these are equal to it. `NARROW`: any load has two remainders.
    #[inline(always)]
    fn check_remainders<const NARROW: bool>(
        &self,
        here: usize,
        used: u64,
        joined: u64,
    ) -> Result<u64, DecodeError> {
        let mask = self.fields.mask();
        let block = &self.bytes()[here..][..self.stride];
        let mut unused = !used;
        while unused != 0 {
            if self.fields.window(block, 0, unused.trailing_zeros()) & mask != 0 {
                return Err(inconsistent("a slot of no run that is not zero"));
            }
            unused &= unused - 1;
        }
        let mut equal = 0;
        let mut check = |this: u64, next: u64| {
            // The common case.
            if next > this {
                return Ok(());
            }
            equal += 1;
            if next == this { Ok(()) } else { Err(inconsistent("order of remainders")) }
        };
        let mut within = joined & below(63);
        while within != 0 {
            let slot = within.trailing_zeros();
            let this = self.fields.window(block, 0, slot);
            let next = match NARROW {
                true => this >> self.fields.bits,
                false => self.fields.window(block, 0, slot + 1),
            };
            check(this & mask, next & mask)?;
            within &= within - 1;
        }
        if joined >> 63 == 1 {
            let last = self.fields.window(block, 0, 63);
            let next = self.fields.window(self.bytes(), self.after(here), 0);
            check(last & mask, next & mask)?;
        }
        Ok(equal)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::QuotientParams;
    use crate::bits::Broadword;
    use crate::entry::FixedLength;
    use crate::simd;
    use amq_core::index::remix;
    use std::vec::Vec;

    /// The reference check, straight from the definition.
    impl<B: Bytes> SlotTable<B, FixedLength> {
        /// Reads the table one run and one slot at a time.
        ///
        /// Follows the runs in order. Each takes the first runend from its start; there are no more
        /// runends than runs, so all are taken.
        fn contents_slot_by_slot(&self) -> Result<Contents, DecodeError> {
            self.check_runs()?;
            let wrapped = self.offset::<Broadword>(0, self.metadata(0).offset);
            if wrapped > self.places() {
                return Err(inconsistent("offset of a block"));
            }
            let round = wrapped + self.places();
            let mut free = wrapped;
            let mut contents = Contents { keys: 0, distinct: 0 };
            for block in 0..self.blocks {
                let begin = block * BLOCK_SLOTS;
                let metadata = self.metadata(block);
                if metadata.offset != free.saturating_sub(begin).min(SATURATED) {
                    return Err(inconsistent("offset of a block"));
                }
                let mut homes = metadata.occupieds;
                while homes != 0 {
                    let start = free.max(begin + u64::from(homes.trailing_zeros()));
                    homes &= homes - 1;
                    self.check_empty(free, start)?;
                    free = self.first_runend(start) + 1;
                    if free > round {
                        return Err(inconsistent("a run without an end"));
                    }
                    contents.keys += free - start;
                    contents.distinct += self.check_order(start, free)?;
                }
            }
            self.check_empty(free, self.places())?;
            if free.saturating_sub(self.places()) != wrapped {
                return Err(inconsistent("offset of a block"));
            }
            Ok(contents)
        }

        /// Checks that as many runs end as start, and that no home is past the last slot.
        fn check_runs(&self) -> Result<(), DecodeError> {
            let (mut occupieds, mut runends) = (0, 0);
            for block in 0..self.blocks {
                let metadata = self.metadata(block);
                occupieds += u64::from(metadata.occupieds.count_ones());
                runends += u64::from(metadata.runends.count_ones());
                let highest = 64 - u64::from(metadata.occupieds.leading_zeros());
                if block * BLOCK_SLOTS + highest > self.params.slots {
                    return Err(inconsistent("a run at home past the last slot"));
                }
            }
            if occupieds == runends { Ok(()) } else { Err(inconsistent("number of runs")) }
        }

        /// Checks that the slots from `start` up to `end`, exclusive, are zero.
        fn check_empty(&self, start: u64, end: u64) -> Result<(), DecodeError> {
            if (start..end).all(|position| self.remainder(position) == 0) {
                Ok(())
            } else {
                Err(inconsistent("a slot of no run that is not zero"))
            }
        }

        /// Checks that the remainders of a run, up to `end` exclusive, are sorted; returns how many
        /// are distinct.
        fn check_order(&self, start: u64, end: u64) -> Result<u64, DecodeError> {
            let mut distinct = 1;
            let mut before = self.remainder(start);
            for position in start + 1..end {
                let this = self.remainder(position);
                if this < before {
                    return Err(inconsistent("order of remainders"));
                }
                distinct += u64::from(this > before);
                before = this;
            }
            Ok(distinct)
        }
    }

    /// An endless stream of random numbers.
    struct Noise(u64);

    impl Noise {
        fn next(&mut self) -> u64 {
            self.0 += 1;
            remix(self.0, 3)
        }

        fn below(&mut self, n: usize) -> usize {
            (self.next() % n as u64) as usize
        }
    }

    /// A table filled to a share of its slots, its fingerprints spread evenly or crowded.
    fn filled(
        params: QuotientParams,
        keys: u64,
        crowding: u64,
        noise: &mut Noise,
    ) -> SlotTable<amq_core::Table, FixedLength> {
        let mut table = SlotTable::new(params).unwrap();
        let of = params.fingerprints();
        let from = u128::from(remix(noise.0, 4) % of);
        for _ in 0..keys {
            let next = noise.next() % of.div_ceil(crowding);
            let fingerprint = ((from + u128::from(next)) % u128::from(of)) as u64;
            simd::insert(&mut table, fingerprint);
        }
        table
    }

    /// Changes a few bits, bytes or words: anywhere, or in the metadata alone.
    fn damage(bytes: &mut [u8], stride: usize, noise: &mut Noise) {
        for _ in 0..1 + noise.below(3) {
            let mut at = noise.below(bytes.len());
            if noise.below(2) == 0 {
                at = at / stride * stride + stride - 17 + noise.below(17);
            }
            match noise.below(6) {
                0 => bytes[at] = noise.below(256) as u8,
                1 => bytes[at] = bytes[at].wrapping_add([1, 255][noise.below(2)]),
                // A run end, or a home, moves.
                2 => {
                    let bit = 1 << noise.below(8);
                    bytes[at] ^= bit;
                    let to = (at + noise.below(9)).saturating_sub(4) % bytes.len();
                    bytes[to] ^= [bit, 1 << noise.below(8)][noise.below(2)];
                }
                3 => {
                    // Toggles a home and an end in the same slot.
                    let block = at / stride * stride + stride - 17;
                    let (byte, bit) = (noise.below(8), 1 << noise.below(8));
                    bytes[block + byte] ^= bit;
                    bytes[block + 8 + byte] ^= bit;
                }
                _ => bytes[at] ^= 1 << noise.below(8),
            }
        }
    }

    /// Whether a table is accepted, by all checks, which must agree.
    fn agree(table: &SlotTable<&[u8], FixedLength>) -> bool {
        let slow = table.contents_slot_by_slot();
        let all = [table.contents::<Broadword>(), simd::contents(table), slow];
        let slow = slow.ok();
        assert!(
            all.iter().all(|contents| contents.ok() == slow),
            "{all:?}, {:?}, {:x?}",
            table.params,
            table.bytes
        );
        slow.is_some()
    }

    #[test]
    fn the_check_by_blocks_accepts_what_the_one_by_slots_accepts() {
        let mut noise = Noise(0);
        let (mut sound, mut accepted, mut refused) = (0, 0, 0);
        for bits in (0..=16).chain([19, 20, 28, 29, 40, 56]) {
            for (slots, crowding) in [(1u64, 1), (64, 1), (100, 9), (250, 1), (640, 60)] {
                let params = QuotientParams::new(slots, bits);
                if params.check().is_err() {
                    continue;
                }
                let places = slots.next_multiple_of(64);
                for keys in [0, slots / 2, slots, places] {
                    let table = filled(params, keys, crowding, &mut noise);
                    assert!(agree(&table.view()));
                    sound += 1;
                    let stride = table.bytes.len() / (places / 64) as usize;
                    for _ in 0..if cfg!(miri) { 1 } else { 60 } {
                        let mut bytes = table.bytes.clone();
                        damage(&mut bytes, stride, &mut noise);
                        match agree(&SlotTable::over(params, &bytes)) {
                            true => accepted += 1,
                            false => refused += 1,
                        }
                    }
                }
            }
        }
        let enough = sound > 400 && accepted > 1500 && refused > 15_000;
        assert!(enough || cfg!(miri), "{sound} {accepted} {refused}");
    }

    #[test]
    fn both_checks_agree_on_metadata_of_every_density() {
        let mut noise = Noise(1 << 40);
        let mut accepted = 0;
        for round in 0..if cfg!(miri) { 9 } else { 60_000 } {
            let params = QuotientParams::new([64, 64, 90][round % 3], [0, 0, 1][round / 3 % 3]);
            let mut bytes: Vec<u8> = std::vec![0; params.bytes() as usize];
            let stride = 17 + 8 * params.remainder_bits as usize;
            for block in bytes.chunks_exact_mut(stride) {
                // Ends are at homes or a little later, seldom elsewhere.
                for _ in 0..noise.below(1 << (round % 7)) {
                    let home = noise.below(64);
                    let end = (home + noise.below(1 + round % 4)).min(63);
                    block[stride - 17 + home / 8] |= 1 << (home % 8);
                    block[stride - 9 + end / 8] |= 1 << (end % 8);
                }
                if noise.below(4) == 0 {
                    block[stride - 1] = [noise.below(70) as u8, 255][noise.below(2)];
                }
            }
            accepted += u64::from(agree(&SlotTable::over(params, &bytes)));
        }
        assert!(accepted > 3000 || cfg!(miri), "{accepted}");
    }
}
