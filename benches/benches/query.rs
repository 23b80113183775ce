//! Did my edit make queries faster, one by one (`contains`) or in batches (`batch`)? A stream of
//! 2^20 queries with 0, 50 or 100 % present keys: Bloom filters of a million keys, and ribbon
//! filters of a million and of ten beside xorf's binary fuse filter. The latter alone:
//!
//! ```console
//! $ cargo bench -p amq-bench --bench query -- 'ribbon|fuse'
//! ```

use amq_bench::contenders::{self, Built, Order, Planned};
use amq_bench::keys::{KeySet, Keys, Stream};
use amq_core::Budget;
use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use rand::SeedableRng;
use rand::rngs::Xoshiro256PlusPlus;

/// Queries of a stream.
const QUERIES: usize = 1 << 20;

fn contains(criterion: &mut Criterion) {
    queries(criterion, "contains", |filter, keys| Some(filter.count_hits(keys)));
}

fn batch(criterion: &mut Criterion) {
    queries(criterion, "batch", |filter, keys| filter.count_hits_batch(keys));
}

/// A contender, and the rate it is asked for.
type Variant = (&'static str, f64);

/// Bloom filters.
const BLOOM: &[Variant] = &[("bloom", 0.01), ("blocked-bloom", 0.01), ("atomic-bloom", 0.01)];

/// Static filters: one byte a slot, two bytes, and columns of two widths. A fuse filter's rate is
/// its own; without the feature `peers` it is left out.
const STATIC: &[Variant] = &[
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
    for (keys, variants) in [(1_000_000, BLOOM), (1_000_000, STATIC), (10_000_000, STATIC)] {
        ask(criterion, way, keys, variants, &count);
    }
}

fn ask(
    criterion: &mut Criterion,
    way: &str,
    keys: usize,
    variants: &[Variant],
    count: impl Fn(&dyn Built, Keys<'_>) -> Option<u64>,
) {
    let Ok(made) = KeySet::RandomU64.make(keys, QUERIES, 1) else {
        return;
    };
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(1);
    let streams = [("absent", 0), ("half", 50), ("present", 100)]
        .map(|(name, share)| (name, Stream::new(&made, QUERIES, share, &mut rng)));
    let present = made.present.view();
    for (name, rate) in variants {
        let order = Order { planned: Planned::Keys, budget: Some(Budget::Fpr(*rate)), seed: 1 };
        let contender = contenders::named(name);
        let Some(Ok(filter)) = contender.map(|it| it.build(present.keys(), &order)) else {
            continue;
        };
        let million = keys / 1_000_000;
        let mut group = criterion.benchmark_group(format!("{way}/{name}, {rate:.1e}, {million}M"));
        group.throughput(Throughput::Elements(QUERIES as u64));
        for (name, stream) in &streams {
            let queries = stream.keys.view();
            let run = || count(&*filter, queries.keys());
            group.bench_function(*name, |bencher| bencher.iter(run));
        }
        group.finish();
    }
}

criterion_group!(benches, contains, batch);
criterion_main!(benches);
