//! What `choose` answers: the worked choices as a table, conflicts, and rejections.

use amq::{Abilities, FilterKind};
use amq_advisor::{ChooseError, First, Keys, KeysBy, Need, Structure, Workload, choose};

use Structure::{AtomicBloom, ExactSet, Filter, Map, Nothing, Sharded};

pub(crate) const MILLION: u64 = 1_000_000;

pub(crate) fn million() -> Workload {
    Workload::new(Keys::Exactly(MILLION))
}

fn at_most_a_million() -> Workload {
    Workload::new(Keys::AtMost(MILLION))
}

#[test]
fn worked_choices() {
    let removed = || at_most_a_million().with_fpr(0.001).need(Need::Remove);
    let lsm = || million().built_once().need(Need::Files).with_absent(0.9);
    let table: &[(&str, Workload, Structure)] = &[
        (
            "sorted file of an LSM tree, where memory is what counts",
            lsm()
                .with_bits_per_key(10.0)
                .with_false_positive_ns(20_000.0)
                .with_queries_per_key(10.0),
            Filter(FilterKind::BumpedRibbon),
        ),
        (
            "the same with files soon compacted away, at a rate: inserts and queries count",
            lsm().with_fpr(0.01).with_false_positive_ns(2_000.0),
            Filter(FilterKind::BlockedBloom),
        ),
        (
            "crawler's pages seen",
            Workload::new(Keys::AtMost(100 * MILLION)).with_fpr(0.01),
            Filter(FilterKind::Bloom),
        ),
        (
            "cache admission, least memory",
            Workload::new(Keys::AtMost(100_000))
                .with_fpr(0.01)
                .need(Need::Count { most: 10 })
                .need(Need::Remove)
                .with_copies(4.0),
            Filter(FilterKind::Counting),
        ),
        (
            "cache admission, least time: to admit wrongly costs a microsecond",
            Workload::new(Keys::AtMost(100_000))
                .with_fpr(0.01)
                .need(Need::Count { most: 10 })
                .need(Need::Remove)
                .with_copies(4.0)
                .with_false_positive_ns(1_000.0),
            Filter(FilterKind::BlockedCounting),
        ),
        (
            "dedupe that expires by removal",
            removed().with_absent(0.9),
            Filter(FilterKind::WindowedCuckoo),
        ),
        (
            "the same, least time",
            removed().with_absent(0.9).with_false_positive_ns(5_000.0),
            Filter(FilterKind::Cuckoo),
        ),
        (
            "the same, least time in as much memory as it takes",
            removed()
                .with_absent(0.9)
                .with_bits_per_key(80.0)
                .with_first(First::Time)
                .with_false_positive_ns(5_000.0),
            Filter(FilterKind::BlockedCounting),
        ),
        (
            "the same in 16 bits per key, least time",
            removed().with_absent(0.9).with_bits_per_key(16.0).with_false_positive_ns(5_000.0),
            Filter(FilterKind::Cuckoo),
        ),
        (
            "shipped blocklist",
            Workload::new(Keys::Exactly(2 * MILLION))
                .with_fpr(0.001)
                .built_once()
                .need(Need::Files),
            Filter(FilterKind::BumpedRibbon),
        ),
        (
            "user names taken, without a bound",
            Workload::new(Keys::Unknown { start: 10_000 }).with_fpr(0.01),
            Filter(FilterKind::ExpandableQuotient),
        ),
        (
            "the same at a rate that takes few bits: stages of a Bloom filter take fewer",
            Workload::new(Keys::Unknown { start: 10_000 }).with_fpr(0.3),
            Filter(FilterKind::Scalable),
        ),
        (
            "user names taken, with one",
            at_most_a_million().with_fpr(0.01).need(Need::Grow),
            Filter(FilterKind::Quotient),
        ),
        ("500 keys", Workload::new(Keys::Exactly(500)).with_fpr(0.01), ExactSet),
        ("every query present", million().with_fpr(0.01).with_absent(0.0), Nothing),
        (
            "a lookup as cheap as a query",
            million().with_fpr(0.01).with_false_positive_ns(5.0),
            Nothing,
        ),
        (
            "2 bits a key, built once",
            million().with_bits_per_key(2.0).built_once(),
            Filter(FilterKind::BumpedRibbon),
        ),
        ("2 bits a key, one by one", million().with_bits_per_key(2.0), Filter(FilterKind::Bloom)),
        ("values", million().built_once().need(Need::Values { bits: 4 }), Map),
        (
            "values, though every query is present",
            million().built_once().need(Need::Values { bits: 4 }).with_absent(0.0),
            Map,
        ),
        (
            "strangers",
            million().with_fpr(0.01).with_keys_by(KeysBy::Strangers),
            Filter(FilterKind::Bloom),
        ),
        (
            "threads that insert",
            million().with_fpr(0.01).with_threads(8).need(Need::SharedInsert),
            AtomicBloom,
        ),
        (
            "threads that remove",
            removed()
                .with_threads(8)
                .need(Need::SharedInsert)
                .with_false_positive_ns(0.0)
                .with_absent(1.0),
            Nothing,
        ),
        (
            "threads that remove, least memory",
            removed().with_threads(8).need(Need::SharedInsert),
            Sharded(FilterKind::WindowedCuckoo),
        ),
        (
            "lists and merges",
            million().with_fpr(0.01).need(Need::List).need(Need::Merge),
            Filter(FilterKind::Quotient),
        ),
        (
            "sets of many unions",
            million().with_fpr(0.01).need(Need::Merge),
            Filter(FilterKind::Bloom),
        ),
    ];
    for (name, workload, expected) in table {
        let answer = choose(workload).unwrap();
        assert_eq!(answer.best().structure, *expected, "{name}:\n{answer}");
    }
}

