//! Laws of filters as files: what was written is read again, and what was damaged or forged is not.

use crate::fill::{Fill, absent_hashes, all_found, present_hashes};
use crate::violation::{Verdict, Violation, ensure, same};
use amq_core::envelope::{
    ALIGN, Borrowing, Copying, ENTRY, HEADER, Restore, Stored, Streaming, decode, encode,
    encode_into, encoded_len, read, view,
};
use amq_core::{
    Budget, ClearFilter, DecodeError, Filter, Goal, InsertFilter, Key, KeyHash, PlanFilter,
    ReadError, RemoveFilter,
};
use std::fs;
use std::path::PathBuf;
use xxhash_rust::xxh3::xxh3_64;

/// A filter that can be written and read.
pub trait FileFilter:
    PlanFilter + PartialEq + Stored + for<'a> Restore<Over<Copying<'a>> = Self>
{
}

impl<F> FileFilter for F where
    F: PlanFilter + PartialEq + Stored + for<'a> Restore<Over<Copying<'a>> = F>
{
}

/// The sizes of filters that are written: empty, tiny, small, and one with several of whatever
/// there is.
const SIZES: [u64; 6] = [0, 1, 2, 10, 500, 20_000];

fn encoded<F: FileFilter>(filter: &F) -> Result<Vec<u8>, Violation> {
    encode(filter, false).map_err(Violation::refused("encoding"))
}

/// A filter of any number of keys, zero included.
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
        same(
            format!("length of {what}"),
            bytes.len() as u64,
            encoded_len(&filter),
        )?;
        let back = decode::<F>(&bytes, None).map_err(Violation::refused(&what))?;
        ensure(
            back == filter,
            format!("{what}, read"),
            "another filter",
            "the same",
        )?;
        ensure(
            encoded(&back)? == bytes,
            format!("{what}, written again"),
            "other bytes",
            "the same",
        )?;
        all_found(&back, &present_hashes(n, seed), &what)?;
        same("seed", back.seed(), filter.seed())?;
        same("capacity", back.capacity(), filter.capacity())?;
        same("len", back.len(), filter.len())?;
        same("params", back.params(), filter.params())?;

        // Into a buffer: exactly as long, too short, longer.
        let mut buffer = vec![7; bytes.len() + 10];
        let short = encode_into(&filter, &mut buffer[..bytes.len() - 1], false);
        same("length in a short buffer", short, None)?;
        ensure(
            buffer.iter().all(|&byte| byte == 7),
            "a short buffer",
            "written to",
            "left alone",
        )?;
        same(
            "length in a buffer",
            encode_into(&filter, &mut buffer, false),
            Some(bytes.len()),
        )?;
        ensure(
            buffer[..bytes.len()] == bytes,
            "bytes in a buffer",
            "others",
            "the same",
        )?;
    }
    Ok(())
}

/// A file without its seed is refused, and with the right one is the same filter.
pub fn a_withheld_seed_must_be_given<F: FileFilter>(fill: Fill<F>) -> Verdict {
    let filter = with_keys(fill, 300, 0.01, 99)?;
    let bytes = encode(&filter, true).map_err(Violation::refused("encoding"))?;
    same(
        "a file without seed",
        decode::<F>(&bytes, None).err(),
        Some(DecodeError::SeedWithheld),
    )?;
    let back =
        decode::<F>(&bytes, Some(99)).map_err(Violation::refused("a seed that was given"))?;
    ensure(
        back == filter,
        "a file with the seed given",
        "another filter",
        "the same",
    )
}

