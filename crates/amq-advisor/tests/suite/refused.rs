//! What `choose` refuses: conflicts, contradictions, impossible numbers, what no filter of this
//! family does; and why single kinds fall out.

use crate::choose::{MILLION, at_most_a_million, million};
use Structure::Filter;
use amq::{Abilities, BlockedBloomFilter, FilterKind, Goal, InterleavedBloomFilter};
use amq_advisor::{ChooseError, First, Keys, Need, Structure, Workload, choose};

#[test]
fn conflicts_name_two_demands_and_the_ways_out() {
    let table: &[(Workload, &str, &str)] = &[
        (
            at_most_a_million().need(Need::Values { bits: 4 }).with_bytes(9_000_000),
            "keys that come one by one",
            "a value of 4 bits per key",
        ),
        (
            million().built_once().need(Need::Values { bits: 30 }).with_bytes(1_000_000),
            "a value of 30 bits per key",
            "at most 1.00 MB",
        ),
        (
            million().with_fpr(0.001).with_bytes(1_000_000),
            "a false-positive rate of 0.1 %",
            "at most 1.00 MB",
        ),
        (
            million().with_fpr(0.01).with_bits_per_key(7.0),
            "keys that come one by one",
            "a false-positive rate of 1 %",
        ),
        (
            million().need(Need::Remove).with_bits_per_key(1.0),
            "removing keys",
            "at most 1 bit per key",
        ),
        (
            Workload::new(Keys::Unknown { start: 1000 }).with_bytes(100_000),
            "growing at the same rate",
            "at most 100 kB",
        ),
        (million().with_fpr(1e-15), "a false-positive rate of 1.00e-15", "1,000,000 keys"),
        (
            million().need(Need::Forget { generations: 4 }).need(Need::Remove),
            "forgetting by time, in 4 generations",
            "removing keys",
        ),
        (
            at_most_a_million()
                .need(Need::Count { most: 1000 })
                .with_bits_per_key(3.0)
                .with_copies(10.0),
            "counting to 1000",
            "at most 3 bits per key",
        ),
    ];
    for (workload, first, second) in table {
        let error = choose(workload).unwrap_err();
        let ChooseError::Conflict(conflict) = &error else {
            panic!("{first} and {second} do not conflict");
        };
        let pair = (conflict.first.to_string(), conflict.second.to_string());
        assert_eq!(pair, ((*first).to_owned(), (*second).to_owned()), "{error}");
        assert!(error.to_string().contains(first) && error.to_string().contains(second));
        for (demand, choice) in &conflict.ways_out {
            assert!(choice.structure.is_filter(), "{demand}");
        }
    }
}

#[test]
fn a_workload_that_contradicts_itself_is_refused_by_both_names() {
    let unknown = Workload::new(Keys::Unknown { start: 100_000 });
    for (workload, first, second) in [
        (unknown.clone().built_once(), "static", "not known"),
        (unknown.built_once().need(Need::Remove), "static", "not known"),
        (million().built_once().need(Need::Grow), "static", "growing"),
        (million().built_once().need(Need::Forget { generations: 4 }), "static", "forgetting"),
    ] {
        let error = choose(&workload).unwrap_err();
        assert!(matches!(error, ChooseError::Contradiction { .. }), "{error}");
        let text = error.to_string();
        assert!(text.contains(first) && text.contains(second) && text.contains("leave out"));
    }
    // Where one of the two cannot be left out, numbers say what to change.
    for (workload, text) in [
        (
            million().with_integers_below(100_000),
            "cannot combine 1,000,000 different keys with integers below 100,000: raise that bound, or \
             name fewer keys",
        ),
        (
            at_most_a_million().with_integers_below(10),
            "cannot combine 1,000,000 different keys with integers below 10: raise that bound, or name \
             fewer keys",
        ),
        (
            million().with_key_bytes(1),
            "cannot combine 1,000,000 different keys with the 256 of 1 byte: name fewer keys, or longer \
             ones",
        ),
        (
            million().built_once().with_changes(5 * MILLION),
            "cannot combine 5,000,000 changed keys with sets of 1,000,000 keys, which differ in \
             2,000,000 at most: name fewer changes, or more keys",
        ),
    ] {
        assert_eq!(choose(&workload).unwrap_err().to_string(), text);
    }
    // More copies than are counted are none, nor is a rate that the keys themselves meet.
    assert!(choose(&million().need(Need::Count { most: 5 }).with_copies(7.0)).is_ok());
    let exact = choose(&million().with_fpr(0.01).need(Need::Exact)).unwrap();
    assert_eq!(exact.best().structure, Structure::ExactSet, "{exact}");
    // All there are may be in, and what is built at once may be removed from.
    assert!(choose(&million().with_integers_below(1_000_000)).is_ok());
    assert!(choose(&million().built_once().need(Need::Remove)).is_ok());
}

