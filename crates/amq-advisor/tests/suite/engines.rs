//! The lines for other people's engines, for several numbers of keys and rates.

use amq_advisor::engines::Engine;

#[test]
fn lines_for_several_keys_and_rates() {
    let table: &[(Engine, u64, f64, &str)] = &[
        (Engine::RocksDb, 1_000_000, 0.01, "NewBloomFilterPolicy(9.896)"),
        (Engine::RocksDb, 10, 0.1, "NewBloomFilterPolicy(4.832)"),
        (Engine::RocksDb, 1_000_000_000, 0.001, "NewBloomFilterPolicy(15.489)"),
        (Engine::RocksDbRibbon, 1_000_000, 0.01, "NewRibbonFilterPolicy(9.896)"),
        (Engine::RocksDbRibbon, 900_000_000, 0.001, "NewRibbonFilterPolicy(15.489)"),
        (Engine::Cassandra, 1_000, 0.1, "ALTER TABLE t WITH bloom_filter_fp_chance = 0.1;"),
        (Engine::Cassandra, 1_000, 0.0001, "ALTER TABLE t WITH bloom_filter_fp_chance = 0.0001;"),
        (
            Engine::HBase,
            1_000_000,
            0.005,
            "alter 't', {NAME => 'f', BLOOMFILTER => 'ROW', CONFIGURATION => \
             {'io.storefile.bloom.error.rate' => '0.005'}}",
        ),
        (
            Engine::PostgreSql { columns: 1 },
            1_000_000,
            0.01,
            "CREATE EXTENSION IF NOT EXISTS bloom;\nCREATE INDEX ON t USING bloom (c1) WITH (length=16, col1=8);",
        ),
        (
            Engine::PostgreSql { columns: 3 },
            1_000_000,
            0.01,
            "CREATE EXTENSION IF NOT EXISTS bloom;\nCREATE INDEX ON t USING bloom (c1, c2, c3) WITH \
             (length=32, col1=7, col2=7, col3=7);",
        ),
        (Engine::RedisBloom, 1_000_000, 0.01, "BF.RESERVE key 0.01 1000000 NONSCALING"),
        (Engine::RedisBloom, 1 << 30, 0.001, "BF.RESERVE key 0.001 1073741824 NONSCALING"),
        (Engine::RedisCuckoo, 1_000_000, 0.001, "CF.RESERVE key 8388608 BUCKETSIZE 1"),
        (Engine::RedisCuckoo, 1_000_000, 0.01, "CF.RESERVE key 2097152 BUCKETSIZE 2"),
        (Engine::RedisCuckoo, 1_000_000, 0.02, "CF.RESERVE key 1572864 BUCKETSIZE 3"),
        (Engine::RedisCuckoo, 990_000, 0.05, "CF.RESERVE key 1048576 BUCKETSIZE 4"),
        (
            Engine::Parquet,
            1_000_000,
            0.01,
            "parquet-java: parquet.bloom.filter.enabled#c = true, parquet.bloom.filter.fpp#c = 0.01, \
             parquet.bloom.filter.expected.ndv#c = 1000000; Rust: \
             set_column_bloom_filter_fpp(c, 0.01), set_column_bloom_filter_ndv(c, 1000000)",
        ),
        (
            // Their formula gives 2 MB, which errs at 0.103 %.
            Engine::Parquet,
            1_000_000,
            0.001,
            "parquet-java: parquet.bloom.filter.enabled#c = true, parquet.bloom.filter.fpp#c = \
             0.00038, parquet.bloom.filter.expected.ndv#c = 1000000; Rust: \
             set_column_bloom_filter_fpp(c, 0.00038), set_column_bloom_filter_ndv(c, 1000000)",
        ),
        (
            Engine::ClickHouse,
            1_000_000,
            0.01,
            "INDEX c_bloom c TYPE bloom_filter(0.01) GRANULARITY 1",
        ),
        (
            Engine::ClickHouse,
            1_000,
            0.025,
            "INDEX c_bloom c TYPE bloom_filter(0.025) GRANULARITY 1",
        ),
    ];
    for &(engine, keys, fpr, line) in table {
        let setting = engine.setting(keys, fpr).unwrap();
        assert_eq!(setting.line, line, "{engine}");
        assert_eq!(setting.engine, engine);
        assert!(!setting.caveat.is_empty() && !setting.source.is_empty());
        assert_eq!(setting.default, engine.default_setting());
    }
}

