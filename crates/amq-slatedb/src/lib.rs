//! Ribbon filters for [SlateDB](https://slatedb.io): three quarters of the built-in filter's bytes
//! at its false-positive rate, or an eighth of its false positives in the same bytes.
//!
//! [`AmqFilterPolicy`] is a SlateDB [`FilterPolicy`](slatedb::FilterPolicy). Set it on every
//! builder that opens the database: `DbBuilder`, `DbReaderBuilder`, `CompactorBuilder` and
//! `CompactionWorkerBuilder`.
//!
//! ```
//! use amq_slatedb::AmqFilterPolicy;
//! use slatedb::object_store::memory::InMemory;
//! use slatedb::{Db, FilterPolicy};
//! use std::sync::Arc;
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let policy: Arc<dyn FilterPolicy> = Arc::new(AmqFilterPolicy::fpr(0.01)?);
//! let store = Arc::new(InMemory::new());
//! let db = Db::builder("path", store).with_filter_policies(vec![policy]).build().await?;
//! db.put("key", "value").await?;
//! assert!(db.get("another key").await?.is_none());
//! db.close().await?;
//! # Ok(())
//! # }
//! ```
//!
//! # What a table gets
//!
//! | table | filter |
//! | --- | --- |
//! | most | a ribbon filter ([`amq_ribbon`]) |
//! | fewer than a few hundred keys | a split-block Bloom filter ([`amq_bloom`]), where it is smaller |
//! | no key to filter by | none: every query is answered *maybe* |
//!
//! A filter has the table's distinct keys and prefixes, those of deleted keys included: a tombstone
//! must be found, since it hides older values. Point queries ask for the key. Prefix queries ask
//! for the prefix that an extractor gives; without one, and for ranges, the answer is *maybe*.
//!
//! # Blocks that cannot be read
//!
//! A filter is stored as a file of this library, with its own checksums. If a block under this
//! policy's name holds anything else, its table is always searched: the answer is *maybe*,
//! [`AmqFilterPolicy::unreadable`] counts it, and the first one is logged as a warning of
//! [`tracing`].
#![forbid(unsafe_code)]
#![warn(missing_docs)]

mod builder;
mod error;
mod filter;
mod keys;
mod policy;

pub use amq_core::PlanError;
pub use error::PolicyError;
pub use policy::AmqFilterPolicy;

/// The README's examples are tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
