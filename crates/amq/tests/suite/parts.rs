//! Rolling and sharded filters as files: what was written is read and goes on.

use amq::rolling::Rolling;
use amq::sharded::Sharded;
use amq::*;
use amq::{FilterFile, LoadOptions, SaveOptions};
use amq_conformance::files::{callers_hash, committed};
use amq_conformance::memory::peak_of;
use core::fmt::Debug;
use tempfile::TempDir;

pub(crate) type Events = Rolling<BloomFilter>;
pub(crate) type Sessions = Sharded<QuotientFilter>;

/// What the tests need of a filter of parts.
pub(crate) trait File: Filter + Debug + Sized {
    fn encode(&self) -> Vec<u8>;
    fn decode(bytes: &[u8]) -> Result<Self, DecodeError>;
    fn read(reader: &mut &[u8]) -> Result<Self, ReadError>;
}

macro_rules! files {
    ($($type:ident),*) => {$(
        impl<F: Part + Debug> File for $type<F> {
            fn encode(&self) -> Vec<u8> {
                self.to_bytes().unwrap()
            }
            fn decode(bytes: &[u8]) -> Result<Self, DecodeError> {
                Self::from_bytes(bytes)
            }
            fn read(reader: &mut &[u8]) -> Result<Self, ReadError> {
                Self::read_from(reader)
            }
        }
    )*};
}

files!(Rolling, Sharded);

/// Generations of a hundred keys, after so many periods.
pub(crate) fn events(periods: u64, seed: u64) -> Events {
    let mut seen = Events::with_seed(Goal::fpr(400, 0.01), 4, seed).unwrap();
    for period in 0..=periods {
        if period > 0 {
            seen.advance();
        }
        for key in period * 100..(period + 1) * 100 {
            seen.insert(&key).unwrap();
        }
    }
    seen
}

pub(crate) fn sessions(keys: u64, seed: u64) -> Sessions {
    let filter = Sessions::with_seed(Goal::fpr(500, 0.01), 5, seed).unwrap();
    filter.insert_keys(&(0..keys).collect::<Vec<_>>()).unwrap();
    filter
}

/// Read from bytes and from a stream it is the same, and it is written as the same bytes.
pub(crate) fn is_read<F: File>(filter: &F) -> F {
    let bytes = filter.encode();
    let back = F::decode(&bytes).unwrap();
    assert_eq!(back.encode(), bytes);
    assert_eq!((back.stats(), back.seed()), (filter.stats(), filter.seed()));
    let asked: Vec<KeyHash> = (0..5000u64).map(|key| key.key_hash(filter.seed())).collect();
    assert!(asked.iter().all(|&hash| back.contains_hash(hash) == filter.contains_hash(hash)));
    let stream = [&bytes[..], b"what follows"].concat();
    let mut rest = &stream[..];
    assert_eq!(F::read(&mut rest).unwrap().encode(), bytes);
    assert_eq!(rest, b"what follows");
    back
}

#[test]
fn a_restart_does_not_forget_the_hour() {
    for periods in [0, 1, 3, 4, 11] {
        let mut seen = events(periods, 7);
        let mut back = is_read(&seen);
        assert_eq!(back, seen);
        assert_eq!((back.advanced(), back.generations()), (periods, 4));
        // Both go on and forget alike.
        for period in periods + 1..periods + 9 {
            let first = (period * 100).saturating_sub(300);
            assert!((first..period * 100).all(|key| back.contains(&key)));
            for filter in [&mut seen, &mut back] {
                filter.advance();
                for key in period * 100..(period + 1) * 100 {
                    filter.insert(&key).unwrap();
                }
            }
            assert_eq!(back, seen);
        }
    }
    // By count, it goes on by count.
    let mut seen = Rolling::<CuckooFilter>::new(Goal::fpr(400, 0.001), 4).unwrap().by_count();
    for key in 0..777u64 {
        seen.insert(&key).unwrap();
    }
    let mut back = is_read(&seen);
    for key in 777..3000u64 {
        assert_eq!(back.insert(&key), seen.insert(&key));
    }
    assert_eq!(back, seen);
    assert!(back.advanced() > 20);
}

