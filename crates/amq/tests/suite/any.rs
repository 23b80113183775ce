//! Every committed file of every kind, through the one type that holds them all.

use amq::format::FileInfo;
use amq::{
    AnyFile, AnyFilter, BloomFilter, DecodeError, Filter, FilterFile, FilterKind,
    InterleavedBloomFilter, Key, KeyEncoding, LoadOptions, RibbonMap, load_or_maybe,
};
use amq_conformance::files::callers_hash;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// The golden files of all variant crates.
fn files() -> Vec<PathBuf> {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let mut files = Vec::new();
    for entry in std::fs::read_dir(crates).unwrap() {
        let Ok(golden) = std::fs::read_dir(entry.unwrap().path().join("tests/golden")) else {
            continue;
        };
        let golden = golden.map(|file| file.unwrap().path());
        files.extend(golden.filter(|file| file.extension().is_some_and(|end| end == "amq")));
    }
    files.sort();
    files
}

/// A copy that begins at a multiple of 64, and where it begins.
fn aligned(bytes: &[u8]) -> (Vec<u8>, usize) {
    let mut held = vec![0; bytes.len() + 64];
    let start = held.as_ptr().align_offset(64);
    held[start..start + bytes.len()].copy_from_slice(bytes);
    (held, start)
}

#[test]
fn every_golden_file_answers_as_recorded() {
    let mut kinds = BTreeSet::new();
    for path in files() {
        let bytes = std::fs::read(&path).unwrap();
        let Some(kind) = FilterKind::from_number(bytes[16]) else {
            // Of a kind that was withdrawn.
            let refused = Some(DecodeError::Kind { number: bytes[16] });
            assert_eq!(AnyFile::from_bytes(&bytes).err(), refused);
            continue;
        };
        if !FilterKind::ALL.contains(&kind) {
            continue; // a map, see below; or of parts, see `parts`
        }
        let record = std::fs::read_to_string(path.with_extension("txt")).unwrap();
        let line = |name: &str| {
            let found = record.lines().find_map(|line| line.strip_prefix(name));
            found.unwrap_or_default().trim().to_owned()
        };
        let name = path.display();
        let keys: u64 = line("keys: 0..").parse().unwrap();
        let positives = line("false positives from 1000000 on:");
        let positives: Vec<u64> =
            positives.split_whitespace().map(|key| key.parse().unwrap()).collect();

        if FileInfo::of(&bytes).unwrap().withheld {
            assert!(AnyFile::from_bytes(&bytes).is_err(), "{name}");
            continue; // see `keyed`
        }
        let file = AnyFile::from_bytes(&bytes).unwrap();
        let filter = file.filter().into_inner();
        kinds.insert(filter.kind().name());
        // Why it is not read for keys that are hashed under a seed.
        let refusal = match file {
            AnyFile::Keys(..) => None,
            AnyFile::Keyed(..) => Some(DecodeError::Keyed),
            AnyFile::Hashes(_) => Some(DecodeError::Prehashed),
            other => panic!("{name}: {other:?}"),
        };
        assert_eq!(AnyFilter::from_bytes(&bytes).err(), refusal, "{name}");
        let instants = file.encoding() == KeyEncoding::Instants;
        let hash = |key: u64| match &file {
            AnyFile::Keys(filter, _) if instants => (key as i64, 0u32).key_hash(filter.seed()),
            AnyFile::Keys(filter, _) => key.key_hash(filter.seed()),
            AnyFile::Keyed(filter, _) => filter.key_hash(&key),
            _ => callers_hash(key),
        };
        assert!((0..keys).all(|key| filter.contains_hash(hash(key))), "{name}");
        let stream =
            (1_000_000..1_100_000u64).filter(|&key| filter.contains_hash(hash(key))).take(20);
        assert!(stream.eq(positives.iter().copied()), "{name}");
        assert_eq!(file.to_bytes().unwrap(), bytes, "{name}");

        let (held, start) = aligned(&bytes);
        let held = &held[start..start + bytes.len()];
        for view in
            [AnyFilter::view(held), LoadOptions::new().unchecked_payload().view::<AnyFilter>(held)]
        {
            let view = match view {
                Ok(view) => view,
                Err(error) if refusal.is_some() => {
                    assert_eq!(Some(error), refusal, "{name}");
                    continue;
                }
                Err(error) => panic!("{name}: {error}"),
            };
            assert_eq!(view.stats(), filter.stats(), "{name}");
            let is_in = |key: u64| match instants {
                true => view.contains(&(key as i64, 0u32)),
                false => view.contains(&key),
            };
            assert!((0..keys).all(is_in), "{name}");
        }
        assert_eq!(AnyFile::load(&path).unwrap(), file);
        let maybe = load_or_maybe(&path);
        assert_eq!(maybe.filter(), refusal.is_none().then_some(filter), "{name}");
    }
    let all: BTreeSet<_> = FilterKind::ALL.iter().map(|kind| kind.name()).collect();
    assert_eq!(kinds, all, "kinds with a committed file");
}

