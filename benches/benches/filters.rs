//! Did my edit make it faster? Builds of Bloom and ribbon filters of a million random keys, the
//! latter also of ten, beside xorf's binary fuse filter; and queries one by one (`contains`) or in
//! batches (`batch`): a stream of 2^20 with 0, 50 or 100 % present keys. Static filters alone:
//!
//! ```console
//! $ cargo bench -p amq-bench -- 'ribbon|fuse'
//! ```

// A bench that cannot be run fails, rather than being left out.
#![allow(clippy::expect_used)]

use amq_bench::contenders::{Order, Planned, choose};
use amq_bench::scenarios::keys::{KeySet, Keys, Stream};
use amq_core::Budget;
use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use rand::SeedableRng;
use rand::rngs::Xoshiro256PlusPlus;

const QUERIES: usize = 1 << 20;
const MILLION: usize = 1_000_000;

/// Contenders, and the rates they are asked for.
const BLOOM: &[(&str, f64)] = &[("bloom", 0.01), ("blocked-bloom", 0.01), ("atomic-bloom", 0.01)];

/// Static filters: one byte a slot, two bytes, and columns of two widths. A fuse filter's rate is
/// its own.
const STATIC: &[(&str, f64)] = &[
    #[cfg(feature = "peers")]
    ("binary-fuse-8", 1.0 / 256.0),
    ("ribbon", 1.0 / 256.0),
    ("ribbon", 1.0 / 65536.0),
    ("ribbon", 0.01),
];

fn filters(criterion: &mut Criterion) {
    for (keys, variants) in [(MILLION, [BLOOM, STATIC].concat()), (10 * MILLION, STATIC.to_vec())] {
        let made = KeySet::RandomU64.make(keys, QUERIES, 1).expect("random keys are distinct");
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(1);
        let streams = [("absent", 0), ("half", 50), ("present", 100)]
            .map(|(name, share)| (name, Stream::new(&made, QUERIES, share, &mut rng)));
        for (name, rate) in variants {
            let order = Order { planned: Planned::Keys, budget: Some(Budget::Fpr(rate)), seed: 1 };
            let contender = choose(&[name.to_owned()]).expect("a contender of this name")[0];
            let build = || contender.build(made.present.view().keys(), &order).expect(name);
            let what = format!("{name}, {rate:.1e}, {}M", keys / MILLION);
            let mut group = criterion.benchmark_group("build");
            group.throughput(Throughput::Elements(keys as u64));
            group.sample_size(10).bench_function(&what, |bencher| bencher.iter(build));
            group.finish();
            let filter = build();
            let batches = filter.count_hits_batch(Keys::U64(&[])).is_some();
            for way in ["contains", "batch"].into_iter().take(1 + usize::from(batches)) {
                let mut group = criterion.benchmark_group(format!("{way}/{what}"));
                group.throughput(Throughput::Elements(QUERIES as u64));
                for (name, stream) in &streams {
                    let queries = stream.keys.view();
                    let run = || match way {
                        "batch" => filter.count_hits_batch(queries.keys()),
                        _ => Some(filter.count_hits(queries.keys())),
                    };
                    group.bench_function(*name, |bencher| bencher.iter(run));
                }
                group.finish();
            }
        }
    }
}

criterion_group!(benches, filters);
criterion_main!(benches);
