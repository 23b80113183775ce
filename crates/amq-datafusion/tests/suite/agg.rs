//! `amq_agg`, `amq_merge_agg`, `amq_estimate`, `amq_info`.

use crate::engine::{array, bytes, error, numbers, rows, session, session_with, table, value};
use amq::{Abilities, AnyFilter, BlockedBloomFilter, Budget, Filter, FilterFile, FilterKind, Goal};
use datafusion::arrow::array::{ArrayRef, AsArray, BinaryArray, Int64Array};
use datafusion::arrow::datatypes::{Float64Type, UInt64Type};
use datafusion::common::ScalarValue;
use datafusion::prelude::{SessionConfig, SessionContext};

fn longs(range: std::ops::Range<i64>) -> ArrayRef {
    array(Int64Array::from_iter_values(range))
}

/// The kinds that an aggregate can make, from the one table.
fn kinds() -> impl Iterator<Item = FilterKind> {
    let can = |kind: &FilterKind| Abilities::of(*kind).merge || Abilities::of(*kind).build_only;
    AnyFilter::KINDS.iter().copied().filter(can)
}

#[tokio::test]
async fn every_kind_holds_its_keys_and_is_read_by_the_library() {
    let ctx = session();
    table(&ctx, "t", vec![longs(0..6000), longs(6000..6010), longs(6010..10_000)]);
    for kind in kinds() {
        let id = kind.id();
        let made = bytes(&ctx, &format!("SELECT amq_agg(x, 10000, 0.01, '{id}') FROM t")).await;
        let filter = AnyFilter::from_bytes(&made.unwrap()).unwrap();
        assert_eq!((filter.kind(), filter.seed()), (kind, amq::DEFAULT_SEED));
        assert!((0..10_000i64).all(|key| filter.contains(&key)), "{kind}");
        let wrong = (10_000..110_000i64).filter(|key| filter.contains(key)).count();
        assert!(wrong < 1300, "{kind}: {wrong} of 100,000");
    }
}

/// For the kinds whose table depends on the set of keys alone, and not on their order.
#[tokio::test]
async fn the_bits_are_the_librarys_however_rows_are_parted() {
    for kind in [FilterKind::Bloom, FilterKind::BlockedBloom, FilterKind::Counting] {
        let mut filter = AnyFilter::new(kind, Goal::fpr(5000, 0.01)).unwrap();
        for key in 0..5000i64 {
            filter.insert(&key).unwrap();
        }
        for parts in [vec![5000], vec![1, 4999], vec![20, 30, 2450, 2500], vec![2500, 2500]] {
            let ctx = session();
            let mut from = 0;
            let partition = |rows| {
                from += rows;
                longs(from - rows..from)
            };
            table(&ctx, "t", parts.into_iter().map(partition).collect());
            let sql = format!("SELECT amq_agg(x, 5000, 0.01, '{}') FROM t", kind.id());
            let made = AnyFilter::from_bytes(&bytes(&ctx, &sql).await.unwrap()).unwrap();
            for key in 0..200_000i64 {
                assert_eq!(made.contains(&key), filter.contains(&key), "{kind}: {key}");
            }
        }
    }
}

#[tokio::test]
async fn nulls_are_ignored_and_no_rows_make_an_empty_filter() {
    let ctx = session();
    table(&ctx, "t", vec![array(Int64Array::from(vec![None, Some(3), None]))]);
    for kind in kinds().map(FilterKind::id) {
        let of = async |condition: &str| {
            let sql = format!("SELECT amq_agg(x, 100, 0.01, '{kind}') FROM t {condition}");
            AnyFilter::from_bytes(&bytes(&ctx, &sql).await.unwrap()).unwrap()
        };
        let one = of("").await;
        assert!(one.contains(&3i64) && one.len() == 1, "{kind}");
        for none in [of("WHERE x IS NULL").await, of("WHERE x > 5").await] {
            assert!((0..100i64).all(|key| !none.contains(&key)) && none.is_empty(), "{kind}");
        }
    }
}

