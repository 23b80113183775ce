//! Did my edit make queries faster, one by one (`contains`) or in batches (`batch`)? A million
//! keys, and a stream of 2^20 queries with 0, 50 or 100 % present keys.

use amq_bench::contender::{Built, Contender};
use amq_bench::contenders::bloom;
use amq_bench::heat::Field;
use amq_bench::keys::Keys;
use amq_bench::keysets::KeySet;
use amq_bench::suite::{Group, Suite};
use criterion::{Criterion, Throughput, criterion_group, criterion_main};

fn contains(criterion: &mut Criterion) {
    queries(criterion, "contains", |filter, keys| {
        Some(filter.count_hits(keys))
    });
}

fn batch(criterion: &mut Criterion) {
    queries(criterion, "batch", |filter, keys| {
        filter.count_hits_batch(keys)
    });
}

fn queries(
    criterion: &mut Criterion,
    way: &str,
    count: impl Fn(&dyn Built, Keys<'_>) -> Option<u64>,
) {
    let group = Group::whole(KeySet::RandomU64, 1_000_000, &[0.01], Suite::Quick);
    let Ok(field) = Field::new(&group, 1) else {
        return;
    };
    let views = field.views();
    let variants: [&dyn Contender; 3] = [&bloom::CLASSIC, &bloom::SPLIT_BLOCK, &bloom::ATOMIC];
    for contender in variants {
        let Ok(filter) = contender.build(views.subject(1).present, Some(0.01), 1) else {
            continue;
        };
        let queries = views.queries();
        let mut group = criterion.benchmark_group(format!("{way}/{}", contender.info().name));
        for (name, keys) in [
            ("absent", queries.none),
            ("half", queries.half),
            ("present", queries.all),
        ] {
            group.throughput(Throughput::Elements(keys.len() as u64));
            group.bench_function(name, |bencher| bencher.iter(|| count(&*filter, keys)));
        }
        group.finish();
    }
}

criterion_group!(benches, contains, batch);
criterion_main!(benches);
