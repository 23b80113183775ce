//! Filters of parts: rolling and sharded.

use crate::limited::peak;
use crate::{ask, hashes};
use amq::rolling::Rolling;
use amq::sharded::Sharded;
use amq::{BlockedBloomFilter, BloomFilter, CuckooFilter, FilterFile, QuotientFilter};
use amq::{ClearFilter, Filter, InsertFilter, Table};

/// Memory that reading may use beyond three times the file's length: a small part takes more than
/// its file.
const ALLOWANCE: usize = 64 << 10;

/// Reads `bytes` as filters of parts of several kinds, and runs every operation on the result. At
/// most one of these types reads it.
pub fn any_bytes(bytes: &[u8]) {
    let read = [
        reads(bytes, Rolling::<BloomFilter>::advance),
        reads(bytes, Rolling::<BlockedBloomFilter>::advance),
        reads(bytes, Rolling::<CuckooFilter>::advance),
        reads(bytes, visit::<BloomFilter>),
        reads(bytes, visit::<QuotientFilter>),
        reads(bytes, visit::<Rolling<BloomFilter>>),
    ];
    assert!(read.into_iter().filter(|&read| read).count() <= 1);
}

/// Visits every shard.
fn visit<F: Filter>(filter: &mut Sharded<F>) {
    let shards = filter.shards();
    assert_eq!(filter.for_each_shard(|shard| assert!(shard.stats().expected_fpr <= 1.0)), shards);
}

/// Whether it is such a file. `turn` changes the filter without forgetting new keys.
fn reads<F>(bytes: &[u8], turn: fn(&mut F)) -> bool
where
    F: FilterFile<With<Table> = F> + InsertFilter + ClearFilter,
{
    let encode = |filter: &F| filter.to_bytes().expect("memory for the file");
    let (of_bytes, held) = peak(|| F::from_bytes(bytes));
    let most = 3 * bytes.len() + ALLOWANCE;
    assert!(held <= most, "{held} bytes held");
    let mut rest = bytes;
    let (of_stream, held) = peak(|| F::read_from(&mut rest));
    assert!(held <= most, "{held} bytes held from a stream");
    let Ok(mut filter) = of_bytes else {
        assert!(of_stream.is_err() || !rest.is_empty());
        return false;
    };
    assert!(of_stream.is_ok_and(|read| encode(&read) == bytes) && rest.is_empty());
    assert_eq!(encode(&filter), bytes);
    drop(ask(&filter));
    for hash in hashes() {
        if filter.insert_hash(hash).is_ok() {
            assert!(filter.contains_hash(hash), "an inserted key is denied");
        }
    }
    let file = encode(&filter);
    assert!(F::from_bytes(&file).is_ok_and(|again| encode(&again) == file));
    turn(&mut filter);
    drop(ask(&filter));
    filter.clear();
    assert!(!ask(&filter).contains(&true) && filter.is_empty());
    true
}
