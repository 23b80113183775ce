//! A block of lines on its way through the pipeline.

use crate::keys::BadKey;
use crate::memory::reserve;
use amq::KeyHash;
use std::collections::TryReserveError;

/// A block of whole lines, and each stage's results.
#[derive(Default)]
pub(crate) struct Work {
    /// Index of the source.
    pub(crate) source: usize,
    pub(crate) block: Vec<u8>,
    /// Bytes of the block in use. The rest is stale.
    pub(crate) used: usize,
    /// In a source's first block, its first line, if that names the fields.
    pub(crate) head: Vec<u8>,
    /// The index of the key's field, from 0.
    pub(crate) column: usize,
    /// The hash of each key.
    pub(crate) hashes: Vec<KeyHash>,
    /// The bytes by which keys are compared, concatenated, and where each key ends, if requested.
    pub(crate) keys: Vec<u8>,
    pub(crate) key_ends: Vec<usize>,
    /// Where each line ends in the block.
    pub(crate) ends: Vec<u32>,
    /// The first line that is not a key.
    pub(crate) bad: Option<BadKey>,
    /// Buffers for the caller: answers, keys to act on, and text to print.
    pub(crate) answers: Vec<bool>,
    /// The answers of several filters, concatenated, and the number of matching ones of each
    /// filter.
    pub(crate) each: Vec<bool>,
    pub(crate) counts: Vec<u64>,
    pub(crate) found: u64,
    pub(crate) out: Vec<u8>,
}

impl Work {
    /// The block.
    pub(crate) fn bytes(&self) -> &[u8] {
        &self.block[..self.used]
    }

    /// Clears the block for this source.
    pub(crate) fn begin(&mut self, source: usize) {
        self.source = source;
        self.used = 0;
        self.head.clear();
        self.bad = None;
    }

    /// Room for `more` bytes after the block.
    pub(crate) fn room(&mut self, more: usize) -> Result<&mut [u8], TryReserveError> {
        let end = self.used + more;
        if self.block.len() < end {
            let more = end - self.block.len();
            reserve(&mut self.block, more)?;
            self.block.resize(end, 0);
        }
        Ok(&mut self.block[self.used..end])
    }

    pub(crate) fn append(&mut self, bytes: &[u8]) -> Result<(), TryReserveError> {
        self.room(bytes.len())?.copy_from_slice(bytes);
        self.used += bytes.len();
        Ok(())
    }

    /// Each line with its end, in the order of the hashes.
    pub(crate) fn lines(&self) -> impl Iterator<Item = &[u8]> {
        let starts = std::iter::once(0).chain(self.ends.iter().copied());
        starts.zip(&self.ends).map(|(start, &end)| &self.block[start as usize..end as usize])
    }
}