#[test]
fn a_refusal_names_the_hash_floor_and_what_to_leave_out() {
    let trillion = Workload::new(Keys::AtMost(1_000_000 * MILLION)).with_fpr(1e-12);
    for (workload, floor) in [(million().with_fpr(1e-20), "5.42e-14"), (trillion, "5.42e-8")] {
        let error = choose(&workload).unwrap_err().to_string();
        let said =
            format!("keys at a rate of {floor}. Ask for a higher rate, split the keys among");
        assert!(error.contains(&said), "{error}");
        assert!(!error.contains("so many") && error.contains("`--need exact`). Or drop \"a false"));
    }
    let both = million().built_once().need(Need::Values { bits: 30 }).with_bytes(1_000_000);
    let error = choose(&both).unwrap_err().to_string();
    assert!(error.contains("drop \"at most 1.00 MB\" and take ribbon map ("), "{error}");
    assert!(!error.contains("100 %"), "{error}");
    let map = choose(&million().built_once().need(Need::Values { bits: 4 })).unwrap();
    assert!(!map.to_string().contains("100 %") && !map.to_string().contains("planned for"));
}

#[test]
fn every_need_has_one_word_and_others_are_refused_with_help() {
    for (word, _, need) in Need::WORDS {
        assert_eq!(word.parse(), Ok(need));
        assert_eq!(Need::meant(word), Some(word));
    }
    for need in [Need::Range, Need::Reconcile, Need::WhichSet] {
        let error = choose(&million().need(need)).unwrap_err();
        let ChooseError::Unsupported(needs) = &error else { panic!("{error}") };
        assert_eq!((needs.len(), needs[0].need), (1, need));
        assert!(error.to_string().contains(needs[0].wanted), "{error}");
        assert!(error.to_string().contains(&needs[0].take), "{error}");
    }
    let unknown = "wings".parse::<Need>().unwrap_err().to_string();
    assert!(unknown.contains("wings") && unknown.contains("shared-insert, files, exact, range"));
    let meant = "delete".parse::<Need>().unwrap_err().to_string();
    assert!(meant.contains("do you mean remove?"), "{meant}");
    // Two of them are both answered.
    let both = choose(&million().need(Need::Range).need(Need::Reconcile)).unwrap_err().to_string();
    assert!(both.contains("in a range") && both.contains("minisketch"), "{both}");
}

#[test]
fn what_no_filter_does_has_a_size_where_it_can_be_said() {
    let said = |workload: &Workload| choose(workload).unwrap_err().to_string();
    let exact = said(&million().need(Need::Exact).need(Need::Range));
    assert!(exact.contains("take the keys in a sorted list, 5.76 MB here"), "{exact}");
    // log2(2^32 / 10^6) + 2 bits each.
    let integers = million().need(Need::Range).with_integers_below(1 << 32);
    assert!(said(&integers).contains("Rosetta; or the keys in a sorted list, 1.76 MB here"));
    let changed = million().need(Need::Reconcile).with_changes(500);
    assert!(
        said(&changed)
            .contains("minisketch, planned for the keys that differ (500): it sends 4.00 kB")
    );
    let sets = said(&changed.with_changes(2 * MILLION + 2));
    assert!(
        sets.contains("cannot combine 2,000,002 changed keys with sets of 1,000,000 keys"),
        "{sets}"
    );
}

