//! What cannot be planned.

use super::number::{Limit, Range};
use crate::{Budget, Goal};
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
        /// The largest number accepted; `u64::MAX` if there is no limit.
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
    /// Bits per key that cannot be kept for so few items: the smallest filter takes more.
    FewItems {
        /// What was asked.
        bits_per_key: f64,
        /// The number of items it was asked for.
        items: u64,
        /// The least number of items above it for which these bits are enough.
        least: u64,
    },
    /// Fewer bytes than the smallest filter of this variant for the items of the goal.
    Bytes {
        /// What was asked, for all items together.
        bytes: u64,
        /// The smallest size accepted for them.
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
        /// The largest value accepted; `u64::MAX` if there is no limit.
        max: u64,
    },
    /// An explicit parameter is not a multiple of what it must be one of.
    Multiple {
        /// The parameter's name.
        name: &'static str,
        /// What was given.
        value: u64,
        /// What it must be a multiple of.
        of: u64,
    },
    /// An explicit parameter that is a share, such as a tightening ratio, is not strictly between 0 and 1.
    Share {
        /// The parameter's name.
        name: &'static str,
        /// What was given.
        value: f64,
    },
}

/// Numbers of items tried, each as many as the one before calls for, before no number is named.
const STEPS: u32 = 64;

impl PlanError {
    /// `Ok` if the parameter `name` is strictly between 0 and 1, the error that says so if not (or if it is not a number).
    pub fn check_share(name: &'static str, value: f64) -> Result<(), Self> {
        if value > 0.0 && value < 1.0 {
            Ok(())
        } else {
            Err(Self::Share { name, value })
        }
    }

    /// `Ok` if the parameter `name` is a multiple of `of`, the error that says so if not.
    pub const fn check_multiple(name: &'static str, value: u64, of: u64) -> Result<(), Self> {
        if of != 0 && value % of == 0 {
            Ok(())
        } else {
            Err(Self::Multiple { name, value, of })
        }
    }

    /// What a plan in bits per key is refused with where it would be for its bytes: names the least number of items
    /// for which these bits are enough, if there is one. Any other refusal stays as it is.
    pub fn in_bits_per_key<P>(self, goal: Goal, plan: impl Fn(Goal) -> Result<P, Self>) -> Self {
        let Budget::BitsPerKey(bits_per_key) = goal.budget else {
            return self;
        };
        let (mut refusal, mut least) = (self, goal.items);
        // No fewer items than those that the smallest filter's bytes are enough for.
        for _ in 0..STEPS {
            let Self::Bytes { min, .. } = refusal else {
                return self;
            };
            let enough = libm::ceil(min as f64 * 8.0 / bits_per_key) as u64;
            least = enough.max(least.saturating_add(1));
            match plan(Goal {
                items: least,
                ..goal
            }) {
                Ok(_) => {
                    return Self::FewItems {
                        bits_per_key,
                        items: goal.items,
                        least,
                    };
                }
                Err(error) => refusal = error,
            }
        }
        self
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
                "a filter for {items} items cannot be planned: the number {}",
                Range { min, max }
            ),
            Self::Fpr { fpr } => write!(
                f,
                "a false-positive rate of {fpr:?} is not possible: it must lie strictly between 0 and 1 \
                 (1 % is written 0.01)"
            ),
            Self::FprBelowHashFloor { fpr, floor, items } => write!(
                f,
                "a false-positive rate of {fpr:?} is not above the floor of {floor:?} that 64-bit hashes \
                 set for {items} items: ask for a higher rate, or keep the keys themselves"
            ),
            Self::FprUnreachable { fpr, lowest, items } => write!(
                f,
                "this variant cannot reach a false-positive rate of {fpr:?} for {items} items at any size: \
                 ask for more than {lowest:?}, or take another variant"
            ),
            Self::BitsPerKey { bits_per_key } => write!(
                f,
                "{bits_per_key:?} bits per key is not possible: it must be positive and finite"
            ),
            Self::FewItems {
                bits_per_key,
                items,
                least,
            } => write!(
                f,
                "{bits_per_key} bits per key cannot be kept for {items} items: they can from {least} items on; \
                 or give a size in bytes, or a false-positive rate"
            ),
            Self::Bytes { bytes, min } => write!(
                f,
                "{bytes} bytes are too few for these items: the smallest filter of this variant that holds them takes \
                 {min}"
            ),
            Self::TooLarge { bytes, max_bytes } => write!(
                f,
                "the filter would take some {bytes:.1e} bytes, and fewer than {} are possible here: ask for \
                 fewer items, a higher rate or a smaller size, or divide the keys among several filters",
                Limit(max_bytes)
            ),
            Self::Parameter {
                name,
                value,
                min,
                max,
            } => write!(
                f,
                "{name} = {value} is not possible: it {}",
                Range { min, max }
            ),
            Self::Multiple { name, value, of } => write!(
                f,
                "{name} = {value} is not possible: it must be a multiple of {of}"
            ),
            Self::Share { name, value } => write!(
                f,
                "{name} = {value:?} is not possible: it must lie strictly between 0 and 1"
            ),
        }
    }
}

impl Error for PlanError {}
