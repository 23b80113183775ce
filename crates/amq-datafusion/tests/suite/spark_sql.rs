//! `bloom_filter_agg` and `might_contain`.

use crate::engine::{
    answers, array, bytes, error, hex, numbers, planning_error, session, table, value,
};
use amq_datafusion::spark::{BloomFilterAgg, SparkBloomFilter, SparkVersion};
use datafusion::arrow::array::{Int32Array, Int64Array, StringArray, UInt64Array};

#[tokio::test]
async fn the_aggregate_writes_bytes_that_might_contain_reads() {
    let ctx = session();
    let longs = |range: std::ops::Range<i64>| array(Int64Array::from_iter_values(range));
    table(&ctx, "t", vec![longs(0..500), longs(400..1000)]);
    let made = bytes(&ctx, "SELECT bloom_filter_agg(x, 1000, 9600) FROM t").await.unwrap();
    let mut want = SparkBloomFilter::new(SparkVersion::V2, 1000, 9600).unwrap();
    for key in 0..1000 {
        want.insert_long(key);
    }
    assert_eq!(made, want.to_bytes());
    let sql = "SELECT x FROM t WHERE might_contain((SELECT bloom_filter_agg(x, 100) FROM t WHERE x < 50), x)";
    let found = numbers(&ctx, sql).await;
    assert!((0..50).all(|key| found.contains(&key)) && found.len() < 100, "{}", found.len());
    let sql = format!("SELECT might_contain(X'{}', x) FROM t WHERE x < 500", hex(&made));
    assert_eq!(answers(&ctx, &sql).await, [Some(true); 600]);
}

#[tokio::test]
async fn defaults_and_limits_are_sparks() {
    let ctx = session();
    table(&ctx, "t", vec![array(Int64Array::from(vec![Some(1), None]))]);
    for (args, items, bits) in [
        ("x", 1_000_000, 8_388_608),
        ("x, 1000", 1000, 8000),
        ("x, 1000, 6400", 1000, 6400),
        ("x, 100000000000, 100000000000", 4_000_000, 67_108_864),
    ] {
        let made = bytes(&ctx, &format!("SELECT bloom_filter_agg({args}) FROM t")).await.unwrap();
        let mut want = SparkBloomFilter::new(SparkVersion::V2, items, bits).unwrap();
        want.insert_long(1);
        assert!(made == want.to_bytes(), "{args}");
    }
    let none = value(&ctx, "SELECT bloom_filter_agg(x) FROM t WHERE x IS NULL").await.unwrap();
    assert!(none.is_null());
    let sql = "SELECT might_contain((SELECT bloom_filter_agg(x) FROM t WHERE x IS NULL), x) FROM t";
    assert_eq!(answers(&ctx, sql).await, [None, None]);
    let sql = "SELECT might_contain((SELECT bloom_filter_agg(x) FROM t), x) FROM t";
    assert_eq!(answers(&ctx, sql).await, [Some(true), None]);
    for args in ["x, 0", "x, -1", "x, 10, 0", "x, x", "x, 10.5", "x, 'a'", "1.5, 10"] {
        let said = error(&ctx, &format!("SELECT bloom_filter_agg({args}) FROM t")).await;
        assert!(said.contains("bloom_filter_agg: "), "{args}: {said}");
    }
}

#[tokio::test]
async fn integers_of_every_width_are_longs_and_strings_their_bytes() {
    let ctx = session();
    table(&ctx, "narrow", vec![array(Int32Array::from(vec![-7]))]);
    table(&ctx, "wide", vec![array(Int64Array::from(vec![-7]))]);
    table(&ctx, "text", vec![array(StringArray::from(vec!["h\u{e9}llo"]))]);
    table(&ctx, "unsigned", vec![array(UInt64Array::from(vec![7]))]);
    let of =
        async |table| bytes(&ctx, &format!("SELECT bloom_filter_agg(x, 9) FROM {table}")).await;
    assert_eq!(of("narrow").await.unwrap(), of("wide").await.unwrap());
    let mut want = SparkBloomFilter::new(SparkVersion::V2, 9, 72).unwrap();
    want.insert_bytes("h\u{e9}llo".as_bytes());
    assert_eq!(of("text").await.unwrap(), want.to_bytes());
    assert!(of("unsigned").await.unwrap_err().to_string().contains("not UInt64"));
}

#[tokio::test]
async fn a_host_of_older_sparks_writes_v1() {
    let ctx = session();
    ctx.register_udaf(BloomFilterAgg::of_version(SparkVersion::V1).into());
    let made = bytes(&ctx, "SELECT bloom_filter_agg(1, 16, 320)").await.unwrap();
    assert_eq!(made[..8], [0, 0, 0, 1, 0, 0, 0, 14]);
}

#[tokio::test]
async fn what_is_no_filter_of_sparks_is_refused_while_planning() {
    let ctx = session();
    for (filter, text) in [
        ("X''", "0 bytes are less than its header"),
        ("X'000000010000000e00000005'", "states 5 words of 8 bytes, and 0 bytes follow"),
        (
            "X'00000009000000010000000100000000'",
            "1 or 2, as a big-endian integer of 32 bits, not 9",
        ),
        ("X'89414d510d0a1a0a00000001'", "For a filter of amq use amq_contains"),
    ] {
        let said = planning_error(&ctx, &format!("SELECT might_contain({filter}, 1)")).await;
        assert!(said.contains(text), "{filter}: {said}");
    }
}