#[test]
fn the_error_for_bins_names_the_type_that_loads_them() {
    let found = FilterKind::Interleaved;
    let files = files().into_iter().map(|path| std::fs::read(path).unwrap());
    let bins: Vec<_> = files.filter(|bytes| bytes[16] == found.number()).collect();
    assert!(bins.len() >= 5);
    for bytes in bins {
        let refused = AnyFilter::from_bytes(&bytes).unwrap_err();
        assert_eq!(refused, DecodeError::UnsupportedKind { found });
        assert_eq!(
            refused.to_string(),
            "the file holds an interleaved Bloom filter, which is not read here: it answers which \
             of its bins may hold a key; load it as an `InterleavedBloomFilter`"
        );
        assert_eq!(FileInfo::of(&bytes).unwrap().kind, Some(found));
        assert!(InterleavedBloomFilter::from_bytes(&bytes).is_ok());
    }
}

#[test]
fn the_error_for_a_map_names_the_type_that_loads_it() {
    let maps = files().into_iter().map(|path| std::fs::read(path).unwrap());
    let maps: Vec<_> = maps.filter(|bytes| bytes[16] == FilterKind::RibbonMap.number()).collect();
    assert!(maps.len() >= 3);
    for bytes in maps {
        let (held, start) = aligned(&bytes);
        let held = &held[start..start + bytes.len()];
        let refused = AnyFilter::from_bytes(&bytes).unwrap_err();
        assert_eq!(AnyFilter::view(held).unwrap_err(), refused);
        let found = FilterKind::RibbonMap;
        assert!(matches!(refused, DecodeError::UnsupportedKind { found: f } if f == found));
        let text = refused.to_string();
        assert!(text.starts_with("the file holds a ribbon map, which is not read here"));
        assert!(text.contains("load it as a `RibbonMap`"), "{text}");
        assert!(RibbonMap::from_bytes(&bytes).is_ok());

        let wanted = FilterKind::Bloom;
        let refused = BloomFilter::from_bytes(&bytes).unwrap_err();
        assert_eq!(refused, DecodeError::WrongKind { found, wanted });
        let text = "the file holds a ribbon map, and a Bloom filter was asked for";
        assert_eq!(refused.to_string(), text);
    }
}

#[test]
fn what_cannot_be_read_is_maybe_in() {
    let folder = TempDir::new().unwrap();
    let folder = folder.path();
    let damaged = folder.join("damaged.amq");
    let mut bytes = std::fs::read(&files()[0]).unwrap();
    *bytes.last_mut().unwrap() ^= 1;
    std::fs::write(&damaged, bytes).unwrap();
    for path in [folder.join("missing.amq"), folder.to_path_buf(), damaged] {
        let filter = load_or_maybe(&path);
        assert!(filter.error().is_some(), "{}", path.display());
        assert!((0..1000u64).all(|key| filter.contains(&key)));
    }
}
