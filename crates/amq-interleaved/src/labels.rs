//! What a filter keeps of each bin beside its bits: how many keys it has, and its name.

use crate::BinError;
use alloc::vec::Vec;
use amq_core::internal::reserve;
use amq_core::{BuildError, DecodeError, Table};

/// Bytes of a bin's row: its number of keys, and where its name ends.
pub(crate) const ROW: u64 = 16;

/// Keys and names of all bins, as a file has them.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Labels<B = Table> {
    /// Two integers a bin: the number of its keys, and where its name ends.
    pub(crate) rows: B,
    /// The names one after another.
    pub(crate) names: B,
}

/// A bin's number of keys, and where its name ends; zeros if there is no such bin.
fn row(rows: &[u8], bin: usize) -> [u64; 2] {
    let row = rows.as_chunks::<16>().0.get(bin).map_or([0; 16], |&row| row);
    let (keys, end) = (u128::from_le_bytes(row) as u64, (u128::from_le_bytes(row) >> 64) as u64);
    [keys, end]
}

impl Labels {
    /// Of empty bins without names.
    pub(crate) fn new(bins: u64) -> Result<Self, BuildError> {
        Ok(Self { rows: Table::zeroed(bins.saturating_mul(ROW))?, names: Table::default() })
    }

    pub(crate) fn set_keys(&mut self, bin: usize, keys: u64) {
        self.rows.as_chunks_mut().0[2 * bin] = keys.to_le_bytes();
    }

    /// The same with names, of which there must be one for each bin.
    pub(crate) fn named<N: AsRef<str>>(
        &self,
        given: impl Iterator<Item = N>,
        bins: u64,
    ) -> Result<Self, BinError> {
        let mut names: Vec<N> = Vec::new();
        for name in given {
            if names.len() as u64 == bins {
                return Err(BinError::Names { names: bins + 1, bins });
            }
            if names.len() == names.capacity() {
                let more = bins.min(names.len().max(64) as u64);
                reserve(&mut names, more)?;
            }
            names.push(name);
        }
        if (names.len() as u64) < bins {
            return Err(BinError::Names { names: names.len() as u64, bins });
        }
        let mut text: Vec<u8> = Vec::new();
        let mut rows = Table::zeroed(bins * ROW)?;
        for (bin, (row, name)) in rows.as_chunks_mut::<16>().0.iter_mut().zip(&names).enumerate() {
            let name = name.as_ref().as_bytes();
            if text.capacity() - text.len() < name.len() {
                let more = name.len().max(text.len()) as u64;
                reserve(&mut text, more)?;
            }
            text.extend_from_slice(name);
            let (keys, end) = row.split_at_mut(8);
            keys.copy_from_slice(&self.keys(bin).to_le_bytes());
            end.copy_from_slice(&(text.len() as u64).to_le_bytes());
        }
        Ok(Self { rows, names: Table::try_from(&*text)? })
    }

    /// The same with one more empty bin.
    pub(crate) fn with_one_more(&self, name: &str) -> Result<Self, BuildError> {
        let (rows, names) = (self.rows.len(), self.names.len());
        let mut more = Self {
            rows: Table::zeroed(rows as u64 + ROW)?,
            names: Table::zeroed((names + name.len()) as u64)?,
        };
        more.rows[..rows].copy_from_slice(&self.rows);
        more.rows[rows + 8..].copy_from_slice(&((names + name.len()) as u64).to_le_bytes());
        more.names[..names].copy_from_slice(&self.names);
        more.names[names..].copy_from_slice(name.as_bytes());
        Ok(more)
    }
}

impl<B: AsRef<[u8]>> Labels<B> {
    pub(crate) fn keys(&self, bin: usize) -> u64 {
        row(self.rows.as_ref(), bin)[0]
    }

    /// The name of a bin; empty if it has none, or there is no such bin.
    pub(crate) fn name(&self, bin: usize) -> &str {
        let rows = self.rows.as_ref();
        let start = bin.checked_sub(1).map_or(0, |before| row(rows, before)[1]);
        // A view whose payload was not checked may say anything.
        let range = start as usize..row(rows, bin)[1] as usize;
        let name = self.names.as_ref().get(range).unwrap_or_default();
        core::str::from_utf8(name).unwrap_or_default()
    }

    /// The keys of all bins; saturates.
    pub(crate) fn total(&self) -> u64 {
        let rows = self.rows.as_ref();
        (0..rows.len() / 16).fold(0, |sum, bin| sum.saturating_add(row(rows, bin)[0]))
    }

    /// Refuses names that are no text or do not follow one another to the end.
    pub(crate) fn validate(&self) -> Result<(), DecodeError> {
        let (rows, names) = (self.rows.as_ref(), self.names.as_ref());
        let mut start = 0;
        for bin in 0..rows.len() / 16 {
            let end = usize::try_from(row(rows, bin)[1]).unwrap_or(usize::MAX);
            let name = names.get(start..end);
            if name.is_none_or(|name| core::str::from_utf8(name).is_err()) {
                return Err(DecodeError::Structure { what: "a name of a bin" });
            }
            start = end;
        }
        match start == names.len() {
            true => Ok(()),
            false => Err(DecodeError::Structure { what: "bytes past the last name" }),
        }
    }
}
