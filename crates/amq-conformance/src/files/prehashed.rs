//! Laws of prehashed filters as files: their keys were hashed by the caller, so there is a table
//! and no seed.

use super::damaged::mend;
use super::ways::{Aligned, FileFilter, Pieces, encoded, with_keys};
use crate::fill::{Fill, absent_hashes, all_found, present_hashes};
use crate::violation::{Verdict, Violation, ensure, same};
use amq_core::{
    Budget, BuildError, ClearFilter, CountFilter, DecodeError, Filter, Goal, InsertFilter, KeyHash,
    MergeError, MergeFilter, Prehashed, ReadError, RemoveFilter,
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

/// A filter, and the prehashed one of the same table, out of a file.
fn twins<F: FileFilter>(filter: F) -> Result<(F, Prehashed<F>), Violation> {
    let twin = F::decode_prehashed(&prehashed_file(&encoded(&filter)?))
        .map_err(Violation::refused("a prehashed file"))?;
    Ok((filter, twin))
}

/// A filter of `keys` keys and its prehashed twin.
fn twins_of<F: FileFilter>(fill: Fill<F>, keys: u64) -> Result<(F, Prehashed<F>), Violation> {
    twins(with_keys(fill, keys, 0.01, SEED)?)
}

/// Hashes that the filters have, and others.
fn hashes() -> Vec<KeyHash> {
    [present_hashes(KEYS, SEED), absent_hashes(1000, SEED)].concat()
}

fn written<F: FileFilter>(filter: &Prehashed<F>) -> Result<Vec<u8>, Violation> {
    F::encode_prehashed(filter, false).map_err(Violation::refused("a file of a prehashed filter"))
}

/// `Ok` if `twin` has the table of `filter`.
fn is_twin<F: FileFilter>(filter: &F, twin: &Prehashed<F>, what: &str) -> Verdict {
    let same = written(twin)? == prehashed_file(&encoded(filter)?);
    ensure(same, what, "another table", "that of the filter of keys")
}

/// A prehashed filter answers by hash as the filter does, in memory, read and viewed. Its file says
/// that the caller hashes the keys (hash 2), has seed 0, withholds none, and is else the filter's.
pub fn a_prehashed_filter_answers_as_the_filter<F: FileFilter>(fill: Fill<F>) -> Verdict {
    for keys in [0, KEYS] {
        let (filter, twin) = twins_of(fill, keys)?;
        let file = prehashed_file(&encoded(&filter)?);
        let goal = Goal::new(keys.max(1), Budget::Fpr(0.01));
        let wrapped = fill(goal, 0, &present_hashes(keys, SEED));
        let wrapped =
            wrapped.map(Prehashed::of).map_err(Violation::refused("a filter of seed 0"))?;
        for (prehashed, what) in
            [(&wrapped, "a prehashed filter"), (&twin, "a prehashed filter that was read")]
        {
            for withhold in [false, true] {
                let bytes = F::encode_prehashed(prehashed, withhold);
                let bytes = bytes.map_err(Violation::refused(what))?;
                let of_file = format_args!("the file of {what}");
                ensure(
                    bytes == file,
                    of_file,
                    "another",
                    "the filter's, but for hash 2 and seed 0",
                )?;
            }
            answers_by_hash(&filter, prehashed, what)?;
        }
        same("seed of a prehashed filter that was read", twin.get_ref().seed(), 0)?;
        let streamed = F::read_prehashed(Pieces { bytes: &file, size: 50 })
            .map_err(Violation::refused("a stream of a prehashed filter"))?;
        ensure(streamed == twin, "a stream of a prehashed filter", "another filter", "the same")?;
        let aligned = Aligned::new(&file, 0);
        let what = "a view of a prehashed filter";
        let view = F::view_prehashed(aligned.get()).map_err(Violation::refused(what))?;
        answers_by_hash(&filter, &view, what)?;
    }
    Ok(())
}

/// A prehashed filter that was made with a seed has no file, since there is no place for the seed.
pub fn a_prehashed_filter_with_a_seed_has_no_file<F: FileFilter>(fill: Fill<F>) -> Verdict {
    let seeded = Prehashed::of(with_keys(fill, KEYS, 0.01, SEED)?);
    for withhold in [false, true] {
        let refused = F::encode_prehashed(&seeded, withhold).err();
        same("a file of a prehashed filter with a seed", refused, Some(BuildError::UnusedSeed))?;
    }
    Ok(())
}

/// `Ok` if `prehashed` answers hashes and reports as `filter` does.
fn answers_by_hash<F: Filter>(
    filter: &dyn Filter,
    prehashed: &Prehashed<F>,
    what: &str,
) -> Verdict {
    let of = |method: &str| format!("{method} of {what}");
    let hashes = hashes();
    let mut answers = vec![false; hashes.len()];
    prehashed.contains_batch(&hashes, &mut answers).map_err(Violation::refused(of("a batch")))?;
    for (&hash, answer) in hashes.iter().zip(answers) {
        let wanted = filter.contains_hash(hash);
        same(of("contains_hash"), prehashed.contains_hash(hash), wanted)?;
        same(of("contains_batch"), answer, wanted)?;
    }
    same(of("kind"), prehashed.kind(), filter.kind())?;
    same(of("len"), prehashed.len(), filter.len())?;
    same(of("is_empty"), prehashed.is_empty(), filter.is_empty())?;
    same(of("stats"), prehashed.stats(), filter.stats())
}

/// Why these bytes are refused as a filter of keys, in every way in.
fn refused_as_filter<F: FileFilter>(file: &[u8]) -> [Option<DecodeError>; 4] {
    let aligned = Aligned::new(file, 0);
    [
        F::decode(file, None).err(),
        streamed(F::read(&mut Pieces { bytes: file, size: 50 }, None, u64::MAX)),
        F::view(aligned.get(), None, true).err(),
        F::view(aligned.get(), None, false).err(),
    ]
}

/// Why these bytes are refused as a prehashed filter, in every way in.
fn refused_as_prehashed<F: FileFilter>(file: &[u8]) -> [Option<DecodeError>; 3] {
    let aligned = Aligned::new(file, 0);
    [
        F::decode_prehashed(file).err(),
        streamed(F::read_prehashed(Pieces { bytes: file, size: 50 })),
        F::view_prehashed(aligned.get()).err(),
    ]
}

fn streamed<T>(read: Result<T, ReadError>) -> Option<DecodeError> {
    match read {
        Err(ReadError::Decode(error)) => Some(error),
        _ => None,
    }
}

/// A file is read in one way alone: a prehashed one never as a filter of keys, which would deny
/// them all, and one of keys never as a prehashed filter. Each refusal says which it is.
pub fn a_file_of_another_hashing_is_refused_by_name<F: FileFilter>(fill: Fill<F>) -> Verdict {
    let of_keys = encoded(&with_keys(fill, KEYS, 0.01, SEED)?)?;
    for found in refused_as_filter::<F>(&prehashed_file(&of_keys)) {
        same("a prehashed file, for keys", found, Some(DecodeError::Prehashed))?;
    }
    for found in refused_as_prehashed::<F>(&of_keys) {
        same("a file of keys, as a prehashed one", found, Some(DecodeError::NotPrehashed))?;
    }
    Ok(())
}

/// A hash of keys that is unknown is refused by its number, and so is a seed that hashes nothing.
pub fn a_hash_that_is_unknown_is_refused_by_name<F: FileFilter>(fill: Fill<F>) -> Verdict {
    let file = encoded(&with_keys(fill, KEYS, 0.01, SEED)?)?;
    let forged = |file: &[u8], at: usize, byte: u8| {
        let mut forged = file.to_vec();
        forged[at] = byte;
        mend(&mut forged);
        forged
    };
    let refused = |forged: &[u8], what: &str, wanted: DecodeError| {
        let with_seed = F::decode(forged, Some(7)).err();
        let found = refused_as_filter::<F>(forged).into_iter().chain([with_seed]);
        for found in found.chain(refused_as_prehashed::<F>(forged)) {
            same(what, found, Some(wanted))?;
        }
        Ok(())
    };
    for id in [0, 4, 5, 0x80, 255] {
        refused(&forged(&file, HASH_AT, id), "an unknown hash", DecodeError::Hash { id })?;
    }
    let prehashed = prehashed_file(&file);
    let reserved = DecodeError::Reserved { part: "header" };
    refused(&forged(&prehashed, SEED_AT, 1), "a seed of a prehashed file", reserved)?;
    let field = "withheld seed beside keys that the caller hashes: flags";
    let withheld = DecodeError::Geometry { field, value: 1 << 16 };
    refused(&forged(&prehashed, FLAGS_AT, 1), "a withheld seed of a prehashed file", withheld)
}

/// A prehashed filter that was read takes hashes, in every way, as the filter does, and is cleared.
pub fn a_prehashed_filter_takes_hashes_as_the_filter<F>(fill: Fill<F>) -> Verdict
where
    F: FileFilter + InsertFilter + ClearFilter,
{
    let (mut filter, mut twin) = twins_of(fill, KEYS)?;
    let more = absent_hashes(40, SEED);
    // A hash that is in goes in again.
    for &hash in present_hashes(5, SEED).iter().chain(&more[..10]) {
        let inserted = filter.insert_hash(hash);
        same("a hash, inserted", twin.insert_hash(hash), inserted)?;
        if inserted.is_ok() {
            all_found(twin.get_ref(), &[hash], "in a prehashed filter")?;
        }
    }
    for &hash in &more[5..20] {
        let inserted = filter.insert_unique_hash(hash);
        same("a unique hash, inserted", twin.insert_unique_hash(hash), inserted)?;
    }
    let inserted = filter.insert_batch(&more[20..30]);
    same("a batch of hashes, inserted", twin.insert_batch(&more[20..30]), inserted)?;
    let (mut new, mut twins) = ([true; 15], [true; 15]);
    let inserted = filter.insert_batch_new(&more[25..], &mut new);
    same("the new ones of a batch", twin.insert_batch_new(&more[25..], &mut twins), inserted)?;
    same("which hashes of a batch were new", twins, new)?;
    is_twin(&filter, &twin, "a prehashed filter that took hashes")?;
    filter.clear();
    twin.clear();
    is_twin(&filter, &twin, "a prehashed filter that was cleared")
}

/// A prehashed filter that was read removes hashes as the filter does.
pub fn a_prehashed_filter_removes_hashes_as_the_filter<F>(fill: Fill<F>) -> Verdict
where
    F: FileFilter + RemoveFilter,
{
    let (mut filter, mut twin) = twins_of(fill, KEYS)?;
    for hash in hashes().into_iter().skip(KEYS as usize / 2) {
        same("a hash, removed", twin.remove_hash(hash), filter.remove_hash(hash))?;
    }
    is_twin(&filter, &twin, "a prehashed filter without some of its hashes")
}

/// A prehashed filter that was read counts hashes as the filter does.
pub fn a_prehashed_filter_counts_hashes_as_the_filter<F>(fill: Fill<F>) -> Verdict
where
    F: FileFilter + CountFilter,
{
    let (filter, twin) = twins_of(fill, KEYS)?;
    for hash in hashes() {
        same("copies of a hash", twin.count_hash(hash), filter.count_hash(hash))?;
    }
    Ok(())
}

/// Prehashed filters merge as the filters do, whether both were read or one is new, which has seed
/// 0. Those made from filters of two seeds do not.
pub fn a_prehashed_filter_merges_as_the_filter<F>(fill: Fill<F>) -> Verdict
where
    F: FileFilter + MergeFilter + Clone,
{
    let (ours, theirs) = (present_hashes(KEYS, SEED), absent_hashes(KEYS, SEED));
    let make = |seed, hashes: &[KeyHash]| {
        let goal = Goal::new(2 * KEYS, Budget::Fpr(0.01));
        fill(goal, seed, hashes).map_err(Violation::refused("half of the keys planned"))
    };
    let (into, read) = twins(make(SEED, &ours)?)?;
    let (from, other) = twins(make(SEED, &theirs)?)?;
    let mut sum = into.clone();
    let merged = sum.merge(&from);
    for (into, what) in [
        (read, "a merge of two prehashed filters that were read"),
        (Prehashed::of(make(0, &ours)?), "a merge of one that was read into a new one"),
    ] {
        let mut twin = into.clone();
        same(what, twin.can_merge(&other), merged)?;
        same(what, twin.merge(&other), merged)?;
        if merged.is_err() {
            ensure(twin == into, what, "refused and done", "nothing")?;
            continue;
        }
        all_found(twin.get_ref(), &[&ours[..], &theirs].concat(), what)?;
        is_twin(&sum, &twin, what)?;
    }
    let (new, alien) = (make(0, &ours)?, Prehashed::of(make(1, &theirs)?));
    let mut refused = Prehashed::of(new.clone());
    let seeds = Err(MergeError::Seeds);
    same("a merge of two seeds", refused.can_merge(&alien), seeds)?;
    same("a merge of two seeds", refused.merge(&alien), seeds)?;
    ensure(*refused.get_ref() == new, "a merge of two seeds, refused", "a change", "none")
}