#[tokio::test]
async fn copies_are_counted_by_the_kinds_that_count() {
    let ctx = session();
    let same = || array(Int64Array::from(vec![7; 3]));
    table(&ctx, "t", vec![same(), same()]);
    for kind in [FilterKind::Counting, FilterKind::Quotient] {
        let sql = format!("SELECT amq_agg(x, 100, 0.001, '{}') FROM t", kind.id());
        let filter = AnyFilter::from_bytes(&bytes(&ctx, &sql).await.unwrap()).unwrap();
        assert_eq!(filter.count(&7i64).unwrap().estimate, 6, "{kind}");
    }
}

#[tokio::test]
async fn filters_of_several_queries_merge_in_sql_as_in_the_library() {
    let ctx = session();
    table(&ctx, "t", vec![longs(0..3000), longs(3000..6000)]);
    let sql = "SELECT amq_merge_agg(f) FROM \
               (SELECT amq_agg(x, 6000, 0.01) AS f FROM t GROUP BY x % 7)";
    let merged = AnyFilter::from_bytes(&bytes(&ctx, sql).await.unwrap()).unwrap();
    let whole = bytes(&ctx, "SELECT amq_agg(x, 6000, 0.01) FROM t").await.unwrap();
    let whole = AnyFilter::from_bytes(&whole).unwrap();
    for key in 0..100_000i64 {
        assert_eq!(merged.contains(&key), whole.contains(&key));
    }
    let none = value(&ctx, "SELECT amq_merge_agg(NULL)").await.unwrap();
    assert!(none.is_null());
}

/// It could not be merged with another as full, and need not be.
#[tokio::test]
async fn a_full_filter_alone_is_merged_into_itself() {
    let ctx = session_with(SessionConfig::new().with_target_partitions(1));
    table(&ctx, "t", vec![longs(0..1000)]);
    for kind in [FilterKind::Cuckoo, FilterKind::Quotient, FilterKind::Scalable] {
        let sql = format!("SELECT amq_agg(x, 500, 0.01, '{}') AS f FROM t", kind.id());
        let sql = match kind {
            FilterKind::Scalable => sql,
            _ => sql.replace("500", "1000"),
        };
        let alone = bytes(&ctx, &sql).await.unwrap();
        let merged = bytes(&ctx, &format!("SELECT amq_merge_agg(f) FROM ({sql})")).await.unwrap();
        assert!(merged == alone, "{kind}");
    }
}

#[tokio::test]
async fn filters_that_differ_are_not_merged_and_the_error_names_how() {
    let ctx = session();
    table(&ctx, "t", vec![longs(0..100)]);
    for (one, other, text) in [
        ("100, 0.01", "200, 0.01", "blocks"),
        ("100, 0.01, 'bloom'", "100, 0.01", "kind"),
        ("100, 0.01, 'ribbon'", "100, 0.01, 'ribbon'", "cannot be merged"),
    ] {
        let sql = format!(
            "SELECT amq_merge_agg(f) FROM (SELECT amq_agg(x, {one}) AS f FROM t \
             UNION ALL SELECT amq_agg(x, {other}) AS f FROM t)"
        );
        let said = error(&ctx, &sql).await;
        assert!(said.contains("amq_merge_agg: ") && said.contains(text), "{said}");
    }
}

/// Filters of a column, one partition for each two.
fn filters(ctx: &SessionContext, of: &[Vec<u8>]) {
    let parts = of.chunks(2).map(|part| array(BinaryArray::from_iter_values(part)));
    table(ctx, "made", parts.collect());
}

