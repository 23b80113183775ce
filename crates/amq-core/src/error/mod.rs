//! What can go wrong. Every error carries the numbers it is about, and its text says the way out.

mod build;
mod insert;
mod length;
mod merge;
mod plan;

pub use build::BuildError;
pub use insert::{BatchFull, Full};
pub use length::LengthMismatch;
pub use merge::MergeError;
pub use plan::PlanError;

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
                PlanError::FewItems {
                    bits_per_key: 9.5,
                    items: 3,
                    least: 14,
                }
                .to_string(),
                [
                    "9.5 bits per key cannot be kept for 3 items",
                    "from 14 items on",
                ],
            ),
            (
                BuildError::KeysChanged { items: 12 }.to_string(),
                ["some of 12 keys", "must always give the same"],
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
