//! Errors. Each carries its numbers, and its text says what to do.
//!
//! `Debug` prints the same text as `Display`, in every error of the workspace, because `unwrap` and
//! a `main` that returns an error print by `Debug`.

mod build;
mod decode;
mod insert;
mod length;
mod merge;
pub(crate) mod number;
mod plan;
mod sip_key;
mod truncate;
mod uneven;

pub use build::BuildError;
pub use decode::DecodeError;
#[cfg(feature = "std")]
pub use decode::ReadError;
pub use insert::{BatchInsertError, InsertError};
pub use length::LengthMismatch;
pub use merge::MergeError;
pub use plan::PlanError;
pub use sip_key::SipKeyError;
pub use truncate::TruncateError;
pub use uneven::UnevenHashes;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Budget;
    use std::string::ToString;

    #[test]
    fn texts_name_the_values_and_the_way_out() {
        let full = InsertError::Table { len: 90, capacity: 88, load: 0.703 };
        let limit = |what, limit| InsertError::Limit { what, limit };
        let between = |min, max| PlanError::Parameter { name: "slots", value: 99, min, max };
        let keys = |keys, min, max| PlanError::Keys { keys, min, max };
        let mismatch = |ours, theirs| MergeError::Mismatch { field: "max_keys", ours, theirs };
        let same = "; only filters made with the same parameters and the same seed can be \
                    combined";
        let table = "the filter is full: it holds 90 keys, was planned for 88, and has 70.3 % of \
                     its slots in use. Remove keys (advance a rolling filter), or plan a larger \
                     one";
        let texts: &[(&dyn core::error::Error, &str)] = &[
            (
                &keys(51, 1, 50),
                "a filter for 51 keys cannot be planned: the number must be from 1 to 50",
            ),
            (
                &keys(1 << 41, 1, 1 << 40),
                "a filter for 2199023255552 keys cannot be planned: the number must be from 1 to \
                 2^40",
            ),
            (
                &PlanError::Fpr { fpr: 1.5 },
                "a false-positive rate of 1.5 is not possible: it must lie strictly between 0 \
                 and 1 (1 % is written 0.01)",
            ),
            (
                &PlanError::FprBelowHashFloor { fpr: 1e-300, floor: 5e-20, keys: 1 },
                "a false-positive rate of 1e-300 is not above the floor of 5e-20 that 64-bit \
                 hashes set for 1 key: ask for a higher rate, or keep the keys themselves",
            ),
            (
                &PlanError::FprBelowHashFloor { fpr: 0.01, floor: 1.0, keys: u64::MAX },
                "a false-positive rate of 0.01 is not above the floor of 1.0 that 64-bit hashes \
                 set for 18446744073709551615 keys: plan for fewer keys, or keep the keys \
                 themselves",
            ),
            (
                &PlanError::FprUnreachable { fpr: 1e-12, lowest: 2e-10, keys: 10 },
                "this variant cannot reach a false-positive rate of 1e-12 for 10 keys at any \
                 size: ask for more than 2e-10, or take another variant",
            ),
            (
                &PlanError::FewKeys { bits_per_key: 9.5, keys: 3, least: 14 },
                "9.5 bits per key are too few for 3 keys: enough from 14 keys on; or give a size \
                 in bytes, or a false-positive rate",
            ),
            (
                &BuildError::KeysChanged { keys: 12 },
                "a key gave another hash the second time, in a build of 12 keys: a `Key` must \
                 always give the same one; or hash each key once and build from the hashes",
            ),
            (
                &PlanError::BitsPerKey { bits_per_key: -1.0 },
                "-1.0 bits per key is not possible: it must be positive and finite",
            ),
            (
                &PlanError::Bytes { bytes: 10, min: 688 },
                "10 bytes are too few for these keys: the smallest filter of this variant that \
                 holds them takes 688",
            ),
            (
                &PlanError::Bytes { bytes: 1, min: 688 },
                "1 byte is too few for these keys: the smallest filter of this variant that \
                 holds them takes 688",
            ),
            (
                &PlanError::TooLarge { bytes: 1.46e12, max_bytes: 1 << 36 },
                "the filter would take some 1.5e12 bytes, and fewer than 2^36 are possible here: \
                 ask for fewer keys, a higher rate or a smaller size, or split the keys among \
                 several filters",
            ),
            (&between(1, 64), "slots = 99 is not possible: it must be from 1 to 64"),
            (&between(1, 1), "slots = 99 is not possible: it must be 1"),
            (&between(0, 9), "slots = 99 is not possible: it must be at most 9"),
            (&between(100, u64::MAX), "slots = 99 is not possible: it must be at least 100"),
            (
                &between(100, u64::MAX - 15),
                "slots = 99 is not possible: it must be from 100 to 2^64 - 16",
            ),
            (
                &PlanError::Multiple { name: "buckets", value: 3, of: 2 },
                "buckets = 3 is not possible: it must be a multiple of 2",
            ),
            (
                &PlanError::Share { name: "tightening", value: 1.0, below: 1.0 },
                "tightening = 1.0 is not possible: it must lie strictly between 0 and 1",
            ),
            (
                &PlanError::LeftOut { kind: crate::FilterKind::Cuckoo },
                "this program was built without the cuckoo filter: take another kind, or turn on \
                 the variant's feature of the crate",
            ),
            (
                &BuildError::Plan(between(1, 64)),
                "slots = 99 is not possible: it must be from 1 to 64",
            ),
            (
                &BuildError::OutOfMemory { bytes: 1 << 50 },
                "the allocator refused 2^50 bytes: free memory, or plan for fewer keys or a \
                 higher false-positive rate",
            ),
            (
                &BuildError::Exhausted { attempts: 1024, keys: 50 },
                "none of 1024 internal seeds solves the system of 50 keys, which does not happen \
                 by chance: build with another seed, a secret one if strangers choose the keys; \
                 if you hash the keys yourself, hash them under another seed, uniformly over all \
                 64 bits",
            ),
            (
                &BuildError::Insert(BatchInsertError { done: 0, error: limit("bytes", 10) }),
                "the filter cannot be built: the filter would exceed its limit of 10 bytes. \
                 Allow it more bytes",
            ),
            (&full, table),
            (&BatchInsertError { done: 0, error: full }, table),
            (
                &BatchInsertError { done: 1, error: limit("slots", 65) },
                "the first key of the batch is in, the next one was refused: the filter would \
                 exceed its limit of 65 slots. Allow it more slots",
            ),
            (
                &BatchInsertError { done: 300, error: limit("stages", 2) },
                "the first 300 keys of the batch are in, the next one was refused: the filter \
                 would exceed its limit of 2 stages. Allow it more stages",
            ),
            (
                &InsertError::Copies { copies: 8 },
                "a key is in 8 times already, and there is no place for another copy. Insert \
                 each key once, or choose a filter with room for more copies",
            ),
            (
                &InsertError::Stages { stages: 2 },
                "the filter has 2 stages, and too little of its false-positive rate is left for \
                 another. Start with one planned for more keys, or for a higher rate",
            ),
            (
                &InsertError::OutOfMemory { bytes: 1000 },
                "the allocator refused 1000 bytes. Free memory and try again",
            ),
            (
                &mismatch(u64::MAX, 1000),
                &["the filters differ in max_keys: none here, 1000 there", same].concat(),
            ),
            (
                &MergeError::Sizes { field: "bits", ours: 64, theirs: 96, below: 64, above: 128 },
                "the filters differ in bits: 64 here, 96 there, and neither number is a multiple \
                 of the other: beside 64 a filter of 64 or 128 can be merged. Plan each \
                 for the number of keys in all of them",
            ),
            (
                &MergeError::Hashing,
                "the filters hash keys in different ways (under a seed, under a secret key, or \
                 in that of the program that made one), so that no key can be looked up in both: \
                 build one of them again from its keys, in the way of the other, or keep both \
                 and ask each",
            ),
            (
                &MergeError::SipKeys,
                "the filters hash their keys under different secret keys, so that no key can be \
                 looked up in both: build one of them again from its keys, under the secret key \
                 of the other, or keep both and ask each",
            ),
            (
                &MergeError::Seeds,
                &["the filters hash their keys with different seeds", same].concat(),
            ),
            (
                &MergeError::Kinds {
                    ours: crate::FilterKind::Bloom,
                    theirs: crate::FilterKind::Cuckoo,
                },
                &["the filters are of different kinds, Bloom here, cuckoo there", same].concat(),
            ),
            (
                &MergeError::MismatchReal { field: "fpr", ours: 0.01, theirs: 1e-9 },
                &["the filters differ in fpr: 0.01 here, 1e-9 there", same].concat(),
            ),
            (
                &MergeError::Rate { merged: 0.0132, asked: 0.01 },
                "the merged filter would have a false-positive rate of 0.0132, above the 0.01 \
                 promised; keep both, or insert the keys of both into a larger one",
            ),
            (
                &MergeError::Fingerprints { ours: 1152, theirs: 576 },
                "the filter to be merged tells only 576 hashes apart, and this one 1152: merge \
                 this one into the other",
            ),
            (
                &MergeError::Keys { ours: 90, theirs: 80, slots: 128 },
                "the filters hold 90 and 80 keys, more than fit into 128 slots, of which some \
                 always stay empty; keep both, or plan for 170 keys",
            ),
            (
                &MergeError::Insert(InsertError::OutOfMemory { bytes: 1000 }),
                "the filters do not fit into one: the allocator refused 1000 bytes. Free memory \
                 and try again",
            ),
            (
                &BatchInsertError::check_length(2, 1).unwrap_err(),
                "keys: 2, room for answers: 1; the two slices must be equally long",
            ),
            (
                &TruncateError::Larger { asked: Budget::Fpr(0.001), has: Budget::Fpr(0.0078) },
                "the filter has a false-positive rate of 7.800e-3, and truncating cannot lower \
                 it to 0.001: ask for a higher rate, or build the filter again from its keys",
            ),
            (
                &TruncateError::larger(Budget::BitsPerKey(12.0), 0.01, 1000, 1000),
                "the filter has 8.000 bits per key, and truncating cannot give it 12: ask for \
                 fewer, or build the filter again from its keys",
            ),
            (
                &TruncateError::larger(Budget::Bytes(2000), 0.01, 1000, 1000),
                "the filter has 1000 bytes, and truncating cannot give it 2000: ask for fewer, \
                 or build the filter again from its keys",
            ),
            (
                &TruncateError::Kind { kind: crate::FilterKind::Cuckoo },
                "a filter of the kind `cuckoo` cannot be truncated; kinds that can: `ribbon`, \
                 `fuse`, `quotient`. Build a smaller one from its keys",
            ),
            (
                &DecodeError::Budget(TruncateError::View),
                "a view reads the bytes as they are: load the file within the budget, or save a \
                 truncated filter and view that",
            ),
            (
                &TruncateError::OutOfMemory { bytes: 1000 },
                "the allocator refused 1000 bytes: free memory, or ask for a smaller filter",
            ),
            (
                &LengthMismatch { keys: 2, answers: 1 },
                "keys: 2, room for answers: 1; the two slices must be equally long",
            ),
        ];
        for (error, text) in texts {
            assert_eq!(error.to_string(), *text);
            assert_eq!(std::format!("{error:?}"), *text, "what `main` prints");
            // Printing the chain of sources prints nothing twice.
            assert!(error.source().is_none_or(|source| !text.contains(&source.to_string())));
        }
    }

    #[test]
    fn files_of_other_programs_name_the_way_out() {
        for (error, text) in [
            (
                DecodeError::Magic,
                "not an amq file: wrong magic bytes. A filter's `save` and `amq build` write one",
            ),
            (
                DecodeError::Trailing { bytes: 2 },
                "2 bytes follow the end of the filter: pass its bytes alone, or copy the file \
                 again",
            ),
            (
                DecodeError::Hash { id: 9 },
                "the keys were hashed by function 9, which this program does not know: use a \
                 newer one",
            ),
            (
                DecodeError::KeyEncoding { version: 9 },
                "the keys were encoded by version 9 of the rules, which this program does not \
                 know: use a newer one",
            ),
        ] {
            assert_eq!(error.to_string(), text);
        }
    }

    #[test]
    fn one_thing_is_named_in_the_singular() {
        const HEADER: u64 = crate::format::HEADER as u64;
        let text = |error: &dyn core::error::Error| error.to_string();
        for (text, one) in [
            (text(&DecodeError::Truncated { bytes: 1, needed: HEADER }), "it has 1 byte, and"),
            (text(&DecodeError::Truncated { bytes: 1, needed: 640 }), "it has 1 byte of 640."),
            (text(&DecodeError::Trailing { bytes: 1 }), "1 byte follows the end"),
            (text(&DecodeError::PayloadLength { stated: 1, expected: 8 }), "states 1 byte where"),
            (text(&DecodeError::OverLimit { bytes: 1, limit: 0 }), "there is 1 byte to read"),
            (text(&DecodeError::OutOfMemory { bytes: 1 }), "refused 1 byte:"),
            (text(&BuildError::OutOfMemory { bytes: 1 }), "refused 1 byte:"),
            (text(&BuildError::Exhausted { attempts: 9, keys: 1 }), "the system of 1 key,"),
            (text(&BuildError::KeysChanged { keys: 1 }), "in a build of 1 key:"),
            (text(&InsertError::OutOfMemory { bytes: 1 }), "refused 1 byte."),
            (text(&InsertError::Table { len: 1, capacity: 1, load: 1.0 }), "it holds 1 key,"),
            (text(&InsertError::Copies { copies: 1 }), "is in 1 time already"),
            (text(&InsertError::Limit { what: "bytes", limit: 1 }), "its limit of 1 byte. Allow"),
            (text(&InsertError::Stages { stages: 1 }), "has 1 stage,"),
            (text(&MergeError::Keys { ours: 1, theirs: 1, slots: 1 }), "into 1 slot,"),
            (text(&PlanError::Keys { keys: 1, min: 2, max: 9 }), "for 1 key cannot"),
            (text(&PlanError::FprUnreachable { fpr: 0.1, lowest: 0.2, keys: 1 }), "for 1 key at"),
            (
                text(&PlanError::FewKeys { bits_per_key: 0.5, keys: 1, least: 2 }),
                "for 1 key: enough from 2 keys on",
            ),
            (
                text(&PlanError::FewKeys { bits_per_key: 1.0, keys: 3, least: 9 }),
                "1 bit per key is too few for 3 keys: ",
            ),
            (
                text(&PlanError::Doublings { fingerprint_bits: 1, doublings: 2, most: 1 }),
                "last for 1 doubling,",
            ),
            (text(&TruncateError::OutOfMemory { bytes: 1 }), "refused 1 byte:"),
            (
                text(&TruncateError::Larger { asked: Budget::Bytes(2), has: Budget::Bytes(1) }),
                "has 1 byte,",
            ),
            (text(&SipKeyError::Length { bytes: 1 }), "1 byte of text"),
        ] {
            assert!(text.contains(one), "{text}");
        }
    }
}
