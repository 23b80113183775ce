//! Files of rolling and sharded filters that are damaged, forged or of another kind are refused.

use crate::parts::{Events, File, events, is_read, sessions};
use amq::LoadOptions;
use amq::rolling::Rolling;
use amq::*;
use amq_conformance::files::mend;
use amq_conformance::testing::set;

/// Where the directory begins, and a row of it.
const DIRECTORY: usize = 192;
const ROW: usize = 64;

#[test]
fn another_kind_is_refused_by_name() {
    let (rolling, sharded) = (events(2, 0).encode(), sessions(9, 0).encode());
    for (bytes, kind) in [(&rolling, FilterKind::Rolling), (&sharded, FilterKind::Sharded)] {
        let error = AnyFilter::from_bytes(bytes).unwrap_err();
        assert!(
            matches!(error, DecodeError::UnsupportedKind { found } if found == kind),
            "{error}"
        );
        let text = error.to_string();
        assert!(text.starts_with(&format!("the file holds a {kind} filter")), "{text}");
        assert!(BloomFilter::from_bytes(bytes).is_err());
    }
    let wanted = FilterKind::Rolling;
    let wrong = DecodeError::WrongKind { found: FilterKind::Sharded, wanted };
    assert_eq!(Events::from_bytes(&sharded), Err(wrong));
    let wrong = DecodeError::WrongKind { found: FilterKind::Bloom, wanted: FilterKind::Cuckoo };
    assert_eq!(Rolling::<CuckooFilter>::from_bytes(&rolling).unwrap_err(), wrong);
    let plain = events(0, 0).newest_first().count();
    assert_eq!(plain, 1);
    let bloom = BloomFilter::new(Goal::fpr(9, 0.1)).unwrap().to_bytes().unwrap();
    assert!(Events::from_bytes(&bloom).is_err());
}

#[test]
fn damaged_files_are_refused() {
    fn damaged<F: File>(filter: &F) {
        let bytes = filter.encode();
        for length in (0..bytes.len()).step_by(13).chain([bytes.len() - 1]) {
            assert!(F::decode(&bytes[..length]).is_err(), "cut at {length}");
            assert!(F::read(&mut &bytes[..length]).is_err(), "cut at {length}");
        }
        assert!(F::decode(&[&bytes[..], &[0]].concat()).is_err());
        for bit in (0..bytes.len() * 8).step_by(11) {
            let mut bytes = bytes.clone();
            bytes[bit / 8] ^= 1 << (bit % 8);
            assert!(F::decode(&bytes).is_err(), "bit {bit}");
            assert!(F::read(&mut &bytes[..]).is_err(), "bit {bit}");
        }
    }
    damaged(&events(5, 3));
    damaged(&sessions(300, 3));
}

#[test]
fn forged_files_are_refused_by_name() {
    let seen = events(2, 5);
    let good = seen.encode();
    // Behind the head and the rows of four sections.
    let entry = DIRECTORY + 5 * ROW;
    let payload = entry + ROW;
    let refused = |change: &dyn Fn(&mut Vec<u8>)| {
        let mut bytes = good.clone();
        change(&mut bytes);
        mend(&mut bytes);
        let error = Events::from_bytes(&bytes).unwrap_err();
        assert!(Events::read_from(&bytes[..]).is_err());
        error.to_string()
    };
    for (number, value, says) in [
        (0, 3, "generations"),
        (0, 0, "generations"),
        (0, u64::MAX, "generations"),
        (1, (1 << 56) + 1, "number of advances"),
        (1, u64::MAX, "number of advances"),
        // The third generation holds keys, and would not have been reached.
        (1, 1, "generations that were not reached"),
        (2, 2, "advances by count"),
        (3, 1, "zero"),
    ] {
        let text = refused(&|bytes| set(bytes, entry + 8 * number, value));
        assert!(text.contains(says), "{number} {value}: {text}");
    }
    assert!(refused(&|bytes| set(bytes, 24, 1)).contains("number of keys"));
    assert!(refused(&|bytes| set(bytes, 40, 6)).contains("seeds of the parts"));
    assert!(refused(&|bytes| set(bytes, 72, 1)).contains("zero"));
    assert!(refused(&|bytes| set(bytes, 56, 3)).contains("budget"));
    assert!(refused(&|bytes| bytes[17] = 2).contains("layout 2"));
    // By hash alone it would be asked for other hashes than its keys'.
    assert!(
        refused(&|bytes| {
            bytes[18] = 2;
            set(bytes, 40, 0)
        })
        .contains("hash")
    );
    // A part of another seed, whose own checksums are right.
    let one = (good.len() - payload) / 4;
    let text = refused(&|bytes| {
        let part = &mut bytes[payload..payload + one];
        set(part, 40, 6);
        mend(part);
    });
    assert!(text.contains("seeds of the parts"), "{text}");
    // A part that withholds its seed in a file that does not, and the other way round.
    let text = refused(&|bytes| {
        let part = &mut bytes[payload..payload + one];
        set(part, 40, 0);
        part[22] = 1;
        mend(part);
    });
    assert!(text.contains("withheld"), "{text}");
    let mut bytes = good.clone();
    set(&mut bytes, 40, 0);
    bytes[22] = 1;
    mend(&mut bytes);
    assert!(LoadOptions::new().seed(5).from_bytes::<Events>(&bytes).is_err());
    // Far advanced, it still advances.
    let mut bytes = good;
    set(&mut bytes, entry + 8, 1 << 56);
    mend(&mut bytes);
    let mut far = Events::from_bytes(&bytes).unwrap();
    for _ in 0..9 {
        far.advance();
        assert!(far.insert("a key").is_ok() && far.contains("a key"));
        is_read(&far);
    }
}
