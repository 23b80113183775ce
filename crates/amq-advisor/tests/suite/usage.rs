//! What an answer says about how to use the first choice.

use crate::choose::{MILLION, at_most_a_million, million};
use Structure::Filter;
use amq::{AnyFilter, Filter as _, FilterKind, Goal, QuotientFilter};
use amq_advisor::{Answer, Keys, KeysBy, Need, Structure, Workload, choose};

fn notes(answer: &Answer) -> String {
    answer.notes.join("\n")
}

fn bits(kind: FilterKind, keys: u64, fpr: f64) -> f64 {
    AnyFilter::plan(kind, Goal::fpr(keys, fpr)).unwrap().bytes as f64 * 8.0 / keys as f64
}

#[test]
fn a_stream_with_more_copies_than_are_counted_is_answered() {
    let asked = Workload::new(Keys::AtMost(3_000 * MILLION))
        .with_fpr(0.01)
        .need(Need::Count { most: 3 })
        .with_bytes(12_000_000_000);
    let often = choose(&asked.clone().with_copies(7.0)).unwrap();
    let quotient = often.best();
    assert_eq!(quotient.structure, Filter(FilterKind::Quotient), "{often}");
    // No more than three of the seven are kept.
    assert_eq!(quotient.goal.unwrap().keys, 9_000 * MILLION);
    assert_eq!(choose(&asked).unwrap().choices, often.choices);
    let said = notes(&often);
    assert!(said.contains("insert a key only while its count is below 3"), "{said}");
    let counting = bits(FilterKind::Counting, 3_000 * MILLION, 0.01);
    assert!(said.contains(&format!("takes any number of copies, in {counting:.1} bits")), "{said}");
}

#[test]
fn what_grows_to_a_bound_says_how_it_begins() {
    for bound in [MILLION, 2_000 * MILLION] {
        let asked = Workload::new(Keys::AtMost(bound)).with_fpr(0.01).need(Need::Grow);
        let answer = choose(&asked).unwrap();
        assert_eq!(answer.best().structure, Filter(FilterKind::Quotient), "{answer}");
        let first = bound / 1024;
        let call = format!("`QuotientFilter::plan_growing(Goal::fpr({bound}, 0.01), {first})`");
        let said = notes(&answer);
        assert!(said.contains(&call), "{said}");
        // The size that is named is the size that it begins with.
        let plan = QuotientFilter::plan_growing(Goal::fpr(bound, 0.01), first).unwrap();
        assert_eq!(answer.best().bytes, plan.bytes);
        let small = QuotientFilter::new(plan).unwrap().size_in_bytes() as f64;
        let (small, unit) = if small < 1e6 { (small / 1e3, "kB") } else { (small / 1e6, "MB") };
        assert!(said.contains(&format!("begins with {small:.2} {unit}")), "{small}\n{said}");
    }
    // Without a bound some kinds fall out, and that one brings them back is said.
    let unknown = Workload::new(Keys::Unknown { start: MILLION }).need(Need::List);
    let error = choose(&unknown).unwrap_err().to_string();
    let listed = |asked: Workload| choose(&asked.need(Need::Grow).need(Need::List)).unwrap();
    let bounded = listed(at_most_a_million());
    assert_eq!(listed(million()).choices, bounded.choices);
    // How large depends on the bound.
    let said = "set a bound on the keys (`--keys N --need grow`) and take quotient;";
    assert!(error.contains(said), "{error}");
    for few in [1, 8, 800, 2000] {
        let few = choose(&Workload::new(Keys::AtMost(few)).need(Need::Grow)).unwrap();
        assert!(!notes(&few).contains("begins with"), "{few}");
    }
    let few = choose(&Workload::new(Keys::AtMost(800)).need(Need::Grow).with_filters(1000));
    assert!(notes(&few.unwrap()).contains("growing saves little: plan"));
}

#[test]
fn keys_larger_than_what_is_allowed_are_not_advised() {
    let asked = Workload::new(Keys::AtMost(12_000 * MILLION)).built_once();
    let free = notes(&choose(&asked.clone().with_fpr(4e-7)).unwrap());
    assert!(free.contains("Take them, unless"), "{free}");
    let bound = notes(&choose(&asked.with_bytes(32_000_000_000)).unwrap());
    assert!(!bound.contains("Take them") && bound.contains("more than you allow"), "{bound}");
}

