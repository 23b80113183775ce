//! Did my edit make it faster? Inserts of a million random keys into an empty Bloom filter, one by
//! one and as a batch; and queries one by one (`contains`) or in batches (`batch`), a stream of
//! 2^20 with 0, 50 or 100 % present keys: Bloom filters of a million keys, and ribbon filters of a
//! million and of ten beside xorf's binary fuse filter. The latter alone:
//!
//! ```console
//! $ cargo bench -p amq-bench -- 'ribbon|fuse'
//! ```

// A bench that cannot be run fails, rather than being left out.
#![allow(clippy::expect_used)]

use amq_bench::contenders::{Built, Order, Planned, choose};
use amq_bench::keys::{KeySet, Keys, Made, Store, Stream};
use amq_bloom::{AtomicBloomFilter, BlockedBloomFilter, BloomFilter};
use amq_core::{Budget, EmptyFilter, FilterExt, Goal};
use criterion::{BatchSize, Criterion, Throughput, criterion_group, criterion_main};
use rand::SeedableRng;
use rand::rngs::Xoshiro256PlusPlus;
use std::hint::black_box;

const QUERIES: usize = 1 << 20;

const MILLION: usize = 1_000_000;

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
    let Store::U64(keys) = keys else { return };
    let mut group = criterion.benchmark_group(format!("insert/{name}"));
    group.throughput(Throughput::Elements(MILLION as u64));
    let empty = || F::empty(Goal::fpr(MILLION, 0.01), 1).expect("a million keys at 1 %");
    // These variants never refuse.
    let one_by_one = |filter: &mut F| keys.iter().all(|key| black_box(filter.insert(key)).is_ok());
    group.bench_function("one by one", |bencher| {
        bencher.iter_batched_ref(empty, one_by_one, BatchSize::LargeInput);
    });
    group.bench_function("batch", |bencher| {
        let batch = |filter: &mut F| filter.insert_keys(keys).is_ok();
        bencher.iter_batched_ref(empty, batch, BatchSize::LargeInput);
    });
    group.finish();
}

/// One by one or in batches; `None` is a filter without that interface.
type Count = fn(&dyn Built, Keys<'_>) -> Option<u64>;

const WAYS: [(&str, Count); 2] = [
    ("contains", |filter, keys| Some(filter.count_hits(keys))),
    ("batch", |filter, keys| filter.count_hits_batch(keys)),
];

/// Contenders, and the rates they are asked for.
const BLOOM: &[(&str, f64)] = &[("bloom", 0.01), ("blocked-bloom", 0.01), ("atomic-bloom", 0.01)];

/// Static filters: one byte a slot, two bytes, and columns of two widths. A fuse filter's rate is
/// its own.
const STATIC: &[(&str, f64)] = &[
    #[cfg(feature = "peers")]
    ("binary-fuse-8", 1.0 / 256.0),
    ("ribbon-bumped", 1.0 / 256.0),
    ("ribbon-narrow", 1.0 / 256.0),
    ("ribbon-bumped", 1.0 / 65536.0),
    ("ribbon-bumped", 0.01),
];

fn queries(criterion: &mut Criterion) {
    for (keys, variants) in [(MILLION, [BLOOM, STATIC].concat()), (10 * MILLION, STATIC.to_vec())] {
        let made = made(keys);
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(1);
        let streams = [("absent", 0), ("half", 50), ("present", 100)]
            .map(|(name, share)| (name, Stream::new(&made, QUERIES, share, &mut rng)));
        for (name, rate) in variants {
            let order = Order { planned: Planned::Keys, budget: Some(Budget::Fpr(rate)), seed: 1 };
            let contender = choose(&[name.to_owned()]).expect("a contender of this name")[0];
            let filter = contender.build(made.present.view().keys(), &order).expect(name);
            for (way, count) in WAYS {
                if count(&*filter, Keys::U64(&[])).is_none() {
                    continue;
                }
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
}

criterion_group!(benches, insert, queries);
criterion_main!(benches);
