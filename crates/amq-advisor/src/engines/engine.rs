//! The engines, and the answer for each: a setting, or why there is none.

use crate::numbers::{Bytes, Number, Rate};
use alloc::string::String;
use amq::PlanError;
use core::fmt;

/// An engine, or one of the filters that an engine has.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum Engine {
    /// RocksDB with its Bloom filter policy.
    RocksDb,
    /// RocksDB with its ribbon filter policy.
    RocksDbRibbon,
    /// Apache Cassandra.
    Cassandra,
    /// Apache HBase.
    HBase,
    /// PostgreSQL's `bloom` index over this many columns, 1 to 32.
    PostgreSql {
        /// Columns in the index.
        columns: u32,
    },
    /// A Bloom filter in Redis.
    RedisBloom,
    /// A cuckoo filter in Redis.
    RedisCuckoo,
    /// Writers of Apache Parquet files.
    Parquet,
    /// ClickHouse's `bloom_filter` index.
    ClickHouse,
}

/// What to write into an engine's configuration, and its effect.
#[derive(Clone, PartialEq, Debug)]
#[non_exhaustive]
pub struct Setting {
    /// The engine.
    pub engine: Engine,
    /// The line or lines to write.
    pub line: String,
    /// The false-positive rate that this gives by the engine's own formula.
    pub fpr: f64,
    /// Bits per key that it then takes, by the same formula.
    pub bits_per_key: f64,
    /// Bytes of all these keys.
    pub bytes: u64,
    /// What the engine has if nothing is set.
    pub default: &'static str,
    /// What to know before one relies on it.
    pub caveat: String,
    /// The page of the engine's documentation.
    pub source: &'static str,
}

/// Why an engine has no setting for a rate.
#[derive(Clone, PartialEq)]
#[non_exhaustive]
pub struct NoSetting {
    /// The engine.
    pub engine: Engine,
    /// The rest of a sentence that begins with its name.
    pub reason: String,
}

const ROCKSDB: [&str; 2] = [
    "no filter, since filter_policy is null",
    "RocksDB wiki: RocksDB Bloom Filter; include/rocksdb/filter_policy.h",
];

impl Engine {
    /// All of them, PostgreSQL with one column.
    pub const ALL: [Self; 9] = [
        Self::RocksDb,
        Self::RocksDbRibbon,
        Self::Cassandra,
        Self::HBase,
        Self::PostgreSql { columns: 1 },
        Self::RedisBloom,
        Self::RedisCuckoo,
        Self::Parquet,
        Self::ClickHouse,
    ];

    /// Its name; what it has if nothing is set; the page of its documentation.
    const fn facts(self) -> [&'static str; 3] {
        match self {
            Self::RocksDb => ["RocksDB (Bloom)", ROCKSDB[0], ROCKSDB[1]],
            Self::RocksDbRibbon => ["RocksDB (ribbon)", ROCKSDB[0], ROCKSDB[1]],
            Self::Cassandra => [
                "Cassandra",
                "bloom_filter_fp_chance is 0.01, and 0.1 with LeveledCompactionStrategy",
                "Cassandra documentation: Bloom Filters",
            ],
            Self::HBase => [
                "HBase",
                "BLOOMFILTER is ROW, at a rate of 1 %",
                "HBase reference guide: Bloom Filters",
            ],
            Self::PostgreSql { .. } => [
                "PostgreSQL (bloom index)",
                "no such index; without WITH, signatures have 80 bits, two per column",
                "PostgreSQL documentation: bloom, bloom filter index access method",
            ],
            Self::RedisBloom => [
                "Redis (BF)",
                "BF.ADD makes a filter for 100 keys at 1 %, which grows",
                "Redis documentation: BF.RESERVE",
            ],
            Self::RedisCuckoo => [
                "Redis (CF)",
                "CF.ADD makes a filter of 1024 slots in buckets of two, which grows",
                "Redis documentation: CF.RESERVE",
            ],
            Self::Parquet => [
                "Parquet",
                "no filter; once enabled 1 % in parquet-java, 5 % in Rust",
                "parquet-java: parquet-hadoop README; crate parquet: BloomFilterProperties",
            ],
            Self::ClickHouse => [
                "ClickHouse",
                "no index; bloom_filter without an argument has a rate of 2.5 %",
                "ClickHouse documentation: MergeTree, data skipping indexes; examples",
            ],
        }
    }

    /// Its name.
    #[must_use]
    pub const fn name(self) -> &'static str {
        self.facts()[0]
    }

    /// What it has if nothing is set.
    #[must_use]
    pub const fn default_setting(self) -> &'static str {
        self.facts()[1]
    }

    /// A setting with its rate and bits per key.
    pub(super) fn set(
        self,
        keys: u64,
        fpr: f64,
        bits_per_key: f64,
        line: String,
        caveat: String,
    ) -> Setting {
        let [_, default, source] = self.facts();
        // A float-to-integer cast saturates, as it should here.
        let bytes = libm::ceil(keys as f64 * bits_per_key / 8.0) as u64;
        Setting { engine: self, line, fpr, bits_per_key, bytes, default, caveat, source }
    }

    pub(super) fn none(self, reason: String) -> NoSetting {
        NoSetting { engine: self, reason }
    }

    pub(super) fn invalid(self, error: &PlanError) -> NoSetting {
        self.none(alloc::format!("has no setting: {error}"))
    }

    /// For a rate below the lowest it can give.
    pub(super) fn unreachable(self, fpr: f64, lowest: f64) -> NoSetting {
        let (fpr, lowest) = (Rate(fpr), Rate(lowest));
        self.none(alloc::format!("cannot give {fpr}: its lowest rate is {lowest}"))
    }

    /// For more keys than it takes.
    pub(super) fn too_many(self, keys: u64, most: u64) -> NoSetting {
        let (keys, most) = (Number(keys), Number(most));
        self.none(alloc::format!("cannot hold {keys} keys in one filter: {most} at most"))
    }
}

impl fmt::Display for Engine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// The engine and its effect; the line, indented, to be copied; what to know.
impl fmt::Display for Setting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { engine, line, fpr, bits_per_key, bytes, default, caveat, .. } = self;
        let (fpr, bytes, line) = (Rate(*fpr), Bytes(*bytes), line.replace('\n', "\n    "));
        writeln!(f, "{engine}: {fpr} in {bits_per_key:.1} bits per key, {bytes}\n\n    {line}\n")?;
        writeln!(f, "{caveat} Default: {default}.")
    }
}

impl fmt::Display for NoSetting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.engine, self.reason)
    }
}

impl fmt::Debug for NoSetting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl core::error::Error for NoSetting {}