#[test]
fn no_more_filters_are_taken_than_sizes_can_say() {
    for (keys, filters) in [(1_000_000 * MILLION, 1_000 * MILLION), (MILLION, 1 << 59)] {
        let error = choose(&Workload::new(Keys::AtMost(keys)).with_filters(filters));
        let error = error.unwrap_err().to_string();
        let most = (1 << 60) / keys;
        assert!(error.starts_with("filters = ") && error.ends_with(&format!("1 to {most}")));
    }
    assert!(choose(&million().with_filters(MILLION)).is_ok());
}

#[test]
fn a_build_that_takes_much_memory_says_so() {
    let large = choose(&Workload::new(Keys::AtMost(12_000 * MILLION)).built_once()).unwrap();
    let whole = large.best().build_bytes as f64 / 1e9;
    assert!(notes(&large).contains(&format!("Building it takes {whole:.0} GB")), "{large}");
    let small = choose(&million().built_once()).unwrap();
    assert!(!notes(&small).contains("Building it takes"), "{small}");
}

/// One kind at a time has its part of the bytes, and a level a tenth as large a tenth of the rate.
#[test]
fn levels_share_a_budget_in_proportion_to_their_keys() {
    let keys: [u64; 7] = core::array::from_fn(|level| 900_000_000 / 10u64.pow(6 - level as u32));
    for (kind, bits, summed) in [
        (FilterKind::Bloom, [7.5, 12.3, 17.1], 0.031),
        (FilterKind::Ribbon, [7.6, 11.0, 14.3], 0.0058),
    ] {
        let levels = amq_advisor::levels(kind, &keys, 1_000_000_000).unwrap();
        let bytes: u64 = levels.iter().map(|level| level.bytes).sum();
        assert!((980_000_000..=1_000_000_000).contains(&bytes), "{bytes}");
        for (level, said) in levels.iter().rev().zip(bits) {
            let each = level.bytes as f64 * 8.0 / level.keys as f64;
            assert!((each - said).abs() < 0.1, "{kind}: {each} {said}");
        }
        let sum: f64 = levels.iter().map(|level| level.fpr).sum();
        assert!((sum / summed - 1.0).abs() < 0.05, "{kind}: {sum}");
        let each = |&keys: &u64| AnyFilter::plan(kind, Goal::bytes(keys, keys)).unwrap();
        let same: f64 = keys.iter().map(|keys| each(keys).expected_fpr).sum();
        assert!(same > 4.5 * sum, "{kind}: {same} {sum}");
    }
    // With few bytes the largest level has no filter, and without any none has.
    let few = amq_advisor::levels(FilterKind::Ribbon, &keys, 50_000_000).unwrap();
    assert_eq!((few[6].bytes, few[6].fpr), (0, 1.0));
    assert!(few[5].bytes > 0);
    let none = amq_advisor::levels(FilterKind::Ribbon, &keys, 0).unwrap();
    assert!(none.iter().all(|level| level.fpr == 1.0));
    assert_eq!(amq_advisor::levels(FilterKind::Bloom, &[], 10), Ok(Vec::new()));
}

#[test]
fn what_strangers_do_is_said_of_the_kind() {
    let asked = million().with_fpr(0.01).with_keys_by(KeysBy::Strangers);
    let filled = notes(&choose(&asked).unwrap());
    let built = notes(&choose(&asked.clone().built_once()).unwrap());
    let removed = notes(&choose(&asked.clone().need(Need::Remove)).unwrap());
    let exact = notes(&choose(&asked.need(Need::Exact)).unwrap());
    // Those who only query cannot fill it, but ask again for what was answered wrongly.
    assert!(filled.contains("insert can fill it.") && !built.contains("fill it"), "{built}");
    for told in [&filled, &built, &removed] {
        let store = "Confirm each yes in an exact set";
        assert!(told.contains(store), "{told}");
        let again = "They can repeat a false positive: cache the store's \"no\"";
        assert!(told.contains(again), "{told}");
    }
    assert!(removed.contains("Let them remove only what that set holds."), "{removed}");
    assert!(!exact.contains("repeat"), "{exact}");
    assert!(exact.contains("SipHash under random keys") && !exact.contains("`Keyed`"), "{exact}");
}

