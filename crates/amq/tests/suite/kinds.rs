//! Filters made by kind: each does what its own type does, and refuses by name what it cannot.

use amq::*;
use amq::{LoadOptions, SaveOptions};
use amq_conformance::testing::hashes;
use tempfile::TempDir;

const KEYS: u64 = 2000;
const SEED: u64 = 0x5EED;

fn goal() -> Goal {
    Goal::fpr(KEYS, 0.01)
}

/// A filter of all keys of the range, inserted if that is possible.
fn filled(kind: FilterKind, range: std::ops::Range<u64>) -> AnyFilter {
    let hashes = hashes(range, SEED);
    if Abilities::of(kind).build_only {
        return AnyFilter::build_hashes(kind, goal(), SEED, &hashes).unwrap();
    }
    let mut filter = AnyFilter::with_seed(kind, goal(), SEED).unwrap();
    filter.insert_batch(&hashes).unwrap();
    filter
}

#[test]
fn every_kind_is_planned_and_made_as_planned() {
    assert_eq!(AnyFilter::KINDS.len(), FilterKind::ALL.len());
    for kind in FilterKind::ALL {
        let plan = AnyFilter::plan(kind, goal()).unwrap();
        assert_eq!((plan.params, plan.keys), (kind, KEYS));
        assert!(plan.expected_fpr > 0.0 && plan.expected_fpr <= 0.01, "{plan}");
        assert!(plan.build_bytes >= plan.bytes && plan.bits_per_key() > 6.0, "{plan}");

        let all = hashes(0..KEYS, SEED);
        for target in [AnyTarget::Goal(goal()), Budget::Fpr(0.01).into()] {
            let built = AnyFilter::build_hashes(kind, target, SEED, &all).unwrap();
            assert_eq!((built.kind(), built.seed()), (kind, SEED));
            assert!(built.size_in_bytes() <= plan.bytes, "{plan}");
            assert!(all.iter().all(|&hash| built.contains_hash(hash)), "{kind}");
            let keys = AnyFilter::build_with_seed(kind, target, SEED, 0..KEYS).unwrap();
            assert_eq!(keys, built, "{kind}");
        }
        let more = hashes(0..KEYS + 1, SEED);
        assert_eq!(
            AnyFilter::build_hashes(kind, goal(), SEED, &more),
            Err(BuildError::TooManyKeys { planned: KEYS })
        );
        assert_eq!(
            AnyFilter::build(kind, goal(), 0..=KEYS).unwrap_err(),
            BuildError::TooManyKeys { planned: KEYS }
        );
        let impossible = Goal::fpr(10, 1.5);
        let error = PlanError::Fpr { fpr: 1.5 };
        assert_eq!(AnyFilter::plan(kind, impossible), Err(error));
        let made = AnyFilter::build_hashes(kind, impossible, 0, &[]);
        assert_eq!(made, Err(BuildError::Plan(error)));
    }
}

#[test]
fn by_kind_or_by_type_the_filter_is_the_same() {
    fn check<F: EmptyFilter + Into<AnyFilter>>() {
        let mut typed = F::empty(goal(), SEED).unwrap();
        typed.insert_batch(&hashes(0..KEYS, SEED)).unwrap();
        let kind = typed.kind();
        assert_eq!(filled(kind, 0..KEYS), typed.into(), "{kind}");
    }
    check::<BloomFilter>();
    check::<BlockedBloomFilter>();
    check::<WideBlockedBloomFilter>();
    check::<CountingBloomFilter>();
    check::<BlockedCountingBloomFilter>();
    check::<ScalableBloomFilter>();
    check::<ScalableBlockedBloomFilter>();
    check::<CuckooFilter>();
    check::<WindowedCuckooFilter>();
    check::<QuotientFilter>();
    check::<ExpandableQuotientFilter>();
}

/// `done` is what an operation answered: done if the kind can, refused by name if not; and whoever
/// refuses has changed nothing.
fn expect<T>(
    filter: &AnyFilter,
    before: &[u8],
    operation: Ability,
    done: Result<T, Unsupported>,
) -> Option<T> {
    let can = Abilities::of(filter.kind()).has(operation);
    match done {
        Ok(done) => {
            assert!(can, "{} cannot {operation}", filter.kind());
            Some(done)
        }
        Err(error) => {
            assert!(!can, "{error}");
            assert_eq!((error.operation, error.kind), (operation, filter.kind()));
            let text = error.to_string();
            assert!(operation.kinds().count() > 0);
            for kind in error.kinds_that_can() {
                assert!(text.contains(kind.id()), "{text}");
            }
            assert_eq!(filter.to_bytes().unwrap(), before, "{error}");
            None
        }
    }
}

