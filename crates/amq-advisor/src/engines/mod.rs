//! Engine lines: what to set in other people's engines for a number of keys and a rate.
//!
//! Many engines have filters of their own, each with its own knob: bits per key here, a rate there,
//! the length of a signature elsewhere. [`Engine::setting`] turns `n` keys and a rate into the line
//! to write, the rate and size that it really gives by the engine's own formula, and a caveat.
//! Where an engine cannot give the rate, the error says so.
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
//! Each setting names the page of the engine's documentation that it follows
//! ([`Setting::source`]). Where that gives no formula, the engine's published source does.

mod engine;
mod formula;
mod lsm;
mod redis;
mod table;

pub use engine::{Engine, NoSetting, Setting};

use amq::Goal;

impl Engine {
    /// What to set for `keys` keys in one filter (1 or more) at a rate of at most `fpr`; up
    /// to a few percent more where the engine itself rounds (see [`Setting::fpr`]).
    pub fn setting(self, keys: u64, fpr: f64) -> Result<Setting, NoSetting> {
        if keys == 0 {
            return Err(self.none("has no setting for 0 keys: name 1 or more".into()));
        }
        let goal = Goal::new(keys, amq::Budget::Fpr(fpr));
        goal.checked().map_err(|error| self.invalid(&error))?;
        match self {
            Self::RocksDb => lsm::rocksdb(self, keys, fpr),
            Self::RocksDbRibbon => lsm::rocksdb_ribbon(self, keys, fpr),
            Self::Cassandra => lsm::cassandra(self, keys, fpr),
            Self::HBase => lsm::hbase(self, keys, fpr),
            Self::PostgreSql { columns } => table::postgresql(self, columns, keys, fpr),
            Self::RedisBloom => redis::bloom(self, keys, fpr),
            Self::RedisCuckoo => redis::cuckoo(self, keys, fpr),
            Self::Parquet => table::parquet(self, keys, fpr),
            Self::ClickHouse => table::clickhouse(self, keys, fpr),
        }
    }
}
