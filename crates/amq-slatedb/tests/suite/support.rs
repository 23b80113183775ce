//! What several tests need.

use amq_slatedb::AmqFilterPolicy;
use bytes::Bytes;
use slatedb::config::{FlushOptions, FlushType};
use slatedb::{
    Db, Filter, FilterPolicy, FilterQuery, PrefixExtractor, PrefixTarget, RowEntry, ValueDeletable,
};
use std::sync::Arc;

pub(crate) type Policies = Vec<Arc<dyn FilterPolicy>>;

pub(crate) fn one(policy: AmqFilterPolicy) -> Policies {
    vec![Arc::new(policy)]
}

/// Every key is its prefix.
pub(crate) struct WholeKey;

impl PrefixExtractor for WholeKey {
    fn name(&self) -> &str {
        "whole-key"
    }

    fn prefix_len(&self, target: &PrefixTarget) -> Option<usize> {
        let (PrefixTarget::Point(bytes) | PrefixTarget::Prefix(bytes)) = target;
        Some(bytes.len())
    }
}

/// A key of 16 bytes.
pub(crate) fn key(number: u64) -> Bytes {
    Bytes::from(format!("key:{number:012}"))
}

pub(crate) fn row(key: Bytes) -> RowEntry {
    let value = ValueDeletable::Value(Bytes::from_static(b"value"));
    RowEntry { key, value, seq: 1, create_ts: None, expire_ts: None }
}

/// The filter of a table with these keys.
pub(crate) fn built(
    policy: &dyn FilterPolicy,
    keys: impl IntoIterator<Item = Bytes>,
) -> Arc<dyn Filter> {
    let mut builder = policy.builder();
    keys.into_iter().for_each(|key| builder.add_entry(&row(key)));
    builder.build()
}

pub(crate) fn block(filter: &dyn Filter) -> Vec<u8> {
    let mut block = Vec::new();
    filter.encode(&mut block);
    block
}

pub(crate) fn has(filter: &dyn Filter, key: Bytes) -> bool {
    filter.might_match(&FilterQuery::point(key))
}

/// How many of `asked` keys from `first` on are answered *maybe*.
pub(crate) fn maybes(filter: &dyn Filter, first: u64, asked: u64) -> u64 {
    (first..first + asked).filter(|&number| has(filter, key(number))).count() as u64
}

/// Writes what is in memory as a table of level 0.
pub(crate) async fn flush(db: &Db) -> Result<(), slatedb::Error> {
    db.flush_with_options(FlushOptions { flush_type: FlushType::MemTable }).await
}
