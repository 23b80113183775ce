//! The ways of a filter into a file and out of it, as the laws use them.

use crate::fail::OrFail;
use amq_core::internal::FileFormat;
use amq_core::{
    BuildError, DecodeError, Filter, KeyHash, LoadOptions, PlanFilter, Prehashed, ReadError,
    SaveOptions, Table,
};

/// A filter that can be written and read.
///
/// Every filter that the envelope stores is one. The tests of these laws have some of their own,
/// with other, broken ways in and out.
pub trait FileFilter: Filter + PartialEq + Sized {
    /// The filter over borrowed bytes.
    type View<'a>: Filter;

    /// The parameters, in words.
    fn realised(&self) -> String;
    /// See [`SaveOptions::to_bytes`].
    fn encode(&self, withhold_seed: bool) -> Result<Vec<u8>, BuildError>;
    /// See [`LoadOptions::from_bytes`].
    fn decode(bytes: &[u8], seed: Option<u64>) -> Result<Self, DecodeError>;
    /// See [`LoadOptions::read_from`].
    fn read(reader: &mut Pieces<'_>, seed: Option<u64>, max_bytes: u64) -> Result<Self, ReadError>;
    /// See [`LoadOptions::view`].
    fn view(bytes: &[u8], seed: Option<u64>, check: bool) -> Result<Self::View<'_>, DecodeError>;

    /// See [`SaveOptions::to_bytes`].
    fn encode_prehashed(filter: &Prehashed<Self>, withhold: bool) -> Result<Vec<u8>, BuildError>;
    /// See [`LoadOptions::from_bytes`].
    fn decode_prehashed(bytes: &[u8]) -> Result<Prehashed<Self>, DecodeError>;
    /// See [`LoadOptions::read_from`].
    fn read_prehashed(reader: Pieces<'_>) -> Result<Prehashed<Self>, ReadError>;
    /// See [`LoadOptions::view`].
    fn view_prehashed(bytes: &[u8]) -> Result<Prehashed<Self::View<'_>>, DecodeError>;
}

/// (Not inlined: reading a file is more code than most laws, and some call it many times.)
impl<F> FileFilter for F
where
    F: PlanFilter + PartialEq + FileFormat<With<Table> = F>,
    for<'a> F::With<&'a [u8]>: Filter,
{
    type View<'a> = F::With<&'a [u8]>;

    fn realised(&self) -> String {
        format!("{:?}", self.params())
    }

    #[inline(never)]
    fn encode(&self, withhold_seed: bool) -> Result<Vec<u8>, BuildError> {
        save_options(withhold_seed).to_bytes(self)
    }

    #[inline(never)]
    fn decode(bytes: &[u8], seed: Option<u64>) -> Result<Self, DecodeError> {
        load_options(seed).from_bytes(bytes)
    }

    #[inline(never)]
    fn read(reader: &mut Pieces<'_>, seed: Option<u64>, max_bytes: u64) -> Result<Self, ReadError> {
        load_options(seed).max_bytes(max_bytes).read_from(reader)
    }

    #[inline(never)]
    fn view(bytes: &[u8], seed: Option<u64>, check: bool) -> Result<Self::View<'_>, DecodeError> {
        let options = load_options(seed);
        if check { options } else { options.unchecked_payload() }.view::<F>(bytes)
    }

    fn encode_prehashed(filter: &Prehashed<Self>, withhold: bool) -> Result<Vec<u8>, BuildError> {
        save_options(withhold).to_bytes(filter)
    }

    #[inline(never)]
    fn decode_prehashed(bytes: &[u8]) -> Result<Prehashed<Self>, DecodeError> {
        LoadOptions::new().from_bytes(bytes)
    }

    #[inline(never)]
    fn read_prehashed(reader: Pieces<'_>) -> Result<Prehashed<Self>, ReadError> {
        LoadOptions::new().read_from(reader)
    }

    #[inline(never)]
    fn view_prehashed(bytes: &[u8]) -> Result<Prehashed<Self::View<'_>>, DecodeError> {
        LoadOptions::new().view::<Prehashed<F>>(bytes)
    }
}

/// Without the seed, or with it.
#[must_use]
pub const fn save_options(withhold_seed: bool) -> SaveOptions {
    match withhold_seed {
        true => SaveOptions::new().without_secret(),
        false => SaveOptions::new(),
    }
}

/// With a seed, if there is one.
#[must_use]
pub const fn load_options(seed: Option<u64>) -> LoadOptions {
    match seed {
        Some(seed) => LoadOptions::new().seed(seed),
        None => LoadOptions::new(),
    }
}

pub(crate) fn encoded<F: FileFilter>(filter: &F) -> Vec<u8> {
    filter.encode(false).or_fail("encoding")
}

/// Why these bytes are refused as a filter of keys, in every way in: whole, as a stream, as a view,
/// and as a view whose payload is not checked.
#[inline(never)]
pub(super) fn errors<F: FileFilter>(file: &[u8], seed: Option<u64>) -> [Option<DecodeError>; 4] {
    [
        F::decode(file, seed).err(),
        F::read(&mut Pieces { bytes: file, size: 100 }, seed, u64::MAX).err().map(streamed),
        F::view(file, seed, true).err(),
        F::view(file, seed, false).err(),
    ]
}

/// Why a stream was refused, that can be read.
pub(crate) fn streamed(error: ReadError) -> DecodeError {
    match error {
        ReadError::Decode(error) => error,
        error => panic!("a reader that never fails: {error}"),
    }
}

/// What the filter answers in a batch.
pub(super) fn answers(filter: &dyn Filter, hashes: &[KeyHash]) -> Vec<bool> {
    let mut answers = vec![false; hashes.len()];
    filter.contains_batch(hashes, &mut answers).or_fail("a batch of queries");
    answers
}

/// A reader that yields few bytes at a time.
#[derive(Debug)]
pub struct Pieces<'a> {
    /// What is left.
    pub bytes: &'a [u8],
    /// The most it yields at once.
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
