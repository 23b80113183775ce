//! The policy.

use crate::builder::Builder;
use crate::error::PolicyError;
use crate::filter::{Contents, TableFilter};
use crate::keys::KeyRules;
use amq_core::{Budget, Goal};
use amq_ribbon::RibbonFilter;
use bytes::Bytes;
use slatedb::{Filter, FilterBuilder, FilterPolicy, PrefixExtractor};
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use tracing::warn;

/// Bytes of a filter's block beside the filter's own: about this many.
const HEADER_BYTES: usize = 900;

/// The most rows of a table that a budget must be good for.
const MOST_KEYS: u64 = 1 << 32;

/// A filter policy for SlateDB: a ribbon filter for each table, or a split-block Bloom filter where
/// that is smaller. See the [crate's documentation](crate).
pub struct AmqFilterPolicy {
    name: String,
    budget: Budget,
    cached: Option<f64>,
    /// What a table's filter takes, to tell the engine sizes in advance.
    bits_per_key: f64,
    rules: KeyRules,
    unreadable: AtomicU64,
}

impl AmqFilterPolicy {
    /// The prefix of the name of every such policy. The names of filter files change with their
    /// format; a block says which version it is.
    pub const NAME: &'static str = "_amq";

    /// Filters with this false-positive rate, whatever bytes they take: 0.01 is 6.8 bits per key,
    /// and 0.001 is 10.
    ///
    /// ```
    /// use amq_slatedb::AmqFilterPolicy;
    ///
    /// assert!(AmqFilterPolicy::fpr(0.01).is_ok());
    /// assert!(AmqFilterPolicy::fpr(1.5).is_err());
    /// ```
    pub fn fpr(fpr: f64) -> Result<Self, PolicyError> {
        Self::new(Budget::Fpr(fpr))
    }

    /// Filters of at most this many bits per distinct key, with the lowest rate that allows. A
    /// table of few keys gets at least 32 bytes. More than 33 bits are refused, since no filter
    /// uses them.
    ///
    /// ```
    /// use amq_slatedb::AmqFilterPolicy;
    ///
    /// // As large as the built-in filter: one false positive in a thousand absent keys.
    /// assert!(AmqFilterPolicy::bits_per_key(10.0).is_ok());
    /// assert!(AmqFilterPolicy::bits_per_key(0.0).is_err());
    /// ```
    pub fn bits_per_key(bits_per_key: f64) -> Result<Self, PolicyError> {
        Self::new(Budget::BitsPerKey(bits_per_key))
    }

    fn new(budget: Budget) -> Result<Self, PolicyError> {
        let bits_per_key = bits_of(budget)?;
        let rules = KeyRules { whole_keys: true, extractor: None };
        Ok(Self {
            name: rules.name(Self::NAME),
            budget,
            cached: None,
            bits_per_key,
            rules,
            unreadable: AtomicU64::new(0),
        })
    }

    /// Adds the prefixes that this extractor finds, so that prefix scans skip tables, too.
    ///
    /// The policy's name contains the extractor's. Filters under another name are not read, and
    /// their tables are searched until they are compacted.
    #[must_use]
    pub fn with_prefix_extractor(self, extractor: Arc<dyn PrefixExtractor>) -> Self {
        self.with_rules(|rules| rules.extractor = Some(extractor))
    }

    /// Whether whole keys are added, as they are unless this says otherwise. Without them a get
    /// asks for its key's prefix.
    #[must_use]
    pub fn with_whole_key_filtering(self, enabled: bool) -> Self {
        self.with_rules(|rules| rules.whole_keys = enabled)
    }

    /// Keeps at most this many bits per key of each filter in caches. Tables have the whole filter;
    /// its copy in a cache is truncated, and has a higher rate.
    ///
    /// For a cache that has no room for all filters: reading a filter again costs more than a few
    /// more false positives. A filter of less than 1 KiB may stay larger: split-block filters stay
    /// whole, and a ribbon keeps one column.
    ///
    /// It affects no table, so each process may have its own setting. But a cache keeps filters as
    /// the policy that filled it left them: when the setting changes, give a cache that is kept, in
    /// memory or on a disk, another `db_cache_id`.
    ///
    /// ```
    /// use amq_slatedb::AmqFilterPolicy;
    ///
    /// # fn main() -> Result<(), amq_slatedb::PolicyError> {
    /// let policy = AmqFilterPolicy::bits_per_key(10.0)?.with_cached_bits_per_key(6.0)?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn with_cached_bits_per_key(self, bits_per_key: f64) -> Result<Self, PolicyError> {
        bits_of(Budget::BitsPerKey(bits_per_key))?;
        Ok(Self { cached: Some(bits_per_key), ..self })
    }

    fn with_rules(mut self, change: impl FnOnce(&mut KeyRules)) -> Self {
        change(&mut self.rules);
        self.name = self.rules.name(Self::NAME);
        self
    }

    /// How many blocks under this policy's name could not be read as filters, so that their tables
    /// are always searched. A block is counted each time it is loaded.
    ///
    /// ```
    /// use amq_slatedb::AmqFilterPolicy;
    /// use slatedb::FilterPolicy;
    ///
    /// # fn main() -> Result<(), amq_slatedb::PolicyError> {
    /// let policy = AmqFilterPolicy::fpr(0.01)?;
    /// policy.decode(b"damaged");
    /// assert_eq!(policy.unreadable(), 1);
    /// # Ok(())
    /// # }
    /// ```
    pub fn unreadable(&self) -> u64 {
        self.unreadable.load(Ordering::Relaxed)
    }
}

/// Bits per key of a large filter within a budget.
///
/// Bits that a ribbon cannot use are refused: a split-block filter would use them, at eight blocks
/// a key, for rates that nobody can tell apart.
fn bits_of(budget: Budget) -> Result<f64, PolicyError> {
    let plan = RibbonFilter::plan(Goal::new(MOST_KEYS, budget))?;
    let bits = plan.bytes as f64 * 8.0 / MOST_KEYS as f64;
    let most = bits.ceil();
    match budget {
        Budget::BitsPerKey(bits_per_key) if bits_per_key > most => {
            Err(PolicyError::Bits { bits_per_key, most })
        }
        _ => Ok(bits),
    }
}

impl FilterPolicy for AmqFilterPolicy {
    fn name(&self) -> &str {
        &self.name
    }

    fn builder(&self) -> Box<dyn FilterBuilder> {
        Box::new(Builder::new(self.budget, self.cached, self.rules.clone()))
    }

    fn decode(&self, data: &[u8]) -> Arc<dyn Filter> {
        let contents = Contents::read(data).unwrap_or_else(|error| {
            // One line: a damaged table may be loaded many times.
            if self.unreadable.fetch_add(1, Ordering::Relaxed) == 0 {
                warn!(policy = self.name, %error, "no filter: the table is always searched");
            }
            Contents::Unreadable(Bytes::copy_from_slice(data))
        });
        Arc::new(TableFilter::new(self.rules.clone(), self.cached, contents))
    }

    /// Called for every batch of writes, so it must not plan.
    fn estimate_size(&self, num_keys: usize) -> usize {
        (num_keys as f64 * self.bits_per_key / 8.0) as usize + HEADER_BYTES
    }

    fn supports_prefix_queries(&self) -> bool {
        self.rules.extractor.is_some()
    }
}

impl fmt::Debug for AmqFilterPolicy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AmqFilterPolicy")
            .field("name", &self.name)
            .field("budget", &self.budget)
            .field("cached", &self.cached)
            .field("unreadable", &self.unreadable)
            .finish_non_exhaustive()
    }
}
