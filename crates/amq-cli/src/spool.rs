//! Stores the hashes of keys whose number is unknown: in memory up to a limit, then in a temporary
//! file.

use crate::memory::reserve_exact;
use amq::KeyHash;
use anyhow::{Context, anyhow};
use std::fs::File;
use std::io::{Read, Seek, Write};

/// Bytes of a hash.
pub(crate) const HASH: u64 = 8;

/// Hashes converted at a time.
const STEP: usize = 8 << 10;

/// All hashes so far, in order.
pub(crate) struct Spool {
    /// The newest ones.
    held: Vec<KeyHash>,
    /// The most hashes in memory.
    limit: usize,
    /// The older ones. The file has no name: it vanishes however the run ends.
    file: Option<File>,
    written: u64,
}

impl Spool {
    /// Keeps up to `limit` hashes in memory.
    pub(crate) fn new(limit: usize) -> Self {
        Self { held: Vec::new(), limit: limit.max(STEP), file: None, written: 0 }
    }

    pub(crate) fn len(&self) -> u64 {
        self.written + self.held.len() as u64
    }

    /// The number of hashes in memory.
    pub(crate) fn held(&self) -> u64 {
        self.held.len() as u64
    }

    pub(crate) fn extend(&mut self, hashes: &[KeyHash]) -> anyhow::Result<()> {
        if !self.held.is_empty() && self.held.len() + hashes.len() > self.limit {
            self.write_out()?;
        }
        reserve(&mut self.held, hashes.len(), self.limit)?;
        self.held.extend_from_slice(hashes);
        Ok(())
    }

    fn write_out(&mut self) -> anyhow::Result<()> {
        let file = match &mut self.file {
            Some(file) => file,
            none => none.insert(tempfile::tempfile().context(TEMPORARY)?),
        };
        let mut bytes = Vec::with_capacity(STEP * HASH as usize);
        for hashes in self.held.chunks(STEP) {
            bytes.clear();
            bytes.extend(hashes.iter().flat_map(|hash| hash.get().to_le_bytes()));
            file.write_all(&bytes).context(TEMPORARY)?;
        }
        self.written += self.held.len() as u64;
        self.held.clear();
        Ok(())
    }

    /// Calls back with all hashes, in pieces, oldest first.
    pub(crate) fn each(
        &mut self,
        mut piece: impl FnMut(&[KeyHash]) -> anyhow::Result<()>,
    ) -> anyhow::Result<()> {
        if let Some(file) = &mut self.file {
            file.rewind().context(TEMPORARY)?;
            let mut bytes = vec![0; STEP * HASH as usize];
            let mut hashes = Vec::with_capacity(STEP);
            let mut left = self.written;
            while left > 0 {
                let now = left.min(STEP as u64) as usize;
                let bytes = &mut bytes[..now * HASH as usize];
                file.read_exact(bytes).context(TEMPORARY)?;
                hashes.clear();
                hashes.extend(bytes.chunks_exact(HASH as usize).map(|bytes| {
                    let mut word = [0; HASH as usize];
                    word.copy_from_slice(bytes);
                    KeyHash::new(u64::from_le_bytes(word))
                }));
                piece(&hashes)?;
                left -= now as u64;
            }
        }
        self.held.chunks(1 << 20).try_for_each(piece)
    }

    /// The hashes, if all are in memory.
    pub(crate) fn in_memory(&self) -> Option<&[KeyHash]> {
        self.file.is_none().then_some(&self.held)
    }

    /// Loads all hashes into one slice in memory.
    pub(crate) fn load(&mut self) -> anyhow::Result<&[KeyHash]> {
        if self.file.is_some() {
            let mut all = Vec::new();
            reserve(&mut all, usize::try_from(self.len())?, 0)?;
            self.each(|hashes| {
                all.extend_from_slice(hashes);
                Ok(())
            })?;
            self.held = all;
            self.file = None;
            self.written = 0;
        }
        Ok(&self.held)
    }

    /// Sorts the hashes and drops duplicates.
    pub(crate) fn dedup(&mut self) -> anyhow::Result<()> {
        self.load()?;
        self.held.sort_unstable();
        self.held.dedup();
        Ok(())
    }
}

const TEMPORARY: &str = "the temporary file of hashes, in the folder that TMPDIR names";

/// Reserves room for more, doubling up to `limit`. Refused memory is an error.
fn reserve(hashes: &mut Vec<KeyHash>, more: usize, limit: usize) -> anyhow::Result<()> {
    let needed = hashes.len() + more;
    if needed <= hashes.capacity() {
        return Ok(());
    }
    let room = (2 * hashes.capacity()).min(limit).max(needed);
    let more = room - hashes.len();
    reserve_exact(hashes, more).map_err(|_| anyhow!("no memory for the hashes of {needed} keys"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hashes_come_back_in_order_from_memory_and_from_the_file() {
        for limit in [1, 20_000, 1 << 20] {
            let mut spool = Spool::new(limit);
            let all: Vec<KeyHash> = (0..50_000u64)
                .map(|i| KeyHash::new(i.wrapping_mul(0x9E37_79B9_7F4A_7C15)))
                .collect();
            for piece in all.chunks(999) {
                spool.extend(piece).unwrap();
            }
            assert_eq!(spool.in_memory().is_some(), limit == 1 << 20);
            assert_eq!(spool.len(), 50_000);
            for _ in 0..2 {
                let mut back = Vec::new();
                spool
                    .each(|piece| {
                        back.extend_from_slice(piece);
                        Ok(())
                    })
                    .unwrap();
                assert_eq!(back, all);
            }
            assert_eq!(spool.load().unwrap(), all);
            assert_eq!(spool.len(), 50_000);
            spool.extend(&all).unwrap();
            spool.dedup().unwrap();
            let mut sorted = all;
            sorted.sort_unstable();
            assert_eq!(spool.load().unwrap(), sorted);
        }
    }
}
