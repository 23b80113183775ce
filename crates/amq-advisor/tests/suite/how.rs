//! What an answer says about how to use the first choice.

use crate::choose::{MILLION, at_most_a_million, million};
use Structure::Filter;
use amq::{AnyFilter, Filter as _, FilterKind, Goal, QuotientFilter};
use amq_advisor::{Answer, First, Keys, KeysBy, Need, Structure, Workload, choose};

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
    assert!(said.contains("insert a key only while it is below 3"), "{said}");
    let bloom = bits(FilterKind::Bloom, 3_000 * MILLION, 0.01);
    let cascade = format!("3 x {bloom:.1} = {:.1} bits per key, 10.8 GB", bloom * 3.0);
    assert!(said.contains(&cascade), "{cascade}\n{said}");
    let counting = bits(FilterKind::Counting, 3_000 * MILLION, 0.01);
    assert!(said.contains(&format!("takes any number of copies, in {counting:.1} bits")), "{said}");
    // Four counters of a bit are as many as one of four.
    let five = notes(&choose(&million().need(Need::Count { most: 5 })).unwrap());
    assert!(!five.contains("cascade"), "{five}");
}

/// What the cascade is said to do: a count of three is never missed, and seldom wrong.
#[test]
fn a_cascade_of_bloom_filters_counts_to_three() {
    const KEYS: u64 = 20_000;
    let mut stages: [amq::BloomFilter; 3] =
        core::array::from_fn(|_| amq::BloomFilter::new(Goal::fpr(KEYS, 0.01)).unwrap());
    let copies = |key: u64| key % 8;
    for round in 0..7 {
        for key in (0..KEYS).filter(|&key| copies(key) > round) {
            if let Some(stage) = stages.iter_mut().find(|stage| !stage.contains(&key)) {
                stage.insert(&key);
            }
        }
    }
    let seen = |key: u64| stages[2].contains(&key);
    assert!((0..KEYS).filter(|&key| copies(key) >= 3).all(seen));
    let absent = (KEYS..2 * KEYS).filter(|&key| seen(key)).count();
    assert!(absent <= 240, "{absent}");
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
    let shared = at_most_a_million().need(Need::Grow).need(Need::SharedInsert).with_threads(8);
    let shared = notes(&choose(&shared).unwrap());
    assert!(shared.contains("Each of the 32 shards begins with"), "{shared}");
    assert!(shared.contains("`Sharded::from_shards_unchecked`") && !shared.contains("amq build"));
    // Without a bound some kinds fall out, and that one brings them back is said.
    let unknown = Workload::new(Keys::Unknown { start: MILLION }).need(Need::List);
    let error = choose(&unknown).unwrap_err().to_string();
    let listed = |asked: Workload| choose(&asked.need(Need::Grow).need(Need::List)).unwrap();
    let bounded = listed(at_most_a_million());
    assert_eq!(listed(million()).choices, bounded.choices);
    // How large depends on the bound.
    let said = "with a bound on the keys (`--at-most`) there is quotient;";
    assert!(error.contains(said), "{error}");
    for few in [1, 8, 800, 2000] {
        let few = choose(&Workload::new(Keys::AtMost(few)).need(Need::Grow)).unwrap();
        assert!(!notes(&few).contains("begins with"), "{few}");
    }
    let few = choose(&Workload::new(Keys::AtMost(800)).need(Need::Grow).with_filters(1000));
    assert!(notes(&few.unwrap()).contains("growing saves little: `plan` the full size"));
}

#[test]
fn sums_over_many_filters_say_what_they_count() {
    let many = |need| notes(&choose(&at_most_a_million().need(need).with_filters(16)).unwrap());
    assert!(many(Need::Grow).contains("once full: most stay smaller"));
    let merged = many(Need::Merge);
    assert!(merged.contains("If each of the 16 has 1,000,000 keys of its own"), "{merged}");
    assert!(merged.contains("the union has up to 16,000,000"), "{merged}");
}

