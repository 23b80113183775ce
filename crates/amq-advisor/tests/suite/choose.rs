//! What `choose` answers: the worked choices as a table, and what is said of each.

use amq::FilterKind;
use amq_advisor::{First, Keys, KeysBy, Need, Structure, Workload, choose};

use Structure::{Atomic, ExactSet, Filter, Map, Nothing, Sharded};

pub(crate) const MILLION: u64 = 1_000_000;

pub(crate) fn million() -> Workload {
    Workload::new(Keys::AtMost(MILLION))
}

pub(crate) fn at_most_a_million() -> Workload {
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
            Filter(FilterKind::Ribbon),
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
            Workload::new(Keys::AtMost(2 * MILLION)).with_fpr(0.001).built_once().need(Need::Files),
            Filter(FilterKind::Ribbon),
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
        ("500 keys", Workload::new(Keys::AtMost(500)).with_fpr(0.01), ExactSet),
        ("every query present", million().with_fpr(0.01).with_absent(0.0), Nothing),
        (
            "a lookup as cheap as a query",
            million().with_fpr(0.01).with_false_positive_ns(5.0),
            Nothing,
        ),
        (
            "2 bits a key, built once",
            million().with_bits_per_key(2.0).built_once(),
            Filter(FilterKind::Ribbon),
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
            Atomic(FilterKind::Bloom),
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
fn what_nearly_always_errs_is_not_first_by_time() {
    let two_bits = million().built_once().with_bits_per_key(2.0).with_first(First::Time);
    let answer = choose(&two_bits).unwrap();
    assert!(answer.best().fpr <= amq_advisor::USEFUL_FPR, "{answer}");
    assert!(answer.best().reason.contains("reject at least half"), "{answer}");
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
fn without_errors_only_the_keys_and_each_filter_says_why() {
    let answer = choose(&million().built_once().need(Need::Exact)).unwrap();
    assert_eq!(answer.filters().count(), 0);
    let [list, set] = &answer.choices[..] else { panic!("{answer}") };
    assert_eq!([list.structure, set.structure], [Structure::SortedList, ExactSet]);
    // log2(2^64 / 10^6) + 2 bits each.
    assert_eq!((list.bytes, list.fpr), (5_758_554, 0.0));
    assert_eq!((set.bytes, set.fpr), (answer.exact[1].bytes, 0.0));
    assert_eq!(answer.rejections.len(), FilterKind::ALL.len());
    assert!(answer.rejections.iter().all(|one| one.reason.contains("has false positives")));
    // It grows, is saved and has values, and must fit.
    for workload in [
        Workload::new(Keys::Unknown { start: 1000 }).need(Need::Exact),
        million().need(Need::Exact).need(Need::Files).need(Need::Remove),
    ] {
        assert_eq!(choose(&workload).unwrap().best().structure, ExactSet, "{workload:?}");
    }
    for need in [Need::Values { bits: 8 }, Need::Forget { generations: 8 }] {
        let answer = choose(&million().need(Need::Exact).need(need)).unwrap();
        assert_eq!(answer.best().structure, Structure::ExactMap);
    }
    let error = choose(&million().need(Need::Exact).with_bytes(1_000_000)).unwrap_err();
    let said = "both never erring and at most 1.00 MB";
    assert!(error.to_string().contains(said), "{error}");
}

/// The advice stops where the luckless key's copies no longer fit, or are no longer counted.
#[test]
fn as_many_copies_fit_as_the_advice_says() {
    use amq::{Abilities, AnyFilter, Filter as _, Goal, Key};
    let held = |kind| {
        let one_key = |key: u64| {
            let mut filter = AnyFilter::new(kind, Goal::fpr(1000, 0.01)).unwrap();
            let hash = key.key_hash(filter.seed());
            let mut held = 0;
            for copies in 1..=20 {
                let refused = filter.insert_hash(hash).is_err();
                let count = filter.count_hash(hash).unwrap();
                if refused || count.saturated || count.estimate != copies {
                    break;
                }
                held = copies;
            }
            held
        };
        (0..500).map(one_key).min().unwrap()
    };
    let advised = |kind| {
        let fits = |&most: &u32| {
            let answer = choose(&million().need(Need::Count { most })).unwrap();
            answer.choices.iter().any(|choice| choice.structure == Filter(kind))
        };
        (1..=20).take_while(fits).last().unwrap()
    };
    for kind in FilterKind::ALL.into_iter().filter(|&kind| Abilities::of(kind).count) {
        let advised = advised(kind);
        // In a table that others fill, too, cuckoo filters refuse copies long before.
        match kind {
            FilterKind::Cuckoo | FilterKind::WindowedCuckoo => assert_eq!(advised, 1),
            _ => assert_eq!(u64::from(advised), held(kind), "{kind}"),
        }
    }
}

/// Every twentieth key five times, in tables planned for the copies: what is advised takes them,
/// and what is said to refuse them does.
#[test]
fn what_is_advised_for_counts_takes_copies_to_its_plan() {
    use amq::{AnyFilter, Goal, Key};
    let copies = |key: u64| if key.is_multiple_of(20) { 5 } else { 1 };
    let takes = |kind, goal: Goal| {
        let mut filter = AnyFilter::new(kind, goal).unwrap();
        let hash = |key: u64| key.key_hash(amq::Filter::seed(&filter));
        let hashes: Vec<_> = (0..10_000).flat_map(|key| vec![hash(key); copies(key)]).collect();
        hashes.into_iter().all(|hash| filter.insert_hash(hash).is_ok())
    };
    let counted =
        Workload::new(Keys::AtMost(10_000)).need(Need::Count { most: 5 }).with_copies(1.2);
    for counted in [counted.clone(), counted.with_first(First::Time)] {
        let answer = choose(&counted).unwrap();
        assert!(answer.filters().count() >= 3, "{answer}");
        for choice in answer.filters() {
            let kind = choice.structure.kind().unwrap();
            assert!(takes(kind, choice.goal.unwrap()), "{kind}: {answer}");
        }
    }
    assert!(!takes(FilterKind::Cuckoo, Goal::fpr(12_000, 0.01)));
    assert!(!takes(FilterKind::WindowedCuckoo, Goal::fpr(12_000, 0.01)));
}

#[test]
fn an_answer_prints_as_a_table() {
    let answer = choose(&million().with_fpr(0.01)).unwrap();
    let text = answer.to_string();
    let cells: Vec<_> = text.lines().nth(1).unwrap().split_whitespace().collect();
    assert_eq!(cells[..5], ["bloom", "9.59", "1.20", "MB", "1"], "{text}");
    assert!(text.lines().all(|line| line == line.trim_end()), "{text}");
}

/// At most five rows, of which one is the fastest choice, and 105 words in all, of the workloads
/// that are asked here and of each need alone.
#[test]
fn an_answer_is_short() {
    let needs = [
        Need::Remove,
        Need::Merge,
        Need::Grow,
        Need::SharedInsert,
        Need::Count { most: 10 },
        Need::Forget { generations: 8 },
        Need::Values { bits: 8 },
    ];
    let uses: [fn(Workload) -> Workload; 6] = [
        |it| it,
        Workload::built_once,
        |it| it.with_keys_by(KeysBy::Strangers).with_copies(2.0),
        |it| it.with_false_positive_ns(20_000.0).with_absent(0.9).with_threads(8),
        |it| it.with_filters(1000).with_changes(500).with_key_bytes(30),
        |it| it.with_first(First::Tail).with_bytes(100_000_000).with_integers_below(1 << 40),
    ];
    let mut asked = 0;
    for keys in [Keys::AtMost(300), Keys::AtMost(MILLION), Keys::Unknown { start: 10_000 }] {
        for use_of in uses {
            let plain = use_of(Workload::new(keys));
            for workload in needs.map(|need| plain.clone().need(need)).into_iter().chain([plain]) {
                let Ok(answer) = choose(&workload) else { continue };
                let text = answer.to_string();
                let rows = text.lines().skip(1).take_while(|line| !line.is_empty());
                let rows: Vec<&str> = rows.collect();
                let words = text.split_whitespace().count();
                assert!(
                    (1..=5).contains(&rows.len()) && words <= 105,
                    "{words}: {workload:?}\n{text}"
                );
                let timed = answer.choices.iter().filter(|choice| choice.cost_ns.is_some());
                let fastest = timed.min_by(|a, b| a.cost_ns.partial_cmp(&b.cost_ns).unwrap());
                let is_shown =
                    |id: String| rows.iter().any(|row| row.starts_with(&(id.clone() + " ")));
                assert!(fastest.is_none_or(|it| is_shown(it.structure.id())), "{text}");
                asked += 1;
            }
        }
    }
    assert!(asked > 80, "{asked}");
}
