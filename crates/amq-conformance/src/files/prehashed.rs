//! Laws of prehashed filters as files: their keys were hashed by the caller, so there is a table
//! and no seed.

use super::damaged::mend;
use super::ways::{FileFilter, Pieces, encoded, errors, streamed};
use crate::fail::OrFail;
use crate::fill::{Fill, absent_hashes, all_found, filled, present_hashes};
use amq_core::{
    BuildError, ClearFilter, DecodeError, Filter, Goal, InsertFilter, KeyHash, MergeError,
    MergeFilter, Prehashed,
};

/// Keys in the filters of these laws.
const KEYS: u64 = 60;

/// The seed of the filters whose tables become prehashed filters. These have none, so a table must
/// not depend on it.
const SEED: u64 = 5;

/// Where a file names the hash of its keys, its flags that must be understood, and its seed.
const HASH_AT: usize = 18;
const FLAGS_AT: usize = 22;
const SEED_AT: usize = 40;

/// This file, changed to say that its keys were hashed by the caller.
pub(super) fn prehashed_file(file: &[u8]) -> Vec<u8> {
    let mut bytes = file.to_vec();
    bytes[HASH_AT] = 2;
    bytes[SEED_AT..SEED_AT + 8].fill(0);
    mend(&mut bytes);
    bytes
}

/// The prehashed filter of the same table, out of a file.
fn twin<F: FileFilter>(filter: &F) -> Prehashed<F> {
    F::decode_prehashed(&prehashed_file(&encoded(filter))).or_fail("a prehashed file")
}

/// Requires that `twin` has the table of `filter`.
#[track_caller]
fn is_twin<F: FileFilter>(filter: &F, twin: &Prehashed<F>) {
    for withhold in [false, true] {
        let written = F::encode_prehashed(twin, withhold).or_fail("a prehashed filter");
        let same = written == prehashed_file(&encoded(filter));
        assert!(same, "the file of a prehashed filter is not the filter's but for hash and seed");
    }
}

/// A prehashed filter answers by hash as the filter does, in memory, read and viewed. Its file says
/// that the caller hashes the keys (hash 2), has seed 0, withholds none, and is else the filter's.
pub fn a_prehashed_filter_answers_as_the_filter<F: FileFilter>(fill: Fill<F>) {
    for keys in [0, KEYS] {
        let filter = filled(fill, keys, 0.01, SEED);
        let goal = Goal::fpr(keys.max(1), 0.01);
        let new = fill(goal, 0, &present_hashes(keys, SEED)).or_fail("a filter of seed 0");
        let (new, read) = (Prehashed::of(new), twin(&filter));
        for prehashed in [&new, &read] {
            is_twin(&filter, prehashed);
            answers_by_hash(&filter, prehashed);
        }
        assert_eq!(read.get_ref().seed(), 0, "seed of a prehashed filter that was read");
        let file = prehashed_file(&encoded(&filter));
        let streamed = F::read_prehashed(Pieces { bytes: &file, size: 50 });
        assert!(streamed.or_fail("a stream") == read, "a stream is read as another filter");
        answers_by_hash(&filter, &F::view_prehashed(&file).or_fail("a view"));
    }
}

/// Requires that `prehashed` answers hashes and reports as `filter` does.
fn answers_by_hash<F: Filter>(filter: &dyn Filter, prehashed: &Prehashed<F>) {
    let hashes = [present_hashes(KEYS, SEED), absent_hashes(1000, SEED)].concat();
    let mut answers = vec![false; hashes.len()];
    prehashed.contains_batch(&hashes, &mut answers).or_fail("a batch");
    for (&hash, answer) in hashes.iter().zip(answers) {
        let wanted = filter.contains_hash(hash);
        assert_eq!([prehashed.contains_hash(hash), answer], [wanted; 2], "a prehashed answer");
    }
    assert_eq!((prehashed.kind(), prehashed.stats()), (filter.kind(), filter.stats()));
    assert_eq!((prehashed.len(), prehashed.is_empty()), (filter.len(), filter.is_empty()));
}

/// A prehashed filter that was made with a seed has no file, since there is no place for the seed.
pub fn a_prehashed_filter_with_a_seed_has_no_file<F: FileFilter>(fill: Fill<F>) {
    let seeded = Prehashed::of(filled(fill, KEYS, 0.01, SEED));
    for withhold in [false, true] {
        let refused = F::encode_prehashed(&seeded, withhold).err();
        assert_eq!(refused, Some(BuildError::UnusedSeed));
    }
}

/// Why these bytes are refused as a prehashed filter, in every way in.
fn errors_as_prehashed<F: FileFilter>(file: &[u8]) -> [Option<DecodeError>; 3] {
    [
        F::decode_prehashed(file).err(),
        F::read_prehashed(Pieces { bytes: file, size: 50 }).err().map(streamed),
        F::view_prehashed(file).err(),
    ]
}

