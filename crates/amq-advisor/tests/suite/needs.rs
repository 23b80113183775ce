//! Every combination of needs: what is named can do all of them, and where nothing is named nothing
//! can. What a structure can do is asked of its type, not of the advisor.

use Structure::{Atomic, Filter, Map, Periods, Rolling, Sharded, ShardedPeriods, ShardedRolling};
use amq::Filter as _;
use amq::*;
use amq_advisor::{ChooseError, Demand, Keys, Need, Structure, Workload, choose};
use core::marker::PhantomData;
use rolling::Rolling as Rolls;
use sharded::Sharded as Shards;

trait Otherwise {
    const YES: bool = false;
}

/// Asks the compiler whether a type has a bound: an inherent constant, which exists only then,
/// hides the trait's.
macro_rules! has {
    ($type:ty: $($bound:tt)*) => {{
        struct Bound<T>(PhantomData<T>);
        impl<T> Otherwise for Bound<T> {}
        #[allow(dead_code)]
        impl<T> Bound<T>
        where
            $($bound)*
        {
            const YES: bool = true;
        }
        Bound::<$type>::YES
    }};
}

const NEEDS: [Need; 11] = [
    Need::Remove,
    Need::Count { most: 5 },
    Need::List,
    Need::Merge,
    Need::Grow,
    Need::Truncate,
    Need::SharedInsert,
    Need::Files,
    Need::Forget { generations: 4 },
    Need::Values { bits: 8 },
    Need::Exact,
];

/// A structure, whether it takes keys one by one, and which of `NEEDS` it meets.
type Row = (Structure, bool, [bool; 11]);

/// The structures made of a type of filter.
macro_rules! rows {
    ($type:ident) => {{
        let names = |kind: &&FilterKind| AnyFilter::names(**kind).unwrap().1 == stringify!($type);
        let kind = *AnyFilter::KINDS.iter().find(names).unwrap();
        let insert = has!($type: T: EmptyFilter);
        let list = has!($type: for<'a> &'a T: IntoIterator<Item = KeyHash>);
        let [merge, truncate] = [has!($type: T: MergeFilter), has!($type: T: TruncateFilter)];
        let by_itself = has!($type: T: PlanFilter<Params = quotient::ExpandableParams>)
            || has!($type: T: PlanFilter<Params = scalable::ScalableParams>);
        let grow = by_itself || has!($type: T: PlanFilter<Params = quotient::QuotientParams>);
        let [remove, count] = [has!($type: T: RemoveFilter), has!($type: T: CountFilter)];
        let file = has!($type: T: FilterFile);
        let plain = [remove, count, list, merge, grow, truncate, false, file, false, false, false];
        let mut rows = vec![(Filter(kind), insert, plain)];
        if insert {
            // Through `&self`; and what `for_each_shard` does with each shard.
            let shared = has!(Shards<$type>: for<'a> &'a T: InsertFilter, T: Sync);
            let remove = has!(Shards<$type>: for<'a> &'a T: RemoveFilter);
            let count = has!(Shards<$type>: T: CountFilter);
            let file = has!(Shards<$type>: T: FilterFile);
            rows.push((
                Sharded(kind),
                true,
                [remove, count, list, merge, grow, truncate, shared, file, false, false, false],
            ));
            // A ring of filters: a key's period is not known, so none can be removed.
            let periods = [false, plain[1], list, merge, grow, truncate];
            let [one, many] = [[false, plain[7], true, false, false], [shared, file, true, false, false]];
            let all = |rest: [bool; 5]| {
                let mut all = [false; 11];
                all[..6].copy_from_slice(&periods);
                all[6..].copy_from_slice(&rest);
                all
            };
            rows.push((Periods(kind), true, all(one)));
            rows.push((ShardedPeriods(kind), true, all(many)));
            let rolls = |shared, file| {
                let list = has!(Rolls<$type>: for<'a> &'a T: IntoIterator<Item = KeyHash>);
                let remove = has!(Rolls<$type>: T: RemoveFilter);
                let count = has!(Rolls<$type>: T: CountFilter);
                let merge = has!(Rolls<$type>: T: MergeFilter);
                let truncate = has!(Rolls<$type>: T: TruncateFilter);
                // `Rolling` makes each generation from a goal.
                let grow = by_itself;
                [remove, count, list, merge, grow, truncate, shared, file, true, false, false]
            };
            let file = has!(Rolls<$type>: T: FilterFile);
            rows.push((Rolling(kind), true, rolls(false, file)));
            let file = has!(Shards<Rolls<$type>>: T: FilterFile);
            let shared = has!(Shards<Rolls<$type>>: for<'a> &'a T: InsertFilter, T: Sync);
            rows.push((ShardedRolling(kind), true, rolls(shared, file)));
        }
        rows
    }};
}