/// Every short answer says how strangers' keys are hashed, and how threads share what it names.
#[test]
fn keys_of_strangers_and_threads_are_never_left_out() {
    let needs = [
        &[][..],
        &[Need::SharedInsert],
        &[Need::Forget { generations: 8 }],
        &[Need::Forget { generations: 8 }, Need::SharedInsert, Need::Files],
        &[Need::Forget { generations: 8 }, Need::List],
        &[Need::Remove, Need::Files],
        &[Need::Count { most: 5 }],
        &[Need::Values { bits: 8 }],
        &[Need::Grow],
    ];
    let uses: [fn(Workload) -> Workload; 4] =
        [|it| it, Workload::built_once, |it| it.with_bits_per_key(8.0), |it| it.with_filters(1000)];
    let (mut keyed, mut shared) = (0, 0);
    for keys in [100, MILLION] {
        for (needs, use_of) in needs.iter().flat_map(|needs| uses.map(|use_of| (needs, use_of))) {
            let asked = use_of(Workload::new(Keys::AtMost(keys)));
            let asked = needs.iter().fold(asked, |asked, &need| asked.need(need));
            let asked = asked.with_keys_by(KeysBy::Strangers).with_threads(8);
            let Ok(answer) = choose(&asked) else { continue };
            let (text, best) = (answer.to_string(), answer.best());
            let hashed = match best.structure {
                Structure::ExactSet | Structure::ExactMap => "SipHash under random keys",
                Structure::Map => "build it with a secret seed",
                Filter(_) => "wrap it in `Keyed` (`--key-file`)",
                it if it.is_filter() => "wrap it in `Keyed`.",
                _ => "",
            };
            assert!(text.contains(hashed), "{text}");
            if best.structure.kind().is_some() {
                keyed += 1;
                let lines = ["let key = SipKey::new(secret);", "Keyed"];
                assert!(lines.iter().all(|it| best.code.contains(it)), "{}", best.code);
            } else {
                assert!(!text.contains("`Keyed`"), "{text}");
            }
            shared += 1;
            let how = match (best.structure, needs.contains(&Need::SharedInsert)) {
                (Structure::Nothing, _) => "",
                (Structure::Atomic(_), true) => "Several threads insert",
                (_, true) => "behind a lock",
                _ if text.contains("through `&` or an `Arc`") => "",
                _ => "never",
            };
            assert!(text.contains(how), "{text}");
        }
    }
    assert!(keyed >= 30 && shared >= 50, "{keyed} {shared}");
}

/// What many small filters take beside their tables is near what they allocate, and is said only
/// where it is much.
#[test]
fn what_small_parts_take_beside_their_tables_is_said() {
    /// Bytes beside the tables of 64 shards of 16 generations.
    fn beside<F: amq::EmptyFilter>(keys: u64) -> u64 {
        let goal = Goal::fpr(keys, 0.01);
        let generations = amq::rolling::Generations(16);
        let make =
            || amq::sharded::Sharded::<amq::rolling::Rolling<F>>::rolling(goal, 64, generations);
        let (filter, bytes) = amq_conformance::memory::peak_of(make);
        bytes - filter.unwrap().size_in_bytes()
    }
    let asked = |keys| {
        let asked = Workload::new(Keys::AtMost(keys)).with_threads(16);
        asked.need(Need::SharedInsert).need(Need::Forget { generations: 16 }).need(Need::Files)
    };
    let few = asked(100).with_key_bytes(100_000);
    let counted = few.clone().need(Need::Count { most: 5 });
    let listed = few.clone().need(Need::List);
    let grown = few.clone().need(Need::Grow);
    let mut kinds = std::collections::BTreeSet::new();
    for asked in [few, listed, counted, grown, asked(100_000), asked(100_000).with_fpr(1e-4)] {
        let answer = choose(&asked).unwrap();
        let kind = answer.best().structure.kind().unwrap();
        let beside = match kind {
            FilterKind::Bloom => beside::<amq::BloomFilter>,
            FilterKind::Counting => beside::<amq::CountingBloomFilter>,
            FilterKind::Quotient => beside::<QuotientFilter>,
            FilterKind::ExpandableQuotient => beside::<amq::ExpandableQuotientFilter>,
            FilterKind::WindowedCuckoo => beside::<amq::WindowedCuckooFilter>,
            FilterKind::Scalable => beside::<amq::ScalableBloomFilter>,
            _ => panic!("{answer}"),
        };
        kinds.insert(kind.number());
        let text = answer.to_string();
        let (_, rest) = text.split_once("Beside their tables its 1,024 parts take some ").unwrap();
        let said: f64 = rest.split_once(" kB").unwrap().0.parse().unwrap();
        let taken = beside(asked.keys().planned()) as f64 / 1000.0;
        // The system's allocator adds up to 96 bytes to a table: its alignment, and a header.
        let most = taken + 96.0 * 1.024;
        assert!((taken * 0.9..most * 1.1).contains(&said), "{said} {taken} {most}: {answer}");
    }
    assert!(kinds.len() >= 4, "{kinds:?}");
    for large in [asked(20 * MILLION), million()] {
        let answer = choose(&large).unwrap();
        assert!(!notes(&answer).contains("Beside their tables"), "{answer}");
    }
}

