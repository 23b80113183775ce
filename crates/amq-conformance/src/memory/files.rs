//! Laws of the memory that decoding takes: it depends on the bytes present, not on claimed sizes.

use super::{every_refused_allocation_is_an_error, peak_of};
use crate::files::{
    FileFilter, LOAD, Pieces, UNCHECKED, encoded, fitted, forged_files, hostile, mend, payload,
};
use crate::fill::{Fill, filled};
use crate::testing::{number, set};
use amq_core::format::{ENTRY, HEADER};
use amq_core::{DecodeError, ReadError};

/// The memory that decoding may take beyond the file's length.
pub const SLACK: u64 = 64 << 10;

/// Requires that `work` allocates at most `most` bytes at once.
pub fn takes_at_most<R>(most: u64, what: &dyn Fn() -> String, work: impl FnOnce() -> R) {
    let (_, peak) = peak_of(work);
    assert!(peak <= most, "{peak} bytes while reading {}, should be at most {most}", what());
}

/// The most memory that reading a stream may hold after this many bytes. The number of further
/// bytes is unknown, so the table grows as they arrive, and moves when it does. A whole small file
/// takes no more than its length and [`SLACK`].
pub const fn most_of_a_stream(came: u64) -> u64 {
    3 * came + SLACK
}

/// Reads a stream of these bytes that yields this many at a time.
fn read<F: FileFilter>(bytes: &[u8], size: usize) -> Result<F, ReadError> {
    F::read(&mut Pieces { bytes, size }, LOAD)
}

/// Requires that all methods read these bytes within the allowed memory.
#[inline(never)]
fn is_bounded<F: FileFilter>(bytes: &[u8], what: &dyn Fn() -> String) {
    let came = bytes.len() as u64;
    takes_at_most(came + SLACK, what, || F::decode(bytes, LOAD));
    let stream = || format!("{}, a stream", what());
    takes_at_most(most_of_a_stream(came), &stream, || read::<F>(bytes, usize::MAX));
    for load in [LOAD, UNCHECKED] {
        let view = || F::view(bytes, load).map(drop);
        takes_at_most(SLACK, &|| format!("{}, a view", what()), view);
    }
}

/// Reading a file takes its length and little more, whether whole, cut, damaged, or forged with
/// correct checksums; a view takes next to nothing.
pub fn reading_takes_little_more_than_the_file<F: FileFilter>(fill: Fill<F>) {
    for n in [0, 1, 40, 3000, 100_000] {
        let mut bytes = encoded(&filled(fill, n, 0.01, 3));
        let step = bytes.len() / 200 + 1;
        for cut in (0..bytes.len()).step_by(step).chain([bytes.len()]) {
            is_bounded::<F>(&bytes[..cut], &|| format!("{n} keys, cut at {cut}"));
        }
        for at in (0..bytes.len()).step_by(step) {
            bytes[at] ^= 0x10;
            is_bounded::<F>(&bytes, &|| format!("{n} keys, damaged at {at}"));
            bytes[at] ^= 0x10;
        }
    }
    forged_files(fill, &mut |forged, what| is_bounded::<F>(forged, what));
}

/// A file that claims a table of up to 2^60 bytes, with matching geometry and lengths, takes memory
/// only for the bytes that arrive.
pub fn a_claim_is_not_taken_for_memory<F: FileFilter>(fill: Fill<F>) {
    let bytes = encoded(&filled(fill, 40, 0.05, 3));
    let numbers = || (HEADER + ENTRY..payload(&bytes)).step_by(8);
    let mut largest = 0;
    for at in numbers() {
        let stated = number(&bytes, at);
        for value in hostile(stated).into_iter().chain([1 << 26, 1 << 50, 1 << 60]) {
            let mut forged = bytes.clone();
            // Wherever it occurs: as the number of slots, say, and as its limit.
            for at in numbers().filter(|&at| number(&bytes, at) == stated) {
                set(&mut forged, at, value);
            }
            mend(&mut forged);
            largest = largest.max(claim_is_bounded::<F>(&forged).unwrap_or(0));
        }
    }
    assert!(largest >= 1 << 28, "forged numbers claim {largest} bytes, so this law shows nothing");
}

/// Checks one file with forged numbers and matching lengths. Returns the bytes it claims, if
/// nothing else is wrong with it.
pub fn claim_is_bounded<F: FileFilter>(forged: &[u8]) -> Option<u64> {
    let claim = fitted::<F>(forged, 1 << 16)?;
    is_bounded::<F>(&claim, &|| format!("a claim of {} bytes", number(&claim, 144)));
    match read::<F>(&claim, usize::MAX) {
        Err(ReadError::Decode(DecodeError::Truncated { needed, .. })) => Some(needed),
        _ => None,
    }
}

/// Without memory, reading is an error.
pub fn a_file_without_memory_is_an_error<F: FileFilter>(fill: Fill<F>) {
    for n in [0, 40, 20_000] {
        let bytes = encoded(&filled(fill, n, 0.01, 3));
        let decode = || F::decode(&bytes, LOAD);
        every_refused_allocation_is_an_error("a file", decode, |_| {});
        every_refused_allocation_is_an_error("a stream", || read::<F>(&bytes, 5000), |_| {});
    }
}
