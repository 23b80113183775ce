//! Laws of filters as files: what was written is read again, and what was damaged or forged is not.

mod by_caller;
mod damaged;
mod forged;
pub mod memory;

pub use by_caller::{
    a_filter_of_the_callers_hashes_counts_hashes_alone,
    a_filter_of_the_callers_hashes_denies_no_key,
    a_filter_of_the_callers_hashes_merges_with_its_like,
    a_filter_of_the_callers_hashes_removes_hashes_alone,
    a_filter_of_the_callers_hashes_takes_hashes_alone, a_hash_that_is_unknown_is_refused_by_name,
};
pub use damaged::{a_damaged_file_is_refused, mend, what_is_no_file_is_refused_by_name};
pub use forged::{
    a_forged_file_is_refused_or_answers, a_forged_file_is_refused_or_forgets_keys,
    a_forged_file_is_refused_or_merges, a_forged_file_is_refused_or_takes_keys,
    a_forged_number_changes_no_answer, a_view_of_a_forged_file_answers, forgeries,
};

use crate::fill::{Fill, absent_hashes, all_found, present_hashes};
use crate::violation::{Verdict, Violation, ensure, same};
use amq_core::envelope::{
    self, ALIGN, Borrowing, Copying, ENTRY, HEADER, Restore, Stored, Streaming,
};
use amq_core::index::remix;
use amq_core::{
    Budget, BuildError, DecodeError, Filter, Goal, InsertFilter, Key, KeyHash, PlanFilter,
    ReadError,
};
use std::fs;
use std::path::PathBuf;

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

/// The sizes of filters that are written: empty, tiny, small, and one with several of whatever
/// there is.
const SIZES: [u64; 6] = [0, 1, 2, 10, 500, 20_000];

fn encoded<F: FileFilter>(filter: &F) -> Result<Vec<u8>, Violation> {
    filter.encode(false).map_err(Violation::refused("encoding"))
}

fn decode<F: FileFilter>(bytes: &[u8], seed: Option<u64>) -> Result<F, DecodeError> {
    F::decode(bytes, seed)
}

/// A filter of any number of keys, zero included.
#[inline(never)]
fn with_keys<F>(fill: Fill<F>, n: u64, fpr: f64, seed: u64) -> Result<F, Violation> {
    let goal = Goal::new(n.max(1), Budget::Fpr(fpr));
    fill(goal, seed, &present_hashes(n, seed))
        .map_err(Violation::refused(format!("{n} keys at {fpr}")))
}

/// Filters of several sizes and rates, with what they were filled with.
fn filters<F: FileFilter>(fill: Fill<F>) -> impl Iterator<Item = Result<(u64, u64, F), Violation>> {
    SIZES.into_iter().enumerate().flat_map(move |(seed, n)| {
        [0.3, 0.01, 1e-4].into_iter().map(move |fpr| {
            let filter = with_keys(fill, n, fpr, seed as u64)?;
            Ok((n, seed as u64, filter))
        })
    })
}

/// Decoding inverts encoding: the same filter, and again the same bytes.
pub fn what_was_written_is_read<F: FileFilter>(fill: Fill<F>) -> Verdict {
    for made in filters(fill) {
        let (n, seed, filter) = made?;
        let what = format!("a file of {n} keys");
        let bytes = encoded(&filter)?;
        same(format!("length of {what}"), bytes.len() as u64, filter.encoded_len())?;
        let back = decode::<F>(&bytes, None).map_err(Violation::refused(&what))?;
        ensure(back == filter, format!("{what}, read"), "another filter", "the same")?;
        ensure(
            encoded(&back)? == bytes,
            format!("{what}, written again"),
            "other bytes",
            "the same",
        )?;
        all_found(&back, &present_hashes(n, seed), &what)?;
        same("params", back.realised(), filter.realised())?;
        same_numbers(&back, &filter)?;
        goes_into_buffers(&bytes, &|buffer| filter.encode_into(buffer, false))?;
    }
    Ok(())
}

fn same_numbers(back: &dyn Filter, filter: &dyn Filter) -> Verdict {
    same("seed", back.seed(), filter.seed())?;
    same("capacity", back.capacity(), filter.capacity())?;
    same("len", back.len(), filter.len())
}