#[test]
fn few_keys_that_change_lie_in_a_sorted_array() {
    let dozen = Workload::new(Keys::AtMost(12)).with_filters(5 * MILLION).need(Need::Remove);
    let short = choose(&dozen.clone().with_key_bytes(4)).unwrap();
    assert_eq!((short.best().structure, short.best().bytes), (Structure::SortedList, 48));
    assert!(short.best().what.contains("a sorted array of keys of 4 bytes: it also removes"));
    let long = choose(&dozen.with_key_bytes(16)).unwrap();
    assert!(long.best().structure.is_filter(), "{long}");
    let many = choose(&Workload::new(Keys::AtMost(257)).need(Need::Remove)).unwrap();
    assert!(many.exact.iter().all(|it| it.structure != Structure::SortedList), "{many}");
}

#[test]
fn what_takes_a_slot_for_each_copy_says_so() {
    let said = "A repeated key takes another slot";
    let removes = million().need(Need::Remove);
    assert!(notes(&choose(&removes).unwrap()).contains(said));
    for silent in [million().with_fpr(0.01), removes.with_copies(2.0)] {
        assert!(!notes(&choose(&silent).unwrap()).contains(said));
    }
}

#[test]
fn values_that_change_lie_beside_a_map_of_all() {
    let pairs = at_most_a_million().need(Need::Values { bits: 8 });
    let built = choose(&million().built_once().need(Need::Values { bits: 8 })).unwrap();
    assert_eq!(built.best().structure, Structure::Map);
    let said = format!("{:.2} bits per key, beside an exact map", built.best().bits_per_key);
    assert!(notes(&choose(&pairs).unwrap()).contains(&said), "{said}");
    assert!(!notes(&built).contains("the changed ones"));
    // Where few change, that is what comes first; where many do, it is not.
    let changing = |changes| choose(&pairs.clone().with_changes(changes)).unwrap();
    let few = changing(10_000);
    assert_eq!((few.best().structure, few.best().bytes), (Structure::Map, built.best().bytes));
    let overlay = Workload::new(Keys::AtMost(10_000)).need(Need::Values { bits: 8 });
    let overlay = choose(&overlay.need(Need::Exact)).unwrap().best().bytes;
    assert!(few.best().what.contains(&format!("{:.0} kB", overlay as f64 / 1e3)), "{few}");
    assert_eq!(changing(MILLION).best().structure, Structure::ExactMap);
}

#[test]
fn an_exact_set_that_forgets_has_a_time_beside_each_key() {
    let answer = choose(&Workload::new(Keys::AtMost(10_000)).need(Need::Forget { generations: 8 }));
    let answer = answer.unwrap();
    // 2^14 entries of a key, a time padded to it, and a byte of control.
    let exact = &answer.exact[0];
    assert_eq!((exact.structure, exact.bytes), (Structure::ExactMap, (1 << 14) * 17 + 16));
    assert!(
        exact.what.contains("your program removes the old ones by their times"),
        "{}",
        exact.what
    );
}
