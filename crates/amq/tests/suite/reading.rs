//! Reading a filter of any kind takes the file's length and little more; see
//! `amq_conformance::memory`.

use amq::{
    AnyFile, AnyFilter, CuckooFilter, DecodeError, FilterFile, Goal, Keyed, LoadOptions, Prehashed,
    ReadError, SipKey,
};
use amq_conformance::memory::{SLACK, most_of_a_stream, takes_at_most};
use std::io;
use std::path::Path;
use tempfile::TempDir;

#[test]
fn reading_takes_little_more_than_the_file_whole_or_damaged() {
    let folder = TempDir::new().unwrap();
    let folder = folder.path();
    let path = folder.join("one.amq");
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let (mut files, mut read) = (0, 0);
    for variant in std::fs::read_dir(crates).unwrap() {
        let golden = variant.unwrap().path().join("tests/golden");
        for file in std::fs::read_dir(golden).into_iter().flatten() {
            let file = file.unwrap().path();
            if file.extension().is_none_or(|end| end != "amq") {
                continue;
            }
            files += 1;
            let whole = std::fs::read(&file).unwrap();
            let mut damaged = whole.clone();
            damaged[whole.len() / 2] ^= 1;
            for bytes in [&whole[..], &whole[..whole.len() - 1], &whole[..200], &damaged] {
                std::fs::write(&path, bytes).unwrap();
                let came = bytes.len() as u64;
                let what = || format!("{came} bytes of {}", file.display());
                takes_at_most(came + SLACK, &what, || {
                    read += u32::from(AnyFilter::from_bytes(bytes).is_ok());
                });
                takes_at_most(came + SLACK, &what, || {
                    read += u32::from(AnyFilter::load(&path).is_ok());
                });
                takes_at_most(most_of_a_stream(came), &what, || {
                    read += u32::from(AnyFilter::read_from(bytes).is_ok());
                });
            }
        }
    }
    // Others are maps, bins, keyed, of several filters, or of 14 ribbons of withdrawn kinds.
    assert!(files > 60 && read >= 3 * (files - 40), "{read} of {files}");
}

/// Says that it read or wrote more than it was given.
struct Boasting<'a> {
    bytes: &'a [u8],
    /// Calls until it does.
    honest: u32,
    /// How many bytes too many.
    more: usize,
}

impl Boasting<'_> {
    fn claim(&mut self, done: usize, given: usize) -> usize {
        match self.honest.checked_sub(1) {
            Some(honest) => {
                self.honest = honest;
                done
            }
            None => given.saturating_add(self.more),
        }
    }
}

impl io::Read for Boasting<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let done = self.bytes.read(buffer)?;
        Ok(self.claim(done, buffer.len()))
    }
}

impl io::Write for Boasting<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        Ok(self.claim(bytes.len(), bytes.len()))
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn a_reader_or_writer_that_overstates_its_work_is_an_error() {
    let filter = amq::RibbonFilter::build(amq::Budget::Fpr(0.01), 0..50_000u64).unwrap();
    for more in [1, 1 << 30, usize::MAX] {
        for honest in 0..4 {
            let bytes = filter.to_bytes().unwrap();
            let reader = || Boasting { bytes: &bytes, honest, more };
            let said = |error: ReadError| {
                assert!(matches!(error, ReadError::Io(_)), "{error}");
                assert!(error.to_string().contains("mend its `read`"), "{error}");
            };
            said(AnyFilter::read_from(reader()).unwrap_err());
            said(amq::RibbonFilter::read_from(reader()).unwrap_err());
            for error in [
                filter.write_to(reader()).unwrap_err(),
                AnyFilter::from(filter.clone()).write_to(reader()).unwrap_err(),
            ] {
                assert!(error.to_string().contains("mend its `write`"), "{error}");
            }
        }
    }
}

#[test]
fn a_large_file_is_loaded_into_its_place() {
    // Larger than any step: the whole table is one allocation, and its file is never beside it.
    let folder = TempDir::new().unwrap();
    let folder = folder.path();
    let path = folder.join("large.amq");
    let mut filter = amq::BloomFilter::new(Goal::fpr(3_000_000, 0.01)).unwrap();
    filter.extend(0..1000u64);
    filter.save(&path).unwrap();
    let length = filter.to_bytes().unwrap().len() as u64;
    assert!(length > 3 << 20);
    let mut loaded = None;
    takes_at_most(length + SLACK, &|| "a large file".into(), || {
        loaded = Some(AnyFilter::load(&path).unwrap());
    });
    assert!(loaded == Some(filter.clone().into()));
    // Cut in its middle, it is refused before anything is taken.
    let bytes = std::fs::read(&path).unwrap();
    std::fs::write(&path, &bytes[..bytes.len() / 2]).unwrap();
    takes_at_most(SLACK, &|| "half of it".into(), || {
        assert!(AnyFilter::load(&path).is_err());
    });
}

/// The refusal says how the keys are hashed, and what it tells the reader to do works.
#[test]
fn a_secret_of_another_sort_is_refused_with_the_way_out() {
    let (key, goal) = (SipKey::new([7; 16]), Goal::fpr(10, 0.01));
    let plain = CuckooFilter::with_seed(goal, 9).unwrap();
    let keyed = Keyed::of(CuckooFilter::with_seed(goal, 0).unwrap(), key).to_bytes().unwrap();
    let hashes = Prehashed::of(CuckooFilter::with_seed(goal, 0).unwrap()).to_bytes().unwrap();
    let (seed, key) = (LoadOptions::new().seed(9), LoadOptions::new().key(key));
    for (file, options, texts) in [
        (&keyed, seed, ["under a secret key (hash 3), not under a seed", "Give no seed"]),
        (&plain.to_bytes().unwrap(), key, ["under a seed (hash 1), not under", "Give no key"]),
        (&hashes, seed, ["by the program that made it", "give no seed or secret key"]),
        (&hashes, key, ["by the program that made it", "give no seed or secret key"]),
    ] {
        let refused = options.from_bytes::<AnyFile>(file).unwrap_err();
        let text = refused.to_string();
        assert!(texts.iter().all(|part| text.contains(part)), "{text}");
        let streamed = options.read_from::<AnyFile, _>(&file[..]).unwrap_err();
        assert!(matches!(streamed, ReadError::Decode(error) if error == refused), "{streamed}");
        assert_eq!(options.view::<AnyFile>(file).map(drop), Err(refused));
        assert!(AnyFile::from_bytes(file).is_ok());
    }
}

#[test]
fn bytes_over_the_limit_are_not_called_a_file() {
    let bytes = CuckooFilter::new(Goal::fpr(10, 0.01)).unwrap().to_bytes().unwrap();
    let refused = LoadOptions::new().max_bytes(100).from_bytes::<AnyFilter>(&bytes).unwrap_err();
    assert_eq!(refused, DecodeError::OverLimit { bytes: bytes.len() as u64, limit: 100 });
    let text = refused.to_string();
    assert!(
        !text.contains("file") && text.contains("`LoadOptions::max_bytes` allows 100"),
        "{text}"
    );
}
