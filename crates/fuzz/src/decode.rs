//! Decodes arbitrary bytes in every way.

use crate::limited::peak;
use crate::{Aligned, ask, parts};
use amq::{
    AnyFile, AnyFilter, BlockedBloomFilter, BlockedCountingBloomFilter, BloomFilter,
    CountingBloomFilter, CuckooFilter, DecodeError, ExpandableQuotientFilter, FilterFile,
    FuseFilter, Keyed, LoadOptions, QuotientFilter, RibbonFilter, RibbonMap,
    ScalableBlockedBloomFilter, ScalableBloomFilter, Table, WideBlockedBloomFilter,
    WindowedCuckooFilter,
};
use amq_interleaved::InterleavedBloomFilter;

/// Memory that decoding may use beyond the file's length.
const ALLOWANCE: usize = 64 << 10;

/// Reads `bytes` as a file in every way. All ways must agree on whether it is valid.
pub fn any_bytes(bytes: &[u8]) {
    let (owned, held) = peak(|| AnyFilter::from_bytes(bytes));
    assert!(held <= bytes.len() + ALLOWANCE, "{held} bytes held");
    let aligned = Aligned::new(bytes);
    let view = AnyFilter::view(aligned.get());
    let unchecked = LoadOptions::new().unchecked_payload().view::<AnyFilter>(aligned.get());
    match (&owned, &view) {
        (Ok(owned), Ok(view)) => assert_eq!(ask(owned), ask(view)),
        (Err(one), Err(other)) => {
            assert_eq!(one, other);
            assert!(!one.to_string().is_empty());
        }
        _ => panic!("{owned:?}, and as a view {view:?}"),
    }
    match &unchecked {
        Ok(view) => drop(ask(view)),
        Err(_) => assert!(owned.is_err()),
    }
    match (AnyFile::from_bytes(bytes), &owned) {
        (Ok(AnyFile::Keys(filter, _)), Ok(owned)) => assert!(filter == *owned),
        (
            Ok(file @ (AnyFile::Hashes(_) | AnyFile::Keyed(..))),
            Err(DecodeError::Prehashed | DecodeError::Keyed),
        ) => {
            let again = file.to_bytes().map(|again| AnyFile::from_bytes(&again));
            assert!(again.is_ok_and(|again| again.is_ok_and(|again| again == file)));
            let answers = ask(file.filter().into_inner());
            let view = Keyed::<AnyFilter>::view(aligned.get());
            match file {
                AnyFile::Keyed(filter, _) => {
                    let view = view.expect("a view of what was read");
                    assert!(view.key() == filter.key() && ask(view.get_ref()) == answers);
                }
                _ => assert_eq!(view.err(), Some(DecodeError::Prehashed)),
            }
        }
        (Err(_), Err(_)) => {}
        (file, owned) => panic!("{file:?}, and of keys {owned:?}"),
    }
    let mut rest = bytes;
    let (stream, held) = peak(|| AnyFilter::read_from(&mut rest));
    assert!(held <= 2 * bytes.len() + ALLOWANCE, "{held} bytes held");
    match (&owned, &stream) {
        (Ok(owned), Ok(read)) => assert!(read == owned && rest.is_empty()),
        // Bytes after a file are left in the stream.
        (Err(_), Ok(_)) => assert!(!rest.is_empty()),
        (Ok(_), Err(error)) => panic!("from a stream: {error}"),
        (Err(_), Err(_)) => {}
    }
    for of_type in STREAMED {
        of_type(bytes, owned.is_ok());
    }
    let (map, held) = peak(|| RibbonMap::from_bytes(bytes));
    assert!(held <= bytes.len() + ALLOWANCE, "{held} bytes held");
    assert!(map.is_err() || owned.is_err());
    let (bins, held) = peak(|| InterleavedBloomFilter::from_bytes(bytes));
    assert!(held <= bytes.len() + ALLOWANCE, "{held} bytes held");
    assert!(bins.is_err() || owned.is_err() && map.is_err());
    parts::any_bytes(bytes);
}

/// Reads a stream as each type.
const STREAMED: [fn(&[u8], bool); 13] = [
    streamed::<BloomFilter>,
    streamed::<BlockedBloomFilter>,
    streamed::<WideBlockedBloomFilter>,
    streamed::<CountingBloomFilter>,
    streamed::<BlockedCountingBloomFilter>,
    streamed::<ScalableBloomFilter>,
    streamed::<ScalableBlockedBloomFilter>,
    streamed::<CuckooFilter>,
    streamed::<WindowedCuckooFilter>,
    streamed::<QuotientFilter>,
    streamed::<ExpandableQuotientFilter>,
    streamed::<RibbonFilter>,
    streamed::<FuseFilter>,
];

/// From a stream, the right type reads the same filter as [`AnyFilter`], and no byte more; every
/// other type refuses.
fn streamed<F: FilterFile<With<Table> = F> + PartialEq>(bytes: &[u8], is_file: bool) {
    let mut rest = bytes;
    let (read, held) = peak(|| F::read_from(&mut rest));
    assert!(held <= 2 * bytes.len() + ALLOWANCE, "{held} bytes held");
    let of_slice = F::from_bytes(bytes);
    match read {
        Ok(filter) => {
            let taken = bytes.len() - rest.len();
            assert!(filter.to_bytes().is_ok_and(|file| file.len() == taken));
            assert!(F::from_bytes(&bytes[..taken]).is_ok_and(|again| again == filter));
            assert_eq!(is_file, rest.is_empty());
        }
        Err(_) => assert!(of_slice.is_err()),
    }
}