#[test]
fn what_grows_and_removes_is_the_expandable_quotient_filter() {
    let workload = Workload::new(Keys::Unknown { start: 1000 }).with_fpr(0.01).need(Need::Remove);
    let answer = choose(&workload).unwrap();
    let best = answer.best();
    let kind = FilterKind::ExpandableQuotient;
    assert_eq!(best.structure, Filter(kind));
    assert_eq!(answer.filters().count(), 1);
    // Fingerprints of 11 bits with the mark of their age, 2.125 of metadata, 95 % full.
    let growth = best.grown.unwrap();
    assert!((14.8..15.1).contains(&growth.least), "{growth:?}");
    assert!((1.98..2.01).contains(&(growth.most / growth.least)), "{growth:?}");
    // From full to full the bits are 2 L n / x for x from n to 2n: L / ln 2 on average.
    let mean = growth.least / core::f64::consts::LN_2;
    assert!((growth.mean / mean - 1.0).abs() < 0.01, "{growth:?}");

    let merging = choose(&workload.need(Need::Merge)).unwrap_err().to_string();
    assert!(merging.contains("merging") && merging.contains("removing"), "{merging}");
}

#[test]
fn the_total_is_the_sum_it_is_said_to_be() {
    let costs = million()
        .with_fpr(0.01)
        .need(Need::Remove)
        .with_absent(0.8)
        .with_false_positive_ns(10_000.0)
        .with_lookup_ns(3_000.0)
        .with_queries_per_key(4.0);
    let answer = choose(&costs).unwrap();
    assert_eq!(answer.without_ns, Some(0.8 * 10_000.0 + 0.2 * 3_000.0));
    let measured: Vec<_> = answer.filters().filter(|choice| choice.cost_ns.is_some()).collect();
    assert!(measured.len() >= 4);
    for choice in measured {
        let own = choice.query_ns.unwrap()
            + (choice.insert_ns.unwrap() + choice.remove_ns.unwrap()) / 4.0;
        let all = own + 0.8 * choice.fpr * 10_000.0 + 0.2 * 3_000.0;
        assert!((choice.cost_ns.unwrap() - all).abs() < 1e-9 * all, "{}", choice.structure);
    }
}

