//! Spark's Bloom filter: its bytes, and the SQL functions `bloom_filter_agg` and `might_contain`
//! with Spark's names, defaults and limits.

mod agg;
mod contains;
mod error;
mod filter;
mod hash;
mod keys;

pub use agg::BloomFilterAgg;
pub use contains::MightContain;
pub use error::SparkError;
pub use filter::{SparkBloomFilter, SparkVersion};
