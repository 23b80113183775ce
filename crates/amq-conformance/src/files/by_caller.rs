//! Laws of files whose keys were hashed by the caller: nobody else can ask such a filter for a key.

use super::damaged::mend;
use super::ways::{Aligned, FileFilter, Pieces, encoded, with_keys};
use crate::fill::{Fill, absent, absent_hashes, all_found, present, present_hashes};
use crate::surface::answers_as;
use crate::violation::{Verdict, Violation, ensure, same};
use amq_core::{
    BatchFull, CountFilter, DecodeError, Filter, FilterExt, Full, InsertExt, InsertFilter, KeyHash,
    MergeError, MergeFilter, ReadError, RemoveFilter,
};

/// Keys in the filters of these laws.
const KEYS: u64 = 60;

/// Where a file names the hash of its keys, its flags that must be understood, and its seed.
const HASH: usize = 18;
const FLAGS: usize = 22;
const SEED: usize = 40;

/// The same file, saying that its keys were hashed by the caller.
pub(super) fn by_caller(file: &[u8]) -> Vec<u8> {
    let mut bytes = file.to_vec();
    bytes[HASH] = 2;
    bytes[SEED..SEED + 8].fill(0);
    mend(&mut bytes);
    bytes
}

/// A filter, and the same one of the caller's hashes, out of a file.
fn twins<F: FileFilter>(fill: Fill<F>, keys: u64, seed: u64) -> Result<(F, F), Violation> {
    let filter = with_keys(fill, keys, 0.01, seed)?;
    let twin = F::decode(&by_caller(&encoded(&filter)?), None)
        .map_err(Violation::refused("a file of the caller's hashes"))?;
    Ok((filter, twin))
}

/// Hashes that the filters have, and others.
fn hashes(seed: u64) -> Vec<KeyHash> {
    [present_hashes(KEYS, seed), absent_hashes(1000, seed)].concat()
}

/// A filter of the caller's hashes says "maybe" to every key, in every way to ask it, and to hashes
/// what it ever said; it is written as what it is.
pub fn a_filter_of_the_callers_hashes_denies_no_key<F: FileFilter>(fill: Fill<F>) -> Verdict {
    let what = "a filter of the caller's hashes";
    for keys in [0, KEYS] {
        let (filter, twin) = twins(fill, keys, 5)?;
        let file = by_caller(&encoded(&filter)?);
        same("its key_seed", twin.key_seed(), None)?;
        ensure(twin != filter, what, "equal to one of keys", "another")?;
        let withheld =
            twin.encode(true).map_err(Violation::refused("withholding the seed of none"))?;
        let kept = encoded(&twin)? == file && withheld == file;
        ensure(kept, what, "written as another file", "as the one read")?;
        let mut stream = Pieces { bytes: &file, size: 50 };
        let (read, _) =
            F::read(&mut stream, None, u64::MAX).map_err(Violation::refused("a stream of it"))?;
        ensure(read == twin, "a stream of it", "another filter", "the same")?;

        denies_none(&filter, &twin, what)?;
        answers_as(&twin, &&twin, "a reference to it")?;
        let aligned = Aligned::new(&file, 0);
        for check in [true, false] {
            match F::view(aligned.get(), None, check) {
                Err(DecodeError::BigEndian) if cfg!(target_endian = "big") => {}
                view => {
                    let view = view.map_err(Violation::refused("a view of it"))?;
                    denies_none(&filter, &view, "a view of the caller's hashes")?;
                }
            }
        }
    }
    Ok(())
}

/// `twin` has the hashes of `filter`, and no key can be asked of it.
fn denies_none(filter: &dyn Filter, twin: &dyn Filter, what: &str) -> Verdict {
    for hash in hashes(5) {
        let wanted = filter.contains_hash(hash);
        same(format!("a hash of {what}"), twin.contains_hash(hash), wanted)?;
    }
    let keys: Vec<u64> = (0..500).map(absent).collect();
    let mut answers = vec![false; keys.len()];
    twin.contains_keys(&keys, &mut answers).map_err(Violation::refused("a batch"))?;
    let asked = |key: &u64| FilterExt::contains(twin, key) && twin.contains(key);
    let denied = keys.iter().any(|key| !asked(key)) || answers.contains(&false);
    ensure(!denied, format!("keys, asked of {what}"), "no", "maybe")
}

/// A hash of keys that is unknown is refused by its number, and so is a seed that hashes nothing.
pub fn a_hash_that_is_unknown_is_refused_by_name<F: FileFilter>(fill: Fill<F>) -> Verdict {
    let file = encoded(&with_keys(fill, KEYS, 0.01, 5)?)?;
    let refused = |forged: &[u8], what: &str, wanted: DecodeError| {
        let aligned = Aligned::new(forged, 0);
        let mut stream = Pieces { bytes: forged, size: 50 };
        let streamed = match F::read(&mut stream, None, u64::MAX) {
            Err(ReadError::Decode(error)) => Some(error),
            _ => None,
        };
        for found in [
            F::decode(forged, None).err(),
            F::decode(forged, Some(7)).err(),
            streamed,
            F::view(aligned.get(), None, false).err(),
        ] {
            same(what, found, Some(wanted))?;
        }
        Ok(())
    };
    for id in [0, 3, 4, 0x80, 255] {
        let mut forged = file.clone();
        forged[HASH] = id;
        mend(&mut forged);
        refused(&forged, "an unknown hash", DecodeError::Hash { id })?;
    }
    let mut forged = by_caller(&file);
    forged[SEED] = 1;
    mend(&mut forged);
    let part = "header";
    refused(&forged, "a seed of the caller's hashes", DecodeError::Reserved { part })?;
    let mut forged = by_caller(&file);
    forged[FLAGS] = 1;
    mend(&mut forged);
    match F::decode(&forged, Some(7)) {
        Err(DecodeError::Geometry { value, .. }) => {
            same("flags of a withheld seed of none", value, 1 << 16)
        }
        _ => Err(Violation::Accepted { what: "a withheld seed of the caller's hashes".to_owned() }),
    }
}