/// From a stream a file is read to its end and no further, also in small pieces; one cut short or
/// over the caller's limit is refused.
pub fn a_stream_is_read_to_the_end_of_the_file<F>(fill: Fill<F>) -> Verdict
where
    F: FileFilter,
    F: for<'a, 'b> Restore<Over<Streaming<'a, Pieces<'b>>> = F>,
{
    let (one, two) = (with_keys(fill, 700, 0.01, 1)?, with_keys(fill, 40, 0.1, 2)?);
    let bytes = [encoded(&one)?, encoded(&two)?, vec![1, 2, 3]].concat();
    for size in [1, 7, 64, 1 << 20] {
        let mut pieces = Pieces {
            bytes: &bytes,
            size,
        };
        for wanted in [&one, &two] {
            let (found, length) = read::<F, _>(&mut pieces, None, u64::MAX)
                .map_err(Violation::refused("a file in a stream"))?;
            ensure(
                found == *wanted,
                "a filter in a stream",
                "another",
                "the one written",
            )?;
            same("length of a file in a stream", length, encoded_len(wanted))?;
        }
        same("bytes left in the stream", pieces.bytes, &[1, 2, 3][..])?;
    }
    let bytes = encoded(&two)?;
    for cut in 0..bytes.len() {
        let mut pieces = Pieces {
            bytes: &bytes[..cut],
            size: 50,
        };
        match read::<F, _>(&mut pieces, None, u64::MAX) {
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
    let within = |limit| {
        read::<F, _>(
            &mut Pieces {
                bytes: &bytes,
                size: 50,
            },
            None,
            limit,
        )
    };
    ensure(
        within(length).is_ok(),
        "a file of the limit",
        "refused",
        "read",
    )?;
    match within(length - 1) {
        Err(ReadError::Decode(DecodeError::OverLimit { .. })) => Ok(()),
        _ => Err(Violation::Accepted {
            what: "a file over the limit".to_owned(),
        }),
    }
}

/// A reader that gives few bytes at a time.
#[derive(Debug)]
pub struct Pieces<'a> {
    bytes: &'a [u8],
    size: usize,
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
        Self {
            bytes: held,
            start,
            end: start + bytes.len(),
        }
    }

    fn get(&self) -> &[u8] {
        &self.bytes[self.start..self.end]
    }
}