/// An atomic filter: all that it does is in its traits, save for its file.
macro_rules! atomic {
    ($type:ident, $kind:expr) => {{
        let goal = Goal::fpr(100, 0.01);
        let made = $type::new(goal).unwrap();
        made.insert("a key");
        let file = $type::from_bytes(&made.to_bytes().unwrap()).unwrap().contains("a key");
        let list = has!($type: for<'a> &'a T: IntoIterator<Item = KeyHash>);
        let [remove, count] = [has!($type: T: RemoveFilter), has!($type: T: CountFilter)];
        let [merge, truncate] = [has!($type: T: MergeFilter), has!($type: T: TruncateFilter)];
        let shared = has!($type: for<'a> &'a T: InsertFilter, T: Sync);
        (
            Atomic($kind),
            true,
            [remove, count, list, merge, false, truncate, shared, file, false, false, false],
        )
    }};
}

fn rows() -> Vec<Row> {
    let mut map = [false; 11];
    map[7] = has!(RibbonMap: T: FilterFile);
    map[9] = true;
    let mut rows = vec![
        atomic!(AtomicBloomFilter, FilterKind::Bloom),
        atomic!(AtomicBlockedBloomFilter, FilterKind::BlockedBloom),
        (Map, false, map),
    ];
    rows.extend(rows!(BloomFilter));
    rows.extend(rows!(BlockedBloomFilter));
    rows.extend(rows!(WideBlockedBloomFilter));
    rows.extend(rows!(CountingBloomFilter));
    rows.extend(rows!(BlockedCountingBloomFilter));
    rows.extend(rows!(ScalableBloomFilter));
    rows.extend(rows!(ScalableBlockedBloomFilter));
    rows.extend(rows!(CuckooFilter));
    rows.extend(rows!(WindowedCuckooFilter));
    rows.extend(rows!(QuotientFilter));
    rows.extend(rows!(ExpandableQuotientFilter));
    rows.extend(rows!(RibbonFilter));
    rows.extend(rows!(FuseFilter));
    rows
}

/// Whether a structure of the table meets a need in this workload.
fn meets(row: &Row, index: usize, is_bounded: bool) -> bool {
    let (structure, _, can) = row;
    let kind = structure.kind();
    let is_cuckoo = matches!(kind, Some(FilterKind::Cuckoo | FilterKind::WindowedCuckoo));
    can[index]
        && match NEEDS[index] {
            // The copies of a key fill its two buckets.
            Need::Count { .. } | Need::Merge => !is_cuckoo,
            Need::Grow => is_bounded || kind != Some(FilterKind::Quotient),
            _ => true,
        }
}

