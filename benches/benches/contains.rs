//! Did my edit make single queries quicker? A million keys, a stream of 2^20 queries of which none, half or
//! all are present.

use amq_bench::contender::Contender;
use amq_bench::contenders::bloom;
use amq_bench::heat::Field;
use amq_bench::keysets::KeySet;
use amq_bench::suite::{Group, Suite};
use criterion::{Criterion, Throughput, criterion_group, criterion_main};

fn all(criterion: &mut Criterion) {
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
        let mut group = criterion.benchmark_group(format!("contains/{}", contender.info().name));
        for (name, keys) in [
            ("absent", queries.none),
            ("half", queries.half),
            ("present", queries.all),
        ] {
            group.throughput(Throughput::Elements(keys.len() as u64));
            group.bench_function(name, |bencher| bencher.iter(|| filter.count_hits(keys)));
        }
        group.finish();
    }
}

criterion_group!(benches, all);
criterion_main!(benches);