fn unsupported<T>(done: Result<T, AnyError>) -> Result<T, Unsupported> {
    done.map_err(|error| match error {
        AnyError::Unsupported(error) => error,
        error => unreachable!("{error}"),
    })
}

#[test]
fn every_operation_is_done_or_refused_by_name() {
    for kind in FilterKind::ALL {
        let half = KEYS / 2;
        let mut filter = filled(kind, 0..half);
        let before = filter.to_bytes().unwrap();

        let hash = half.key_hash(SEED);
        let done = unsupported(filter.insert(&half));
        if expect(&filter, &before, Ability::Insert, done).is_some() {
            assert!(filter.contains(&half));
            let again = filter.insert_unique_hash(hash).unwrap();
            assert_eq!(again, Inserted::MaybePresent);
            let mut new = [true, false];
            let batch = [hash, (half + 1).key_hash(SEED)];
            let batch = filter.clone().insert_batch_new(&batch, &mut new).unwrap();
            assert_eq!((batch, new), (1, [false, true]), "{kind}");
        }
        let before = filter.to_bytes().unwrap();
        let done = unsupported(filter.insert_batch(&[]));
        assert_ne!(expect(&filter, &before, Ability::Insert, done), Some(1));
        let done = unsupported(filter.insert_batch_new(&[], &mut []));
        assert_ne!(expect(&filter, &before, Ability::Insert, done), Some(1));
        let done = filter.count(&half);
        let count = expect(&filter, &before, Ability::Count, done);
        assert!(count.is_none_or(|count| count.estimate >= 1));
        let done = filter.hashes().map(|hashes| hashes.collect::<Vec<_>>());
        if let Some(listed) = expect(&filter, &before, Ability::List, done) {
            assert_eq!(listed.len() as u64, filter.len());
            assert!(listed.iter().all(|&hash| filter.contains_hash(hash)));
        }
        let done = filter.remove(&half);
        if let Some(removed) = expect(&filter, &before, Ability::Remove, done) {
            assert!(removed);
            assert_eq!(filter, filled(kind, 0..half), "{kind}");
        }

        let other = filled(kind, half..KEYS);
        let before = filter.to_bytes().unwrap();
        let done = unsupported(filter.can_merge(&other));
        expect(&filter, &before, Ability::Merge, done);
        let done = unsupported(filter.merge(&other));
        if expect(&filter, &before, Ability::Merge, done).is_some() {
            assert!((0..KEYS).all(|key| filter.contains(&key)), "{kind}");
        }
        let before = filter.to_bytes().unwrap();
        let done = filter.clear();
        if expect(&filter, &before, Ability::Insert, done).is_some() {
            assert_eq!(filter, AnyFilter::with_seed(kind, goal(), SEED).unwrap());
        }
        let made = unsupported(AnyFilter::new(kind, goal()));
        let before = filter.to_bytes().unwrap();
        expect(&filter, &before, Ability::Insert, made);
    }
}

#[test]
fn filters_of_two_kinds_cannot_be_merged() {
    let mut bloom = filled(FilterKind::Bloom, 0..10);
    let cuckoo = filled(FilterKind::Cuckoo, 0..10);
    let kinds =
        AnyError::Merge(MergeError::Kinds { ours: FilterKind::Bloom, theirs: FilterKind::Cuckoo });
    let before = bloom.clone();
    assert_eq!(bloom.can_merge(&cuckoo), Err(kinds));
    assert_eq!(bloom.merge(&cuckoo), Err(kinds));
    assert_eq!(bloom, before);
}

#[test]
fn a_full_filter_refuses_and_says_how_far_a_batch_came() {
    let mut filter = AnyFilter::new(FilterKind::Cuckoo, Goal::fpr(100, 0.01)).unwrap();
    let hashes: Vec<_> = (0..1000u64).map(|key| key.key_hash(filter.seed())).collect();
    let Err(AnyError::Batch(refused)) = filter.insert_batch(&hashes) else {
        unreachable!("a thousand keys in a table for a hundred");
    };
    let (done, rest) = hashes.split_at(refused.done as usize);
    assert!(done.iter().all(|&hash| filter.contains_hash(hash)));
    let before = filter.clone();
    assert_eq!(filter.insert_hash(rest[0]), Err(AnyError::Insert(refused.error)));
    assert_eq!(filter, before);
}

