//! The structural walk: whether bytes are a quotient filter's table. A file's table passes it
//! before its first query, and the tests make it after every operation.

use crate::bits::Broadword;
use crate::entry::Entry;
use crate::params::BLOCK_SLOTS;
use crate::search::Run;
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
    /// Different fingerprints that they answer for.
    pub(crate) distinct: u64,
}

impl<S: AsRef<[u8]>, E: Entry> Table<S, E> {
    /// Walks the whole table, whatever its bytes, in time proportional to its slots.
    ///
    /// The first block's offset says how many slots wrapped runs take. The walk believes it, and
    /// at its end compares it with the slots taken past the last one. From there, once around, it
    /// follows the runs in order. Each takes the first runend from its start; there are no more
    /// runends than runs, so all are taken.
    pub(crate) fn walk(&self) -> Result<Contents, DecodeError> {
        self.check_runs()?;
        let wrapped = self.offset::<Broadword>(0, self.metadata(0).offset);
        let round = wrapped + self.places();
        let mut free = wrapped;
        let mut contents = Contents {
            items: 0,
            distinct: 0,
        };
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
                contents.items += free - start;
                let run = Run { start, end: free };
                self.check_order(run)?;
                let answered =
                    E::answered(self, run).ok_or(inconsistent("a run with an empty slot"));
                contents.distinct += answered?;
            }
        }
        self.check_empty(free, self.places())?;
        if free.saturating_sub(self.places()) != wrapped {
            return Err(inconsistent("offset of a block"));
        }
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

    /// The slots from `start` up to `end`, exclusive, are zero.
    fn check_empty(&self, start: u64, end: u64) -> Result<(), DecodeError> {
        if (start..end).all(|position| self.remainder(position) == 0) {
            Ok(())
        } else {
            Err(inconsistent("a slot of no run that is not zero"))
        }
    }

    /// The remainders of a run rise.
    fn check_order(&self, run: Run) -> Result<(), DecodeError> {
        let mut before = 0;
        for position in run.start..run.end {
            let this = self.remainder(position);
            if this < before {
                return Err(inconsistent("order of remainders"));
            }
            before = this;
        }
        Ok(())
    }
}