/// `Ok` if these bytes are written into a buffer that is longer, and none into one that is too
/// short.
fn goes_into_buffers(bytes: &[u8], encode: &dyn Fn(&mut [u8]) -> Option<usize>) -> Verdict {
    let mut buffer = vec![7; bytes.len() + 10];
    same("length in a short buffer", encode(&mut buffer[..bytes.len() - 1]), None)?;
    ensure(buffer.iter().all(|&byte| byte == 7), "a short buffer", "written to", "left alone")?;
    same("length in a buffer", encode(&mut buffer), Some(bytes.len()))?;
    ensure(buffer[..bytes.len()] == *bytes, "bytes in a buffer", "others", "the same")
}

/// A file that withholds its seed holds it nowhere and is refused without it; with it, it is the
/// same filter. Where the file tells the seed, the same one may be given, and another is refused.
pub fn a_withheld_seed_must_be_given<F: FileFilter>(fill: Fill<F>) -> Verdict {
    let seed = 0xA11C_E5EC_12E7_0099;
    let filter = with_keys(fill, 300, 0.01, seed)?;
    let bytes = filter.encode(true).map_err(Violation::refused("encoding"))?;
    let told = bytes.windows(8).any(|word| word == seed.to_le_bytes());
    ensure(!told, "a file without seed", "tells it", "does not")?;
    same("a file without seed", decode::<F>(&bytes, None).err(), Some(DecodeError::SeedWithheld))?;
    let told = encoded(&filter)?;
    for bytes in [&bytes, &told] {
        let back =
            decode::<F>(bytes, Some(seed)).map_err(Violation::refused("a seed that was given"))?;
        ensure(back == filter, "a file with the seed given", "another filter", "the same")?;
    }
    another_seed_is_refused::<F>(&told, !seed)?;
    another_seed_is_refused::<F>(&told, 0)?;
    // The seed of such a file is zero, and hashes nothing.
    another_seed_is_refused::<F>(&by_caller::by_caller(&told), 0)
}

/// `Ok` if nothing reads the file with this seed.
fn another_seed_is_refused<F: FileFilter>(file: &[u8], given: u64) -> Verdict {
    let streamed = F::read(&mut Pieces { bytes: file, size: 50 }, Some(given), u64::MAX);
    let streamed = match streamed.err() {
        Some(ReadError::Decode(error)) => Some(error),
        _ => None,
    };
    let aligned = Aligned::new(file, 0);
    for found in [
        decode::<F>(file, Some(given)).err(),
        streamed,
        F::view(aligned.get(), Some(given), true).err(),
        F::view(aligned.get(), Some(given), false).err(),
    ] {
        same("a seed given for a file that tells another", found, Some(DecodeError::OtherSeed))?;
    }
    Ok(())
}

/// A filter that was read takes keys, and refuses them, as the one that was written: nothing that
/// decides it is left out of the file, such as a limit of growth.
pub fn a_filter_that_was_read_goes_on_as_the_one_written<F>(fill: Fill<F>) -> Verdict
where
    F: FileFilter + InsertFilter,
{
    for n in [1, 10, 500] {
        let mut filter = with_keys(fill, n, 0.01, 4)?;
        let mut back: F = decode(&encoded(&filter)?, None).map_err(Violation::refused("a file"))?;
        for hash in absent_hashes(3 * n + 100, 4) {
            same(
                format!("a key for a filter of {n} that was read"),
                back.insert_hash(hash),
                filter.insert_hash(hash),
            )?;
        }
        ensure(
            encoded(&back)? == encoded(&filter)?,
            format!("a filter of {n} that was read and took keys"),
            "another",
            "the same",
        )?;
    }
    Ok(())
}

/// From a stream a file is read to its end and no further, also in small pieces; one cut short or
/// over the caller's limit is refused.
pub fn a_stream_is_read_to_the_end_of_the_file<F: FileFilter>(fill: Fill<F>) -> Verdict {
    let (one, two) = (with_keys(fill, 700, 0.01, 1)?, with_keys(fill, 40, 0.1, 2)?);
    let bytes = [encoded(&one)?, encoded(&two)?, vec![1, 2, 3]].concat();
    for size in [1, 7, 64, 1 << 20] {
        let mut pieces = Pieces { bytes: &bytes, size };
        for wanted in [&one, &two] {
            let (found, length) = F::read(&mut pieces, None, u64::MAX)
                .map_err(Violation::refused("a file in a stream"))?;
            ensure(found == *wanted, "a filter in a stream", "another", "the one written")?;
            same("length of a file in a stream", length, wanted.encoded_len())?;
        }
        same("bytes left in the stream", pieces.bytes, &[1, 2, 3][..])?;
    }
    cuts_and_limits_are_refused(&encoded(&two)?, &|bytes, limit| {
        F::read(&mut Pieces { bytes, size: 50 }, None, limit).map(drop)
    })
}