#[test]
fn every_kind_is_saved_and_loaded_and_read_from_a_stream() {
    let folder = TempDir::new().unwrap();
    let folder = folder.path();
    for kind in FilterKind::ALL {
        let filter = filled(kind, 0..KEYS);
        let path = folder.join(kind.id());
        filter.save(&path).unwrap();
        assert_eq!(AnyFilter::load(&path).unwrap(), filter);
        let bytes = filter.to_bytes().unwrap();
        assert_eq!(bytes.len() as u64, filter.to_bytes().unwrap().len() as u64);
        let mut stream = Vec::new();
        filter.write_to(&mut stream).unwrap();
        filter.write_to(&mut stream).unwrap();
        let mut reader = &stream[..];
        assert_eq!(AnyFilter::read_from(&mut reader).unwrap(), filter);
        assert_eq!(reader, bytes, "no byte more is read");
        let limit = bytes.len() as u64 - 1;
        let error =
            LoadOptions::new().max_bytes(limit).read_from::<AnyFilter, _>(&bytes[..]).unwrap_err();
        assert!(matches!(error, ReadError::Decode(DecodeError::OverLimit { .. })), "{error}");

        assert_eq!(
            LoadOptions::new().seed(SEED).from_bytes::<AnyFilter>(&bytes),
            Ok(filter.clone())
        );
        assert_eq!(
            LoadOptions::new().seed(!SEED).from_bytes::<AnyFilter>(&bytes),
            Err(DecodeError::OtherSeed)
        );
        let error = LoadOptions::new().seed(!SEED).load::<AnyFilter>(&path).unwrap_err();
        assert!(matches!(error, ReadError::Decode(DecodeError::OtherSeed)), "{error}");

        let secret = SaveOptions::new().without_secret().to_bytes(&filter).unwrap();
        assert_eq!(AnyFilter::from_bytes(&secret), Err(DecodeError::SeedWithheld));
        assert_eq!(
            LoadOptions::new().seed(SEED).from_bytes::<AnyFilter>(&secret),
            Ok(filter.clone())
        );
        std::fs::write(&path, &secret).unwrap();
        assert_eq!(LoadOptions::new().seed(SEED).load::<AnyFilter>(&path).unwrap(), filter);
        let error = AnyFilter::load(&path).unwrap_err();
        assert!(matches!(error, ReadError::Decode(DecodeError::SeedWithheld)), "{error}");

        std::fs::write(&path, [&bytes[..], &[0]].concat()).unwrap();
        let error = AnyFilter::load(&path).unwrap_err();
        let trailing = DecodeError::Trailing { bytes: 1 };
        assert!(matches!(error, ReadError::Decode(error) if error == trailing), "{error}");
        for cut in [0, 1, 100, 191, 192, bytes.len() - 1] {
            std::fs::write(&path, &bytes[..cut]).unwrap();
            let ReadError::Decode(loaded) = AnyFilter::load(&path).unwrap_err() else {
                unreachable!("a file that is cut can be read");
            };
            assert_eq!(AnyFilter::from_bytes(&bytes[..cut]), Err(loaded), "{kind} cut at {cut}");
        }
    }
}

/// A program whose input is empty gets a filter of any kind, in each way there is.
#[test]
fn no_keys_make_the_smallest_filter_of_any_kind() {
    let [none, one] = [0, 1].map(|keys| Goal::fpr(keys, 0.01));
    for &kind in AnyFilter::KINDS {
        let plan = AnyFilter::plan(kind, none);
        assert_eq!(plan, AnyFilter::plan(kind, one), "{kind}");
        assert_eq!(plan.unwrap().keys, 1, "{kind}");
        let nobody: [&str; 0] = [];
        for built in [
            AnyFilter::build(kind, none, nobody),
            AnyFilter::build(kind, Budget::Fpr(0.01), nobody),
            AnyFilter::build_hashes(kind, none, 0, &[]),
        ] {
            let built = built.unwrap();
            assert!(built.is_empty() && !built.contains("key"), "{kind}");
        }
        assert!(AnyFilter::build(kind, none, ["key"]).unwrap().contains("key"), "{kind}");
        if Abilities::of(kind).insert {
            let mut filter = AnyFilter::new(kind, none).unwrap();
            filter.insert("key").unwrap();
            assert!(filter.contains("key") && filter.capacity() == 1, "{kind}");
        }
    }
}

#[test]
fn a_kind_of_another_crate_is_refused_by_name() {
    let other = FilterKind::Other("xor");
    assert_eq!(Abilities::of(other).iter().count(), 0);
    let refused = PlanError::LeftOut { kind: other };
    assert_eq!(AnyFilter::plan(other, goal()), Err(refused));
    assert_eq!(AnyFilter::new(other, goal()).unwrap_err(), refused.into());
    let built = AnyFilter::build(other, goal(), ["key"]);
    assert_eq!(built.unwrap_err(), refused.into());
    let text = "the xor filter is of another crate, and is made by its own type alone";
    assert_eq!(refused.to_string(), text);
}
