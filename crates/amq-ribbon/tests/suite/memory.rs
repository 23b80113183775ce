//! Memory of filters, and errors without it; see `amq_conformance::memory`.

use amq_conformance::memory::{Counting, every_refused_allocation_is_an_error};
use amq_conformance::{files, memory};
use amq_ribbon::{Budget, FilterFile, Key, RibbonFilter, RibbonMap};

#[global_allocator]
static COUNTING: Counting = Counting;

memory!(ribbon: RibbonFilter => [build, file, truncate]);

/// A layer's starts and blocks must agree, so one forged number claims nothing: here are both.
#[test]
fn a_claim_is_not_taken_for_memory() {
    let filter = RibbonFilter::build(Budget::Fpr(0.01), 0..300u64).unwrap();
    let file = filter.to_bytes().unwrap();
    // The layer's entry is the directory's last row, behind its head, four sections and the
    // columns.
    let layer = 192 + 6 * 64;
    for starts in [(1u64 << 20) + 1, (1 << 31) + 1] {
        let mut forged = file.clone();
        // One shard of up to 2^32 starts.
        let blocks = starts / 64 + 1;
        for (at, number) in [(8, starts), (16, 32), (48, blocks)] {
            forged[layer + at..][..8].copy_from_slice(&number.to_le_bytes());
        }
        files::mend(&mut forged);
        let claimed = memory::claim_is_bounded::<RibbonFilter>(&forged);
        assert!(claimed >= Some(blocks * 8), "{claimed:?}");
    }
}

#[test]
fn a_map_and_a_filter_of_an_iterator_without_memory_are_errors() {
    let pairs: Vec<(u64, u32)> = (0..30_000).map(|key| (key, key as u32 & 7)).collect();
    every_refused_allocation_is_an_error(
        "a map",
        || RibbonMap::build(3, pairs.iter().copied()),
        |_| {},
    );
    // The pairs may be more than the iterator says.
    let short = || Short(pairs.iter().map(|(key, value)| (key.key_hash(0), *value)));
    every_refused_allocation_is_an_error(
        "a map of an iterator",
        || RibbonMap::build_hashes(3, 0, short()),
        |_| {},
    );
    every_refused_allocation_is_an_error(
        "a filter of an iterator",
        || RibbonFilter::build(Budget::Fpr(0.01), 0..30_000u64),
        |_| {},
    );
}

/// An iterator that says that it is shorter than it is.
struct Short<I>(I);

impl<I: Iterator> Iterator for Short<I> {
    type Item = I::Item;

    fn next(&mut self) -> Option<I::Item> {
        self.0.next()
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (10, Some(10))
    }
}
