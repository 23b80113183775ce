//! Collects a table's hashes while it is written, then builds its filter.

use crate::filter::{Contents, TableFilter};
use crate::keys::{KeyRules, Prefix};
use amq_core::{Budget, DEFAULT_SEED, Key, KeyHash};
use slatedb::{Filter, FilterBuilder, RowEntry};
use std::sync::Arc;

/// Hashes of the rows so far. A table's rows arrive sorted by key, newest first.
pub(crate) struct Builder {
    budget: Budget,
    cached: Option<f64>,
    rules: KeyRules,
    /// Without copies of the last key and the last prefix; `None` once the table can have no
    /// filter.
    hashes: Option<Vec<KeyHash>>,
    last_key: Option<KeyHash>,
    last_prefix: Option<KeyHash>,
}

impl Builder {
    pub(crate) fn new(budget: Budget, cached: Option<f64>, rules: KeyRules) -> Self {
        Self { budget, cached, rules, hashes: Some(Vec::new()), last_key: None, last_prefix: None }
    }

    /// Without memory for another hash there will be no filter.
    fn push(&mut self, hash: KeyHash) {
        let Some(hashes) = &mut self.hashes else { return };
        if hashes.len() == hashes.capacity() {
            // Doubling would leave up to half of the memory unused.
            let more = (hashes.len() / 4).max(1024);
            if hashes.try_reserve_exact(more).is_err() {
                self.hashes = None;
                return;
            }
        }
        hashes.push(hash);
    }
}

impl FilterBuilder for Builder {
    fn add_entry(&mut self, entry: &RowEntry) {
        match self.rules.prefix(&entry.key) {
            Prefix::None => {}
            Prefix::TooLong => self.hashes = None,
            Prefix::Of(prefix) => {
                let hash = prefix.key_hash(DEFAULT_SEED);
                if self.last_prefix.replace(hash) != Some(hash) {
                    self.push(hash);
                }
            }
        }
        if self.rules.whole_keys {
            let hash = entry.key[..].key_hash(DEFAULT_SEED);
            let is_prefix = self.last_prefix == Some(hash);
            if self.last_key.replace(hash) != Some(hash) && !is_prefix {
                self.push(hash);
            }
        }
    }

    fn build(&mut self) -> Arc<dyn Filter> {
        let mut hashes = self.hashes.take().unwrap_or_default();
        // A prefix may be a key, too, and other prefixes may come between the keys of one.
        hashes.sort_unstable();
        hashes.dedup();
        let contents = Contents::build(self.budget, &hashes);
        Arc::new(TableFilter::new(self.rules.clone(), self.cached, contents))
    }
}