#[test]
fn every_kind_of_part_is_read_again() {
    let goal = Goal::fpr(300, 0.01);
    is_read(&Rolling::<ScalableBloomFilter>::new(goal, 3).unwrap());
    is_read(&Rolling::<ExpandableQuotientFilter>::new(goal, 1).unwrap());
    is_read(&Sharded::<CountingBloomFilter>::new(goal, 9).unwrap());
    is_read(&sessions(0, 0));
    let mut filter = is_read(&sessions(500, 7));
    assert!((0..500u64).all(|key| filter.contains(&key) && filter.remove(&key)));
    assert!(filter.is_empty());
    filter.clear();
    // Filters that are built at once are shards, too, and so are rolling ones.
    let mut keys = vec![Vec::new(); 3];
    for hash in (0..1000u64).map(|key| key.key_hash(0)) {
        keys[hash.shard(3)].push(hash);
    }
    let built = |keys: &Vec<KeyHash>| RibbonFilter::build_hashes(Budget::Fpr(0.01), 0, keys);
    let shards = keys.iter().map(built).collect::<Result<_, _>>().unwrap();
    is_read(&Sharded::<RibbonFilter>::from_shards_unchecked(shards, 1000).unwrap());
    let shards = (0..3).map(|_| events(0, 4)).collect();
    let live = is_read(&Sharded::<Events>::from_shards_unchecked(shards, 1000).unwrap());
    assert_eq!(live.for_each_shard(Rolling::advance), 3);
    is_read(&live);
    // As many shards as there can be fit the directory.
    let most = Sharded::<BloomFilter>::new(Goal::fpr(1, 0.5), 32_768).unwrap();
    let back = Sharded::<BloomFilter>::from_bytes(&most.to_bytes().unwrap()).unwrap();
    assert_eq!((back.shards(), back.capacity()), (32_768, 1));
}

#[test]
fn generations_are_asked_one_by_one() {
    for periods in [0, 2, 9] {
        let seen = events(periods, 3);
        let numbers: Vec<u64> = seen.newest_first().map(|each| each.number()).collect();
        let oldest = periods.saturating_sub(3);
        assert_eq!(numbers, (oldest..=periods).rev().collect::<Vec<_>>());
        for generation in seen.newest_first() {
            let first = generation.number() * 100;
            assert!((first..first + 100).all(|key| generation.contains(&key)));
            let others = (1 << 40..(1 << 40) + 1000u64).filter(|key| generation.contains(key));
            assert!(others.count() < 20);
            assert!((90..=100).contains(&generation.len()) && !generation.is_empty());
            assert_eq!(generation.stats().len, generation.len());
        }
        for key in 0..5000u64 {
            let any = seen.newest_first().any(|generation| generation.contains(&key));
            assert_eq!(any, seen.contains(&key));
        }
    }
}

#[test]
fn files_are_saved_whole_and_loaded_and_seeds_may_be_withheld() {
    let folder = TempDir::new().unwrap();
    let folder = folder.path();
    let (rolling, sharded) = (folder.join("rolling.amq"), folder.join("sharded.amq"));
    let (seen, filter) = (events(6, 99), sessions(500, 99));
    seen.save(&rolling).unwrap();
    seen.save(&rolling).unwrap();
    filter.save(&sharded).unwrap();
    assert_eq!(std::fs::read_dir(folder).unwrap().count(), 2);
    assert_eq!(Events::load(&rolling).unwrap(), seen);
    assert_eq!(Sessions::load(&sharded).unwrap().encode(), filter.encode());
    assert!(seen.save(folder).is_err());
    let mut written = Vec::new();
    seen.write_to(&mut written).unwrap();
    assert_eq!(written, seen.encode());
    let limit = written.len() as u64 - 1;
    assert!(LoadOptions::new().max_bytes(limit).read_from::<Events, _>(&written[..]).is_err());
    assert!(LoadOptions::new().max_bytes(limit + 1).read_from::<Events, _>(&written[..]).is_ok());

    let (rolled, shared) = (
        SaveOptions::new().without_secret().to_bytes(&seen).unwrap(),
        SaveOptions::new().without_secret().to_bytes(&filter).unwrap(),
    );
    let secret = 99u64.to_le_bytes();
    for bytes in [&rolled, &shared] {
        assert!(!bytes.windows(8).any(|window| window == secret), "the seed is in the file");
    }
    assert_eq!(Events::from_bytes(&rolled), Err(DecodeError::SeedWithheld));
    assert_eq!(LoadOptions::new().seed(99).from_bytes::<Events>(&rolled).unwrap(), seen);
    let back = LoadOptions::new().seed(99).from_bytes::<Sessions>(&shared).unwrap();
    assert!((0..500u64).all(|key| back.contains(&key)));
    assert_eq!(SaveOptions::new().without_secret().to_bytes(&back).unwrap(), shared);
    let mut written = [Vec::new(), Vec::new()];
    SaveOptions::new().without_secret().write_to(&seen, &mut written[0]).unwrap();
    SaveOptions::new().without_secret().write_to(&filter, &mut written[1]).unwrap();
    assert_eq!(written, [&rolled[..], &shared[..]]);
    assert_eq!(LoadOptions::new().seed(99).read_from::<Events, _>(&rolled[..]).unwrap(), seen);
    let read = LoadOptions::new().seed(99).read_from::<Sessions, _>(&shared[..]).unwrap();
    assert_eq!(read.encode(), filter.encode());
    SaveOptions::new().without_secret().save(&seen, &rolling).unwrap();
    SaveOptions::new().without_secret().save(&filter, &sharded).unwrap();
    assert!(
        std::fs::read(&rolling).unwrap() == rolled && std::fs::read(&sharded).unwrap() == shared
    );
    assert!(Events::load(&rolling).is_err() && Sessions::load(&sharded).is_err());
    assert_eq!(LoadOptions::new().seed(99).load::<Events>(&rolling).unwrap(), seen);
    assert_eq!(
        LoadOptions::new().seed(99).load::<Sessions>(&sharded).unwrap().encode(),
        filter.encode()
    );
}