#[tokio::test]
async fn filters_of_unlike_sizes_merge_if_one_divides_the_other() {
    const TOTAL: u64 = 100_000;
    let plan = |keys| BlockedBloomFilter::plan_foldable(Goal::fpr(keys, 0.01), TOTAL).unwrap();
    // Parts of many sizes, some of them empty, in every order.
    let sizes = [TOTAL, 3000, 0, 20_000, 500, 0];
    let made = |turn: usize| {
        let mut first = 0i64;
        let part = |size: u64| {
            let mut filter = BlockedBloomFilter::new(plan(size.max(100))).unwrap();
            let keys = first..first + size as i64 / 3;
            first = keys.end;
            for key in keys {
                filter.insert(&key);
            }
            filter.to_bytes().unwrap()
        };
        let mut parts: Vec<_> = sizes.map(part).into();
        parts.rotate_left(turn);
        (parts, first)
    };
    assert!(plan(TOTAL).bytes >= 8 * plan(500).bytes);
    let mut answers = Vec::new();
    for turn in 0..sizes.len() {
        let ctx = session();
        let (parts, keys) = made(turn);
        filters(&ctx, &parts);
        let merged = bytes(&ctx, "SELECT amq_merge_agg(x) FROM made").await.unwrap();
        let merged = AnyFilter::from_bytes(&merged).unwrap();
        assert!((0..keys).all(|key| merged.contains(&key)), "turn {turn}");
        answers.push((keys..200_000).filter(|key| merged.contains(key)).count());
    }
    // The order of the parts does not matter.
    assert!(answers.iter().all(|&wrong| wrong == answers[0] && wrong < 1600), "{answers:?}");
}

#[tokio::test]
async fn no_whole_factor_is_refused_with_the_nearest_sizes() {
    let ctx = session();
    let of = |bytes: u64| {
        let filter = BlockedBloomFilter::build(Budget::Bytes(bytes), 0..100i64).unwrap();
        filter.to_bytes().unwrap()
    };
    // 12 blocks and 5.
    filters(&ctx, &[of(12 * 32), of(5 * 32)]);
    let said = error(&ctx, "SELECT amq_merge_agg(x) FROM made").await;
    assert!(said.contains("amq_merge_agg: ") && said.contains("blocks"), "{said}");
    assert!(["12", "5", "4", "6"].iter().all(|size| said.contains(size)), "{said}");
}

#[tokio::test]
async fn a_filter_tells_its_kind_keys_size_and_rate() {
    let ctx = session();
    table(&ctx, "t", vec![longs(0..1000)]);
    let sql = "WITH made AS (SELECT amq_agg(x, 1000, 0.01, 'bloom') AS f FROM t) \
               SELECT amq_estimate(f), amq_info(f)['kind'], amq_info(f)['capacity'], \
               amq_info(f)['fpr'], amq_info(f)['keys'] FROM made";
    let batches = rows(&ctx, sql).await.unwrap();
    let row = batches.iter().find(|batch| batch.num_rows() == 1).unwrap();
    let keys = row.column(0).as_primitive::<UInt64Type>().value(0);
    assert!((970..=1030).contains(&keys), "{keys}");
    assert_eq!(row.column(1).as_string::<i32>().value(0), "bloom");
    assert_eq!(row.column(2).as_primitive::<UInt64Type>().value(0), 1000);
    let fpr = row.column(3).as_primitive::<Float64Type>().value(0);
    assert!((0.008..0.012).contains(&fpr), "{fpr}");
    let counted = row.column(4).as_primitive::<UInt64Type>().value(0);
    assert!((980..=1000).contains(&counted), "{counted}");
    for sql in ["SELECT amq_estimate(NULL)", "SELECT amq_info(NULL)"] {
        assert!(value(&ctx, sql).await.unwrap().is_null(), "{sql}");
    }
}

/// A key that came in several partitions, or in several filters, is one.
#[tokio::test]
async fn an_estimate_is_of_different_keys_for_kinds_whose_tables_tell() {
    let ctx = session();
    table(&ctx, "t", vec![longs(0..5000); 4]);
    let of = |kind: &str| format!("amq_agg(x, 40000, 0.001, '{kind}')");
    for (kind, tells) in [
        ("bloom", true),
        ("blocked-bloom", true),
        ("counting", true),
        ("blocked-counting", true),
        ("quotient", true),
        ("ribbon", true),
        ("cuckoo", false),
    ] {
        let agg = of(kind);
        let whole = format!("SELECT amq_estimate({agg}) FROM t");
        let parts = format!(
            "SELECT amq_estimate(amq_merge_agg(f)) FROM \
             (SELECT {agg} AS f FROM t WHERE x < 3000 UNION ALL SELECT {agg} FROM t WHERE x > 1000)"
        );
        let told = numbers(&ctx, &whole).await[0];
        assert_eq!((4900..=5100).contains(&told), tells, "{kind}: {told}");
        assert_eq!(told == 20_000, !tells, "{kind}: {told}");
        if tells && kind != "ribbon" {
            let told = numbers(&ctx, &parts).await[0];
            assert!((4900..=5100).contains(&told), "{kind}: {told}");
        }
    }
    // A full table tells nothing, and a count is a number.
    let sql = "SELECT amq_estimate(amq_agg(x, 1, 0.5, 'bloom')) FROM t WHERE x < 1";
    assert_eq!(numbers(&ctx, sql).await, [1]);
}

