//! `amq_truncate`.

use crate::engine::{array, bytes, error, numbers, planning_error, rows, session, table, value};
use amq::{AnyFile, AnyFilter, Budget, FilterFile, FilterKind, KeyEncoding};
use datafusion::arrow::array::{Array, AsArray, BinaryArray, Float64Array, Int64Array};
use datafusion::arrow::record_batch::RecordBatch;
use datafusion::prelude::SessionContext;

const KINDS: [FilterKind; 3] = [FilterKind::Ribbon, FilterKind::Fuse, FilterKind::Quotient];

/// A session with a table `t` of 5,000 numbers in two partitions.
fn numbers_below_5000() -> SessionContext {
    let ctx = session();
    let halves = [0..2500, 2500..5000];
    let partitions = halves.map(|half| array(Int64Array::from_iter_values(half)));
    table(&ctx, "t", partitions.into());
    ctx
}

#[tokio::test]
async fn a_truncated_filter_is_the_one_of_the_higher_rate() {
    let ctx = numbers_below_5000();
    for kind in KINDS.map(FilterKind::id) {
        let made = |fpr: &str| format!("amq_agg(x, 5000, {fpr}, '{kind}')");
        let sql = format!("SELECT amq_truncate({}, 0.01) FROM t", made("0.0001"));
        let truncated = bytes(&ctx, &sql).await.unwrap();
        let whole = bytes(&ctx, &format!("SELECT {} FROM t", made("0.0001"))).await.unwrap();
        assert!(truncated.len() * 3 < whole.len() * 2, "{kind}");

        let mut expected = AnyFile::from_bytes(&whole).unwrap();
        expected.filter_mut().into_inner().truncate(Budget::Fpr(0.01)).unwrap();
        assert!(truncated == expected.to_bytes().unwrap(), "{kind}");

        let file = AnyFile::from_bytes(&truncated).unwrap();
        assert_eq!(file.encoding(), KeyEncoding::Integers, "{kind}");
        let filter = AnyFilter::from_bytes(&truncated).unwrap();
        assert!((0..5000i64).all(|key| filter.contains(&key)), "{kind}");
        // One in a hundred, or fewer where a column is a whole bit; within five deviations.
        let wrong = (5000..105_000i64).filter(|key| filter.contains(key)).count();
        assert!((500..1160).contains(&wrong), "{kind}: {wrong} of 100,000");
    }
}

#[tokio::test]
async fn each_row_has_its_filter_and_its_rate() {
    let ctx = session();
    let of = |keys: std::ops::Range<i64>| {
        let filter = AnyFilter::build(FilterKind::Ribbon, Budget::Fpr(1e-4), keys).unwrap();
        filter.to_bytes().unwrap()
    };
    let (few, many) = (of(0..1000), of(0..9000));
    let filters = [Some(&few[..]), Some(&many), None, Some(&many)];
    let rates = [Some(0.01), Some(0.1), Some(0.01), None];
    let batch = RecordBatch::try_from_iter_with_nullable([
        ("f", array(BinaryArray::from_iter(filters)), true),
        ("fpr", array(Float64Array::from_iter(rates)), true),
    ]);
    ctx.register_batch("made", batch.unwrap()).unwrap();
    let batches = rows(&ctx, "SELECT amq_truncate(f, fpr) FROM made").await.unwrap();
    let truncated = batches[0].column(0).as_binary::<i32>();
    for (row, (filter, rate)) in filters.iter().zip(rates).enumerate() {
        let (Some(filter), Some(rate)) = (filter, rate) else {
            assert!(truncated.is_null(row), "row {row}");
            continue;
        };
        let mut filter = AnyFilter::from_bytes(filter).unwrap();
        filter.truncate(Budget::Fpr(rate)).unwrap();
        assert!(truncated.value(row) == filter.to_bytes().unwrap(), "row {row}");
    }
    // One filter at the rates of a column.
    let sql = "SELECT amq_truncate((SELECT f FROM made WHERE fpr = 0.1), r) \
               FROM (VALUES (0.001), (0.01), (0.1), (NULL)) AS rates(r)";
    let batches = rows(&ctx, sql).await.unwrap();
    let lengths = |batch: &RecordBatch| {
        let filters = batch.column(0).as_binary::<i32>();
        filters.iter().map(|filter| filter.map(<[u8]>::len)).collect::<Vec<_>>()
    };
    let sizes: Vec<_> = batches.iter().flat_map(lengths).collect();
    assert!(sizes[0] > sizes[1] && sizes[1] > sizes[2], "{sizes:?}");
    assert_eq!(sizes[3], None);
}

#[tokio::test]
async fn a_truncated_filter_is_asked_as_any_other() {
    let ctx = numbers_below_5000();
    let sql = "SELECT count(*) FROM t WHERE amq_contains((SELECT amq_truncate(\
               amq_agg(x, 5000, 0.0001, 'ribbon'), 0.01) FROM t), x)";
    assert_eq!(numbers(&ctx, sql).await, [5000]);
    for sql in ["SELECT amq_truncate(NULL, 0.01)", "SELECT amq_truncate(X'00', NULL)"] {
        assert!(value(&ctx, sql).await.unwrap().is_null(), "{sql}");
    }
}

#[tokio::test]
async fn what_cannot_be_truncated_is_refused_with_the_way_out() {
    let ctx = numbers_below_5000();
    for (call, text) in [
        ("5, 0.01", "a filter is a Binary value"),
        ("X'00', '1%'", "`fpr` is a number, not Utf8"),
        ("X'00'", "wants (f, fpr), not 1 arguments"),
    ] {
        let said = planning_error(&ctx, &format!("SELECT amq_truncate({call})")).await;
        assert!(said.contains("amq_truncate") && said.contains(text), "{call}: {said}");
    }
    for fpr in ["0", "1", "-0.5", "2e0"] {
        let sql = format!("SELECT amq_truncate(amq_agg(x, 5000, 0.001, 'ribbon'), {fpr}) FROM t");
        let said = planning_error(&ctx, &sql).await;
        assert!(said.contains("amq_truncate: ") && said.contains("strictly between"), "{said}");
    }
    for (call, text) in [
        ("X'00', 0.01", "amq_truncate: "),
        ("amq_agg(x, 5000, 0.001), 0.01", "cannot be truncated; kinds that can: `ribbon`"),
        ("amq_agg(x, 5000, 0.01, 'ribbon'), 0.001", "ask for a higher rate"),
        ("amq_agg(x, 5000, 0.01, 'ribbon'), min(x) - 0.5", "strictly between"),
    ] {
        let said = error(&ctx, &format!("SELECT amq_truncate({call}) FROM t")).await;
        assert!(said.contains("amq_truncate: ") && said.contains(text), "{call}: {said}");
    }
}
