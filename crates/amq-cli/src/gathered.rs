//! The keys of a build whose number is not known beforehand: their hashes, and how many are
//! distinct.

use crate::distinct::Distinct;
use crate::numbers::{grouped, of, rounded};
use crate::spool::Spool;
use amq::KeyHash;

/// The keys that a build has read.
pub(crate) struct Gathered {
    pub(crate) spool: Spool,
    sketch: Distinct,
    /// Lines.
    pub(crate) read: u64,
    /// The number of distinct keys, once they have been counted and copies dropped.
    pub(crate) different: Option<u64>,
}

impl Gathered {
    /// Starts empty; keeps up to `limit` hashes in memory.
    pub(crate) fn new(limit: usize) -> Self {
        Self { spool: Spool::new(limit), sketch: Distinct::new(), read: 0, different: None }
    }

    pub(crate) fn extend(&mut self, hashes: &[KeyHash]) -> anyhow::Result<()> {
        self.sketch.add(hashes);
        self.read += hashes.len() as u64;
        self.spool.extend(hashes)
    }

    /// An upper bound on the number of distinct keys.
    pub(crate) fn at_most(&self) -> u64 {
        self.different.unwrap_or_else(|| self.read.min(self.sketch.at_most()))
    }

    /// Whether lines were certainly repeated: more than 4 in 100, unless there are few.
    pub(crate) fn has_copies(&self) -> bool {
        self.at_most() < self.read
    }

    /// Drops all copies, which counts the distinct keys.
    pub(crate) fn dedup(&mut self) -> anyhow::Result<()> {
        self.spool.dedup()?;
        self.different = Some(self.spool.len());
        Ok(())
    }

    /// The note for filters that store copies.
    pub(crate) fn copies(&self) -> String {
        let different = match self.different {
            Some(different) => grouped(different),
            None => format!("about {}", grouped(rounded(self.sketch.estimate()))),
        };
        format!("{different} different of {}: --unique takes each once", of(self.read, "line"))
    }
}