/// A view answers as the filter does, checked or not; misaligned bytes are refused, or answer as
/// well.
pub fn a_view_answers_as_the_filter<F>(fill: Fill<F>) -> Verdict
where
    F: FileFilter,
    for<'a> F::Over<Borrowing<'a>>: Filter,
{
    for made in filters(fill) {
        let (n, seed, filter) = made?;
        let bytes = encoded(&filter)?;
        let hashes = [present_hashes(n.min(1000), seed), absent_hashes(1000, seed)].concat();
        let mut wanted = vec![false; hashes.len()];
        filter
            .contains_batch(&hashes, &mut wanted)
            .map_err(Violation::refused("a batch"))?;
        for after in 0..ALIGN {
            let aligned = Aligned::new(&bytes, after);
            for check in [true, false] {
                let view = match view::<F>(aligned.get(), None, check) {
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
                let mut answers = vec![false; hashes.len()];
                view.contains_batch(&hashes, &mut answers)
                    .map_err(Violation::refused("a batch"))?;
                ensure(
                    answers == wanted,
                    "answers of a view",
                    "others",
                    "the filter's",
                )?;
                let single: Vec<bool> = hashes.iter().map(|&h| view.contains_hash(h)).collect();
                ensure(
                    single == wanted,
                    "single answers of a view",
                    "others",
                    "the filter's",
                )?;
                let (ours, theirs) = (view.stats(), filter.stats());
                same("keys of a view", ours.len, theirs.len)?;
                same("rate of a view", ours.expected_fpr, theirs.expected_fpr)?;
                same("seed of a view", view.seed(), filter.seed())?;
            }
        }
    }
    Ok(())
}

/// Every flipped bit, every cut and every byte more is refused.
pub fn a_damaged_file_is_refused<F: FileFilter>(fill: Fill<F>) -> Verdict {
    for n in [0, 1, 30] {
        let bytes = encoded(&with_keys(fill, n, 0.05, 3)?)?;
        let refused = |bytes: &[u8], what: &dyn Fn() -> String| match decode::<F>(bytes, None) {
            Ok(_) => Err(Violation::Accepted { what: what() }),
            Err(_) => Ok(()),
        };
        let mut damaged = bytes.clone();
        for bit in 0..bytes.len() * 8 {
            damaged[bit / 8] ^= 1 << (bit % 8);
            refused(&damaged, &|| format!("a file with bit {bit} flipped"))?;
            damaged[bit / 8] ^= 1 << (bit % 8);
        }
        for cut in 0..bytes.len() {
            refused(&bytes[..cut], &|| format!("a file cut at {cut}"))?;
        }
        for more in [&bytes[..], &[0][..], &[0; 64][..]] {
            refused(&[&bytes[..], more].concat(), &|| {
                format!("{} bytes more", more.len())
            })?;
        }
    }
    Ok(())
}

/// What is no file of this family is refused by its own error.
pub fn what_is_no_file_is_refused_by_name<F: FileFilter>(fill: Fill<F>) -> Verdict {
    let bytes = encoded(&with_keys(fill, 30, 0.05, 3)?)?;
    let with = |change: &dyn Fn(&mut [u8])| {
        let mut changed = bytes.clone();
        change(&mut changed);
        mend(&mut changed);
        decode::<F>(&changed, None).err()
    };
    same(
        "no bytes",
        decode::<F>(&[], None).err(),
        Some(DecodeError::Truncated {
            bytes: 0,
            needed: HEADER as u64,
        }),
    )?;
    same(
        "other bytes",
        decode::<F>(&[1; 500], None).err(),
        Some(DecodeError::Magic),
    )?;
    let unix: Vec<u8> = bytes.iter().copied().filter(|&byte| byte != 0x0D).collect();
    same(
        "CRLF as LF",
        decode::<F>(&unix, None).err(),
        Some(DecodeError::TextMode),
    )?;
    same(
        "seven bits",
        with(&|b| b[0] &= 0x7F),
        Some(DecodeError::TextMode),
    )?;
    same(
        "turned round",
        with(&|b| b[..8].reverse()),
        Some(DecodeError::ByteSwapped),
    )?;
    same(
        "a later version",
        with(&|b| b[8] = 9),
        Some(DecodeError::Version { major: 9, minor: 1 }),
    )?;
    ensure(
        with(&|b| b[10] = 9).is_none(),
        "a later minor version",
        "refused",
        "read",
    )?;
    same(
        "kind 200",
        with(&|b| b[16] = 200),
        Some(DecodeError::Kind { number: 200 }),
    )?;
    let other = if bytes[16] == 1 { 2 } else { 1 };
    ensure(
        matches!(
            with(&|b| b[16] = other),
            Some(DecodeError::WrongKind { .. })
        ),
        "a good payload under another kind",
        "another answer",
        "WrongKind",
    )?;
    ensure(
        matches!(with(&|b| b[17] += 1), Some(DecodeError::Revision { .. })),
        "a later layout",
        "another answer",
        "Revision",
    )?;
    same(
        "another hash",
        with(&|b| b[18] = 77),
        Some(DecodeError::Hash { id: 77 }),
    )?;
    same(
        "another encoding",
        with(&|b| b[19] = 77),
        Some(DecodeError::KeyEncoding { version: 77 }),
    )?;
    same(
        "a flag to understand",
        with(&|b| b[23] = 1),
        Some(DecodeError::Flags { flags: 1 << 24 }),
    )?;
    ensure(
        with(&|b| b[20] = 1).is_none(),
        "a flag to ignore",
        "refused",
        "read",
    )?;
    for at in [48, 160] {
        let reserved = Some(DecodeError::Reserved { part: "header" });
        same("reserved bytes", with(&|b| b[at] = 1), reserved)?;
    }
    for (at, part) in [(8, "header"), (HEADER + 1, "directory")] {
        let mut damaged = bytes.clone();
        damaged[at + 16] ^= 1;
        same(
            part,
            decode::<F>(&damaged, None).err(),
            Some(DecodeError::Checksum { part }),
        )?;
    }
    Ok(())
}

/// Makes the checksums of a forged file right again, as far as its lengths lead into it.
pub fn mend(bytes: &mut [u8]) {
    let at = |bytes: &[u8], at: usize| {
        u64::from_le_bytes(core::array::from_fn(|i| bytes[at + i])) as usize
    };
    let directory = at(bytes, 136).min(bytes.len() - HEADER);
    let sums = [
        xxh3_64(&bytes[HEADER + directory..]),
        xxh3_64(&bytes[HEADER..HEADER + directory]),
    ];
    for (place, sum) in [168, 176].into_iter().zip(sums) {
        bytes[place..place + 8].copy_from_slice(&sum.to_le_bytes());
    }
    let sum = xxh3_64(&bytes[..HEADER - 8]);
    bytes[HEADER - 8..HEADER].copy_from_slice(&sum.to_le_bytes());
}

/// What an attacker writes where a number stands.
fn hostile(number: u64) -> [u64; 17] {
    [
        0,
        1,
        2,
        63,
        number.wrapping_sub(1),
        number.wrapping_add(1),
        number.wrapping_add(64),
        number.wrapping_mul(2),
        (1 << 31) + 1,
        u32::MAX.into(),
        1 << 32,
        1 << 40,
        1 << 63,
        u64::MAX - 63,
        u64::MAX,
        f64::NAN.to_bits(),
        f64::INFINITY.to_bits(),
    ]
}

/// Calls `each` with every forgery of a small filter's file that is read as a filter.
fn forgeries<F: FileFilter>(
    fill: Fill<F>,
    mut each: impl FnMut(F, &dyn Fn() -> String) -> Verdict,
) -> Verdict {
    forged_files(fill, |forged, what| match decode::<F>(forged, None) {
        Ok(filter) => each(filter, what),
        Err(_) => Ok(()),
    })
}

/// Calls `each` with every forgery of a small filter's file: a hostile number in header or
/// directory, or a changed byte of the payload, with the checksums right.
fn forged_files<F: FileFilter>(
    fill: Fill<F>,
    mut each: impl FnMut(&[u8], &dyn Fn() -> String) -> Verdict,
) -> Verdict {
    for n in [1, 40] {
        let bytes = encoded(&with_keys(fill, n, 0.05, 3)?)?;
        let directory = u64::from_le_bytes(core::array::from_fn(|i| bytes[136 + i])) as usize;
        let payload = HEADER + directory;
        let mut forged = bytes.clone();
        for at in (24..168).chain(HEADER..payload).step_by(8) {
            let number = u64::from_le_bytes(core::array::from_fn(|i| bytes[at + i]));
            for value in hostile(number) {
                forged[at..at + 8].copy_from_slice(&value.to_le_bytes());
                mend(&mut forged);
                each(&forged, &|| {
                    format!("{value:#x} at byte {at}, file of {n} keys")
                })?;
            }
            forged.copy_from_slice(&bytes);
        }
        for at in payload..bytes.len() {
            for change in [1, 0x80, 0xFF] {
                forged[at] ^= change;
                mend(&mut forged);
                each(&forged, &|| {
                    format!("byte {at} changed by {change:#x}, file of {n} keys")
                })?;
                forged.copy_from_slice(&bytes);
            }
        }
    }
    Ok(())
}

fn answers<F: Filter>(filter: &F, hashes: &[KeyHash]) -> Result<Vec<bool>, Violation> {
    let mut answers = vec![false; hashes.len()];
    filter
        .contains_batch(hashes, &mut answers)
        .map_err(Violation::refused("a batch"))?;
    Ok(answers)
}

/// A forged file, its checksums made right, is refused or is a filter like any other: it answers,
/// singly as in batches, and is written again as it came.
pub fn a_forged_file_is_refused_or_answers<F: FileFilter>(fill: Fill<F>) -> Verdict {
    let hashes = absent_hashes(200, 3);
    forgeries(fill, |filter: F, what| {
        let batch = answers(&filter, &hashes)?;
        let single: Vec<bool> = hashes.iter().map(|&h| filter.contains_hash(h)).collect();
        ensure(
            batch == single,
            what(),
            "answers differently in batches",
            "alike",
        )?;
        let rate = filter.stats().expected_fpr;
        ensure(
            (0.0..=1.0).contains(&rate),
            format!("rate, {}", what()),
            rate,
            "in [0, 1]",
        )?;
        let again = encoded(&filter)?;
        let back = decode::<F>(&again, None).map_err(Violation::refused(what()))?;
        ensure(
            back == filter,
            what(),
            "is not read again as it was",
            "the same",
        )
    })
}

/// The same for a view whose payload nobody checked: it answers something, and comes to an end.
pub fn a_view_of_a_forged_file_answers<F>(fill: Fill<F>) -> Verdict
where
    F: FileFilter,
    for<'a> F::Over<Borrowing<'a>>: Filter,
{
    let hashes = [present_hashes(40, 3), absent_hashes(200, 3)].concat();
    forged_files(fill, |forged, what| {
        let aligned = Aligned::new(forged, 0);
        let Ok(view) = view::<F>(aligned.get(), None, false) else {
            return Ok(());
        };
        let batch = answers(&view, &hashes)?;
        let single: Vec<bool> = hashes.iter().map(|&h| view.contains_hash(h)).collect();
        ensure(
            batch == single,
            what(),
            "a view answers differently in batches",
            "alike",
        )?;
        let rate = view.stats().expected_fpr;
        ensure(
            (0.0..=1.0).contains(&rate),
            format!("rate of a view, {}", what()),
            rate,
            "in [0, 1]",
        )
    })
}

/// A forged file that is read as a filter takes keys, finds them, and can be cleared.
pub fn a_forged_file_is_refused_or_takes_keys<F>(fill: Fill<F>) -> Verdict
where
    F: FileFilter + InsertFilter + ClearFilter,
{
    let hashes = absent_hashes(100, 4);
    forgeries(fill, |mut filter: F, what| {
        for &hash in &hashes {
            // A refusal is an answer, too.
            if filter.insert_hash(hash).is_ok() && !filter.contains_hash(hash) {
                return Err(Violation::Lost { what: what() });
            }
        }
        filter.clear();
        same(format!("len after clear, {}", what()), filter.len(), 0)
    })
}

/// A forged file that is read as a filter forgets keys, and none that it did not have.
pub fn a_forged_file_is_refused_or_forgets_keys<F>(fill: Fill<F>) -> Verdict
where
    F: FileFilter + RemoveFilter,
{
    let hashes = [present_hashes(40, 3), absent_hashes(300, 4)].concat();
    forgeries(fill, |mut filter: F, what| {
        for &hash in &hashes {
            let there = filter.contains_hash(hash);
            let removed = filter.remove_hash(hash);
            ensure(
                there || !removed,
                what(),
                "removed what was absent",
                "nothing",
            )?;
        }
        Ok(())
    })
}

/// The file's own numbers: header and directory take no more than stated.
pub fn a_file_is_little_larger_than_its_table<F: FileFilter>(fill: Fill<F>) -> Verdict {
    for n in [500, 20_000] {
        let filter = with_keys(fill, n, 0.01, 1)?;
        let over = encoded_len(&filter) - filter.size_in_bytes();
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
    let bytes = encoded(filter)?;
    let seed = filter.seed();
    let stream = (STREAM..STREAM + ASKED).filter(|key| filter.contains_hash(key.key_hash(seed)));
    let found: Vec<String> = stream.take(20).map(|key| key.to_string()).collect();
    let record = format!(
        "seed: {seed}\nkeys: 0..{keys}\nfalse positives from {STREAM} on: {}\n",
        found.join(" ")
    );
    committed(root, name, &bytes, &record)?;
    let read = decode::<F>(&bytes, None).map_err(Violation::refused(name))?;
    ensure(read == *filter, name, "read as another filter", "the same")?;
    match (0..keys).find(|key| !read.contains_hash(key.key_hash(seed))) {
        None => Ok(()),
        Some(key) => Err(Violation::Lost {
            what: format!("key {key} of the golden file {name}"),
        }),
    }
}

/// The committed file `tests/golden/<name>.amq` has these bytes, and `<name>.txt` this text, which
/// says what the file holds and answers.
///
/// With `AMQ_BLESS=1` both files are written, unless another file of the same layout revision is
/// there: a changed layout needs a new revision.
pub fn committed(root: &str, name: &str, bytes: &[u8], record: &str) -> Verdict {
    let folder = PathBuf::from(root).join("tests/golden");
    let (file, text) = (
        folder.join(format!("{name}.amq")),
        folder.join(format!("{name}.txt")),
    );
    let failure = |what: &str| Violation::Golden {
        what: format!("{}: {what}", file.display()),
    };
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
    ensure(
        before == bytes,
        name,
        "another file than the committed one",
        "the same",
    )?;
    let text = fs::read_to_string(&text).map_err(|error| failure(&error.to_string()))?;
    same(format!("answers of {name}"), record, text.as_str())
}