#[test]
fn keys_larger_than_what_is_allowed_are_not_advised() {
    let asked = Workload::new(Keys::Exactly(12_000 * MILLION)).built_once();
    let free = notes(&choose(&asked.clone().with_fpr(4e-7)).unwrap());
    assert!(free.contains("Take the keys, unless"), "{free}");
    let bound = notes(&choose(&asked.with_bytes(32_000_000_000)).unwrap());
    assert!(!bound.contains("Take the keys") && bound.contains("more than you allow"), "{bound}");
}

#[test]
fn no_more_filters_are_taken_than_sizes_can_say() {
    for (keys, filters) in [(1_000_000 * MILLION, 1_000 * MILLION), (MILLION, 1 << 59)] {
        let error = choose(&Workload::new(Keys::Exactly(keys)).with_filters(filters));
        let error = error.unwrap_err().to_string();
        let most = (1 << 60) / keys;
        assert!(error.starts_with("filters = ") && error.ends_with(&format!("1 to {most}")));
    }
    assert!(choose(&million().with_filters(MILLION)).is_ok());
}

#[test]
fn a_build_that_takes_too_much_is_split() {
    let asked = Workload::new(Keys::Exactly(12_000 * MILLION)).built_once().with_bytes(32 << 30);
    let ribbon = choose(&asked).unwrap();
    let whole = ribbon.best().build_bytes;
    let parts = whole.div_ceil(20_000_000_000);
    let few = choose(&asked.with_build_bytes(20_000_000_000));
    // Nothing of the size is built in less than it takes itself.
    assert!(few.is_err() || notes(&few.unwrap()).contains(&format!("{parts} parts")));
    // Where nothing is left, the split is a way out.
    let little = million().built_once().with_fpr(0.01).with_build_bytes(1_000_000);
    let error = choose(&little).unwrap_err().to_string();
    assert!(error.contains("in 12 parts by hash, built one by one (`KeyHash::shard`)"), "{error}");
    let half = million().built_once().with_fpr(0.01).with_build_bytes(2_000_000);
    let answer = choose(&half).unwrap();
    let whole = choose(&million().built_once().with_fpr(0.01)).unwrap();
    let parts = whole.best().build_bytes.div_ceil(2_000_000);
    let said = format!("Split the keys by hash into {parts} parts");
    assert!(parts > 1 && notes(&answer).contains(&said), "{said}\n{answer}");
    assert!(!notes(&whole).contains("Split the keys"), "{whole}");
}

#[test]
fn the_tail_of_lookups_is_bounded_by_what_they_read() {
    let asked = million().built_once().with_fpr(0.01).with_first(First::Tail);
    let said = notes(&choose(&asked).unwrap());
    assert!(said.contains("at most this many cache lines: split-block Bloom 1,"), "{said}");
    assert!(!notes(&choose(&million().with_first(First::Tail)).unwrap()).contains("A lookup in"));
}

#[test]
fn what_strangers_do_is_said_of_the_kind() {
    let asked = million().with_fpr(0.01).with_keys_by(KeysBy::Strangers);
    let filled = notes(&choose(&asked).unwrap());
    let built = notes(&choose(&asked.clone().built_once()).unwrap());
    let exact = notes(&choose(&asked.need(Need::Exact)).unwrap());
    assert!(filled.contains("from filling the filter") && !built.contains("filling"), "{built}");
    assert!(built.contains("a filter alone must not decide"), "{built}");
    assert!(exact.contains("SipHash under random keys") && !exact.contains("`Keyed`"), "{exact}");
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
    let said = format!("at {:.2} bits per key, and the changed ones", built.best().bits_per_key);
    assert!(notes(&choose(&pairs).unwrap()).contains(&said), "{said}");
    assert!(!notes(&built).contains("the changed ones"));
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

#[test]
fn one_filter_for_many_sets_is_the_smallest_of_its_number_of_keys() {
    let sets = Workload::new(Keys::Exactly(12)).with_filters(5 * MILLION).need(Need::Remove);
    let answer = choose(&sets.with_fpr(0.01)).unwrap();
    let one = choose(&Workload::new(Keys::Exactly(60 * MILLION)).need(Need::Remove)).unwrap();
    let one = one.best();
    let said = format!("a single {} filter of (set, key) pairs", one.structure);
    assert_eq!(one.structure, Filter(FilterKind::Quotient));
    assert!(notes(&answer).contains(&said), "{said}\n{answer}");
}
