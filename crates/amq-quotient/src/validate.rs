//! The structural walk: whether bytes are a quotient filter's table. A file's table passes it
//! before its first query, and the tests make it after every operation.

use crate::params::BLOCK_SLOTS;
use crate::table::{SATURATED, Table};
use amq_core::DecodeError;

const fn inconsistent(what: &'static str) -> DecodeError {
    DecodeError::Structure { what }
}

/// What a consistent table holds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Contents {
    /// Fingerprints, counting every copy.
    pub(crate) items: u64,
    /// Different fingerprints.
    pub(crate) distinct: u64,
}

impl<S: AsRef<[u8]>> Table<S> {
    /// Walks the whole table, whatever its bytes, in time proportional to its slots.
    pub(crate) fn walk(&self) -> Result<Contents, DecodeError> {
        self.check_runs()?;
        let wrapped = self.wrapped_runs();
        // One past the last runend of the runs that wrapped: where the first block's own runs may
        // start.
        let mut free = match wrapped {
            0 => 0,
            runs => self
                .runend_positions(0)
                .nth(runs as usize - 1)
                .map_or(0, |end| end + 1),
        };
        let offset = free;
        let mut contents = Contents {
            items: 0,
            distinct: 0,
        };
        let mut ends = self.runend_positions(free);
        for block in 0..self.blocks {
            let begin = block * BLOCK_SLOTS;
            let metadata = self.metadata(block);
            let expected = free.saturating_sub(begin).min(SATURATED);
            if metadata.offset != expected {
                return Err(inconsistent("offset of a block"));
            }
            for slot in 0..BLOCK_SLOTS {
                if metadata.occupieds >> slot & 1 == 0 {
                    continue;
                }
                let start = free.max(begin + slot);
                // Each run has one, and none ends before its home.
                let Some(last) = ends.next() else { break };
                self.check_empty(free, start)?;
                contents.distinct += self.check_order(start, last)?;
                contents.items += last + 1 - start;
                free = last + 1;
            }
        }
        // Behind the last run, up to where the first may start.
        self.check_empty(free, self.places() + offset)?;
        Ok(contents)
    }

    /// As many runs end as start, and none is at home past the last slot.
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
        if occupieds == runends {
            Ok(())
        } else {
            Err(inconsistent("number of runs"))
        }
    }

    /// How many runs end past the last slot: the least number with which no run ends before its
    /// home.
    ///
    /// No other is possible. If one more wrapped, some run would be open at every slot; but a table
    /// with no more fingerprints than slots has a slot where all earlier runs have ended.
    fn wrapped_runs(&self) -> u64 {
        let (mut ahead, mut most) = (0i64, 0i64);
        for block in 0..self.blocks {
            let metadata = self.metadata(block);
            for slot in 0..BLOCK_SLOTS {
                ahead +=
                    (metadata.runends >> slot & 1) as i64 - (metadata.occupieds >> slot & 1) as i64;
                most = most.max(ahead);
            }
        }
        most.unsigned_abs()
    }

    /// The positions of all runends, once around from `position`.
    fn runend_positions(&self, position: u64) -> impl Iterator<Item = u64> + '_ {
        let positions = position..position + self.places();
        positions.filter(|&position| {
            let block = self.wrapped(position / BLOCK_SLOTS);
            self.metadata(block).runends >> (position % BLOCK_SLOTS) & 1 == 1
        })
    }

    /// The slots from `start` up to `end`, exclusive, are zero.
    fn check_empty(&self, start: u64, end: u64) -> Result<(), DecodeError> {
        if (start..end).all(|position| self.remainder(position) == 0) {
            Ok(())
        } else {
            Err(inconsistent("a slot of no run that is not zero"))
        }
    }

    /// The remainders of a run rise; returns how many are different.
    fn check_order(&self, start: u64, last: u64) -> Result<u64, DecodeError> {
        let mut distinct = 1;
        for position in start + 1..=last {
            let (before, this) = (self.remainder(position - 1), self.remainder(position));
            if this < before {
                return Err(inconsistent("order of remainders"));
            }
            distinct += u64::from(this > before);
        }
        Ok(distinct)
    }
}