#[test]
fn what_a_line_gives_by_the_engines_own_formula() {
    // Rate and bits per key, as published or from the published formula.
    let table: &[(Engine, u64, f64, f64, f64)] = &[
        (Engine::RocksDb, 1_000_000, 0.01, 0.01, 9.896),
        (Engine::RocksDbRibbon, 1_000_000, 0.01, 0.01, 6.927),
        (Engine::Cassandra, 1_000_000, 0.01, 0.009_43, 10.0),
        (Engine::Cassandra, 1_000_000, 0.1, 0.091_9, 5.0),
        (Engine::HBase, 1_000_000, 0.01, 0.01, 9.593),
        (Engine::PostgreSql { columns: 1 }, 1_000_000, 0.01, 0.001_128, 64.0),
        (Engine::RedisBloom, 1_000_000, 0.01, 0.010_04, 9.585),
        // 1 - (254 / 255)^(2 * 2 * 1e6 / 2^21).
        (Engine::RedisCuckoo, 1_000_000, 0.01, 0.007_466, 16.777),
        (Engine::Parquet, 1_000_000, 0.01, 0.001_035, 16.777),
        (Engine::ClickHouse, 1_000_000, 0.01, 0.009_43, 10.0),
    ];
    for &(engine, keys, asked, fpr, bits) in table {
        let setting = engine.setting(keys, asked).unwrap();
        assert!((setting.fpr / fpr - 1.0).abs() < 0.003, "{engine}: {}", setting.fpr);
        assert!(
            (setting.bits_per_key / bits - 1.0).abs() < 0.001,
            "{engine}: {}",
            setting.bits_per_key
        );
    }
}

/// A Parquet filter is our split block: theory says what its size gives, and a filter errs so.
#[test]
fn the_rate_of_a_parquet_line_is_that_of_the_same_table_here() {
    use amq::{BlockedBloomFilter, Goal};
    for (keys, fpr) in [(1000u64, 0.01), (100_000, 0.001), (100_000, 0.05)] {
        let setting = Engine::Parquet.setting(keys, fpr).unwrap();
        let bytes = (setting.bits_per_key * keys as f64 / 8.0).round() as u64;
        assert!(bytes.is_power_of_two(), "{bytes}");
        let plan = BlockedBloomFilter::plan(Goal::bytes(keys, bytes)).unwrap();
        assert_eq!(plan.bytes, bytes);
        assert!((plan.expected_fpr / setting.fpr - 1.0).abs() < 0.01, "{keys} {fpr}");
        assert!(setting.fpr <= fpr);
        let mut filter = BlockedBloomFilter::new(plan).unwrap();
        filter.extend(0..keys);
        let asked = 1_000_000u64;
        let positives = (1 << 40..(1 << 40) + asked).filter(|key| filter.contains(key)).count();
        let expected = asked as f64 * setting.fpr;
        let off = (positives as f64 - expected).abs();
        assert!(off < 5.0 * expected.sqrt() + 0.02 * expected, "{positives} {expected}");
    }
}

#[test]
fn the_rate_is_at_most_the_one_asked_up_to_rounding() {
    for engine in Engine::ALL {
        let (mut last, mut served) = (f64::INFINITY, 0);
        for half in 2..=60 {
            let fpr = (-f64::from(half) / 2.0).exp2();
            let Ok(setting) = engine.setting(1_000_000, fpr) else {
                continue;
            };
            served += 1;
            // Whole probes cost Redis up to a tenth; tables of three digits round by half a digit.
            let rounding = match engine {
                Engine::RedisBloom => 1.1,
                Engine::Cassandra | Engine::ClickHouse => 1.005,
                _ => 1.0 + 1e-9,
            };
            assert!(setting.fpr <= fpr * rounding, "{engine} at {fpr}: {}", setting.fpr);
            assert!(setting.bits_per_key >= -fpr.log2() * 0.9, "{engine} at {fpr}");
            assert!(setting.fpr <= last * (1.0 + 1e-9), "{engine} at {fpr}");
            last = setting.fpr;
        }
        assert!(served >= 6, "{engine}: {served}");
    }
}