#[test]
fn many_sets_take_an_interleaved_filter_or_a_map() {
    let sets = |sets| Workload::new(Keys::AtMost(10_000)).with_filters(sets).need(Need::WhichSet);
    let answer = |workload: &Workload| {
        let error = choose(workload).unwrap_err();
        let ChooseError::Unsupported(needs) = error else { panic!("{error}") };
        (needs[0].take.clone(), needs[0].bytes)
    };
    let goal = Goal::fpr(10_000, 0.01);
    let plan = InterleavedBloomFilter::plan(1000, goal).unwrap();
    let (take, bytes) = answer(&sets(1000));
    assert_eq!(bytes, Some(plan.bytes));
    // 10.5 bits, and padding from 1,000 to 1,024 bins.
    let bits = plan.bytes as f64 * 8.0 / 1e7;
    assert!((bits / 10.52 - 1.024).abs() < 0.005, "{bits}");
    for said in [
        "`InterleavedBloomFilter`",
        &format!("13.5 MB for 1,000 sets of 10,000 keys, {bits:.1} bits per key, and 9.9 wrong"),
        // (10 + 7) bits in a ribbon that is at most 1 % larger.
        "`RibbonMap` from key to set: 21.3 MB, 17.0 bits per key, 10 of them for the set and 7 to",
    ] {
        assert!(take.contains(said), "{said}: {take}");
    }
    // At other rates and sizes.
    let (take, bytes) = answer(&sets(64).with_fpr(0.001));
    let plan = InterleavedBloomFilter::plan(64, Goal::fpr(10_000, 0.001)).unwrap();
    assert_eq!(bytes, Some(plan.bytes));
    assert!(take.contains("6 of them for the set and 10 to check"), "{take}");
    // Rows of 1,000 sets are padded to 1,024.
    for many in [64, 1000] {
        let limit = many * 15_000;
        let bytes = answer(&sets(many).with_bytes(limit)).1.unwrap();
        assert!(bytes <= limit && bytes > limit * 99 / 100, "{many}: {bytes}");
    }
    let (take, _) = answer(&sets(1000).with_bytes(13_000_000).with_fpr(0.01));
    assert!(take.contains("13.5 MB (more than the 13.0 MB allowed) for"), "{take}");
    // A row of few sets would be mostly padding.
    let (take, bytes) = answer(&sets(9));
    assert_eq!(bytes, Some(9 * BlockedBloomFilter::plan(goal).unwrap().bytes));
    assert!(take.contains("a `BlockedBloomFilter` for each"), "{take}");
    // What has no size.
    let (take, bytes) = answer(&sets(1));
    assert!(bytes.is_none() && take.contains("(`--filters`)"), "{take}");
    let (take, bytes) = answer(&sets(1000).need(Need::Exact));
    assert!(bytes.is_none() && take.contains("an inverted index"), "{take}");
    let (take, bytes) = answer(&sets(1 << 40));
    assert!(bytes.is_none() && take.contains("bins = 1099511627776"), "{take}");
    let (take, _) = answer(&sets(1000).with_fpr(1e-9));
    assert!(!take.contains("RibbonMap"), "{take}");
}

/// A limit on the bytes is for all filters together.
#[test]
fn the_bytes_of_many_filters_are_those_of_all() {
    let many = Workload::new(Keys::AtMost(1000)).with_filters(500).need(Need::Files);
    let all = choose(&many.clone().with_bytes(600_000)).unwrap();
    let one =
        choose(&Workload::new(Keys::AtMost(1000)).need(Need::Files).with_bytes(1200)).unwrap();
    let sized = |answer: &amq_advisor::Answer| {
        let of = |choice: &amq_advisor::Choice| (choice.structure, choice.bytes, choice.goal);
        let mut sized: Vec<_> = answer.filters().map(of).collect();
        sized.sort_by_key(|(structure, ..)| structure.id());
        sized
    };
    assert_eq!(sized(&all), sized(&one));
    assert!(all.notes.iter().any(|note| note.contains("500 filters take")), "{all}");
    let error = choose(&many.clone().with_bytes(10_000).with_fpr(0.01)).unwrap_err().to_string();
    assert!(error.contains("at most 10.0 kB in all 500 filters"), "{error}");
    let other = choose(&many.with_bytes(620_000).with_fpr(0.01)).unwrap();
    let refused =
        other.rejections.iter().find(|one| one.reason.contains("allowed for each filter"));
    assert!(refused.is_some_and(|one| one.reason.contains("1.24 kB")), "{other}");
}

#[test]
fn impossible_numbers_are_refused_by_name() {
    let table: &[(Workload, &str)] = &[
        (Workload::new(Keys::AtMost(0)), "keys = 0"),
        (Workload::new(Keys::AtMost(0)), "keys = 0"),
        (Workload::new(Keys::Unknown { start: 0 }), "keys = 0"),
        (million().with_fpr(0.0), "fpr = 0"),
        (million().with_fpr(1.0), "fpr = 1"),
        (million().with_fpr(-0.5), "fpr = -0.5"),
        (million().with_fpr(f64::NAN), "fpr = NaN"),
        (million().with_bits_per_key(0.0), "bits_per_key = 0"),
        (million().with_bits_per_key(f64::INFINITY), "bits_per_key = inf"),
        (million().with_absent(1.5), "absent = 1.5"),
        (million().with_absent(f64::NAN), "absent = NaN"),
        (million().with_threads(0), "threads = 0"),
        (million().with_filters(0), "filters = 0"),
        (million().with_key_bytes(0), "key_bytes = 0"),
        (million().with_bytes(0), "bytes = 0"),
        (million().with_copies(0.5), "copies = 0.5"),
        (million().with_false_positive_ns(-1.0), "false_positive_ns = -1"),
        (million().with_lookup_ns(f64::INFINITY), "lookup_ns = inf"),
        (million().with_queries_per_key(0.0), "queries_per_key = 0"),
        (million().need(Need::Values { bits: 0 }), "bits = 0"),
        (million().need(Need::Values { bits: 33 }), "bits = 33"),
        (million().need(Need::Count { most: 0 }), "most = 0"),
    ];
    for (workload, named) in table {
        let error = choose(workload).unwrap_err();
        assert!(matches!(error, ChooseError::Invalid { .. }), "{error}");
        assert!(error.to_string().starts_with(named), "{error}");
    }
}

