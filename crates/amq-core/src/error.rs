//! What can go wrong. Every error carries the numbers it is about, and its text says the way out.

use core::error::Error;
use core::fmt;

/// A size or a parameter that no filter can be planned for. Nothing was allocated.
#[derive(Clone, Copy, PartialEq, Debug)]
#[non_exhaustive]
pub enum PlanError {
    /// The number of items is outside what this variant can be planned for.
    Items {
        /// What was asked.
        items: u64,
        /// The smallest number accepted.
        min: u64,
        /// The largest number accepted.
        max: u64,
    },
    /// The false-positive rate is not strictly between 0 and 1 (or not a number).
    Fpr {
        /// What was asked.
        fpr: f64,
    },
    /// The rate is below what 64-bit hashes can give: two of `items` keys share a whole hash that often.
    FprBelowHashFloor {
        /// What was asked.
        fpr: f64,
        /// `items / 2^64`.
        floor: f64,
        /// The number of items it was asked for.
        items: u64,
    },
    /// This variant cannot reach the rate at this number of items, whatever its size.
    FprUnreachable {
        /// What was asked.
        fpr: f64,
        /// The lowest rate this variant can be planned for.
        lowest: f64,
        /// The number of items it was asked for.
        items: u64,
    },
    /// Bits per key that are not positive and finite.
    BitsPerKey {
        /// What was asked.
        bits_per_key: f64,
    },
    /// Fewer bytes than the smallest filter of this variant.
    Bytes {
        /// What was asked.
        bytes: u64,
        /// The smallest size accepted.
        min: u64,
    },
    /// The filter would be larger than this variant, or this machine's address space, allows.
    TooLarge {
        /// The bytes the goal needs (`inf` where that is beyond counting).
        bytes: f64,
        /// The most this variant can hold here.
        max_bytes: u64,
    },
    /// An explicit parameter is out of its range.
    Parameter {
        /// The parameter's name.
        name: &'static str,
        /// What was given.
        value: u64,
        /// The smallest value accepted.
        min: u64,
        /// The largest value accepted.
        max: u64,
    },
    /// An explicit parameter that is a share, such as a tightening ratio, is not strictly between 0 and 1.
    Share {
        /// The parameter's name.
        name: &'static str,
        /// What was given.
        value: f64,
    },
}

impl PlanError {
    /// `Ok` if the parameter `name` is strictly between 0 and 1, the error that says so if not (or if it is not a number).
    pub fn check_share(name: &'static str, value: f64) -> Result<(), Self> {
        if value > 0.0 && value < 1.0 {
            Ok(())
        } else {
            Err(Self::Share { name, value })
        }
    }

    /// `Ok` if the parameter `name` is from `min` to `max`, the error that says so if not.
    pub fn check_parameter(name: &'static str, value: u64, min: u64, max: u64) -> Result<(), Self> {
        if (min..=max).contains(&value) {
            Ok(())
        } else {
            Err(Self::Parameter {
                name,
                value,
                min,
                max,
            })
        }
    }
}

impl fmt::Display for PlanError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Items { items, min, max } => write!(
                f,
                "a filter for {items} items cannot be planned: the number must be from {min} to {max}"
            ),
            Self::Fpr { fpr } => write!(
                f,
                "a false-positive rate of {fpr} is not possible: it must lie strictly between 0 and 1 \
                 (1 % is written 0.01)"
            ),
            Self::FprBelowHashFloor { fpr, floor, items } => write!(
                f,
                "a false-positive rate of {fpr:e} is below the floor of {floor:e} that 64-bit hashes \
                 set for {items} items: ask for a higher rate, or keep the keys themselves"
            ),
            Self::FprUnreachable { fpr, lowest, items } => write!(
                f,
                "this variant cannot reach a false-positive rate of {fpr:e} for {items} items at any size; \
                 the lowest it can be planned for is {lowest:e}"
            ),
            Self::BitsPerKey { bits_per_key } => write!(
                f,
                "{bits_per_key} bits per key is not possible: it must be positive and finite"
            ),
            Self::Bytes { bytes, min } => write!(
                f,
                "{bytes} bytes are too few: the smallest filter of this variant takes {min}"
            ),
            Self::TooLarge { bytes, max_bytes } => write!(
                f,
                "the filter would take {bytes:.0} bytes, and at most {max_bytes} are possible here: \
                 plan for fewer items, a higher rate, or several filters"
            ),
            Self::Parameter {
                name,
                value,
                min,
                max,
            } => write!(
                f,
                "{name} = {value} is out of range: it must be from {min} to {max}"
            ),
            Self::Share { name, value } => write!(
                f,
                "{name} = {value} is out of range: it must lie strictly between 0 and 1"
            ),
        }
    }
}