#[tokio::test]
async fn filters_that_do_not_fit_into_one_say_how_many_to_expect() {
    let ctx = session();
    table(&ctx, "t", vec![longs(0..1000); 4]);
    for sql in [
        "SELECT amq_agg(x, 1000, 0.01, 'cuckoo') FROM t",
        "SELECT amq_merge_agg(f) FROM (SELECT amq_agg(x, 1000, 0.01, 'cuckoo') AS f FROM t \
         WHERE x < 200 GROUP BY x % 2 UNION ALL \
         SELECT amq_agg(x, 1000, 0.01, 'cuckoo') FROM t WHERE x < 200)",
    ] {
        let said = error(&ctx, sql).await;
        let cause = [
            "more rows than `expected`: parts of",
            "copies of keys do not fit into one filter: a key is in",
        ];
        assert!(cause.iter().any(|cause| said.contains(cause)), "{said}");
        assert!(said.contains("the number of rows in all parts together"), "{said}");
        assert!(said.contains("SELECT DISTINCT"), "{said}");
        assert!(!said.contains("plan for"), "a number of two parts: {said}");
    }
}

/// In a window the state is asked for its value again and again.
#[tokio::test]
async fn a_running_window_gives_the_filter_of_the_rows_so_far() {
    let ctx = session();
    table(&ctx, "t", vec![longs(0..300)]);
    let sql = "SELECT amq_estimate(amq_agg(x, 1000, 0.0001, 'quotient') OVER (ORDER BY x)) FROM t";
    assert_eq!(numbers(&ctx, sql).await, (1..=300).collect::<Vec<i64>>());
}

#[tokio::test]
async fn a_state_is_a_binary_column_and_foreign_ones_are_refused() {
    use datafusion::common::arrow::datatypes::{DataType, Field};
    use datafusion::logical_expr::AggregateUDFImpl;
    use datafusion::logical_expr::function::StateFieldsArgs;
    use std::sync::Arc;

    let field = Arc::new(Field::new("x", DataType::Int64, true));
    let args = StateFieldsArgs {
        name: "f",
        input_fields: std::slice::from_ref(&field),
        return_field: Arc::clone(&field),
        ordering_fields: &[],
        is_distinct: false,
    };
    let fields = amq_datafusion::AmqAgg.state_fields(args).unwrap();
    assert_eq!(fields.iter().map(|f| f.data_type()).collect::<Vec<_>>(), [&DataType::Binary]);

    let mut few = accumulator("bloom", 1000);
    few.update_batch(&[longs(0..10)]).unwrap();
    let mut many = accumulator("bloom", 1000);
    many.update_batch(&[longs(0..1000)]).unwrap();
    let mut static_kind = accumulator("ribbon", 1000);
    static_kind.update_batch(&[longs(0..1000)]).unwrap();
    let mut larger = accumulator("bloom", 2000);
    larger.update_batch(&[longs(0..1000)]).unwrap();
    let [few, many, of_static, larger] =
        [&mut few, &mut many, &mut static_kind, &mut larger].map(state_of);

    // The good ones pass, in any order.
    for order in [[&few, &many], [&many, &few], [&few, &few], [&many, &many]] {
        let mut whole = accumulator("bloom", 1000);
        for state in order {
            whole.merge_batch(&[column(state)]).unwrap();
        }
        let ScalarValue::Binary(Some(made)) = whole.evaluate().unwrap() else { panic!() };
        let filter = AnyFilter::from_bytes(&made).unwrap();
        let keys = if order == [&few, &few] { 10 } else { 1000 };
        assert!((0..keys).all(|key: i64| filter.contains(&key)));
    }
    let refused = |kind, state: &[u8]| {
        let error = accumulator(kind, 1000).merge_batch(&[column(state)]).unwrap_err().to_string();
        assert!(error.contains("amq_agg: a state that is not of this aggregate"), "{error}");
    };
    for state in [&few, &many] {
        for len in (0..state.len()).step_by(7) {
            refused("bloom", &state[..len]);
        }
        for place in (0..state.len()).step_by(11) {
            let mut damaged = state.clone();
            damaged[place] ^= 1 << (place % 8);
            refused("bloom", &damaged);
        }
    }
    refused("bloom", &of_static);
    refused("bloom", &larger);
    refused("counting", &few);
    refused("ribbon", &many);
    refused("bloom", b"\x02 something else");
}

