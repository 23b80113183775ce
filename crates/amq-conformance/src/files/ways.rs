//! The ways of a filter into a file and out of it, as the laws take them.

use crate::fill::{Fill, present_hashes};
use crate::violation::Violation;
use amq_core::envelope::{self, ALIGN, Borrowing, Copying, Restore, Stored, Streaming};
use amq_core::{Budget, BuildError, DecodeError, Filter, Goal, PlanFilter, ReadError};

/// A filter that can be written and read.
///
/// Every filter that the envelope stores is one. The tests of these laws have some of their own,
/// with other, broken ways in and out.
pub trait FileFilter: Filter + PartialEq + Sized {
    /// The filter over borrowed bytes.
    type View<'a>: Filter;

    /// The parameters, in words.
    fn realised(&self) -> String;
    /// See [`envelope::encode`].
    fn encode(&self, withhold_seed: bool) -> Result<Vec<u8>, BuildError>;
    /// See [`envelope::encode_into`].
    fn encode_into(&self, buffer: &mut [u8], withhold_seed: bool) -> Option<usize>;
    /// See [`envelope::encoded_len`].
    fn encoded_len(&self) -> u64;
    /// See [`envelope::decode`].
    fn decode(bytes: &[u8], seed: Option<u64>) -> Result<Self, DecodeError>;
    /// See [`envelope::read`].
    fn read(
        reader: &mut Pieces<'_>,
        seed: Option<u64>,
        max_bytes: u64,
    ) -> Result<(Self, u64), ReadError>;
    /// See [`envelope::view`].
    fn view(bytes: &[u8], seed: Option<u64>, check: bool) -> Result<Self::View<'_>, DecodeError>;
}

/// (Not inlined: what reads a file is more code than most laws, and some call it many times.)
impl<F> FileFilter for F
where
    F: PlanFilter + PartialEq + Stored,
    F: for<'a> Restore<Over<Copying<'a>> = F>,
    F: for<'a, 'b> Restore<Over<Streaming<'a, Pieces<'b>>> = F>,
    for<'a> F::Over<Borrowing<'a>>: Filter,
{
    type View<'a> = F::Over<Borrowing<'a>>;

    fn realised(&self) -> String {
        format!("{:?}", self.params())
    }

    #[inline(never)]
    fn encode(&self, withhold_seed: bool) -> Result<Vec<u8>, BuildError> {
        envelope::encode(self, withhold_seed)
    }

    fn encode_into(&self, buffer: &mut [u8], withhold_seed: bool) -> Option<usize> {
        envelope::encode_into(self, buffer, withhold_seed)
    }

    fn encoded_len(&self) -> u64 {
        envelope::encoded_len(self)
    }

    #[inline(never)]
    fn decode(bytes: &[u8], seed: Option<u64>) -> Result<Self, DecodeError> {
        envelope::decode::<F>(bytes, seed)
    }

    #[inline(never)]
    fn read(
        reader: &mut Pieces<'_>,
        seed: Option<u64>,
        max_bytes: u64,
    ) -> Result<(Self, u64), ReadError> {
        envelope::read::<F, _>(reader, seed, max_bytes)
    }

    #[inline(never)]
    fn view(bytes: &[u8], seed: Option<u64>, check: bool) -> Result<Self::View<'_>, DecodeError> {
        envelope::view::<F>(bytes, seed, check)
    }
}

pub(super) fn encoded<F: FileFilter>(filter: &F) -> Result<Vec<u8>, Violation> {
    filter.encode(false).map_err(Violation::refused("encoding"))
}

pub(super) fn decode<F: FileFilter>(bytes: &[u8], seed: Option<u64>) -> Result<F, DecodeError> {
    F::decode(bytes, seed)
}

/// A filter of any number of keys, zero included.
#[inline(never)]
pub(super) fn with_keys<F>(fill: Fill<F>, n: u64, fpr: f64, seed: u64) -> Result<F, Violation> {
    let goal = Goal::new(n.max(1), Budget::Fpr(fpr));
    fill(goal, seed, &present_hashes(n, seed))
        .map_err(Violation::refused(format!("{n} keys at {fpr}")))
}

/// A reader that gives few bytes at a time.
#[derive(Debug)]
pub struct Pieces<'a> {
    /// What it has left.
    pub bytes: &'a [u8],
    /// The most it gives at once.
    pub size: usize,
}

impl std::io::Read for Pieces<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let n = self.size.min(buffer.len()).min(self.bytes.len());
        let (now, later) = self.bytes.split_at(n);
        buffer[..n].copy_from_slice(now);
        self.bytes = later;
        Ok(n)
    }
}

/// Bytes that begin at a multiple of 64, or a number of bytes after one.
pub(super) struct Aligned {
    bytes: Vec<u8>,
    start: usize,
    end: usize,
}

impl Aligned {
    pub(super) fn new(bytes: &[u8], after: usize) -> Self {
        let mut held = vec![0; bytes.len() + 2 * ALIGN];
        let start = held.as_ptr().align_offset(ALIGN) + after;
        held[start..start + bytes.len()].copy_from_slice(bytes);
        Self { bytes: held, start, end: start + bytes.len() }
    }

    pub(super) fn get(&self) -> &[u8] {
        &self.bytes[self.start..self.end]
    }
}
