//! Columns of every type are the keys of Rust.

use crate::engine::{answers, array, bytes, error, numbers, session, table};
use amq::{AnyFilter, Filter, FilterFile, Key, KeyHash};
use datafusion::arrow::array::*;
use datafusion::arrow::datatypes::*;
use std::sync::Arc;

/// The filter that SQL makes of a column, which has none but these keys, and says so in SQL.
async fn holds(column: ArrayRef, keys: &[&dyn Fn(u64) -> KeyHash]) {
    let ctx = session();
    let what = column.data_type().to_string();
    table(&ctx, "t", vec![column.slice(0, 1), column.slice(1, column.len() - 1)]);
    let sql = "SELECT amq_agg(x, 100, 0.0000001, 'quotient') FROM t";
    let filter = AnyFilter::from_bytes(&bytes(&ctx, sql).await.unwrap()).unwrap();
    let hashes: Vec<KeyHash> = keys.iter().map(|key| key(filter.seed())).collect();
    assert!(hashes.iter().all(|&hash| filter.contains_hash(hash)), "{what}");
    let mut distinct = hashes.clone();
    distinct.sort_unstable();
    distinct.dedup();
    let stored = filter.hashes().unwrap().collect::<std::collections::BTreeSet<_>>();
    assert_eq!(stored.len(), distinct.len(), "{what}");
    let sql = "SELECT amq_contains((SELECT amq_agg(x, 100, 0.01) FROM t), x) FROM t";
    let asked = answers(&ctx, sql).await;
    let nulls = column.logical_null_count();
    assert_eq!(asked.iter().filter(|answer| answer.is_none()).count(), nulls, "{what}");
    assert!(asked.iter().all(|answer| *answer != Some(false)), "{what}");
}

/// `holds!(column, key, key ...)`
macro_rules! holds {
    ($column:expr; $($key:expr),* $(,)?) => {
        holds(array($column), &[$(&|seed| $key.key_hash(seed)),*]).await
    };
}

#[tokio::test]
async fn integers_and_booleans() {
    holds!(Int8Array::from(vec![Some(-1), None, Some(7)]); -1i64, 7u64);
    holds!(Int16Array::from(vec![Some(-1), None, Some(7)]); -1i8, 7u8);
    holds!(Int32Array::from(vec![Some(-1), None, Some(7)]); -1i16, 7u16);
    holds!(Int64Array::from(vec![Some(i64::MIN), None, Some(7)]); i64::MIN, 7u32);
    holds!(UInt8Array::from(vec![Some(200), None, Some(7)]); 200i64, 7i8);
    holds!(UInt16Array::from(vec![Some(60_000), None, Some(7)]); 60_000u64, 7i16);
    holds!(UInt32Array::from(vec![Some(u32::MAX), None, Some(7)]); u32::MAX, 7i32);
    holds!(UInt64Array::from(vec![Some(u64::MAX), None, Some(7)]); u64::MAX, 7i64);
    holds!(BooleanArray::from(vec![Some(true), None, Some(false)]); true, false);
}

#[tokio::test]
async fn strings_and_binaries_in_any_layout() {
    let text = vec![Some("amq"), None, Some(""), Some("more than twelve bytes of text")];
    let long = "more than twelve bytes of text";
    holds!(StringArray::from(text.clone()); "amq", "", long);
    holds!(LargeStringArray::from(text.clone()); "amq", "", long);
    holds!(StringViewArray::from(text.clone()); "amq", "", long);
    let bytes: Vec<Option<&[u8]>> = text.iter().map(|text| text.map(str::as_bytes)).collect();
    holds!(BinaryArray::from(bytes.clone()); "amq", "", long);
    holds!(LargeBinaryArray::from(bytes.clone()); "amq", "", long);
    holds!(BinaryViewArray::from(bytes); "amq", "", long);
    let fixed = FixedSizeBinaryArray::try_from_sparse_iter_with_size(
        [Some(b"amq"), None, Some(b"abc")].into_iter(),
        3,
    );
    holds!(fixed.unwrap(); "amq", "abc");
}

#[tokio::test]
async fn a_date_is_its_day_and_an_instant_one_key_in_every_unit() {
    holds!(Date32Array::from(vec![Some(-1), None, Some(20_000)]); -1i64, 20_000i64);
    let day = 86_400_000;
    holds!(Date64Array::from(vec![Some(-day), None, Some(20_000 * day)]); -1i64, 20_000i64);
    let early = (-1i64, 500_000_000u32);
    holds!(TimestampSecondArray::from(vec![Some(-1), None, Some(9)]); (-1i64, 0u32), (9i64, 0u32));
    holds!(TimestampMillisecondArray::from(vec![Some(-500), None]); early);
    holds!(TimestampMicrosecondArray::from(vec![Some(-500_000), None]); early);
    holds!(TimestampNanosecondArray::from(vec![Some(-500_000_000), None]); early);
    holds!(
        TimestampMillisecondArray::from(vec![Some(i64::MIN), None]).with_timezone("UTC");
        (i64::MIN.div_euclid(1000), 192_000_000u32)
    );
}