/// Threads insert while it is saved: what was in before is in every file.
#[test]
fn a_live_filter_is_saved_while_threads_insert() {
    let folder = TempDir::new().unwrap();
    let folder = folder.path();
    let path = folder.join("live.amq");
    let filter = Sharded::<CuckooFilter>::new(Goal::fpr(60_000, 0.01), 8).unwrap();
    filter.insert_keys(&(0..10_000u64).collect::<Vec<_>>()).unwrap();
    std::thread::scope(|scope| {
        for thread in 1..4u64 {
            let filter = &filter;
            scope.spawn(move || {
                for key in thread << 32..(thread << 32) + 10_000 {
                    filter.insert(&key).unwrap();
                }
            });
        }
        for _ in 0..5 {
            filter.save(&path).unwrap();
            let back = Sharded::<CuckooFilter>::load(&path).unwrap();
            assert!((0..10_000u64).all(|key| back.contains(&key)));
            assert!(back.len() >= 10_000);
        }
    });
    // A file without the shard at hand would deny its keys: there is none.
    let before = std::fs::read(&path).unwrap();
    filter.for_each_shard(|_| {
        assert_eq!(filter.to_bytes().err(), Some(BuildError::Visited));
        assert!(filter.save(&path).is_err());
    });
    assert_eq!(std::fs::read(&path).unwrap(), before);
}

/// What no load accepts is not written: the error names the part, and the old file stays.
#[test]
fn a_filter_with_a_part_of_another_seed_is_not_written() {
    let folder = TempDir::new().unwrap();
    let folder = folder.path();
    let path = folder.join("filter.amq");
    {
        let filter = sessions(300, 5);
        filter.save(&path).unwrap();
        let before = std::fs::read(&path).unwrap();
        let mut shard = 0;
        filter.for_each_shard(|held| {
            if shard == 3 {
                *held = QuotientFilter::with_seed(Goal::fpr(50, 0.01), 6).unwrap();
            }
            shard += 1;
        });
        let refused = BuildError::PartSeeds { part: 3 };
        assert_eq!(filter.to_bytes(), Err(refused));
        assert_eq!(SaveOptions::new().without_secret().to_bytes(&filter), Err(refused));
        assert!(filter.write_to(Vec::new()).unwrap_err().to_string().contains("part 3"));
        assert!(filter.save(&path).unwrap_err().to_string().contains("another seed"));
        assert_eq!(std::fs::read(&path).unwrap(), before);
    }
    // Shards that are filters of parts themselves.
    let filter = Sharded::from_shards_unchecked(vec![events(0, 4), events(0, 4)], 800).unwrap();
    filter.for_each_shard(|shard| *shard = events(0, 5));
    assert_eq!(filter.to_bytes(), Err(BuildError::PartSeeds { part: 0 }));
}

#[test]
fn a_file_takes_little_more_memory_than_its_bytes() {
    let mut seen = Rolling::<BloomFilter>::new(Goal::fpr(1_000_000, 0.01), 8).unwrap();
    for key in 0..1_000_000u64 {
        if key % 125_000 == 0 && key > 0 {
            seen.advance();
        }
        seen.insert(&key).unwrap();
    }
    let bytes = seen.to_bytes().unwrap();
    let (back, peak) = peak_of(|| Events::from_bytes(&bytes));
    assert_eq!(back.unwrap(), seen);
    assert!(peak <= bytes.len() as u64 + (64 << 10), "{peak} for {}", bytes.len());
    let keyed = Keyed::of(seen.clone(), SipKey::new([7; 16]));
    let of_keyed = keyed.to_bytes().unwrap();
    let (back, peak) = peak_of(|| Keyed::<Events>::from_bytes(&of_keyed));
    assert!(back.unwrap() == keyed && peak <= of_keyed.len() as u64 + (64 << 10), "{peak}");
    // From a stream, a part's file is beside it.
    let (back, peak) = peak_of(|| Events::read_from(&bytes[..]));
    assert_eq!(back.unwrap(), seen);
    assert!(peak <= bytes.len() as u64 * 11 / 8 + (64 << 10), "{peak} for {}", bytes.len());
    // What a file claims is not yet memory.
    let (cut, peak) = peak_of(|| Events::read_from(&bytes[..10_000]));
    assert!(cut.is_err() && peak < 90 << 10, "{peak}");
}