#[test]
fn no_number_is_too_large_for_an_answer_or_an_error() {
    for keys in [1, 2, 3, 1 << 32, 1 << 40, (1 << 40) + 1, 1 << 56, 1 << 63, u64::MAX] {
        for keys in [Keys::AtMost(keys), Keys::Unknown { start: keys }] {
            for workload in [
                Workload::new(keys).with_fpr(0.01),
                Workload::new(keys).with_fpr(1e-300),
                Workload::new(keys).with_fpr(0.999_999),
                Workload::new(keys).with_bits_per_key(1e300),
                Workload::new(keys).with_bits_per_key(1e-300),
                Workload::new(keys).with_bytes(0),
                Workload::new(keys).with_bytes(u64::MAX),
                Workload::new(keys).with_threads(u32::MAX).need(Need::SharedInsert),
                Workload::new(keys).with_copies(1e300).need(Need::Count { most: u32::MAX }),
                Workload::new(keys).need(Need::Count { most: u32::MAX }),
                Workload::new(keys).need(Need::Exact).with_key_bytes(u64::MAX),
                Workload::new(keys).with_filters(u64::MAX).with_false_positive_ns(f64::MAX),
                Workload::new(keys).with_first(First::Tail).with_integers_below(u64::MAX),
                Workload::new(keys)
                    .with_key_bytes(u64::MAX)
                    .built_once()
                    .with_false_positive_ns(1e300),
            ] {
                match choose(&workload) {
                    Ok(answer) => assert!(!answer.to_string().contains("NaN"), "{answer}"),
                    Err(error) => assert!(!error.to_string().contains("NaN"), "{error}"),
                }
            }
        }
    }
}

#[test]
fn every_rejection_is_true() {
    // By need: the kind lacks it. The table of abilities is held to the traits elsewhere.
    let needs = [Need::Remove, Need::List, Need::Merge];
    let has = |kind, need| match need {
        Need::Remove => Abilities::of(kind).remove,
        Need::List => Abilities::of(kind).list,
        // Parts have keys in common, and cuckoo filters hold few copies of a key.
        _ => Abilities::of(kind).merge && !kind.id().contains("cuckoo"),
    };
    for need in needs {
        let answer = choose(&million().built_once().with_copies(1.0).need(need)).unwrap();
        for kind in FilterKind::ALL {
            let rejected =
                answer.rejections.iter().any(|rejection| rejection.structure == Filter(kind));
            let chosen = answer.choices.iter().any(|choice| choice.structure == Filter(kind));
            assert_eq!((rejected, chosen), (!has(kind, need), has(kind, need)), "{kind} {need:?}");
        }
    }
    // By size: nothing smaller can be planned, and the least that is named is enough.
    let two_bits = million().with_bits_per_key(2.0);
    let answer = choose(&two_bits).unwrap();
    let allowed = 250_000;
    for rejection in &answer.rejections {
        let Filter(kind) = rejection.structure else {
            panic!("{}", rejection.structure);
        };
        let plan = |bytes| amq::AnyFilter::plan(kind, Goal::bytes(1_000_000, bytes));
        let reason = &rejection.reason;
        match plan(allowed) {
            _ if !Abilities::of(kind).insert => assert!(reason.contains("all keys at once")),
            Err(_) => assert!(reason.contains("at least for 1,000,000 keys"), "{reason}"),
            Ok(plan) => {
                let percent = reason.split_whitespace().find_map(|word| word.parse::<f64>().ok());
                let off = (percent.unwrap() / 100.0 - plan.expected_fpr).abs();
                assert!(off < 0.0006 && plan.expected_fpr > 0.9, "{reason}");
            }
        }
    }
    // By rate: with the size it would need.
    let both = million().built_once().with_fpr(0.01).with_bits_per_key(7.0);
    let answer = choose(&both).unwrap();
    assert!(answer.filters().all(|choice| choice.bits_per_key <= 7.0 && choice.fpr <= 0.01));
    for rejection in &answer.rejections {
        let Filter(kind) = rejection.structure else {
            panic!("{}", rejection.structure);
        };
        let plan = amq::AnyFilter::plan(kind, Goal::fpr(1_000_000, 0.01)).unwrap();
        assert!(plan.bits_per_key() > 7.0);
        let said =
            format!("needs {:.2} bits per key for 1 %, and 7 are allowed", plan.bits_per_key());
        assert_eq!(rejection.reason, said, "{kind}");
    }
}