/// A file is read in one way alone: a prehashed one never as a filter of keys, which would deny
/// them all, and one of keys never as a prehashed filter. Each refusal says which it is.
pub fn a_file_of_another_hashing_is_refused_by_name<F: FileFilter>(fill: Fill<F>) {
    let of_keys = encoded(&filled(fill, KEYS, 0.01, SEED));
    let refused = errors::<F>(&prehashed_file(&of_keys), None);
    assert_eq!(refused, [Some(DecodeError::Prehashed); 4], "a prehashed file, for keys");
    let refused = errors_as_prehashed::<F>(&of_keys);
    assert_eq!(refused, [Some(DecodeError::NotPrehashed); 3], "a file of keys, as prehashed");
}

/// A hash of keys that is unknown is refused by its number, and so is a seed that hashes nothing.
pub fn a_hash_that_is_unknown_is_refused_by_name<F: FileFilter>(fill: Fill<F>) {
    let refused = |file: &[u8], at: usize, byte: u8, wanted: DecodeError| {
        let mut forged = file.to_vec();
        forged[at] = byte;
        mend(&mut forged);
        assert_eq!(errors::<F>(&forged, None), [Some(wanted); 4], "byte {at} is {byte}");
        assert_eq!(errors_as_prehashed::<F>(&forged), [Some(wanted); 3], "byte {at} is {byte}");
        assert_eq!(F::decode(&forged, Some(7)).err(), Some(wanted), "byte {at} is {byte}");
    };
    let file = encoded(&filled(fill, KEYS, 0.01, SEED));
    for id in [0, 4, 5, 0x80, 255] {
        refused(&file, HASH_AT, id, DecodeError::Hash { id });
    }
    let prehashed = prehashed_file(&file);
    refused(&prehashed, SEED_AT, 1, DecodeError::Reserved { part: "header" });
    let field = "withheld seed beside keys that the caller hashes: flags";
    refused(&prehashed, FLAGS_AT, 1, DecodeError::Geometry { field, value: 1 << 16 });
}

/// A prehashed filter that was read takes hashes, in every way, as the filter does, and is cleared.
pub fn a_prehashed_filter_takes_hashes_as_the_filter<F>(fill: Fill<F>)
where
    F: FileFilter + InsertFilter + ClearFilter,
{
    let mut filter = filled(fill, KEYS, 0.01, SEED);
    let mut twin = twin(&filter);
    let more = absent_hashes(40, SEED);
    // A hash that is in goes in again.
    for &hash in present_hashes(5, SEED).iter().chain(&more[..10]) {
        let inserted = filter.insert_hash(hash);
        assert_eq!(twin.insert_hash(hash), inserted, "a hash, inserted");
        if inserted.is_ok() {
            all_found(twin.get_ref(), &[hash], "in a prehashed filter");
        }
    }
    for &hash in &more[5..20] {
        assert_eq!(twin.insert_unique_hash(hash), filter.insert_unique_hash(hash));
    }
    assert_eq!(twin.insert_batch(&more[20..30]), filter.insert_batch(&more[20..30]));
    let (mut new, mut twins) = ([true; 15], [true; 15]);
    let inserted = filter.insert_batch_new(&more[25..], &mut new);
    assert_eq!(twin.insert_batch_new(&more[25..], &mut twins), inserted);
    assert_eq!(twins, new, "which hashes of a batch were new");
    is_twin(&filter, &twin);
    filter.clear();
    twin.clear();
    is_twin(&filter, &twin);
}

/// Prehashed filters merge as the filters do, whether both were read or one is new, which has seed
/// 0. Those made from filters of two seeds do not.
pub fn a_prehashed_filter_merges_as_the_filter<F>(fill: Fill<F>)
where
    F: FileFilter + MergeFilter + Clone,
{
    let (ours, theirs) = (present_hashes(KEYS, SEED), absent_hashes(KEYS, SEED));
    let make = |seed, hashes: &[KeyHash]| {
        fill(Goal::fpr(2 * KEYS, 0.01), seed, hashes).or_fail("half of the keys planned")
    };
    let (into, from, new) = (make(SEED, &ours), make(SEED, &theirs), make(0, &ours));
    let mut sum = into.clone();
    let merged = sum.merge(&from);
    for into in [twin(&into), Prehashed::of(new.clone())] {
        let mut twin_sum = into.clone();
        assert_eq!(twin_sum.can_merge(&twin(&from)), merged);
        assert_eq!(twin_sum.merge(&twin(&from)), merged);
        if merged.is_ok() {
            all_found(twin_sum.get_ref(), &[&ours[..], &theirs].concat(), "merged");
            is_twin(&sum, &twin_sum);
        } else {
            assert!(twin_sum == into, "changed by a merge that was refused");
        }
    }
    let (mut refused, alien) = (Prehashed::of(new.clone()), Prehashed::of(make(1, &theirs)));
    assert_eq!(refused.can_merge(&alien), Err(MergeError::Seeds));
    assert_eq!(refused.merge(&alien), Err(MergeError::Seeds));
    assert!(*refused.get_ref() == new, "changed by a merge of two seeds");
}