impl Error for PlanError {}

/// A filter that could not be made.
#[derive(Clone, Copy, PartialEq, Debug)]
#[non_exhaustive]
pub enum BuildError {
    /// The size or the parameters are impossible.
    Plan(PlanError),
    /// The allocator refused.
    OutOfMemory {
        /// The bytes asked of it in one piece.
        bytes: u64,
    },
    /// No seed of a bounded number of tries gave a solvable system (static filters only).
    Exhausted {
        /// How many seeds were tried.
        attempts: u32,
        /// For how many keys.
        items: u64,
    },
    /// The filter was filled to refusal while being built.
    Full(BatchFull),
}

impl fmt::Display for BuildError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Plan(error) => error.fmt(f),
            Self::OutOfMemory { bytes } => write!(
                f,
                "the allocator refused {bytes} bytes: plan for fewer items or a higher false-positive rate"
            ),
            Self::Exhausted { attempts, items } => write!(
                f,
                "none of {attempts} seeds gave a solvable system for {items} keys: allow more bits per \
                 key, or suspect keys chosen against the seed"
            ),
            Self::Full(error) => error.fmt(f),
        }
    }
}

impl Error for BuildError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            Self::Plan(error) => Some(error),
            Self::Full(error) => Some(error),
            _ => None,
        }
    }
}

impl From<PlanError> for BuildError {
    fn from(error: PlanError) -> Self {
        Self::Plan(error)
    }
}

impl From<BatchFull> for BuildError {
    fn from(error: BatchFull) -> Self {
        Self::Full(error)
    }
}

/// An insert that was refused. The filter is as it was before.
#[derive(Clone, Copy, PartialEq, Debug)]
#[non_exhaustive]
pub enum Full {
    /// The table has no room that this key can reach.
    Table {
        /// Items held.
        len: u64,
        /// Items the filter was planned for.
        capacity: u64,
        /// Share of all slots in use, 0 to 1.
        load: f64,
    },
    /// Every place this key can take already holds a copy of it.
    Copies {
        /// How many copies there are.
        copies: u64,
    },
    /// A limit that the caller set, or the widest number the layout can store, is reached.
    Limit {
        /// What is limited.
        what: &'static str,
        /// The limit.
        limit: u64,
    },
    /// The filter must grow to take the key, and the allocator refused.
    OutOfMemory {
        /// The bytes asked for.
        bytes: u64,
    },
}

impl fmt::Display for Full {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Table {
                len,
                capacity,
                load,
            } => write!(
                f,
                "the filter is full: it holds {len} items at {:.1} % load and was planned for {capacity}; \
                 nothing was changed. Plan a larger one, or remove items first",
                load * 100.0
            ),
            Self::Copies { copies } => write!(
                f,
                "the key is already there {copies} times, the most this filter can hold; nothing was changed"
            ),
            Self::Limit { what, limit } => write!(
                f,
                "the limit of {limit} {what} is reached; nothing was changed. Raise the limit, or plan a \
                 larger filter"
            ),
            Self::OutOfMemory { bytes } => write!(
                f,
                "the filter must grow and the allocator refused {bytes} bytes; nothing was changed"
            ),
        }
    }
}

impl Error for Full {}

/// A batch insert that was refused part of the way.
///
/// Each insert is all or nothing, a batch is not: the first `done` keys are in, the rest are not.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct BatchFull {
    /// How many keys of the batch, from its start, are in the filter.
    pub done: u64,
    /// Why the next one was refused.
    pub full: Full,
}

impl fmt::Display for BatchFull {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "after {} keys of the batch: {}", self.done, self.full)
    }
}

impl Error for BatchFull {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        Some(&self.full)
    }
}

/// Two filters that cannot become one. Both are as they were.
#[derive(Clone, Copy, PartialEq, Debug)]
#[non_exhaustive]
pub enum MergeError {
    /// They differ in something that must be equal.
    Mismatch {
        /// What differs.
        field: &'static str,
        /// Its value in the filter merged into.
        ours: u64,
        /// Its value in the filter merged from.
        theirs: u64,
    },
    /// They hash their keys with different seeds. The seeds are not told, since they may be secret.
    Seeds,
    /// They differ in a real number that must be equal.
    MismatchReal {
        /// What differs.
        field: &'static str,
        /// Its value in the filter merged into.
        ours: f64,
        /// Its value in the filter merged from.
        theirs: f64,
    },
    /// Together they would have a higher false-positive rate than was promised.
    Rate {
        /// The rate they would have.
        merged: f64,
        /// The rate promised.
        asked: f64,
    },
    /// Together they are more than the filter can hold.
    Full(Full),
}