#[test]
fn what_an_engine_cannot_give_is_said() {
    let table: &[(Engine, u64, f64, &str)] = &[
        (Engine::RedisCuckoo, 1000, 1e-9, "Redis (CF) cannot hold 1,000 keys at 1.00e-9 in one"),
        (
            Engine::Cassandra,
            1000,
            1e-5,
            "Cassandra cannot give 0.001 %: its lowest rate is 0.00671 %",
        ),
        (Engine::Cassandra, 1000, 0.5, "which disables it"),
        (
            Engine::ClickHouse,
            1000,
            1e-4,
            "ClickHouse cannot give 0.01 %: its lowest rate is 0.0109 %",
        ),
        (Engine::ClickHouse, 1000, 0.3, "the same two bits per row"),
        (Engine::RedisBloom, 1 << 31, 0.01, "1,073,741,824 at most"),
        (Engine::RedisCuckoo, 1 << 30, 0.01, "686,606,137 at most"),
        (Engine::RocksDbRibbon, 1 << 30, 0.01, "950,000,000 at most"),
        (Engine::Parquet, 1_000_000_000, 0.01, "128 MiB at most"),
        (Engine::PostgreSql { columns: 33 }, 1000, 0.01, "1 to 32 columns, not 33"),
        (Engine::PostgreSql { columns: 0 }, 1000, 0.01, "1 to 32 columns, not 0"),
        (Engine::RocksDb, 1000, 0.0, "strictly between 0 and 1"),
        (Engine::HBase, 1000, f64::NAN, "strictly between 0 and 1"),
        (Engine::HBase, 1000, 1e-300, "floor"),
    ];
    for &(engine, keys, fpr, said) in table {
        let error = engine.setting(keys, fpr).unwrap_err();
        assert!(error.to_string().contains(said), "{error}");
        assert!(error.to_string().starts_with(engine.name()), "{error}");
    }
}

#[test]
fn a_filter_of_no_keys_has_no_setting() {
    for engine in Engine::ALL {
        let error = engine.setting(0, 0.01).unwrap_err().to_string();
        assert!(error.contains("0 keys: name 1 or more"), "{error}");
    }
}

/// RocksDB clips a Bloom filter at `0xffffffc0` bytes, and says nothing.
#[test]
fn a_bloom_filter_that_rocksdb_would_clip_is_refused() {
    let kept = Engine::RocksDb.setting(3_470_000_000, 0.01).unwrap();
    assert!(kept.bits_per_key * 3.47e9 / 8.0 <= f64::from(0xffff_ffc0_u32));
    let error = Engine::RocksDb.setting(4_000_000_000, 0.01).unwrap_err().to_string();
    // 8.59 bits a key: from the formula of a whole table at six probes, and lines of 512 bits.
    for said in ["4,000,000,000 keys", "4.29 GB", "gives 1.77 %", "partition_filters = true"] {
        assert!(error.contains(said), "{said}: {error}");
    }
    assert!(Engine::RocksDb.setting(3_480_000_000, 0.01).is_err());
}

/// Every name in braces is filled in, and every engine has all of its texts.
#[test]
fn no_text_names_a_number_without_it() {
    let wide = Engine::PostgreSql { columns: 3 };
    for engine in Engine::ALL.into_iter().chain([wide]) {
        let setting = engine.setting(1_000_000, 0.01).unwrap();
        for text in [engine.name(), setting.default, setting.source, &setting.line, &setting.caveat]
        {
            let opened = text.split('{').skip(1);
            let names = opened.filter_map(|rest| rest.split_once('}')).map(|(name, _)| name);
            let is_name = |name: &&str| name.chars().all(|it| it.is_ascii_lowercase() || it == '_');
            assert_eq!(names.filter(is_name).count(), 0, "{text}");
            assert!(!text.is_empty() && text.trim() == text, "{engine}: {text:?}");
        }
    }
}

#[test]
fn no_keys_and_no_rate_make_it_panic() {
    let engines = Engine::ALL.into_iter().chain([Engine::PostgreSql { columns: 32 }]);
    for engine in engines {
        for keys in [0, 1, 2, 1 << 20, 1 << 40, 1 << 62, u64::MAX] {
            for fpr in [0.999_999, 0.9, 0.6, 0.4, 0.3, 1e-3, 1e-9, 1e-15, 1e-18] {
                let text = match engine.setting(keys, fpr) {
                    Ok(setting) => setting.to_string(),
                    Err(error) => error.to_string(),
                };
                assert!(!text.contains("NaN") && !text.contains("inf"), "{text}");
            }
        }
    }
}