#[test]
fn what_is_named_can_do_all_and_else_nothing_can() {
    let rows = rows();
    let kinds: Vec<_> = rows.iter().filter_map(|row| row.0.kind()).collect();
    assert!(FilterKind::ALL.iter().all(|kind| kinds.contains(kind)), "a kind has no row");
    let bases = [
        Workload::new(Keys::AtMost(1000)),
        Workload::new(Keys::AtMost(1000)).built_once(),
        Workload::new(Keys::Unknown { start: 1000 }),
    ];
    let (mut named, mut refused) = (0, 0);
    for (base, mask) in (0..bases.len()).flat_map(|base| (0..1 << 11).map(move |mask| (base, mask)))
    {
        let (is_once, is_bounded) = (base == 1, base != 2);
        let mut asked: Vec<usize> = (0..11).filter(|index| mask >> index & 1 == 1).collect();
        let workload = asked.iter().fold(bases[base].clone(), |it, &index| it.need(NEEDS[index]));
        let workload = workload.with_copies(1.0).with_fpr(0.01);
        if !is_bounded && !asked.contains(&4) {
            asked.push(4);
        }
        let can = |row: &&Row| {
            (is_once || row.1) && asked.iter().all(|&index| meets(row, index, is_bounded))
        };
        let able: Vec<Structure> = rows.iter().filter(can).map(|row| row.0).collect();
        let answer = match choose(&workload) {
            Err(ChooseError::Contradiction { .. }) if is_once => continue,
            Err(error) => {
                assert!(able.is_empty(), "{able:?} can: {error}");
                refused += 1;
                continue;
            }
            Ok(answer) => answer,
        };
        for choice in answer.filters() {
            assert!(
                able.contains(&choice.structure),
                "{:?} cannot: {workload:?}",
                choice.structure
            );
            named += 1;
        }
        // Where some can, one is named.
        assert_eq!(able.is_empty(), answer.filters().next().is_none(), "{able:?}: {workload:?}");
        // What is left out lacks the need that is named.
        for out in &answer.rejections {
            let row = rows.iter().find(|row| row.0 == out.structure).unwrap();
            match out.demand {
                Demand::KeyByKey => assert!(!row.1, "{out:?}"),
                Demand::Need(need) => {
                    let index = NEEDS.iter().position(|known| *known == need).unwrap();
                    assert!(!meets(row, index, is_bounded), "{out:?}: {workload:?}");
                }
                other => panic!("{other}: {workload:?}"),
            }
        }
    }
    assert!(named > 1000 && refused > 1000, "{named} {refused}");
}

/// The routes that the notes name.
#[test]
fn shards_are_listed_merged_and_truncated_one_by_one() {
    let asked = [Need::SharedInsert, Need::List, Need::Merge, Need::Truncate, Need::Files];
    let all = asked.into_iter().fold(Workload::new(Keys::AtMost(1000)), Workload::need);
    let answer = choose(&all.with_copies(1.0).with_fpr(0.001)).unwrap();
    let best = answer.filters().next().unwrap();
    assert_eq!(best.structure, Sharded(FilterKind::Quotient), "{answer}");
    let [first, second] = [0u64, 500].map(|from| {
        let filter = Shards::<QuotientFilter>::new(best.goal.unwrap(), 4).unwrap();
        std::thread::scope(|scope| {
            for keys in [from..from + 250, from + 250..from + 500] {
                let filter = &filter;
                scope.spawn(move || filter.try_extend(keys).unwrap());
            }
        });
        filter
    });
    let mut shards = first.into_shards();
    for (shard, other) in shards.iter_mut().zip(second.into_shards()) {
        shard.merge(&other).unwrap();
    }
    let both = Shards::from_shards_unchecked(shards, 1000).unwrap();
    let both = Shards::<QuotientFilter>::from_bytes(&both.to_bytes().unwrap()).unwrap();
    let (mut listed, bytes) = (0, both.size_in_bytes());
    both.for_each_shard(|shard| {
        listed += shard.iter().count();
        shard.truncate(Budget::Fpr(0.1)).unwrap();
    });
    assert_eq!(listed, 1000);
    assert!(both.size_in_bytes() < bytes && (0..1000u64).all(|key| both.contains(&key)));
}
