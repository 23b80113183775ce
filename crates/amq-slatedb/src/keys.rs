//! Which bytes of a key go into the filter, and which bytes a query asks for.

use bytes::Bytes;
use slatedb::{FilterQuery, FilterTarget, PrefixExtractor, PrefixTarget};
use std::sync::Arc;

/// Whole keys, prefixes, or both.
#[derive(Clone)]
pub(crate) struct KeyRules {
    pub(crate) whole_keys: bool,
    pub(crate) extractor: Option<Arc<dyn PrefixExtractor>>,
}

/// The prefix of a key, or why there is none.
pub(crate) enum Prefix<'a> {
    None,
    Of(&'a [u8]),
    /// The extractor named more bytes than the key has. Its answers cannot be relied on.
    TooLong,
}

impl KeyRules {
    /// What the policy's name says of these rules. The extractor's own name comes last, so that no
    /// two rules share a name whatever extractors are called.
    pub(crate) fn name(&self, base: &str) -> String {
        match (self.whole_keys, &self.extractor) {
            (true, None) => base.to_owned(),
            (true, Some(extractor)) => format!("{base}:prefix={}", extractor.name()),
            (false, None) => format!("{base}:nothing"),
            (false, Some(extractor)) => format!("{base}:only-prefix={}", extractor.name()),
        }
    }

    /// The prefix of a stored key.
    pub(crate) fn prefix<'a>(&self, key: &'a Bytes) -> Prefix<'a> {
        let Some(extractor) = &self.extractor else { return Prefix::None };
        match extractor.prefix_len(&PrefixTarget::Point(key.clone())) {
            None => Prefix::None,
            Some(len) => key.get(..len).map_or(Prefix::TooLong, Prefix::Of),
        }
    }

    /// The bytes that a query looks up; `None` if the filter cannot answer it.
    pub(crate) fn looked_up<'a>(&self, query: &'a FilterQuery) -> Option<&'a [u8]> {
        let bytes = match &query.target {
            FilterTarget::Point(key) if self.whole_keys => return Some(key),
            FilterTarget::Point(bytes) | FilterTarget::Prefix(bytes) => bytes,
            FilterTarget::Range { .. } => return None,
        };
        let len = self.extractor.as_ref()?.prefix_len(&query.target.as_prefix_target()?)?;
        bytes.get(..len)
    }
}
