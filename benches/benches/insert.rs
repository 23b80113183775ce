//! Did my edit make inserts faster? A million random keys into an empty filter, one by one and as a
//! batch.

use amq_bench::keys::{KeySet, Store};
use amq_bloom::{AtomicBloomFilter, BlockedBloomFilter, BloomFilter};
use amq_core::{EmptyFilter, FilterExt, Goal};
use criterion::{BatchSize, Criterion, Throughput, criterion_group, criterion_main};
use std::hint::black_box;

const KEYS: usize = 1_000_000;

fn insert<F: EmptyFilter>(criterion: &mut Criterion, name: &str) {
    let Ok(Store::U64(keys)) = KeySet::RandomU64.make(KEYS, 0, 1).map(|made| made.present) else {
        return;
    };
    let empty = || F::empty(Goal::fpr(KEYS, 0.01), 1);
    let mut group = criterion.benchmark_group(format!("insert/{name}"));
    group.throughput(Throughput::Elements(KEYS as u64));
    group.bench_function("one by one", |bencher| {
        bencher.iter_batched(
            empty,
            |filter| {
                filter.map(|mut filter| {
                    for key in &keys {
                        // These variants never refuse.
                        let _ = black_box(filter.insert(key));
                    }
                    filter
                })
            },
            BatchSize::LargeInput,
        );
    });
    group.bench_function("batch", |bencher| {
        bencher.iter_batched(
            empty,
            |filter| {
                filter.map(|mut filter| {
                    let _ = black_box(filter.insert_keys(&keys));
                    filter
                })
            },
            BatchSize::LargeInput,
        );
    });
    group.finish();
}

fn all(criterion: &mut Criterion) {
    insert::<BloomFilter>(criterion, "bloom");
    insert::<BlockedBloomFilter>(criterion, "blocked-bloom");
    insert::<AtomicBloomFilter>(criterion, "atomic-bloom");
}

criterion_group!(benches, all);
criterion_main!(benches);
