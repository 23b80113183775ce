//! Laws of files of prehashed filters: the caller hashed the keys, so there is a table and no seed.

use super::damaged::mend;
use super::ways::{FileFilter, LOAD, Pieces, answers, encoded, errors, streamed};
use crate::abilities::Abilities;
use crate::fail::OrFail;
use crate::fill::{Fill, absent_hashes, all_found, filled, insert_singly, present_hashes};
use amq_core::{
    BuildError, DecodeError, Filter, Goal, KeyHash, MergeError, Prehashed, SaveOptions,
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

/// This file, changed to record that the caller hashed its keys.
pub(super) fn prehashed_file(file: &[u8]) -> Vec<u8> {
    let mut bytes = file.to_vec();
    bytes[HASH_AT] = 2;
    bytes[SEED_AT..SEED_AT + 8].fill(0);
    mend(&mut bytes);
    bytes
}

/// The filter with the same table under seed 0, from the file of a prehashed one.
fn twin<F: FileFilter>(filter: &F) -> F {
    let read = LOAD.from_bytes::<Prehashed<F>>(&prehashed_file(&encoded(filter)));
    read.or_fail("a prehashed file").into_inner()
}

/// Requires that `twin` has the same table, answers and state as `filter`.
#[track_caller]
fn is_twin<F: FileFilter>(filter: &F, twin: &F) {
    let (prehashed, file) = (Prehashed::of(twin.clone()), prehashed_file(&encoded(filter)));
    for save in [SaveOptions::new(), SaveOptions::new().without_secret()] {
        let written = save.to_bytes(&prehashed).or_fail("a prehashed filter");
        assert!(written == file, "a prehashed filter's file differs by more than hash and seed");
    }
    answers_as(filter, twin);
}

fn answers_as(filter: &dyn Filter, twin: &dyn Filter) {
    let hashes = [present_hashes(KEYS, SEED), absent_hashes(1000, SEED)].concat();
    let wanted: Vec<bool> = hashes.iter().map(|&hash| filter.contains_hash(hash)).collect();
    assert!(answers(twin, &hashes) == wanted, "prehashed answers in a batch");
    assert!(hashes.iter().map(|&hash| twin.contains_hash(hash)).eq(wanted), "prehashed answers");
    assert_eq!((twin.seed(), twin.stats()), (0, filter.stats()));
}

/// A prehashed filter answers, inserts and merges hashes like the plain filter, in memory, read and
/// viewed: its table does not depend on a seed. Its file records that the caller hashes the keys
/// (hash 2), and has seed 0, which is not withheld. Otherwise it equals that of the plain filter.
pub fn a_prehashed_filter_is_the_filter_by_hash<F: FileFilter>(abilities: &Abilities<F>) {
    let make = |seed, hashes: &[KeyHash]| {
        let goal = Goal::fpr(2 * KEYS, 0.01);
        (abilities.fill)(goal, seed, hashes).or_fail("half of the keys planned")
    };
    for keys in [0, KEYS] {
        let mut filter = filled(abilities.fill, keys, 0.01, SEED);
        let goal = Goal::fpr(keys.max(1), 0.01);
        let new = (abilities.fill)(goal, 0, &present_hashes(keys, SEED)).or_fail("seed 0");
        let mut read = twin(&filter);
        is_twin(&filter, &new);
        is_twin(&filter, &read);
        let file = prehashed_file(&encoded(&filter));
        let stream = LOAD.read_from::<Prehashed<F>, _>(Pieces { bytes: &file, size: 50 });
        assert!(stream.or_fail("a stream").into_inner() == read, "a stream is another filter");
        answers_as(&filter, &F::view_prehashed(&file).or_fail("a view"));

        if let (Some(insert), Some(clear)) = (abilities.insert, abilities.clear) {
            // Some are in already.
            let more = [present_hashes(5, SEED), absent_hashes(40, SEED)].concat();
            let [wanted, taken] = [&mut filter, &mut read].map(|filter| {
                let filter = insert(filter);
                let mut new = [true; 45];
                let singly = insert_singly(filter, &more[..15], &mut new[..15], &"prehashed");
                let unique: Vec<_> =
                    more[10..25].iter().map(|&hash| filter.insert_unique_hash(hash)).collect();
                let batch = filter.insert_batch(&more[20..30]);
                (filter.insert_batch_new(&more[25..], &mut new[25..]), singly, unique, batch, new)
            });
            assert_eq!(taken, wanted, "hashes, inserted in every way");
            is_twin(&filter, &read);
            clear(&mut filter);
            clear(&mut read);
            is_twin(&filter, &read);
        }
    }
    let Some(merge) = abilities.merge else { return };
    let (ours, theirs) = (present_hashes(KEYS, SEED), absent_hashes(KEYS, SEED));
    let (one, two) = (make(SEED, &ours), make(SEED, &theirs));
    let mut sum = one.clone();
    let merged = merge(&mut sum, &two);
    for into in [twin(&one), make(0, &ours)] {
        let mut twins = into.clone();
        assert_eq!(merge(&mut twins, &twin(&two)), merged, "a prehashed merge");
        if merged.is_ok() {
            all_found(&twins, &[&ours[..], &theirs].concat(), "merged");
            is_twin(&sum, &twins);
        }
        assert!(merged.is_ok() || twins == into, "changed by a merge that was refused");
        let before = twins.clone();
        assert_eq!(merge(&mut twins, &two), Err(MergeError::Seeds), "a merge of two seeds");
        assert!(twins == before, "changed by a merge of two seeds");
    }
}

/// A prehashed filter that was created with a seed cannot be saved, since the file has no field for
/// the seed.
pub fn a_prehashed_filter_with_a_seed_has_no_file<F: FileFilter>(fill: Fill<F>) {
    let seeded = Prehashed::of(filled(fill, KEYS, 0.01, SEED));
    for save in [SaveOptions::new(), SaveOptions::new().without_secret()] {
        assert_eq!(save.to_bytes(&seeded).err(), Some(BuildError::UnusedSeed));
    }
}

/// The errors of reading these bytes as a prehashed filter, one for each method.
fn errors_as_prehashed<F: FileFilter>(bytes: &[u8]) -> [Option<DecodeError>; 3] {
    [
        LOAD.from_bytes::<Prehashed<F>>(bytes).err(),
        LOAD.read_from::<Prehashed<F>, _>(Pieces { bytes, size: 50 }).err().map(streamed),
        F::view_prehashed(bytes).err(),
    ]
}

/// A prehashed file is never read as a filter of keys, which would deny them all, and a file of
/// keys never as a prehashed filter. Each error says which it is.
pub fn a_file_of_another_hashing_is_refused_by_name<F: FileFilter>(fill: Fill<F>) {
    let of_keys = encoded(&filled(fill, KEYS, 0.01, SEED));
    let refused = errors::<F>(&prehashed_file(&of_keys), LOAD);
    assert_eq!(refused, [Some(DecodeError::Prehashed); 4], "a prehashed file, for keys");
    let refused = errors_as_prehashed::<F>(&of_keys);
    assert_eq!(refused, [Some(DecodeError::NotPrehashed); 3], "a file of keys, as prehashed");
}

/// An unknown hash of keys is refused with its number, and so is a seed that is not used.
pub fn a_hash_that_is_unknown_is_refused_by_name<F: FileFilter>(fill: Fill<F>) {
    let refused = |file: &[u8], at: usize, byte: u8, wanted: DecodeError| {
        let mut forged = file.to_vec();
        forged[at] = byte;
        mend(&mut forged);
        assert_eq!(errors::<F>(&forged, LOAD), [Some(wanted); 4], "byte {at} is {byte}");
        assert_eq!(errors_as_prehashed::<F>(&forged), [Some(wanted); 3], "byte {at} is {byte}");
        assert_eq!(F::decode(&forged, LOAD.seed(7)).err(), Some(wanted), "byte {at} is {byte}");
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
