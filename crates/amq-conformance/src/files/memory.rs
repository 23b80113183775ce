//! Laws of the memory that decoding takes: what a file holds, and never what it claims.
//!
//! They need [`Counting`](crate::memory::Counting) as the test binary's global allocator; see
//! [`memory`](mod@crate::memory).

use super::damaged::mend;
use super::forged::{fitted, forged_files, hostile, number, payload, set};
use super::ways::{Aligned, FileFilter, Pieces, encoded, with_keys};
use crate::fill::Fill;
use crate::memory::{counted, counts, every_refused_allocation_is_an_error};
use crate::violation::{Verdict, Violation, ensure};
use amq_core::format::{ENTRY, HEADER};
use amq_core::{DecodeError, ReadError};

/// What decoding may take beyond the file's length.
pub const SLACK: u64 = 64 << 10;

/// `Ok` if `work` allocates at most `most` bytes at once.
pub fn takes_at_most<R>(most: u64, what: &dyn Fn() -> String, work: impl FnOnce() -> R) -> Verdict {
    let (_, account) = counted(u64::MAX, work);
    let peak = account.peak.unsigned_abs();
    ensure(
        peak <= most,
        format!("peak bytes while reading {}", what()),
        peak,
        format!("{most} at most"),
    )
}

/// The most memory that reading a stream may hold when this many bytes came: nobody knows how many
/// more there are, so the table grows as they come, and moves when it does. A whole small file
/// takes no more than its length and [`SLACK`].
pub const fn most_of_a_stream(came: u64) -> u64 {
    3 * came + SLACK
}

/// `Ok` if these bytes, whatever they are, take no more memory than they may, in every way in.
#[inline(never)]
fn is_bounded<F: FileFilter>(bytes: &[u8], what: &dyn Fn() -> String) -> Verdict {
    let came = bytes.len() as u64;
    takes_at_most(came + SLACK, what, || F::decode(bytes, None))?;
    takes_at_most(most_of_a_stream(came), &|| format!("{}, a stream", what()), || {
        let mut stream = Pieces { bytes, size: usize::MAX };
        F::read(&mut stream, None, u64::MAX)
    })?;
    let aligned = Aligned::new(bytes, 0);
    for check in [true, false] {
        takes_at_most(SLACK, &|| format!("{}, a view", what()), || {
            F::view(aligned.get(), None, check).map(drop)
        })?;
    }
    Ok(())
}

/// Reading a file takes its length and little more, whole, cut, damaged or forged with checksums
/// made right; a view takes next to nothing.
pub fn reading_takes_little_more_than_the_file<F: FileFilter>(fill: Fill<F>) -> Verdict {
    counts()?;
    for n in [0, 1, 40, 3000, 100_000] {
        let bytes = encoded(&with_keys(fill, n, 0.01, 3)?)?;
        let step = bytes.len() / 200 + 1;
        for cut in (0..bytes.len()).step_by(step).chain([bytes.len()]) {
            is_bounded::<F>(&bytes[..cut], &|| format!("{n} keys, cut at {cut}"))?;
        }
        let mut damaged = bytes.clone();
        for at in (0..bytes.len()).step_by(step) {
            damaged[at] ^= 0x10;
            is_bounded::<F>(&damaged, &|| format!("{n} keys, damaged at {at}"))?;
            damaged[at] ^= 0x10;
        }
    }
    forged_files(fill, &mut |forged, what| is_bounded::<F>(forged, what))
}

/// A file that claims a table of up to 2^60 bytes, its geometry and lengths all in agreement, takes
/// memory for the bytes that come.
pub fn a_claim_is_not_taken_for_memory<F: FileFilter>(fill: Fill<F>) -> Verdict {
    counts()?;
    let bytes = encoded(&with_keys(fill, 40, 0.05, 3)?)?;
    let mut largest = 0;
    for at in (HEADER + ENTRY..payload(&bytes)).step_by(8) {
        for value in hostile(number(&bytes, at)).into_iter().chain([1 << 26, 1 << 50, 1 << 60]) {
            let mut forged = bytes.clone();
            // Wherever it occurs: as the number of slots, say, and as its limit.
            let stated = number(&bytes, at);
            for at in (HEADER + ENTRY..payload(&bytes)).step_by(8) {
                if number(&bytes, at) == stated {
                    set(&mut forged, at, value);
                }
            }
            mend(&mut forged);
            let claimed = claim_is_bounded::<F>(&forged)?;
            largest = largest.max(claimed.unwrap_or(0));
        }
    }
    ensure(
        largest >= 1 << 28,
        "the largest table claimed by forged numbers",
        largest,
        "2^28 bytes at least, else this law shows nothing",
    )
}

/// Checks one file with forged numbers, its lengths made to agree. Returns the bytes it claims, if
/// nothing else is wrong with it.
pub fn claim_is_bounded<F: FileFilter>(forged: &[u8]) -> Result<Option<u64>, Violation> {
    let Some(claim) = fitted::<F>(forged, 1 << 16) else {
        return Ok(None);
    };
    let what = || format!("a claim of {} bytes", number(&claim, 144));
    is_bounded::<F>(&claim, &what)?;
    let mut stream = Pieces { bytes: &claim, size: usize::MAX };
    match F::read(&mut stream, None, u64::MAX) {
        Err(ReadError::Decode(DecodeError::Truncated { needed, .. })) => Ok(Some(needed)),
        _ => Ok(None),
    }
}

/// Without memory, reading is an error.
pub fn a_file_without_memory_is_an_error<F: FileFilter>(fill: Fill<F>) -> Verdict {
    for n in [0, 40, 20_000] {
        let bytes = encoded(&with_keys(fill, n, 0.01, 3)?)?;
        let decode = || F::decode(&bytes, None);
        every_refused_allocation_is_an_error("a file", decode, |_| Ok(()))?;
        let read = || {
            let mut stream = Pieces { bytes: &bytes, size: 5000 };
            F::read(&mut stream, None, u64::MAX)
        };
        every_refused_allocation_is_an_error("a stream", read, |_| Ok(()))?;
    }
    Ok(())
}