/// Reads a file in small pieces, up to a limit.
type Reading<'a> = dyn Fn(&[u8], u64) -> Result<(), ReadError> + 'a;

/// `Ok` if these bytes are read, but not if some are cut off or the limit is lower.
fn cuts_and_limits_are_refused(bytes: &[u8], read: &Reading<'_>) -> Verdict {
    for cut in 0..bytes.len() {
        match read(&bytes[..cut], u64::MAX) {
            Err(ReadError::Decode(DecodeError::Truncated { bytes, .. })) => {
                same("bytes of a stream cut short", bytes, cut as u64)?;
            }
            other => {
                return Err(Violation::Accepted {
                    what: format!("a stream cut at {cut}: {:?}", other.err()),
                });
            }
        }
    }
    let length = bytes.len() as u64;
    ensure(read(bytes, length).is_ok(), "a file of the limit", "refused", "read")?;
    match read(bytes, length - 1) {
        Err(ReadError::Decode(DecodeError::OverLimit { .. })) => Ok(()),
        _ => Err(Violation::Accepted { what: "a file over the limit".to_owned() }),
    }
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
struct Aligned {
    bytes: Vec<u8>,
    start: usize,
    end: usize,
}

impl Aligned {
    fn new(bytes: &[u8], after: usize) -> Self {
        let mut held = vec![0; bytes.len() + 2 * ALIGN];
        let start = held.as_ptr().align_offset(ALIGN) + after;
        held[start..start + bytes.len()].copy_from_slice(bytes);
        Self { bytes: held, start, end: start + bytes.len() }
    }

    fn get(&self) -> &[u8] {
        &self.bytes[self.start..self.end]
    }
}

/// A view answers as the filter does, checked or not; misaligned bytes are refused, or answer as
/// well.
pub fn a_view_answers_as_the_filter<F: FileFilter>(fill: Fill<F>) -> Verdict {
    for made in filters(fill) {
        let (n, seed, filter) = made?;
        let bytes = encoded(&filter)?;
        let hashes = [present_hashes(n.min(1000), seed), absent_hashes(1000, seed)].concat();
        let mut wanted = vec![false; hashes.len()];
        filter.contains_batch(&hashes, &mut wanted).map_err(Violation::refused("a batch"))?;
        for after in 0..ALIGN {
            let aligned = Aligned::new(&bytes, after);
            for check in [true, false] {
                let view = match F::view(aligned.get(), None, check) {
                    Ok(view) => view,
                    Err(DecodeError::Misaligned { .. }) if after > 0 => continue,
                    // Where only bytes can be viewed, and numbers are refused by name.
                    Err(DecodeError::BigEndian) if cfg!(target_endian = "big") => continue,
                    Err(error) => {
                        return Err(Violation::refused(format!("a view of {n} keys"))(error));
                    }
                };
                if after > 0 && n > 600 {
                    // Where bytes need no alignment; once more is enough.
                    continue;
                }
                is_view_of(&view, &filter, &hashes, &wanted)?;
            }
        }
    }
    Ok(())
}

/// `Ok` if the view answers these hashes as wanted, and reports what the filter does.
fn is_view_of(
    view: &dyn Filter,
    filter: &dyn Filter,
    hashes: &[KeyHash],
    wanted: &[bool],
) -> Verdict {
    let mut answers = vec![false; hashes.len()];
    view.contains_batch(hashes, &mut answers).map_err(Violation::refused("a batch"))?;
    ensure(answers == wanted, "answers of a view", "others", "the filter's")?;
    let single: Vec<bool> = hashes.iter().map(|&h| view.contains_hash(h)).collect();
    ensure(single == wanted, "single answers of a view", "others", "the filter's")?;
    let (ours, theirs) = (view.stats(), filter.stats());
    same("keys of a view", ours.len, theirs.len)?;
    same("rate of a view", ours.expected_fpr, theirs.expected_fpr)?;
    same("seed of a view", view.seed(), filter.seed())
}

/// The file's own numbers: header and directory take no more than stated.
pub fn a_file_is_little_larger_than_its_table<F: FileFilter>(fill: Fill<F>) -> Verdict {
    for n in [500, 20_000] {
        let filter = with_keys(fill, n, 0.01, 1)?;
        let over = filter.encoded_len() - filter.size_in_bytes();
        // A head, and for each section and entry a row and less than a row of padding.
        let rows = 1 + 3 * 80;
        ensure(
            over <= (HEADER + rows * ENTRY) as u64,
            format!("bytes of a file of {n} keys beyond the table"),
            over,
            "little",
        )?;
    }
    Ok(())
}

/// The first absent key of the stream that golden files are asked for, and how many are asked.
const STREAM: u64 = 1_000_000;
const ASKED: u64 = 100_000;

/// The committed file `tests/golden/<name>.amq` of a filter in one state: it is the file that
/// `filter` is written as, the filter that is read from it is `filter`, the keys `0..keys` are in
/// it, and of the stream `1_000_000, 1_000_001, ...` it answers `true` first for the keys that
/// `<name>.txt` names.
pub fn golden<F: FileFilter>(root: &str, name: &str, keys: u64, filter: &F) -> Verdict {
    let seed = filter.seed();
    let (by, hash) = (format!("seed: {seed}"), |key: u64| key.key_hash(seed));
    recorded(root, name, keys, filter, &by, hash)
}

/// The same for a filter of the caller's hashes, which are [`remix`]`(key, 0)`.
pub fn golden_by_caller<F: FileFilter>(root: &str, name: &str, keys: u64, filter: &F) -> Verdict {
    same("key_seed", filter.key_seed(), None)?;
    let (by, hash) = ("hashed by the caller: remix(key, 0)", callers_hash);
    recorded(root, name, keys, filter, by, hash)
}

/// The hash of a key in a golden file of the caller's hashes.
pub const fn callers_hash(key: u64) -> KeyHash {
    KeyHash::new(remix(key, 0))
}

fn recorded<F: FileFilter>(
    root: &str,
    name: &str,
    keys: u64,
    filter: &F,
    by: &str,
    hash: impl Fn(u64) -> KeyHash,
) -> Verdict {
    let bytes = encoded(filter)?;
    let stream = (STREAM..STREAM + ASKED).filter(|&key| filter.contains_hash(hash(key)));
    let found: Vec<String> = stream.take(20).map(|key| key.to_string()).collect();
    let record =
        format!("{by}\nkeys: 0..{keys}\nfalse positives from {STREAM} on: {}\n", found.join(" "));
    committed(root, name, &bytes, &record)?;
    let read = decode::<F>(&bytes, None).map_err(Violation::refused(name))?;
    ensure(read == *filter, name, "read as another filter", "the same")?;
    match (0..keys).find(|&key| !read.contains_hash(hash(key))) {
        None => Ok(()),
        Some(key) => Err(Violation::Lost { what: format!("key {key} of the golden file {name}") }),
    }
}

/// The committed file `tests/golden/<name>.amq` has these bytes, and `<name>.txt` this text, which
/// says what the file holds and answers.
///
/// With `AMQ_BLESS=1` both files are written, unless another file of the same layout revision is
/// there: a changed layout needs a new revision.
pub fn committed(root: &str, name: &str, bytes: &[u8], record: &str) -> Verdict {
    let folder = PathBuf::from(root).join("tests/golden");
    let (file, text) = (folder.join(format!("{name}.amq")), folder.join(format!("{name}.txt")));
    let failure = |what: &str| Violation::Golden { what: format!("{}: {what}", file.display()) };
    let before = fs::read(&file).ok();
    if std::env::var_os("AMQ_BLESS").is_some_and(|value| value == "1") {
        // Byte 17 is the layout's revision.
        if before.is_some_and(|before| before != bytes && before.get(17) == bytes.get(17)) {
            return Err(failure(
                "another file of the same layout revision; give the layout a new one",
            ));
        }
        return fs::create_dir_all(&folder)
            .and_then(|()| fs::write(&file, bytes))
            .and_then(|()| fs::write(&text, record))
            .map_err(|error| failure(&error.to_string()));
    }
    let before = before.ok_or_else(|| failure("not there; run the tests once with AMQ_BLESS=1"))?;
    ensure(before == bytes, name, "another file than the committed one", "the same")?;
    let text = fs::read_to_string(&text).map_err(|error| failure(&error.to_string()))?;
    same(format!("answers of {name}"), record, text.as_str())
}