impl MergeError {
    /// `Ok` if the two values of `field` are equal, the mismatch if not.
    pub fn check(field: &'static str, ours: u64, theirs: u64) -> Result<(), Self> {
        if ours == theirs {
            Ok(())
        } else {
            Err(Self::Mismatch {
                field,
                ours,
                theirs,
            })
        }
    }

    /// `Ok` if the two seeds are equal.
    pub const fn check_seeds(ours: u64, theirs: u64) -> Result<(), Self> {
        if ours == theirs {
            Ok(())
        } else {
            Err(Self::Seeds)
        }
    }

    /// The same for real numbers.
    pub fn check_real(field: &'static str, ours: f64, theirs: f64) -> Result<(), Self> {
        if ours == theirs {
            Ok(())
        } else {
            Err(Self::MismatchReal {
                field,
                ours,
                theirs,
            })
        }
    }
}

impl fmt::Display for MergeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Mismatch {
                field,
                ours,
                theirs,
            } => write!(
                f,
                "the filters differ in {field}: {ours} here, {theirs} there; only filters made with the same \
                 parameters and seed can be combined"
            ),
            Self::Seeds => f.write_str(
                "the filters hash their keys with different seeds; only filters made with the same parameters and seed can be \
                 combined",
            ),
            Self::MismatchReal {
                field,
                ours,
                theirs,
            } => write!(
                f,
                "the filters differ in {field}: {ours:e} here, {theirs:e} there; only filters made with the same \
                 parameters and seed can be combined"
            ),
            Self::Rate { merged, asked } => write!(
                f,
                "together the filters would have a false-positive rate of {merged:e}, and {asked:e} was promised; keep \
                 both, or put the keys of both into a larger one"
            ),
            Self::Full(full) => write!(f, "the filters do not fit into one: {full}"),
        }
    }
}

impl Error for MergeError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            Self::Full(full) => Some(full),
            _ => None,
        }
    }
}

/// A batch query whose slice of answers is not as long as its slice of keys. Nothing was written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LengthMismatch {
    /// Number of keys.
    pub keys: usize,
    /// Room for answers.
    pub answers: usize,
}

impl LengthMismatch {
    /// `Ok` if there is one answer per key.
    #[inline]
    pub fn check(keys: usize, answers: usize) -> Result<(), Self> {
        if keys == answers {
            Ok(())
        } else {
            Err(Self { keys, answers })
        }
    }
}

impl fmt::Display for LengthMismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} keys but room for {} answers: the two slices must be equally long",
            self.keys, self.answers
        )
    }
}

impl Error for LengthMismatch {}

#[cfg(test)]
mod tests {
    use super::*;
    use std::string::ToString;

    #[test]
    fn texts_name_the_value_and_the_way_out() {
        for (error, parts) in [
            (
                PlanError::Fpr { fpr: 1.5 }.to_string(),
                ["1.5", "between 0 and 1"],
            ),
            (
                PlanError::Items {
                    items: 0,
                    min: 1,
                    max: 9,
                }
                .to_string(),
                ["for 0 items", "from 1 to 9"],
            ),
            (
                PlanError::FprBelowHashFloor {
                    fpr: 1e-300,
                    floor: 5e-20,
                    items: 1,
                }
                .to_string(),
                ["1e-300", "higher rate"],
            ),
            (
                PlanError::Parameter {
                    name: "probes",
                    value: 99,
                    min: 1,
                    max: 64,
                }
                .to_string(),
                ["probes = 99", "from 1 to 64"],
            ),
            (
                BatchFull {
                    done: 3,
                    full: Full::Table {
                        len: 3,
                        capacity: 4,
                        load: 0.755,
                    },
                }
                .to_string(),
                ["after 3 keys", "75.5 %"],
            ),
            (
                MergeError::Mismatch {
                    field: "seed",
                    ours: 1,
                    theirs: 2,
                }
                .to_string(),
                ["seed: 1 here, 2 there", "same parameters"],
            ),
            (
                LengthMismatch {
                    keys: 2,
                    answers: 1,
                }
                .to_string(),
                ["2 keys", "room for 1"],
            ),
        ] {
            for part in parts {
                assert!(error.contains(part), "{error:?} should say {part:?}");
            }
        }
    }
}
