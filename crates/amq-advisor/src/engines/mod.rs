//! Settings of other engines for a number of keys and a rate.
//!
//! Many engines have filters of their own, each with its own knob: bits per key, a rate, or the
//! length of a signature. [`Engine::setting`] returns, for `n` keys and a rate, the line to write,
//! the actual rate and size by the engine's own formula, and a caveat; or an error if the engine
//! cannot give that rate.
//!
//! ```
//! use amq_advisor::engines::Engine;
//!
//! # fn main() -> Result<(), amq_advisor::engines::NoSetting> {
//! let setting = Engine::RocksDb.setting(1_000_000, 0.01)?;
//! assert_eq!(setting.line, "NewBloomFilterPolicy(9.896)");
//!
//! for engine in Engine::ALL {
//!     match engine.setting(1_000_000, 0.001) {
//!         Ok(setting) => println!("{setting}"),
//!         Err(error) => println!("{error}"),
//!     }
//! }
//! # Ok(())
//! # }
//! ```
//!
//! Each setting names the page of the engine's documentation that it follows ([`Setting::source`]).
//! If the page has no formula, it is from the engine's source code.

mod columns;
mod formula;
mod redis;
mod sorted_files;

use crate::numbers::{Bytes, Number, Rate};
use amq::{Budget, Goal};
use core::fmt;

/// An engine, or one of its filters.
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

/// A setting of an engine, and its effect.
#[derive(Clone, PartialEq, Debug)]
#[non_exhaustive]
pub struct Setting {
    /// The engine.
    pub engine: Engine,
    /// The line or lines to write.
    pub line: String,
    /// The resulting false-positive rate, by the engine's own formula.
    pub fpr: f64,
    /// The resulting bits per key, by the same formula.
    pub bits_per_key: f64,
    /// Bytes for all keys.
    pub bytes: u64,
    /// The engine's default.
    pub default: &'static str,
    /// A caveat.
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

impl Engine {
    /// All engines; PostgreSQL with one column.
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

    /// Its block of the table: the name, the default, the documentation page, the line and the
    /// caveat, with placeholders in braces.
    fn texts(self) -> [&'static str; 5] {
        let of = core::mem::discriminant::<Self>;
        let place = Self::ALL.iter().position(|engine| of(engine) == of(&self)).unwrap_or(0);
        // Skip the note at the top.
        let block = include_str!("engines.txt").split("\n\n").nth(1 + place).unwrap_or_default();
        let mut texts = block.trim_end().split("\n- ");
        core::array::from_fn(|_| texts.next().unwrap_or_default())
    }

    /// Its name.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.texts()[0]
    }

    /// Its default.
    #[must_use]
    pub fn default_setting(self) -> &'static str {
        self.texts()[1]
    }

    /// The setting for `keys` keys (1 or more) in one filter at a rate of at most `fpr`. The actual
    /// rate may be a few percent higher if the engine rounds (see [`Setting::fpr`]).
    pub fn setting(self, keys: u64, fpr: f64) -> Result<Setting, NoSetting> {
        let none = |reason| NoSetting { engine: self, reason };
        if keys == 0 {
            return Err(none("has no setting for 0 keys: name 1 or more".into()));
        }
        let goal = Goal::new(keys, Budget::Fpr(fpr));
        goal.checked().map_err(|error| none(format!("has no setting: {error}")))?;
        let found = match self {
            Self::RocksDb => sorted_files::rocksdb(keys, fpr),
            Self::RocksDbRibbon => sorted_files::rocksdb_ribbon(keys, fpr),
            Self::Cassandra => sorted_files::cassandra(fpr),
            Self::HBase => sorted_files::hbase(fpr),
            Self::PostgreSql { columns } => columns::postgresql(columns, keys, fpr),
            Self::RedisBloom => redis::bloom(keys, fpr),
            Self::RedisCuckoo => redis::cuckoo(keys, fpr),
            Self::Parquet => columns::parquet(keys, fpr),
            Self::ClickHouse => columns::clickhouse(keys, fpr),
        };
        let found = found.map_err(none)?;
        let [_, default, source, line, caveat] = self.texts();
        // The cast saturates, as intended.
        let bytes = libm::ceil(keys as f64 * found.bits_per_key / 8.0) as u64;
        let known = [("{keys}", keys.to_string()), ("{fpr}", fpr.to_string())];
        let bits = [("{bits}", found.bits_per_key.to_string())];
        let numbers: Vec<_> = known.into_iter().chain(bits).chain(found.numbers).collect();
        let [line, caveat] = [line, caveat].map(|text| {
            let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
            numbers.iter().fold(text, |text, (name, number)| text.replace(name, number))
        });
        Ok(Setting {
            engine: self,
            line: line.replace("\\n", "\n"),
            fpr: found.fpr,
            bits_per_key: found.bits_per_key,
            bytes,
            default,
            caveat,
            source,
        })
    }
}

/// The rate and the bits per key of a setting, by an engine's own formulas.
struct Found {
    fpr: f64,
    bits_per_key: f64,
    /// Values of further placeholders, besides the keys, the requested rate and the bits per key.
    numbers: Vec<(&'static str, String)>,
}

/// A setting, or the reason for none: the rest of a sentence that begins with the engine's name.
type Answer = Result<Found, String>;

/// The reason for a rate below the engine's lowest.
fn unreachable(fpr: f64, lowest: f64) -> String {
    format!("cannot give {}: its lowest rate is {}", Rate(fpr), Rate(lowest))
}

/// The reason for more keys than the engine allows.
fn too_many(keys: u64, most: u64) -> String {
    format!("cannot hold {} keys in one filter: {} at most", Number(keys), Number(most))
}

impl fmt::Display for Engine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// The engine and the effect; the line, indented, to copy; the caveat and the default.
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
