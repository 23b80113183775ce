//! Filters of parts: rolling and sharded ones.

use crate::limited::peak;
use crate::{ask, hashes};
use amq::rolling::Rolling;
use amq::sharded::Sharded;
use amq::{BlockedBloomFilter, BloomFilter, CuckooFilter, FilterFile, QuotientFilter};
use amq::{ClearFilter, DecodeError, Filter, InsertFilter, Part, ReadError};

/// Bytes that reading may hold beyond three times the file's own length: a small part takes more
/// than its file.
const ALLOWANCE: usize = 64 << 10;

/// A filter of parts that can be stored.
trait Whole: Filter + InsertFilter + ClearFilter + Sized {
    fn encode(&self) -> Vec<u8>;
    fn decode(bytes: &[u8]) -> Result<Self, DecodeError>;
    fn read(reader: &mut &[u8]) -> Result<Self, ReadError>;
    /// Whatever else changes it but makes it forget nothing that is new.
    fn turn(&mut self);
}

macro_rules! whole {
    ($type:ident, $turn:expr) => {
        impl<F: Part + InsertFilter + ClearFilter> Whole for $type<F> {
            fn encode(&self) -> Vec<u8> {
                self.to_bytes().expect("memory for the file")
            }
            fn decode(bytes: &[u8]) -> Result<Self, DecodeError> {
                Self::from_bytes(bytes)
            }
            fn read(reader: &mut &[u8]) -> Result<Self, ReadError> {
                Self::read_from(reader)
            }
            fn turn(&mut self) {
                $turn(self)
            }
        }
    };
}

whole!(Rolling, Rolling::advance);
whole!(Sharded, |filter: &mut Self| {
    let shards = filter.shards();
    assert_eq!(filter.for_each_shard(|shard| assert!(shard.stats().expected_fpr <= 1.0)), shards);
});

/// Reads `bytes` as filters of parts of several kinds, and does with what is read all that can be
/// done. At most one of these types reads it.
pub fn any_bytes(bytes: &[u8]) {
    let read = [
        reads::<Rolling<BloomFilter>>(bytes),
        reads::<Rolling<BlockedBloomFilter>>(bytes),
        reads::<Rolling<CuckooFilter>>(bytes),
        reads::<Sharded<BloomFilter>>(bytes),
        reads::<Sharded<QuotientFilter>>(bytes),
        reads::<Sharded<Rolling<BloomFilter>>>(bytes),
    ];
    assert!(read.into_iter().filter(|&read| read).count() <= 1);
}

/// Whether it is such a file.
fn reads<F: Whole>(bytes: &[u8]) -> bool {
    let (of_bytes, held) = peak(|| F::decode(bytes));
    let most = 3 * bytes.len() + ALLOWANCE;
    assert!(held <= most, "{held} bytes held");
    let mut rest = bytes;
    let (of_stream, held) = peak(|| F::read(&mut rest));
    assert!(held <= most, "{held} bytes held from a stream");
    let Ok(mut filter) = of_bytes else {
        assert!(of_stream.is_err() || !rest.is_empty());
        return false;
    };
    assert!(of_stream.is_ok_and(|read| read.encode() == bytes) && rest.is_empty());
    assert_eq!(filter.encode(), bytes);
    drop(ask(&filter));
    for hash in hashes() {
        if filter.insert_hash(hash).is_ok() {
            assert!(filter.contains_hash(hash), "an inserted key is denied");
        }
    }
    let file = filter.encode();
    assert!(F::decode(&file).is_ok_and(|again| again.encode() == file));
    filter.turn();
    drop(ask(&filter));
    filter.clear();
    assert!(!ask(&filter).contains(&true) && filter.is_empty());
    true
}
