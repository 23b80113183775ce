//! Whether bytes are a quotient filter's table: the structural walk that tests make after every
//! operation, and that a table from outside passes before its first query.

use crate::params::BLOCK_SLOTS;
use crate::table::{SATURATED, Table};
use amq_core::PlanError;
use core::error::Error;
use core::fmt;

/// Bytes that are not a quotient filter's table. Blocks and slots are numbered from 0.
#[derive(Clone, Copy, PartialEq, Debug)]
#[non_exhaustive]
pub enum Inconsistent {
    /// The parameters are out of range.
    Params(PlanError),
    /// The parameters need another number of bytes.
    Length {
        /// Bytes given.
        bytes: u64,
        /// Bytes needed.
        needed: u64,
    },
    /// A run is at home in a slot past the last.
    Home {
        /// The slot.
        slot: u64,
        /// The number of slots.
        slots: u64,
    },
    /// The numbers of runs and runends differ.
    Runs {
        /// Runs that start: bits set in the occupieds.
        occupieds: u64,
        /// Runs that end: bits set in the runends.
        runends: u64,
    },
    /// A block's offset does not match the runs before it.
    Offset {
        /// The block.
        block: u64,
        /// What it says; 255 stands for 255 or more.
        offset: u64,
        /// What it should say.
        expected: u64,
    },
    /// A remainder is less than the one before it in its run.
    Order {
        /// The slot it is in.
        slot: u64,
    },
    /// A slot of no run is not zero.
    Residue {
        /// The slot.
        slot: u64,
    },
    /// The table holds more keys than its parameters allow.
    Load {
        /// Keys it holds.
        items: u64,
        /// The most it takes.
        max: u64,
    },
    /// The filter miscounts its keys or its different fingerprints.
    Count {
        /// What it says.
        count: u64,
        /// What the table holds.
        expected: u64,
    },
}

impl fmt::Display for Inconsistent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("these bytes are not a quotient filter: ")?;
        match self {
            Self::Params(error) => error.fmt(f),
            Self::Length { bytes, needed } => {
                write!(f, "there are {bytes}, and its parameters need {needed}")
            }
            Self::Home { slot, slots } => {
                write!(f, "a run is at home in slot {slot} of {slots}")
            }
            Self::Runs { occupieds, runends } => {
                write!(f, "{occupieds} runs start and {runends} end")
            }
            Self::Offset {
                block,
                offset,
                expected,
            } => write!(
                f,
                "the offset of block {block} is {offset} instead of {expected}"
            ),
            Self::Order { slot } => write!(f, "the remainder in slot {slot} is out of order"),
            Self::Residue { slot } => write!(f, "slot {slot} belongs to no run but is not zero"),
            Self::Load { items, max } => {
                write!(f, "it holds {items} keys, and takes at most {max}")
            }
            Self::Count { count, expected } => {
                write!(f, "it counts {count} and holds {expected}")
            }
        }?;
        f.write_str("; read them again from the source, or rebuild the filter")
    }
}

impl Error for Inconsistent {}

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
    pub(crate) fn validate(&self) -> Result<Contents, Inconsistent> {
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
                return Err(Inconsistent::Offset {
                    block,
                    offset: metadata.offset,
                    expected,
                });
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
        let max = self.max_items;
        if contents.items > max {
            return Err(Inconsistent::Load {
                items: contents.items,
                max,
            });
        }
        Ok(contents)
    }

    /// As many runs end as start, and none is at home past the last slot.
    fn check_runs(&self) -> Result<(), Inconsistent> {
        let (mut occupieds, mut runends) = (0, 0);
        let slots = self.params.slots;
        for block in 0..self.blocks {
            let metadata = self.metadata(block);
            occupieds += u64::from(metadata.occupieds.count_ones());
            runends += u64::from(metadata.runends.count_ones());
            let highest = 64 - u64::from(metadata.occupieds.leading_zeros());
            if block * BLOCK_SLOTS + highest > slots {
                let slot = block * BLOCK_SLOTS + highest - 1;
                return Err(Inconsistent::Home { slot, slots });
            }
        }
        if occupieds == runends {
            Ok(())
        } else {
            Err(Inconsistent::Runs { occupieds, runends })
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
    fn check_empty(&self, start: u64, end: u64) -> Result<(), Inconsistent> {
        match (start..end).find(|&position| self.remainder(position) != 0) {
            None => Ok(()),
            Some(position) => Err(Inconsistent::Residue {
                slot: position % self.places(),
            }),
        }
    }

    /// The remainders of a run rise; returns how many are different.
    fn check_order(&self, start: u64, last: u64) -> Result<u64, Inconsistent> {
        let mut distinct = 1;
        for position in start + 1..=last {
            let (before, this) = (self.remainder(position - 1), self.remainder(position));
            if this < before {
                let slot = position % self.places();
                return Err(Inconsistent::Order { slot });
            }
            distinct += u64::from(this > before);
        }
        Ok(distinct)
    }
}
