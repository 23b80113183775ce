//! Memory use, and allocation failures; see `amq_conformance::memory`.

use amq_conformance::memory::{Counting, every_refused_allocation_is_an_error};
use amq_conformance::{files, memory};
use amq_fuse::{Budget, FilterFile, FuseFilter, PlanFilter};

#[global_allocator]
static COUNTING: Counting = Counting;

memory!(fuse: FuseFilter => [build, file, truncate]);

/// Forged but consistent numbers claim a table that the file does not have.
#[test]
fn a_claim_is_not_taken_for_memory() {
    let filter = FuseFilter::build(Budget::Fpr(0.01), 0..300u64).unwrap();
    let file = filter.to_bytes().unwrap();
    // The entry is the directory's last row, behind its head and one section.
    let entry = 192 + 2 * 64;
    for (segment_bits, segments, shards) in [(20, 254, 1u64), (20, 254, 16), (20, 254, 1 << 20)] {
        let mut forged = file.clone();
        for (at, number) in [(8, segment_bits), (16, segments), (24, shards)] {
            forged[entry + at..][..8].copy_from_slice(&u64::to_le_bytes(number));
        }
        files::mend(&mut forged);
        assert!(FuseFilter::from_bytes(&forged).is_err());
        let claimed = memory::claim_is_bounded::<FuseFilter>(&forged);
        assert!(claimed >= Some(shards << 26), "{claimed:?}");
    }
}

#[test]
fn a_filter_of_an_iterator_without_memory_is_an_error() {
    every_refused_allocation_is_an_error(
        "a filter of an iterator",
        || FuseFilter::build(Budget::Fpr(0.01), 0..60_000u64),
        |_| {},
    );
}

/// The working memory of the whole build is that of one shard.
#[test]
fn a_build_of_ten_million_keys_takes_fourteen_bytes_a_key() {
    for (keys, most) in [(10_000_000u64, 110.0), (100_000_000, 100.0), (1 << 35, 100.0)] {
        for bits in [8, 9, 10] {
            let params = amq_fuse::FuseParams::new(bits);
            let plan = FuseFilter::plan_params(params, keys).unwrap();
            let taken = plan.build_bytes as f64 * 8.0 / keys as f64;
            assert!(taken < most, "{keys} keys of {bits} bits: {taken}");
        }
    }
    for keys in [1000, 30_000, 1_000_000, 1_900_000, 5_000_000] {
        let params = amq_fuse::FuseParams::new(8);
        let plan = FuseFilter::plan_params(params, keys).unwrap();
        let taken = plan.build_bytes as f64 * 8.0 / keys as f64;
        assert!(taken < 235.0, "{keys} keys: {taken}");
    }
}