/// The committed files, which the reader in Python reads, too.
#[test]
fn golden_files_are_read_and_written_as_ever() {
    fn golden<F: File>(name: &str, keys: core::ops::Range<u64>, filter: &F) {
        let hash = |key: u64| key.key_hash(filter.seed());
        let by = format!("seed: {}", filter.seed());
        let stream = 1_000_000..1_100_000u64;
        let found = stream.filter(|&key| filter.contains_hash(hash(key))).take(20);
        let found: Vec<String> = found.map(|key| key.to_string()).collect();
        let found = found.join(" ");
        let record = format!(
            "{by}\nkeys: {}..{}\nfalse positives from 1000000 on: {found}\n",
            keys.start, keys.end
        );
        let bytes = filter.encode();
        committed(env!("CARGO_MANIFEST_DIR"), name, &bytes, &record);
        let back = F::decode(&bytes).unwrap();
        assert!(keys.into_iter().all(|key| back.contains_hash(hash(key))));
    }
    golden("rolling-empty", 0..0, &Events::new(Goal::fpr(30, 0.1), 3).unwrap());
    golden("rolling-young", 0..200, &events(1, 0));
    let mut turned = Rolling::<BlockedBloomFilter>::with_seed(Goal::fpr(300, 0.01), 3, 7).unwrap();
    for key in 0..100u64 {
        turned.insert(&(100 + key)).unwrap();
        turned.insert(&(200 + key)).unwrap();
        turned.insert(&(900 + key)).unwrap();
        if key % 20 == 19 {
            turned.advance();
        }
        // Again, within the window.
        for key in 0..=key {
            turned.insert(&key).unwrap();
        }
    }
    golden("rolling-turned", 0..100, &turned);
    let mut counted = Rolling::<CuckooFilter>::new(Goal::fpr(400, 0.01), 4).unwrap().by_count();
    for key in (0..900u64).rev() {
        counted.insert(&key).unwrap();
    }
    golden("rolling-counted", 0..300, &counted);
    golden("sharded-empty", 0..0, &sessions(0, 0));
    golden("sharded-small", 0..500, &sessions(500, 7));
    let shards = (0..2).map(|_| Events::with_seed(Goal::fpr(400, 0.01), 4, 3).unwrap());
    let mut rolled = Sharded::from_shards_unchecked(shards.collect(), 600).unwrap();
    for key in 0..300u64 {
        if key % 100 == 99 {
            rolled.for_each_shard(Rolling::advance);
        }
        InsertFilter::insert_hash(&mut rolled, key.key_hash(3)).unwrap();
    }
    golden("sharded-rolling", 0..300, &rolled);
    let shards = (0..3).map(|_| BloomFilter::new(Goal::fpr(100, 0.01)).unwrap());
    let by_caller = Sharded::from_shards_unchecked(shards.collect(), 250).unwrap();
    for key in 0..250 {
        by_caller.insert_hash(callers_hash(key)).unwrap();
    }
    let mut turned = Rolling::<CuckooFilter>::new(Goal::fpr(300, 0.01), 3).unwrap();
    for key in 0..300 {
        turned.insert_hash(callers_hash(key)).unwrap();
        if key % 100 == 99 && key < 299 {
            turned.advance();
        }
    }
    let stream = 1_000_000..1_100_000u64;
    let found = stream.filter(|&key| turned.contains_hash(callers_hash(key))).take(20);
    let found: Vec<String> = found.map(|key| key.to_string()).collect();
    let by = "hashed by the caller: remix(key, 0)\nkeys: 0..300";
    let record = format!("{by}\nfalse positives from 1000000 on: {}\n", found.join(" "));
    let bytes = Prehashed::of(turned).to_bytes().unwrap();
    committed(env!("CARGO_MANIFEST_DIR"), "rolling-by-caller", &bytes, &record);
    let back = Prehashed::<Rolling<CuckooFilter>>::from_bytes(&bytes).unwrap();
    assert!((0..300).all(|key| back.contains_hash(callers_hash(key))));

    let committed = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/golden/sharded-by-caller.amq");
    let bytes = std::fs::read(committed).unwrap();
    assert_eq!(Prehashed::of(by_caller).to_bytes().unwrap(), bytes);
    let back = Prehashed::<Sharded<BloomFilter>>::from_bytes(&bytes).unwrap();
    assert!((0..250).all(|key| back.contains_hash(callers_hash(key))));
}
