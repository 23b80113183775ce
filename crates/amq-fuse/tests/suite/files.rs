//! Files of fuse filters: the golden ones, and checks beyond the common laws.

use amq_conformance::files::{golden, mend};
use amq_fuse::{
    Budget, BuildFilter, DecodeError, Filter, FilterFile, FuseFilter, KeyHash, LoadOptions,
};

/// The only entry: behind the directory's head and one section.
const ENTRY: usize = 192 + 2 * 64;

fn of(bits: i32, keys: u64, seed: u64) -> FuseFilter {
    FuseFilter::build_with_seed(Budget::Fpr(0.5f64.powi(bits)), seed, 0..keys).unwrap()
}

#[test]
fn golden_files_are_read_and_written_as_ever() {
    for (state, bits, keys, seed) in [
        ("empty", 7, 0, 0),
        ("one", 7, 1, 0),
        ("small", 7, 300, 7),
        ("byte", 8, 1000, 0),
        ("two-bytes", 16, 500, 0),
        ("four-bytes", 32, 200, 0),
        ("odd", 13, 5000, 0),
    ] {
        let name = format!("fuse-{state}");
        golden(env!("CARGO_MANIFEST_DIR"), &name, keys, &of(bits, keys, seed));
    }
    let filter = seeded();
    golden(env!("CARGO_MANIFEST_DIR"), "fuse-seed", filter.len(), &filter);
}

/// A filter that the first internal seed does not solve.
fn seeded() -> FuseFilter {
    let all = (1..2000).map(|seed| of(7, 40, seed));
    let mut others = all.filter(|filter| filter.params().internal_seed > 0);
    others.next().unwrap()
}

#[test]
fn a_file_of_several_shards_is_read_as_it_was() {
    for bits in [3, 8] {
        let hashes: Vec<KeyHash> = (0..3_000_000u64).map(|key| KeyHash::of(&key, 3)).collect();
        let budget = Budget::Fpr(0.5f64.powi(bits));
        let filter = FuseFilter::build_hashes(budget, 3, &hashes).unwrap();
        assert!(filter.params().shards > 1);
        let back = FuseFilter::from_bytes(&filter.to_bytes().unwrap()).unwrap();
        assert!(back == filter && back.params() == filter.params());
        let mut answers = vec![false; hashes.len()];
        back.contains_batch(&hashes, &mut answers).unwrap();
        assert!(answers.iter().all(|&answer| answer));
    }
}

#[test]
fn what_no_build_writes_is_refused_by_name() {
    let good = of(7, 300, 0).to_bytes().unwrap();
    let refused = |numbers: &[(usize, u64)]| {
        let mut bytes = good.clone();
        for &(number, value) in numbers {
            bytes[ENTRY + 8 * number..][..8].copy_from_slice(&value.to_le_bytes());
        }
        mend(&mut bytes);
        // A view that does not check the payload refuses the same numbers.
        let mut held = vec![0; bytes.len() + 64];
        let begin = held.as_ptr().align_offset(64);
        let held = &mut held[begin..][..bytes.len()];
        held.copy_from_slice(&bytes);
        let view = LoadOptions::new().unchecked_payload().view::<FuseFilter>(held).unwrap_err();
        let error = FuseFilter::from_bytes(&bytes).unwrap_err();
        assert_eq!(error, view);
        error
    };
    for (number, field) in
        [(0, "fingerprint bits"), (1, "segment bits"), (2, "segments"), (3, "shards")]
    {
        let value = 1 << 32;
        assert_eq!(refused(&[(number, value)]), DecodeError::Geometry { field, value });
    }
    for numbers in [
        &[(0, 0)][..],
        &[(0, 33)],
        &[(1, 1)],
        &[(1, 21)],
        &[(2, 1 << 26)],
        &[(3, 0)],
        &[(3, (1 << 20) + 1)],
        &[(4, 32)],
        // Segments too short for a shard to begin at a whole byte.
        &[(1, 2), (3, 2)],
    ] {
        let error = refused(numbers);
        assert!(matches!(error, DecodeError::Params(_)), "{numbers:?}: {error}");
    }
    for numbers in [&[(0, 6)][..], &[(1, 7)], &[(2, 1)], &[(3, 2)]] {
        let error = refused(numbers);
        assert!(matches!(error, DecodeError::PayloadLength { .. }), "{numbers:?}: {error}");
    }
    assert_eq!(refused(&[(5, 1)]), DecodeError::Reserved { part: "directory" });
    // Keys without a table, and a table without keys.
    let none = DecodeError::Geometry { field: "segments", value: 0 };
    assert_eq!(refused(&[(1, 0), (2, 0), (3, 0)]), none);
    let mut bytes = good.clone();
    bytes[24..32].fill(0);
    mend(&mut bytes);
    let error = FuseFilter::from_bytes(&bytes).unwrap_err();
    assert!(matches!(error, DecodeError::Geometry { field: "segments", .. }), "{error}");
}

#[test]
fn a_forged_bit_past_the_last_slot_is_refused() {
    for bits in [1, 7, 13, 31] {
        let filter = of(bits, 300, 0);
        let mut bytes = filter.to_bytes().unwrap();
        let table = (bytes.len() - filter.size_in_bytes() as usize) / 64 * 64;
        let slots = filter.size_in_bytes() as usize - 7;
        let params = filter.params();
        assert_eq!(params.shards, 1);
        let past = ((params.segments as usize + 2) << params.segment_bits) * bits as usize;
        assert_eq!(slots, past.div_ceil(8));
        bytes[table + past / 8] |= 1 << (past % 8);
        mend(&mut bytes);
        let error = FuseFilter::from_bytes(&bytes).unwrap_err();
        assert!(matches!(error, DecodeError::Structure { .. }), "{bits}: {error}");
    }
}