fn accumulator(kind: &str, expected: i64) -> Box<dyn datafusion::logical_expr::Accumulator> {
    use datafusion::physical_expr::aggregate::AggregateExprBuilder;
    use datafusion::physical_expr::expressions::{col, lit};
    use std::sync::Arc;

    let schema =
        datafusion::arrow::datatypes::Schema::new(vec![datafusion::arrow::datatypes::Field::new(
            "x",
            datafusion::arrow::datatypes::DataType::Int64,
            true,
        )]);
    let args = vec![col("x", &schema).unwrap(), lit(expected), lit(0.01), lit(kind)];
    AggregateExprBuilder::new(Arc::new(amq_datafusion::AmqAgg.into()), args)
        .schema(Arc::new(schema))
        .alias("f")
        .build()
        .unwrap()
        .create_accumulator()
        .unwrap()
}

fn state_of(of: &mut Box<dyn datafusion::logical_expr::Accumulator>) -> Vec<u8> {
    match of.state().unwrap().remove(0) {
        ScalarValue::Binary(Some(bytes)) => bytes,
        other => panic!("{other}"),
    }
}

fn column(state: &[u8]) -> ArrayRef {
    array(BinaryArray::from_vec(vec![state]))
}

#[tokio::test]
async fn distinct_and_filter_clauses_are_honoured_or_refused() {
    let ctx = session_with(SessionConfig::new().with_target_partitions(3));
    let twice = || array(Int64Array::from(vec![1, 2, 3, 1, 2, 3]));
    table(&ctx, "t", vec![twice(), twice()]);
    let sql = "SELECT amq_agg(DISTINCT x, 10, 0.01) FROM t";
    let filter = AnyFilter::from_bytes(&bytes(&ctx, sql).await.unwrap()).unwrap();
    assert!((1..=3i64).all(|key| filter.contains(&key)));
    let said = error(&ctx, "SELECT amq_agg(DISTINCT x, 10, 0.01, 'counting') FROM t").await;
    assert!(said.contains("DISTINCT is not kept by a counting Bloom filter"), "{said}");
    let sql = "SELECT amq_agg(x, 10, 0.0001) FILTER (WHERE x < 3) FROM t";
    let filter = AnyFilter::from_bytes(&bytes(&ctx, sql).await.unwrap()).unwrap();
    assert!(filter.contains(&2i64) && !filter.contains(&3i64));
}

/// As any aggregate but `count`, and its schema says so: else the engine drops `f IS NULL`.
#[tokio::test]
async fn a_correlated_subquery_without_rows_has_no_filter() {
    let ctx = session();
    table(&ctx, "a", vec![longs(0..10)]);
    table(&ctx, "b", vec![longs(0..5)]);
    let sql = "SELECT count(*) FROM (SELECT a.x, (SELECT amq_agg(b.x, 10, 0.01) FROM b WHERE \
               b.x = a.x) AS f FROM a) WHERE f IS NULL";
    assert_eq!(value(&ctx, sql).await.unwrap(), ScalarValue::Int64(Some(5)));
}