#[tokio::test]
async fn dictionaries_and_runs_are_their_values() {
    let dictionary: DictionaryArray<Int8Type> =
        vec![Some("a"), None, Some("b"), Some("a"), Some("a")].into_iter().collect();
    holds!(dictionary.clone(); "a", "b");
    // More values than rows, and a null among the values.
    let values = StringArray::from(vec![Some("x"), Some("y"), None, Some("z")]);
    let keys = Int16Array::from(vec![Some(3), Some(2), None]);
    holds!(DictionaryArray::new(keys, Arc::new(values.clone())); "z");
    let keys = Int16Array::from(vec![Some(3), Some(2), None, Some(0), Some(0)]);
    holds!(DictionaryArray::new(keys, Arc::new(values)); "z", "x");
    let none = Int16Array::from(vec![None, None]);
    holds!(DictionaryArray::new(none, Arc::new(StringArray::from(Vec::<&str>::new()))););
    let runs = RunArray::<Int32Type>::try_new(
        &Int32Array::from(vec![2, 3, 7]),
        &Int64Array::from(vec![Some(4), None, Some(5)]),
    );
    let runs = runs.unwrap();
    holds!(runs.clone(); 4i64, 5i64);
    holds!(runs.slice(1, 4); 4i64, 5i64);
    holds!(runs.slice(3, 2); 5i64);
    let short = RunArray::<Int16Type>::try_new(
        &Int16Array::from(vec![2, 4]),
        &StringArray::from(vec!["p", "q"]),
    );
    holds!(short.unwrap(); "p", "q");
}

#[tokio::test]
async fn a_column_without_a_stable_encoding_is_refused_by_name() {
    let ctx = session();
    let decimal = Decimal128Array::from(vec![150]).with_precision_and_scale(5, 2).unwrap();
    let list = Int64Array::from(vec![1]);
    let list = ListArray::from_iter_primitive::<Int64Type, _, _>([Some(list.iter())]);
    let floats = Arc::new(Float64Array::from(vec![1.0]));
    let floats = DictionaryArray::new(Int8Array::from(vec![0]), floats);
    for column in [
        array(Float64Array::from(vec![1.0])),
        array(Float32Array::from(vec![1.0])),
        array(decimal),
        array(IntervalYearMonthArray::from(vec![1])),
        array(Time64NanosecondArray::from(vec![1])),
        array(list),
        array(floats),
    ] {
        let what = column.data_type().to_string();
        ctx.deregister_table("t").unwrap();
        table(&ctx, "t", vec![column]);
        for sql in [
            "SELECT amq_agg(x, 10, 0.01) FROM t",
            "SELECT amq_contains(amq_agg(1, 10, 0.01), x) FROM t GROUP BY x",
            "SELECT amq_contains_file('f', x) FROM t",
        ] {
            let said = error(&ctx, sql).await;
            assert!(said.contains("has no unique encoding as a key"), "{what}: {said}");
            let (trap, way_out) = match what.as_str() {
                what if what.contains("Float") => ("-0.0 equals 0.0", "CAST(x + 0.0 AS VARCHAR)"),
                what if what.contains("Decimal") => ("1.5 and 1.50 are equal", "one scale"),
                _ => ("", "cast it to"),
            };
            assert!(said.contains(trap) && said.contains(way_out), "{what}: {said}");
        }
    }
}

/// What the refusals of floats and decimals advise: equal values are one key then.
#[tokio::test]
async fn equal_floats_and_decimals_are_one_key_as_the_refusal_advises() {
    let ctx = session();
    for name in ["t", "u"] {
        ctx.deregister_table(name).unwrap();
    }
    table(&ctx, "t", vec![array(Float64Array::from(vec![-0.0, f64::NAN, 1.5]))]);
    table(&ctx, "u", vec![array(Float64Array::from(vec![0.0, -f64::NAN, 1.5, 2.5]))]);
    let ask = |key: &str| {
        format!(
            "SELECT sum(CASE WHEN amq_contains((SELECT amq_agg({key}, 10, 1e-6) FROM t), {key}) \
             THEN 1 ELSE 0 END) FROM u"
        )
    };
    assert_eq!(numbers(&ctx, &ask("CAST(x AS VARCHAR)")).await, [2], "the trap");
    assert_eq!(numbers(&ctx, &ask("CAST(x + 0.0 AS VARCHAR)")).await, [3]);

    for (name, value, scale) in [("t", 150, 2), ("u", 15, 1)] {
        ctx.deregister_table(name).unwrap();
        let decimal = Decimal128Array::from(vec![value]).with_precision_and_scale(5, scale);
        table(&ctx, name, vec![array(decimal.unwrap())]);
    }
    assert_eq!(numbers(&ctx, &ask("CAST(x AS VARCHAR)")).await, [0], "the trap");
    assert_eq!(numbers(&ctx, &ask("CAST(CAST(x AS DECIMAL(20, 2)) AS VARCHAR)")).await, [1]);
}

#[tokio::test]
async fn zones_that_sql_compares_in_two_ways_are_refused() {
    let times = vec![Some(0), None, Some(9)];
    for (zone, way_out) in [("+02:00", true), ("Europe/Berlin", true), ("UTC", false)] {
        let ctx = session();
        let column = TimestampNanosecondArray::from(times.clone()).with_timezone(zone);
        table(&ctx, "t", vec![array(column)]);
        let cast = "arrow_cast(x, 'Timestamp(Nanosecond, Some(\"UTC\"))')";
        let made = bytes(&ctx, &format!("SELECT amq_agg({cast}, 10, 0.01) FROM t")).await;
        assert!(made.unwrap().len() > 64, "{zone}");
        for sql in [
            "SELECT amq_agg(x, 10, 0.01) FROM t".to_string(),
            format!("SELECT amq_contains((SELECT amq_agg({cast}, 10, 0.01) FROM t), x) FROM t"),
        ] {
            match way_out {
                true => assert!(error(&ctx, &sql).await.contains(cast), "{zone}"),
                false => assert!(ctx.sql(&sql).await.is_ok(), "{zone}"),
            }
        }
    }
}