/// A filter of the caller's hashes takes no key, and hashes as ever.
pub fn a_filter_of_the_callers_hashes_takes_hashes_alone<F>(fill: Fill<F>) -> Verdict
where
    F: FileFilter + InsertFilter,
{
    let (mut filter, mut twin) = twins(fill, KEYS, 5)?;
    let before = encoded(&twin)?;
    let full = Full::HashedByCaller;
    let none = BatchFull { done: 0, full };
    let keys: Vec<u64> = (0..300).map(absent).collect();
    same("a key, inserted", twin.insert(&keys[0]), Err(full))?;
    same("a unique key", twin.insert_unique(&keys[0]), Err(full))?;
    same("keys, inserted", twin.insert_keys(&keys), Err(none))?;
    same("no keys, inserted", twin.insert_keys::<u64>(&[]), Ok(0))?;
    same("an iterator of keys", twin.try_extend(&keys), Err(none))?;
    same("an iterator of no keys", twin.try_extend([0u64; 0]), Ok(0))?;
    let unchanged = encoded(&twin)? == before;
    ensure(unchanged, "keys, refused", "a change", "none")?;
    for hash in absent_hashes(30, 5) {
        let inserted = filter.insert_hash(hash);
        same("a hash, inserted", twin.insert_hash(hash), inserted)?;
        if inserted.is_ok() {
            all_found(&twin, &[hash], "a filter of the caller's hashes")?;
        }
    }
    is_twin(&filter, &twin, "a filter that took the caller's hashes")
}

/// `Ok` if `twin` is `filter`, but for how its keys were hashed.
fn is_twin<F: FileFilter>(filter: &F, twin: &F, what: &str) -> Verdict {
    let same = encoded(twin)? == by_caller(&encoded(filter)?);
    ensure(same, what, "another one", "that of keys, but for the hash")
}

/// A filter of the caller's hashes removes no key, since it might be another; and hashes as ever.
pub fn a_filter_of_the_callers_hashes_removes_hashes_alone<F>(fill: Fill<F>) -> Verdict
where
    F: FileFilter + RemoveFilter,
{
    // Under this seed, which is none, a key's hash is the one that is in.
    let (mut filter, mut twin) = twins(fill, KEYS, 0)?;
    let before = encoded(&twin)?;
    for key in (0..KEYS).map(present) {
        same("a key, removed", twin.remove(&key), false)?;
    }
    let unchanged = encoded(&twin)? == before;
    ensure(unchanged, "keys, not removed", "a change", "none")?;
    for hash in hashes(0).into_iter().skip(KEYS as usize / 2) {
        let removed = filter.remove_hash(hash);
        same("a hash, removed", twin.remove_hash(hash), removed)?;
    }
    is_twin(&filter, &twin, "a filter without some of the caller's hashes")
}

/// Of the caller's hashes any may be a copy of a key.
pub fn a_filter_of_the_callers_hashes_counts_hashes_alone<F>(fill: Fill<F>) -> Verdict
where
    F: FileFilter + CountFilter,
{
    for keys in [0, KEYS] {
        let (filter, twin) = twins(fill, keys, 5)?;
        for key in (0..100).map(absent) {
            let count = twin.count(&key);
            let open = count.saturated && count.estimate >= keys.max(1);
            ensure(open, "copies of a key", format!("{count:?}"), "all, or more")?;
        }
        for hash in hashes(5) {
            let wanted = filter.count_hash(hash);
            same("copies of a hash", twin.count_hash(hash), wanted)?;
        }
    }
    Ok(())
}

/// Filters merge if both hash their keys, or neither does; otherwise the error names both ways.
pub fn a_filter_of_the_callers_hashes_merges_with_its_like<F>(fill: Fill<F>) -> Verdict
where
    F: FileFilter + MergeFilter + Clone,
{
    // Seed 0 is also what a file without a seed says.
    let (filter, twin) = twins(fill, KEYS, 0)?;
    let cases = [(&filter, &twin, (1, 2)), (&twin, &filter, (2, 1))];
    for (into, from, (ours, theirs)) in cases {
        let mut sum = into.clone();
        let error = Err(MergeError::Hashes { ours, theirs });
        same("a merge of two hashes", sum.can_merge(from), error)?;
        same("a merge of two hashes", sum.merge(from), error)?;
        ensure(sum == *into, "a merge, refused", "a change", "none")?;
    }
    let (mut sum, mut of_twins) = (filter.clone(), twin.clone());
    let merged = sum.merge(&filter);
    same("a merge of the caller's hashes", of_twins.merge(&twin), merged)?;
    is_twin(&sum, &of_twins, "a merge of the caller's hashes")
}
