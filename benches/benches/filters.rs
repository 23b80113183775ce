//! Did my edit make it faster? Inserts of a million random keys into an empty Bloom filter, one by
//! one and as a batch; and queries one by one (`contains`) or in batches (`batch`), a stream of
//! 2^20 with 0, 50 or 100 % present keys: Bloom filters of a million keys, and ribbon filters of a
//! million and of ten beside xorf's binary fuse filter. The latter alone:
//!
//! ```console
//! $ cargo bench -p amq-bench -- 'ribbon|fuse'
//! ```

use amq_bench::contenders::{ALL, Built, Order, Planned};
use amq_bench::keys::{KeySet, Keys, Made, Store, Stream};
use amq_bloom::{AtomicBloomFilter, BlockedBloomFilter, BloomFilter};
use amq_core::{Budget, EmptyFilter, FilterExt, Goal};
use criterion::{BatchSize, Criterion, Throughput, criterion_group, criterion_main};
use rand::SeedableRng;
use rand::rngs::Xoshiro256PlusPlus;
use std::hint::black_box;

/// Queries of a stream.
const QUERIES: usize = 1 << 20;

const MILLION: usize = 1_000_000;

#[allow(clippy::expect_used)]
fn made(keys: usize) -> Made {
    KeySet::RandomU64.make(keys, QUERIES, 1).expect("random keys are distinct")
}

fn insert(criterion: &mut Criterion) {
    let made = made(MILLION);
    inserts::<BloomFilter>(criterion, "bloom", &made.present);
    inserts::<BlockedBloomFilter>(criterion, "blocked-bloom", &made.present);
    inserts::<AtomicBloomFilter>(criterion, "atomic-bloom", &made.present);
}

fn inserts<F: EmptyFilter>(criterion: &mut Criterion, name: &str, keys: &Store) {
    let Store::U64(keys) = keys else {
        return;
    };
    // These variants never refuse.
    let one_by_one = |filter: &mut F| {
        for key in keys {
            let _ = black_box(filter.insert(key));
        }
    };
    let batch = |filter: &mut F| {
        let _ = black_box(filter.insert_keys(keys));
    };
    let mut group = criterion.benchmark_group(format!("insert/{name}"));
    group.throughput(Throughput::Elements(MILLION as u64));
    for (way, fill) in [("one by one", &one_by_one as &dyn Fn(&mut F)), ("batch", &batch)] {
        let empty = || F::empty(Goal::fpr(MILLION, 0.01), 1);
        let run = |filter: &mut Result<F, _>| filter.as_mut().map(fill).is_ok();
        group.bench_function(way, |bencher| {
            bencher.iter_batched_ref(empty, run, BatchSize::LargeInput);
        });
    }
    group.finish();
}

fn contains(criterion: &mut Criterion) {
    queries(criterion, "contains", |filter, keys| Some(filter.count_hits(keys)));
}

fn batch(criterion: &mut Criterion) {
    queries(criterion, "batch", |filter, keys| filter.count_hits_batch(keys));
}

/// Contenders, and the rates they are asked for.
const BLOOM: &[(&str, f64)] = &[("bloom", 0.01), ("blocked-bloom", 0.01), ("atomic-bloom", 0.01)];

/// Static filters: one byte a slot, two bytes, and columns of two widths. A fuse filter's rate is
/// its own.
const STATIC: &[(&str, f64)] = &[
    ("binary-fuse-8", 1.0 / 256.0),
    ("ribbon-bumped", 1.0 / 256.0),
    ("ribbon-narrow", 1.0 / 256.0),
    ("ribbon-bumped", 1.0 / 65536.0),
    ("ribbon-bumped", 0.01),
];

fn queries(
    criterion: &mut Criterion,
    way: &str,
    count: impl Fn(&dyn Built, Keys<'_>) -> Option<u64>,
) {
    for (keys, variants) in [(MILLION, [BLOOM, STATIC].concat()), (10 * MILLION, STATIC.to_vec())] {
        let made = made(keys);
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(1);
        let streams = [("absent", 0), ("half", 50), ("present", 100)]
            .map(|(name, share)| (name, Stream::new(&made, QUERIES, share, &mut rng)));
        for (name, rate) in variants {
            let order = Order { planned: Planned::Keys, budget: Some(Budget::Fpr(rate)), seed: 1 };
            // A peer is there with its feature only.
            let contender = ALL.iter().find(|contender| contender.info().name == name);
            let filter = contender.map(|one| one.build(made.present.view().keys(), &order));
            let Some(Ok(filter)) = filter else {
                continue;
            };
            let group = format!("{way}/{name}, {rate:.1e}, {}M", keys / MILLION);
            let mut group = criterion.benchmark_group(group);
            group.throughput(Throughput::Elements(QUERIES as u64));
            for (name, stream) in &streams {
                let queries = stream.keys.view();
                let run = || count(&*filter, queries.keys());
                group.bench_function(*name, |bencher| bencher.iter(run));
            }
            group.finish();
        }
    }
}

criterion_group!(benches, insert, contains, batch);
criterion_main!(benches);
