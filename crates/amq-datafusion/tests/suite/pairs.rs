//! Every type asked of a filter of every type: answered as SQL compares them, or refused by name.

use crate::engine::{
    array, bytes, error, hex, numbers, planning_error, rows, session, session_with, table,
};
use datafusion::arrow::array::{
    Array, ArrayRef, AsArray, Int64Array, RecordBatch, RunArray, new_null_array,
};
use datafusion::arrow::compute::cast;
use datafusion::arrow::datatypes::{DataType as T, Int32Type, Int64Type, IntervalUnit, TimeUnit};
use datafusion::prelude::{SessionConfig, SessionContext};
use std::sync::Arc;

/// What a filter says of its keys, and what its error is to tell of them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Class {
    Integers,
    Bytes,
    Dates,
    Instants,
    Null,
    /// No key.
    None,
}

impl Class {
    const fn words(self) -> &'static str {
        match self {
            Self::Integers => "keys are integers",
            Self::Bytes => "keys are strings or binaries",
            Self::Dates => "keys are dates",
            Self::Instants => "keys are timestamps",
            Self::Null | Self::None => "has no unique encoding",
        }
    }
}

/// The days 0, 1, 2 and a null as every type: numbers, their digits, dates, and their midnights.
fn columns() -> Vec<(Class, ArrayRef)> {
    let longs = array(Int64Array::from(vec![Some(0), Some(1), None, Some(2)]));
    let to = |from: &ArrayRef, of: T| cast(from, &of).unwrap();
    let of_days = |of: T| {
        let days = to(&to(&longs, T::Int32), T::Date32);
        to(&days, of)
    };
    let nanoseconds = |zone: Option<&str>| T::Timestamp(TimeUnit::Nanosecond, zone.map(Into::into));
    let dictionary = |keys: T, values: &ArrayRef| {
        to(values, T::Dictionary(Box::new(keys), Box::new(values.data_type().clone())))
    };
    let mut columns = Vec::new();
    let mut add = |class, column: ArrayRef| columns.push((class, column));
    for of in [T::Int8, T::Int16, T::Int32, T::Int64, T::UInt8, T::UInt16, T::UInt32, T::UInt64] {
        add(Class::Integers, to(&longs, of));
    }
    for of in [T::Utf8, T::LargeUtf8, T::Utf8View] {
        add(Class::Bytes, to(&longs, of));
    }
    let text = to(&longs, T::Utf8);
    for of in [T::Binary, T::LargeBinary, T::BinaryView] {
        add(Class::Bytes, to(&text, of));
    }
    add(Class::Bytes, to(&to(&text, T::Binary), T::FixedSizeBinary(1)));
    add(Class::Dates, of_days(T::Date32));
    add(Class::Dates, of_days(T::Date64));
    for unit in
        [TimeUnit::Second, TimeUnit::Millisecond, TimeUnit::Microsecond, TimeUnit::Nanosecond]
    {
        add(Class::Instants, of_days(T::Timestamp(unit, None)));
        add(Class::Instants, of_days(T::Timestamp(unit, Some("UTC".into()))));
    }
    add(Class::Integers, dictionary(T::Int8, &longs));
    add(Class::Bytes, dictionary(T::UInt16, &text));
    add(Class::Dates, dictionary(T::Int32, &of_days(T::Date32)));
    add(Class::Instants, dictionary(T::Int64, &of_days(nanoseconds(None))));
    let ends = cast(&Int64Array::from(vec![1, 2, 3, 4]), &T::Int32).unwrap();
    let runs = RunArray::<Int32Type>::try_new(ends.as_primitive(), &of_days(T::Date32)).unwrap();
    add(Class::Dates, array(runs));
    add(Class::Null, new_null_array(&T::Null, longs.len()));
    for of in [T::Float32, T::Float64, T::Decimal128(10, 2), T::Duration(TimeUnit::Second)] {
        add(Class::None, to(&longs, of));
    }
    add(Class::None, to(&to(&longs, T::Int32), T::Time32(TimeUnit::Second)));
    add(Class::None, to(&longs, T::Time64(TimeUnit::Nanosecond)));
    add(Class::None, to(&to(&longs, T::Int32), T::Interval(IntervalUnit::YearMonth)));
    columns
}

/// The numbers of the rows of `asked` that equal one of `made`, as SQL compares them; none if it
/// does not.
async fn equal(ctx: &SessionContext, made: &str, asked: &str) -> Vec<i64> {
    let sql = format!("SELECT n FROM {asked} WHERE x IN (SELECT x FROM {made})");
    let Ok(batches) = rows(ctx, &sql).await else { return Vec::new() };
    let numbers =
        batches.iter().flat_map(|batch| batch.column(0).as_primitive::<Int64Type>().values());
    let mut numbers: Vec<i64> = numbers.copied().collect();
    numbers.sort_unstable();
    numbers
}

