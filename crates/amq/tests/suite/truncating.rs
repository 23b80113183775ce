//! Filters of any kind, however hashed, made smaller without their keys.

use amq::{
    Abilities, Ability, AnyFile, AnyFilter, Budget, DecodeError, Filter, FilterFile, FilterKind,
    Key, KeyEncoding, KeyHash, Keyed, LoadOptions, Prehashed, SaveOptions, SipKey, TruncateError,
};

const SMALL: Budget = Budget::Fpr(0.02);

fn built(kind: FilterKind, rate: f64) -> AnyFilter {
    AnyFilter::build_with_seed(kind, Budget::Fpr(rate), 5, 0..3000u64).unwrap()
}

#[test]
fn every_kind_is_truncated_or_refuses_by_name() {
    let within = LoadOptions::new().budget(SMALL);
    for kind in FilterKind::ALL {
        let whole = built(kind, 1e-4);
        let file = whole.to_bytes().unwrap();
        let mut filter = whole.clone();
        let read = within.from_bytes::<AnyFilter>(&file);
        if !Abilities::of(kind).truncate {
            let refused = filter.truncate(SMALL).unwrap_err();
            assert_eq!(refused, TruncateError::Kind { kind });
            let said = refused.to_string();
            let named = |kind: FilterKind| said.contains(&format!("`{}`", kind.id()));
            assert!(named(kind) && Ability::Truncate.kinds().all(named), "{refused}");
            assert_eq!(read.unwrap_err(), DecodeError::Budget(refused));
            assert!(filter == whole);
            continue;
        }
        filter.truncate(SMALL).unwrap();
        assert!(filter.size_in_bytes() < whole.size_in_bytes() * 2 / 3, "{kind}");
        assert!((0..3000u64).all(|key| filter.contains(&key)));
        assert!((0.008..=0.02).contains(&filter.expected_fpr()), "{kind}");
        assert!(read.unwrap() == filter);
        let refused = filter.truncate(Budget::Fpr(1e-4)).unwrap_err();
        assert!(matches!(refused, TruncateError::Larger { .. }), "{refused}");
        assert_eq!(AnyFilter::view(&file).unwrap().len(), 3000);
        let refused = within.view::<AnyFilter>(&file).map(drop);
        assert_eq!(refused, Err(DecodeError::Budget(TruncateError::View)));
    }
}

#[test]
fn files_with_secrets_or_without_are_read_within_a_budget() {
    for kind in Ability::Truncate.kinds() {
        let budget = Budget::Fpr(1e-4);
        let key = SipKey::new([7; 16]);
        let hashes: Vec<KeyHash> = (0..3000u64).map(|key| key.key_hash(0)).collect();
        let whole = AnyFilter::build_hashes(kind, budget, 0, &hashes).unwrap();
        let keyed = AnyFile::Keyed(Keyed::of(whole.clone(), key), KeyEncoding::Integers.into());
        let hashes = AnyFile::Hashes(Prehashed::of(whole));
        let keys = AnyFile::Keys(built(kind, 1e-4), KeyEncoding::Bytes.into());
        for file in [keyed, hashes, keys] {
            for withheld in [false, true] {
                let save =
                    if withheld { SaveOptions::new().without_secret() } else { SaveOptions::new() };
                let bytes = save.to_bytes(&file).unwrap();
                let load = match (withheld, &file) {
                    (true, AnyFile::Keys(..)) => LoadOptions::new().seed(5),
                    (true, AnyFile::Keyed(..)) => LoadOptions::new().key(key),
                    _ => LoadOptions::new(),
                };
                let mut wanted: AnyFile = load.from_bytes(&bytes).unwrap();
                wanted.filter_mut().truncate(SMALL).unwrap();
                let read: AnyFile = load.budget(SMALL).from_bytes(&bytes).unwrap();
                assert_eq!(read.key_info(), wanted.key_info());
                let [read, wanted] = [read, wanted].map(|file| file.to_bytes().unwrap());
                assert!(read == wanted, "{kind}, withheld: {withheld}");
            }
        }
    }
}
