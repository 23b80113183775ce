//! The methods that write and read files, as the laws use them.

use crate::fail::OrFail;
use amq_core::internal::FileFormat;
use amq_core::{
    BuildError, DecodeError, Filter, KeyHash, LoadOptions, PlanFilter, Prehashed, ReadError,
    SaveOptions, Table,
};

/// A filter that can be written and read.
///
/// Implemented by every filter with a file. The tests of these laws implement it with broken
/// methods.
pub trait FileFilter: Filter + Clone + PartialEq + FileFormat<With<Table> = Self> {
    /// The filter over borrowed bytes.
    type View<'a>: Filter;

    /// See [`SaveOptions::to_bytes`].
    fn encode(&self, options: SaveOptions) -> Result<Vec<u8>, BuildError>;
    /// See [`LoadOptions::from_bytes`].
    fn decode(bytes: &[u8], options: LoadOptions) -> Result<Self, DecodeError>;
    /// See [`LoadOptions::read_from`].
    fn read(reader: &mut Pieces<'_>, options: LoadOptions) -> Result<Self, ReadError>;
    /// See [`LoadOptions::view`].
    fn view(bytes: &[u8], options: LoadOptions) -> Result<Self::View<'_>, DecodeError>;
    /// The filter inside a view of a prehashed one.
    fn view_prehashed(bytes: &[u8]) -> Result<Self::View<'_>, DecodeError>;
}

/// (Not inlined: reading a file is more code than most laws, and some call it many times.)
impl<F> FileFilter for F
where
    F: PlanFilter + Clone + PartialEq + FileFormat<With<Table> = F>,
    for<'a> F::With<&'a [u8]>: Filter,
{
    type View<'a> = F::With<&'a [u8]>;

    #[inline(never)]
    fn encode(&self, options: SaveOptions) -> Result<Vec<u8>, BuildError> {
        options.to_bytes(self)
    }

    #[inline(never)]
    fn decode(bytes: &[u8], options: LoadOptions) -> Result<Self, DecodeError> {
        options.from_bytes(bytes)
    }

    #[inline(never)]
    fn read(reader: &mut Pieces<'_>, options: LoadOptions) -> Result<Self, ReadError> {
        options.read_from(reader)
    }

    #[inline(never)]
    fn view(bytes: &[u8], options: LoadOptions) -> Result<Self::View<'_>, DecodeError> {
        options.view::<F>(bytes)
    }

    #[inline(never)]
    fn view_prehashed(bytes: &[u8]) -> Result<Self::View<'_>, DecodeError> {
        LoadOptions::new().view::<Prehashed<F>>(bytes).map(Prehashed::into_inner)
    }
}

/// The usual methods, and views with an unchecked payload.
pub(crate) const LOAD: LoadOptions = LoadOptions::new();
pub(crate) const UNCHECKED: LoadOptions = LOAD.unchecked_payload();

pub(crate) fn encoded<F: FileFilter>(filter: &F) -> Vec<u8> {
    filter.encode(SaveOptions::new()).or_fail("encoding")
}

/// The errors of reading these bytes as a filter of keys, one for each method: whole, as a stream,
/// as a view, and as a view with an unchecked payload.
#[inline(never)]
pub(super) fn errors<F: FileFilter>(file: &[u8], load: LoadOptions) -> [Option<DecodeError>; 4] {
    [
        F::decode(file, load).err(),
        F::read(&mut Pieces { bytes: file, size: 100 }, load).err().map(streamed),
        F::view(file, load).err(),
        F::view(file, load.unchecked_payload()).err(),
    ]
}

/// The error of decoding a stream.
pub(crate) fn streamed(error: ReadError) -> DecodeError {
    match error {
        ReadError::Decode(error) => error,
        error => panic!("a reader that never fails: {error}"),
    }
}

/// The filter's answers in a batch.
pub(super) fn answers(filter: &dyn Filter, hashes: &[KeyHash]) -> Vec<bool> {
    let mut answers = vec![false; hashes.len()];
    filter.contains_batch(hashes, &mut answers).or_fail("a batch of queries");
    answers
}

/// A reader that yields few bytes at a time.
#[derive(Debug)]
pub struct Pieces<'a> {
    /// The remaining bytes.
    pub bytes: &'a [u8],
    /// The most bytes it yields at once.
    pub size: usize,
}

impl std::io::Read for Pieces<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let n = self.size.min(buffer.len()).min(self.bytes.len());
        self.bytes.read(&mut buffer[..n])
    }
}
