//! Memory of filters, and errors without it; see `amq_conformance::memory`.

use crate::as_filter::{OneBin, Spread, spread};
use amq_conformance::memory::{Counting, every_refused_allocation_is_an_error, peak_of};
use amq_conformance::{files, memory};
use amq_interleaved::{Budget, FilterFile, Goal, InterleavedBloomFilter};

#[global_allocator]
static COUNTING: Counting = Counting;

#[test]
fn planning_allocates_nothing() {
    memory::a_plan_allocates_nothing::<OneBin>();
    memory::a_plan_allocates_nothing::<Spread>();
}

#[test]
fn reading_a_file_takes_little_more_than_it_has() {
    memory::reading_takes_little_more_than_the_file::<Spread>(spread);
    memory::a_file_without_memory_is_an_error::<Spread>(spread);
}

/// While the allocator runs, the processor does not begin the next lookup.
#[test]
fn a_lookup_allocates_nothing() {
    for bins in [1, 64, 65, 1024, 1025, 5000] {
        let filter = InterleavedBloomFilter::new(bins, Goal::fpr(10, 0.01)).unwrap();
        let (mut into, allocated) = (filter.bins("key"), u64::from(bins > 1024));
        let (_, peak) = peak_of(|| filter.bins("key"));
        assert_eq!(u64::from(peak > 0), allocated, "{bins} bins: {peak} bytes");
        let ((), peak) = peak_of(|| filter.bins_into("another", &mut into));
        assert_eq!(peak, 0, "{bins} bins");
    }
}

/// Forged numbers claim a table that the file does not have.
#[test]
fn a_claim_is_not_taken_for_memory() {
    let file = InterleavedBloomFilter::new(3, Goal::fpr(300, 0.01)).unwrap().to_bytes().unwrap();
    // The entry is the directory's last row, behind its head and three sections.
    let entry = 192 + 4 * 64;
    for (bins, blocks) in [(1u64 << 32, 12u64), (3, 1 << 31), (1 << 24, 1 << 16)] {
        let mut forged = file.clone();
        forged[entry..][..8].copy_from_slice(&bins.to_le_bytes());
        forged[entry + 8..][..8].copy_from_slice(&blocks.to_le_bytes());
        files::mend(&mut forged);
        assert!(InterleavedBloomFilter::from_bytes(&forged).is_err());
        let claimed = memory::claim_is_bounded::<Spread>(&forged);
        assert!(claimed >= Some(blocks * 256 * 8), "{claimed:?}");
    }
}

#[test]
fn what_is_refused_memory_is_an_error_and_changes_nothing() {
    let sets: Vec<Vec<u64>> = (0..70).map(|bin| (0..bin).collect()).collect();
    let build = || InterleavedBloomFilter::build(Budget::Fpr(0.01), &sets);
    every_refused_allocation_is_an_error("a build", build, |_| {});
    let filter = build().unwrap();
    every_refused_allocation_is_an_error("a bin", || filter.bin(69), |_| {});
    // Rows become longer.
    let full = InterleavedBloomFilter::new(64, Goal::fpr(10, 0.01)).unwrap();
    let mut copies = vec![full.clone(); 30];
    let add = || {
        let mut more = copies.pop().unwrap();
        more.add_bin("a name").inspect_err(|_| assert!(more == full))
    };
    every_refused_allocation_is_an_error("one more bin", add, |_| {});
    let mut copies = vec![full.clone(); 30];
    let name = || {
        let mut named = copies.pop().unwrap();
        named.set_names(["a name"; 64]).inspect_err(|_| assert!(named == full))
    };
    every_refused_allocation_is_an_error("names", name, |_| {});
}

/// Keys that there is no memory to sort are inserted as they come.
#[test]
fn keys_without_memory_go_in_all_the_same() {
    let keys: Vec<u64> = (0..10_000).collect();
    let empty = InterleavedBloomFilter::new(70, Goal::fpr(10_000, 0.01)).unwrap();
    let mut wanted = empty.clone();
    wanted.insert_keys(69, &keys).unwrap();
    let mut copies = vec![empty; 10];
    let insert = || {
        let mut filter = copies.pop().unwrap();
        filter.insert_keys(69, &keys).map(|_| filter)
    };
    every_refused_allocation_is_an_error("keys", insert, |filter| {
        let [one, other] = [&filter.unwrap(), &wanted].map(|filter| filter.bin(69).unwrap());
        assert_eq!(one.as_bytes(), other.as_bytes());
    });
}