#[test]
fn conflicts_name_two_demands_and_the_ways_out() {
    let table: &[(Workload, &str, &str)] = &[
        (
            at_most_a_million().need(Need::Values { bits: 4 }),
            "keys that come one by one",
            "a value of 4 bits per key",
        ),
        (
            million().built_once().need(Need::Values { bits: 4 }).need(Need::Remove),
            "a value of 4 bits per key",
            "removing keys",
        ),
        (
            million().built_once().need(Need::Values { bits: 4 }).with_fpr(0.01),
            "a value of 4 bits per key",
            "a false-positive rate of 1 %",
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
            "at most 1 bits per key",
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
        (million().with_integers_below(100_000), "different keys", "integers below"),
        (million().with_fpr(0.01).need(Need::Exact), "wrong answers", "exact ones"),
    ] {
        let error = choose(&workload).unwrap_err();
        assert!(matches!(error, ChooseError::Contradiction(_)), "{error}");
        let text = error.to_string();
        assert!(text.contains(first) && text.contains(second) && text.contains("leave out"));
    }
    // A bound may be generous, and what is built at once may be removed from.
    assert!(choose(&at_most_a_million().with_integers_below(100_000)).is_ok());
    assert!(choose(&million().built_once().need(Need::Remove)).is_ok());
}

#[test]
fn a_refusal_names_the_floor_of_the_hashes_and_what_to_leave_out() {
    let trillion = Workload::new(Keys::Exactly(1_000_000 * MILLION)).with_fpr(1e-12);
    for (workload, floor) in [(million().with_fpr(1e-20), "5.42e-14"), (trillion, "5.42e-8")] {
        let error = choose(&workload).unwrap_err().to_string();
        assert!(error.contains(&format!("hashes of 64 bits of so many keys err at {floor}")));
    }
    let both = million().built_once().need(Need::Values { bits: 4 }).with_fpr(0.01);
    let error = choose(&both).unwrap_err().to_string();
    let out = "without a false-positive rate of 1 % there is ribbon map (";
    assert!(error.contains("leave out the rate") && error.contains(out), "{error}");
    assert!(!error.contains("100 %"), "{error}");
    let map = choose(&million().built_once().need(Need::Values { bits: 4 })).unwrap();
    assert!(!map.to_string().contains("100 %") && !map.to_string().contains("planned for"));
}

#[test]
fn what_nearly_always_errs_is_not_first_by_time() {
    let two_bits = million().built_once().with_bits_per_key(2.0).with_first(First::Time);
    let answer = choose(&two_bits).unwrap();
    assert!(answer.best().fpr <= amq_advisor::USEFUL_FPR, "{answer}");
    assert!(answer.best().reason.contains("say no to half"), "{answer}");
    // It is quicker, and stays in the list. (What no record has yet costs nothing known.)
    let known = |choice: &&amq_advisor::Choice| choice.cost_ns.is_some();
    let mut timed = answer.filters().filter(known);
    let quicker = timed.find(|choice| choice.cost_ns < answer.best().cost_ns);
    assert!(quicker.is_some_and(|choice| choice.fpr > 0.8), "{answer}");
    // A rate that is asked for is enough.
    let asked = choose(&two_bits.with_fpr(0.9)).unwrap();
    assert!(asked.best().fpr > 0.5, "{asked}");
}

#[test]
fn what_never_errs_is_the_keys_themselves_and_every_filter_says_why_it_is_not() {
    let answer = choose(&million().built_once().need(Need::Exact)).unwrap();
    assert_eq!(answer.filters().count(), 0);
    assert_eq!((answer.best().structure, answer.best().fpr), (ExactSet, 0.0));
    assert_eq!(answer.best().bytes, answer.exact_set.bytes);
    assert_eq!(answer.rejections.len(), FilterKind::ALL.len());
    assert!(answer.rejections.iter().all(|one| one.reason.contains("errs at some rate")));
    // It grows, is saved and has values, and must fit.
    for workload in [
        Workload::new(Keys::Unknown { start: 1000 }).need(Need::Exact),
        million().need(Need::Exact).need(Need::Files).need(Need::Remove),
        million().need(Need::Exact).need(Need::Forget { generations: 8 }),
    ] {
        assert_eq!(choose(&workload).unwrap().best().structure, ExactSet, "{workload:?}");
    }
    let values = million().need(Need::Exact).need(Need::Values { bits: 8 });
    assert_eq!(choose(&values).unwrap().best().structure, Structure::ExactMap);
    let error = choose(&million().need(Need::Exact).with_bytes(1_000_000)).unwrap_err();
    let said = "both never erring and at most 1.00 MB";
    assert!(error.to_string().contains(said), "{error}");
}

#[test]
fn every_word_for_a_need_is_one_and_what_is_beyond_is_refused_with_what_to_take() {
    for (word, _, need) in Need::WORDS {
        assert_eq!(word.parse(), Ok(need));
    }
    for beyond in amq_advisor::Beyond::ALL {
        let error = beyond.name.parse::<Need>().unwrap_err();
        assert_eq!(error, amq_advisor::NeedError::Beyond(beyond));
        assert!(error.to_string().contains(beyond.instead));
    }
    let unknown = "wings".parse::<Need>().unwrap_err().to_string();
    assert!(unknown.contains("wings") && unknown.contains("shared-insert, files, exact, range"));
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
        _ => Abilities::of(kind).merge,
    };
    for need in needs {
        let answer = choose(&million().built_once().need(need)).unwrap();
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

/// The advice stops where the luckless key's copies no longer fit, or are no longer counted.
#[test]
fn as_many_copies_fit_as_the_advice_says() {
    use amq::{CountFilter, EmptyFilter, Goal, Key};
    fn held<F: EmptyFilter + CountFilter>() -> u64 {
        let one_key = |key: u64| {
            let mut filter = F::empty(Goal::fpr(1000, 0.01), amq::DEFAULT_SEED).unwrap();
            let hash = key.key_hash(filter.seed());
            let mut held = 0;
            for copies in 1..=20 {
                let refused = filter.insert_hash(hash).is_err();
                let count = filter.count_hash(hash);
                if refused || count.saturated || count.estimate != copies {
                    break;
                }
                held = copies;
            }
            held
        };
        (0..500).map(one_key).min().unwrap()
    }
    let advised = |kind| {
        let fits = |&most: &u32| {
            let answer = choose(&million().need(Need::Count { most })).unwrap();
            answer.choices.iter().any(|choice| choice.structure == Filter(kind))
        };
        (1..=20).take_while(fits).last().unwrap()
    };
    macro_rules! all {
        (; $($feature:literal $kind:ident: $module:ident::$type:ident [$($can:ident)*];)*) => {$(
            amq::kinds!(can count in [$($can)*] {
                let advised = advised(FilterKind::$kind);
                assert_eq!(u64::from(advised), held::<amq::$type>(), stringify!($kind));
            } else {});
        )*};
    }
    amq::kinds!(all);
}

#[test]
fn an_answer_prints_as_a_table() {
    let answer = choose(&million().with_fpr(0.01)).unwrap();
    let text = answer.to_string();
    let row = text.lines().find(|line| line.starts_with(" 1  ")).unwrap();
    let cells: Vec<_> = row.split_whitespace().collect();
    assert_eq!(cells[..6], ["1", "bloom", "9.59", "1.20", "MB", "1"], "{text}");
    assert!(text.lines().all(|line| line == line.trim_end()), "{text}");
}