#[tokio::test]
async fn every_type_asked_of_every_other_is_answered_or_refused() {
    const AGG: &str = "amq_agg(x, 10, 0.0000001, 'quotient')";
    let ctx = session_with(SessionConfig::new().with_target_partitions(1));
    let columns = columns();
    let tables: Vec<String> = (0..columns.len()).map(|index| format!("t{index}")).collect();
    for ((_, column), name) in columns.iter().zip(&tables) {
        let numbers = array(Int64Array::from(vec![1, 2, 3, 4]));
        let batch = RecordBatch::try_from_iter_with_nullable([
            ("x", Arc::clone(column), true),
            ("n", numbers, false),
        ]);
        ctx.register_batch(name, batch.unwrap()).unwrap();
    }
    let (mut answered, mut refused, mut denied) = (0, 0, 0);
    for ((made, filter), made_of) in columns.iter().zip(&tables) {
        if *made == Class::None {
            let said = planning_error(&ctx, &format!("SELECT {AGG} FROM {made_of}")).await;
            assert!(
                said.contains(made.words()) && said.to_lowercase().contains("cast it"),
                "{said}"
            );
            continue;
        }
        let whole = bytes(&ctx, &format!("SELECT {AGG} FROM {made_of}")).await.unwrap();
        let merged =
            format!("SELECT amq_merge_agg(f) FROM (SELECT {AGG} AS f FROM {made_of} GROUP BY x)");
        let merged = bytes(&ctx, &merged).await.unwrap();
        let [whole, merged] = [whole, merged].map(|filter| hex(&filter));
        for (index, ((asked, column), asked_of)) in columns.iter().zip(&tables).enumerate() {
            let what = format!("{} asked of {}", column.data_type(), filter.data_type());
            let filter = if index % 2 == 0 { &whole } else { &merged };
            let sql = format!("SELECT n FROM {asked_of} WHERE amq_contains(X'{filter}', x)");
            if *asked == Class::None {
                let said = planning_error(&ctx, &sql).await;
                assert!(
                    said.contains(asked.words()) && said.to_lowercase().contains("cast it"),
                    "{said}"
                );
            } else if [made, asked].contains(&&Class::Null) {
                assert!(numbers(&ctx, &sql).await.is_empty(), "{what}");
            } else if made == asked {
                // Nothing else is in, and the null is no answer.
                assert_eq!(numbers(&ctx, &sql).await, [1, 2, 4], "{what}");
                answered += 1;
            } else {
                let said = error(&ctx, &sql).await;
                let of = format!("a column of {}", column.data_type());
                assert!(said.contains(made.words()) && said.contains(&of), "{what}: {said}");
                assert!(said.contains("cast the column to"), "{what}: {said}");
                // SQL finds equal rows that the filter would deny, as of dates and timestamps.
                denied += usize::from(!equal(&ctx, made_of, asked_of).await.is_empty());
                refused += 1;
            }
        }
    }
    assert!(answered > 180 && refused > 500, "{answered} answered, {refused} refused");
    assert!(denied > 100, "{denied} of {refused}");
}

fn put(ctx: &SessionContext, name: &str, column: &ArrayRef) {
    drop(ctx.deregister_table(name));
    table(ctx, name, vec![Arc::clone(column)]);
}

#[tokio::test]
async fn what_an_error_tells_to_cast_to_is_then_answered() {
    let ctx = session();
    let all = columns();
    let of = |of: &T| &all.iter().find(|(_, column)| column.data_type() == of).unwrap().1;
    let instant = T::Timestamp(TimeUnit::Nanosecond, None);
    for (made, asked, cast) in [
        (&T::Int64, &T::Utf8, "CAST(x AS BIGINT)"),
        (&T::Utf8, &T::Int64, "CAST(x AS VARCHAR)"),
        (&T::Date32, &instant, "CAST(x AS DATE)"),
        (&instant, &T::Date32, "CAST(x AS TIMESTAMP)"),
        (&instant, &T::Date64, "CAST(x AS TIMESTAMP)"),
    ] {
        put(&ctx, "made", of(made));
        put(&ctx, "rows", of(asked));
        let filter = "(SELECT amq_agg(x, 10, 0.001) FROM made)";
        let said = error(&ctx, &format!("SELECT amq_contains({filter}, x) FROM rows")).await;
        assert!(said.contains(cast), "{said}");
        let sql = format!("SELECT count(*) FROM rows WHERE amq_contains({filter}, {cast})");
        assert_eq!(numbers(&ctx, &sql).await, [3], "{made} {asked}");
    }
    // Seconds since 1970.
    put(&ctx, "made", of(&instant));
    let filter = "(SELECT amq_agg(x, 10, 0.001) FROM made)";
    let sql = format!(
        "SELECT count(*) FROM (VALUES (86400), (172800), (-1)) AS rows(x) \
         WHERE amq_contains({filter}, to_timestamp_seconds(x))"
    );
    assert_eq!(numbers(&ctx, &sql).await, [2]);
}

#[tokio::test]
async fn any_number_of_rows_is_answered_and_nulls_are_null() {
    let ctx = session();
    for rows in [0, 1, 7, 8, 100, 1024, 1025, 20_000] {
        let numbers = (0..rows).map(|row| (row % 3 != 1).then_some(i64::from(row)));
        let longs = array(Int64Array::from_iter(numbers));
        let nulls = longs.null_count() as i64;
        for (_, like) in columns().iter().filter(|(class, _)| *class != Class::None) {
            let of = like.data_type();
            // Types that do not hold so many numbers, or none.
            let Ok(column) = cast(&longs, of).or_else(|_| cast(&cast(&longs, &T::Int32)?, of))
            else {
                continue;
            };
            if column.null_count() as i64 != nulls {
                continue;
            }
            put(&ctx, "t", &column);
            let ask = "amq_contains((SELECT amq_agg(x, 20000, 0.01) FROM t), x)";
            let sql = format!(
                "SELECT count(*) FROM t WHERE {ask} UNION ALL \
                 SELECT count(*) FROM t WHERE {ask} IS NULL"
            );
            let mut want = [i64::from(rows) - nulls, nulls];
            want.sort_unstable();
            assert_eq!(crate::engine::numbers(&ctx, &sql).await, want, "{rows} rows of {of}");
        }
    }
}
