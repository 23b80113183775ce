//! What `choose` refuses: conflicts, contradictions, impossible numbers, what no filter of this
//! family does; and why single kinds fall out.

use crate::choose::{MILLION, at_most_a_million, million};
use Structure::Filter;
use amq::{Abilities, FilterKind};
use amq_advisor::{Beyond, ChooseError, First, Keys, Need, Structure, Workload, choose};

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
            million().need(Need::SharedInsert).need(Need::Files),
            "inserts by several threads",
            "saving and mapping",
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
        let Err(ChooseError::Conflict(conflict)) = choose(workload) else {
            panic!("{first} and {second} do not conflict");
        };
        let pair = (conflict.first.to_string(), conflict.second.to_string());
        assert_eq!(pair, ((*first).to_owned(), (*second).to_owned()), "{conflict}");
        assert!(conflict.to_string().contains(first) && conflict.to_string().contains(second));
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
        (million().with_bit_ns(1.0).with_first(First::Memory), "memory first", "a price of memory"),
    ] {
        let error = choose(&workload).unwrap_err();
        assert!(matches!(error, ChooseError::Contradiction(_)), "{error}");
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
fn a_refusal_names_the_floor_of_the_hashes_and_what_to_leave_out() {
    let trillion = Workload::new(Keys::Exactly(1_000_000 * MILLION)).with_fpr(1e-12);
    for (workload, floor) in [(million().with_fpr(1e-20), "5.42e-14"), (trillion, "5.42e-8")] {
        let error = choose(&workload).unwrap_err().to_string();
        assert!(
            error.contains(&format!("64-bit hashes of so many keys collide at a rate of {floor}"))
        );
    }
    let both = million().built_once().need(Need::Values { bits: 30 }).with_bytes(1_000_000);
    let error = choose(&both).unwrap_err().to_string();
    assert!(error.contains("without at most 1.00 MB there is ribbon map ("), "{error}");
    assert!(!error.contains("100 %"), "{error}");
    let map = choose(&million().built_once().need(Need::Values { bits: 4 })).unwrap();
    assert!(!map.to_string().contains("100 %") && !map.to_string().contains("planned for"));
}

#[test]
fn every_word_for_a_need_is_one_and_what_is_beyond_is_refused_with_what_to_take() {
    for (word, _, need) in Need::WORDS {
        assert_eq!(word.parse(), Ok(need));
    }
    for beyond in Beyond::ALL {
        let need: Need = beyond.name.parse().unwrap();
        assert_eq!(need, Need::Beyond(beyond));
        let error = choose(&million().need(need)).unwrap_err();
        let ChooseError::Unserved(unserved) = &error else { panic!("{error}") };
        assert_eq!((unserved.needs.len(), unserved.needs[0].beyond), (1, beyond));
        assert!(error.to_string().contains(beyond.wanted), "{error}");
        assert!(error.to_string().contains(&unserved.needs[0].take), "{error}");
    }
    let unknown = "wings".parse::<Need>().unwrap_err().to_string();
    assert!(unknown.contains("wings") && unknown.contains("shared-insert, files, exact, range"));
    // Two of them are both answered.
    let two = ["range", "distinct"].map(|word| word.parse::<Need>().unwrap());
    let error = choose(&million().need(two[0]).need(two[1])).unwrap_err().to_string();
    assert!(error.contains("in a range") && error.contains("HyperLogLog"), "{error}");
}

/// `m` registers of six bits count with a relative error of `1.04 / sqrt(m)`.
#[test]
fn a_hyperloglog_has_the_registers_for_the_rate_asked() {
    let asked = |keys, fpr| {
        let workload = Workload::new(Keys::AtMost(keys)).need("distinct".parse().unwrap());
        fpr_of(workload, fpr)
    };
    fn fpr_of(workload: Workload, fpr: Option<f64>) -> Workload {
        fpr.map_or(workload.clone(), |fpr| workload.with_fpr(fpr))
    }
    let told = |workload: &Workload| {
        let Err(ChooseError::Unserved(unserved)) = choose(workload) else { panic!("{workload:?}") };
        let one = unserved.needs.into_iter().next().unwrap();
        (one.take, one.bytes.unwrap())
    };
    let mut checked = 0;
    for keys in [100, 10_000, MILLION, 1_000 * MILLION] {
        for fpr in [None, Some(0.3), Some(0.03), Some(0.01), Some(0.001), Some(0.0001)] {
            let (take, bytes) = told(&asked(keys, fpr));
            let registers = (1.04 / fpr.unwrap_or(0.01)).powi(2).ceil() as u64;
            let sketch = registers.next_power_of_two().max(16) * 6 / 8;
            let set = choose(&Workload::new(Keys::AtMost(keys)).with_fpr(0.01)).unwrap().exact;
            let set = set.iter().find(|it| it.structure == Structure::ExactSet).unwrap();
            let is_exact = take.starts_with("the keys in a hash set");
            assert_eq!(is_exact, set.bytes <= sketch, "{keys} {fpr:?}: {take}");
            assert_eq!(bytes, sketch.min(set.bytes), "{keys} {fpr:?}: {take}");
            checked += usize::from(is_exact);
        }
    }
    assert!((6..18).contains(&checked), "{checked}");
    let (take, bytes) = told(&asked(MILLION, Some(0.01)));
    assert_eq!(bytes, 12_288);
    assert!(take.contains("16,384 registers of 6 bits, 12.3 kB"), "{take}");
    assert!(take.contains("relative error of 0.812 %"), "{take}");
    // In a size the most registers that fit; at a rate that does not fit, both are said.
    let (take, bytes) = told(&asked(MILLION, None).with_bytes(2000));
    assert_eq!(bytes, 1536, "{take}");
    let (take, _) = told(&asked(MILLION, Some(0.01)).with_bytes(2000));
    assert!(
        take.contains("12.3 kB") && take.contains("those that fit, 1.54 kB, with 2.3 %"),
        "{take}"
    );
}

#[test]
fn what_must_never_err_and_what_has_a_number_goes_before_what_is_beyond() {
    let beyond = |word: &str| word.parse::<Need>().unwrap();
    let said = |workload: &Workload| choose(workload).unwrap_err().to_string();
    let exact = million().need(Need::Exact);
    for (word, text) in [
        ("range", "take the keys in a sorted list, 5.76 MB here: no range filter never errs"),
        ("distinct", "take the keys in a hash set, 18.9 MB, which counts exactly"),
        ("frequencies", "take a hash map from each key to its count, 35.7 MB here"),
    ] {
        let said = said(&exact.clone().need(beyond(word)));
        assert!(said.contains(text), "{said}");
    }
    // log2(2^32 / 10^6) + 2 bits each.
    let integers = million().need(beyond("range")).with_integers_below(1 << 32);
    assert!(said(&integers).contains("Rosetta; or the keys in a sorted list, 1.76 MB here"));
    let changed = million().need(beyond("reconcile")).with_changes(500);
    assert!(said(&changed).contains("minisketch for 500 keys that differ: it sends 4.00 kB"));
    let sets = changed.with_changes(2 * MILLION + 2);
    assert!(
        said(&sets).contains("cannot combine 2,000,002 changed keys with sets of 1,000,000 keys"),
        "{}",
        said(&sets)
    );
    // Of what is needed besides, nothing is passed over in silence.
    let needs = [Need::Remove, Need::Merge, Need::List, Need::SharedInsert, Need::Files];
    for beyond in Beyond::ALL {
        for need in needs.into_iter().chain([Need::Forget { generations: 3 }]) {
            let asked = million().need(Need::Beyond(beyond)).need(need);
            let Err(ChooseError::Unserved(unserved)) = choose(&asked) else { panic!("{asked:?}") };
            let [(other, served)] = unserved.needs[0].beside[..] else { panic!("{unserved}") };
            assert_eq!(other, need);
            assert!(unserved.to_string().ends_with(&format!(": {served}")), "{unserved}");
        }
    }
    let removed = said(&million().need(beyond("frequencies")).need(Need::Remove));
    assert!(removed.contains("For removing keys: a plain count-min sketch decrements"));
    let counted = million().need(Need::Count { most: 100 });
    assert_eq!(
        choose(&counted.clone().need(beyond("frequencies"))).unwrap(),
        choose(&counted).unwrap()
    );
}

/// A limit on the bytes is for all filters together.
#[test]
fn the_bytes_of_many_filters_are_those_of_all() {
    let many = Workload::new(Keys::Exactly(1000)).with_filters(500).need(Need::Files);
    let all = choose(&many.clone().with_bytes(600_000)).unwrap();
    let one =
        choose(&Workload::new(Keys::Exactly(1000)).need(Need::Files).with_bytes(1200)).unwrap();
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
        (Workload::new(Keys::Exactly(0)), "keys = 0"),
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
        (million().with_build_bytes(0), "build_bytes = 0"),
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
        assert!(matches!(error, ChooseError::Invalid(_)), "{error}");
        assert!(error.to_string().starts_with(named), "{error}");
    }
}

#[test]
fn no_number_is_too_large_for_an_answer_or_an_error() {
    for keys in [1, 2, 3, 1 << 32, 1 << 40, (1 << 40) + 1, 1 << 56, 1 << 63, u64::MAX] {
        for keys in [Keys::Exactly(keys), Keys::AtMost(keys), Keys::Unknown { start: keys }] {
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
        let plan = |bytes| amq::AnyFilter::plan(kind, amq::Goal::bytes(1_000_000, bytes));
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
        let plan = amq::AnyFilter::plan(kind, amq::Goal::fpr(1_000_000, 0.01)).unwrap();
        assert!(plan.bits_per_key() > 7.0);
        let said =
            format!("needs {:.2} bits per key for 1 %, and 7 are allowed", plan.bits_per_key());
        assert_eq!(rejection.reason, said, "{kind}");
    }
}
