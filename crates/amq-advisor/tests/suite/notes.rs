//! What an answer says beside its choices: the truths nobody likes to hear.

use crate::choose::{MILLION, million};
use Structure::Filter;
use amq::{AnyFilter, Budget, Filter as _, FilterFile, FilterKind};
use amq_advisor::{Answer, Choice, First, Keys, KeysBy, Need, Structure, Workload, choose};

fn notes(answer: &Answer) -> String {
    answer.notes.join("\n")
}

#[test]
fn what_growing_without_a_bound_costs_is_said() {
    let answer = choose(&Workload::new(Keys::Unknown { start: 10_000 }).with_fpr(0.01)).unwrap();
    let of = |kind| answer.filters().find(|choice| choice.structure == Filter(kind)).unwrap();
    let scalable = of(FilterKind::Scalable);
    let growth = scalable.grown.unwrap();
    // Stages of 15 % of the rate, and 85 % of that. When the first is full, the second, of twice
    // the size, is empty; when the second is full, the fewest bits are taken.
    let stage = |keys, fpr| {
        let plan = amq::BloomFilter::plan(amq::Goal::fpr(keys, fpr)).unwrap();
        plan.bits_per_key() * keys as f64
    };
    let two = stage(10_000, 0.0015) + stage(20_000, 0.0015 * 0.85);
    assert!((growth.most / (two / 10_000.0) - 1.0).abs() < 0.005, "{growth:?} {two}");
    assert!((growth.least / (two / 30_000.0) - 1.0).abs() < 0.005, "{growth:?} {two}");
    // Judged by the mean, which is what counts, and not by the first table, which is smaller.
    let expandable = of(FilterKind::ExpandableQuotient);
    assert_eq!(answer.best(), expandable);
    assert!(scalable.bytes < expandable.bytes && scalable.bits_per_key > expandable.bits_per_key);
    for choice in answer.filters() {
        let growth = choice.grown.unwrap();
        assert_eq!(choice.bits_per_key, growth.mean);
        assert!(growth.least < growth.mean && growth.mean < growth.most);
        let said = format!(
            "{:.1} bits per key on average as it grows: {:.1} when full, {:.1} just after it has grown.",
            growth.mean, growth.least, growth.most
        );
        assert!(choice.reason.contains(&said), "{}", choice.reason);
    }
    assert!(
        notes(&answer)
            .contains("a bound on the keys, even a generous one (`--keys N --need grow`)"),
        "{answer}"
    );

    // A bound makes it cheaper, and lets other filters in.
    let bounded = Workload::new(Keys::AtMost(10_000_000)).with_fpr(0.01).need(Need::Grow);
    let bounded = choose(&bounded).unwrap();
    assert!(bounded.best().bits_per_key < 11.0, "{bounded}");
    let scalable = |choice: &&Choice| choice.structure == Filter(FilterKind::Scalable);
    let scalable = bounded.filters().find(scalable).unwrap();
    assert!((10.5..12.0).contains(&scalable.bits_per_key), "{bounded}");
}

/// What the note says of each rung is what truncating comes to.
#[test]
fn one_file_of_several_sizes_names_kinds_and_sizes() {
    let asked = million().with_fpr(1e-4).need(Need::Truncate);
    let kinds = |answer: &Answer| answer.filters().map(|it| it.structure).collect::<Vec<_>>();
    let growing = choose(&asked).unwrap();
    assert_eq!(kinds(&growing), [Filter(FilterKind::Quotient)]);
    let built = choose(&asked.clone().built_once()).unwrap();
    let mut found = kinds(&built);
    found.sort_by_key(|it| it.kind().map(FilterKind::number));
    assert_eq!(found, [FilterKind::Quotient, FilterKind::Ribbon, FilterKind::Fuse].map(Filter));
    assert_eq!(built.best().structure, Filter(FilterKind::Ribbon));
    let lacks = built.rejections.iter().find(|it| it.structure == Filter(FilterKind::Bloom));
    assert!(lacks.unwrap().reason.contains("one size"), "{lacks:?}");
    for answer in [&growing, &built] {
        let (kind, goal) = (answer.best().structure.kind().unwrap(), answer.best().goal.unwrap());
        let mut filter = AnyFilter::build(kind, goal.budget, 0..MILLION).unwrap();
        for (rate, said) in [(1e-3, "0.1 %"), (0.01, "1 %"), (0.1, "10 %")] {
            filter.truncate(Budget::Fpr(rate)).unwrap();
            let all = notes(answer);
            let before = all.split(&format!("B at {said}")).next().unwrap();
            let (number, unit) = before.rsplit_once(' ').unwrap();
            let number: f64 = number.rsplit(' ').next().unwrap().parse().unwrap();
            let told = number * if unit == "M" { 1e6 } else { 1e3 };
            // A plan is for the most that a build takes; and three digits are said.
            let size = filter.size_in_bytes() as f64;
            assert!((told / size - 1.0).abs() < 0.005, "{size} at {said}: {all}");
        }
    }
    let silent = [million().with_fpr(1e-4), million().with_fpr(0.2).need(Need::Truncate)];
    for asked in silent {
        assert!(!notes(&choose(&asked).unwrap()).contains("several sizes"));
    }
}

#[test]
fn what_never_full_costs_is_said() {
    let answer = choose(&million().with_fpr(0.01)).unwrap();
    assert_eq!(answer.best().structure, Filter(FilterKind::Bloom));
    // 7 probes in 9.59 bits a key: (1 - e^(-14 / 9.59))^7.
    let rate = (1.0 - (-14.0f64 / answer.best().bits_per_key).exp()).powi(7);
    let said = format!("with twice the keys its rate is {:.1} %", rate * 100.0);
    assert!(notes(&answer).contains(&said), "{said}\n{answer}");
    let refuses = choose(&million().with_fpr(0.001)).unwrap();
    assert!(notes(&refuses).contains("refuses keys beyond 1,000,000"), "{refuses}");
}

#[test]
fn the_exact_set_stands_beside_every_answer() {
    // Ten million keys: 2^24 buckets at 7/8, each a key and a control byte.
    let answer = choose(&Workload::new(Keys::AtMost(10 * MILLION)).with_fpr(0.01)).unwrap();
    assert_eq!(answer.exact[0].bytes, (1 << 24) * 9 + 16);
    assert!(notes(&answer).contains("take 151 MB as a hash set: 12.6 times the Bloom filter"));
    let long = choose(&Workload::new(Keys::AtMost(500)).with_fpr(0.01).with_key_bytes(64)).unwrap();
    assert!(long.best().structure.is_filter(), "too large for a small set: {long}");
    // It cannot be stored, and it must fit what is allowed.
    for workload in [
        Workload::new(Keys::AtMost(500)).with_fpr(0.01).need(Need::Files),
        Workload::new(Keys::AtMost(500)).with_fpr(0.01).with_bytes(2000),
    ] {
        assert!(choose(&workload).unwrap().best().structure.is_filter());
    }
}

/// The measured size of the standard library's set is what is said (hashbrown's layout).
#[test]
fn the_size_of_the_exact_set_is_that_of_a_hash_set() {
    for keys in [1u64, 3, 4, 7, 8, 14, 15, 28, 29, 500, 1000, 100_000] {
        let set: std::collections::HashSet<u64> = (0..keys).collect();
        // As many buckets as the capacity says: 7/8 of them, all but one below eight.
        let capacity = set.capacity() as u64;
        let buckets = if capacity < 8 { capacity + 1 } else { capacity / 7 * 8 };
        let answer = choose(&Workload::new(Keys::AtMost(keys)).with_fpr(0.01)).unwrap();
        let table = answer.exact.iter().find(|it| it.structure == Structure::ExactSet).unwrap();
        assert_eq!(table.bytes, buckets * 9 + 16, "{keys} keys");
    }
}

#[test]
fn few_keys_leave_tables_empty_and_that_is_said() {
    let ten = Workload::new(Keys::AtMost(10)).with_fpr(0.01).built_once().need(Need::Files);
    let answer = choose(&ten).unwrap();
    assert_eq!(answer.best().structure, Filter(FilterKind::Bloom), "{answer}");
    let bumped = answer.filters().find(|choice| choice.structure == Filter(FilterKind::Ribbon));
    let bumped = bumped.unwrap();
    assert!((45.0..46.0).contains(&bumped.bits_per_key), "{answer}");
    assert!(bumped.reason.contains("mostly empty: 46 bits per key"), "{}", bumped.reason);
}

#[test]
fn strangers_are_told_of_the_secret_key_and_of_the_seed() {
    let strangers = choose(&million().with_fpr(0.01).with_keys_by(KeysBy::Strangers)).unwrap();
    assert!(notes(&strangers).contains("wrap it in `Keyed` (`--key-file`)"));
    // What that takes is in the times, of the set as well; and what long keys take.
    let long = choose(&million().with_fpr(0.01).with_key_bytes(200)).unwrap();
    let trusted = choose(&million().with_fpr(0.01)).unwrap();
    for (answer, more) in [(&strangers, 3.0), (&long, 20.0)] {
        for without in trusted.filters() {
            let same = |choice: &&Choice| choice.structure == without.structure;
            let Some(with) = answer.filters().find(same) else { continue };
            assert!(with.query_ns > without.query_ns.map(|ns| ns + more), "{answer}");
            assert!(with.insert_ns > without.insert_ns.map(|ns| ns + more), "{answer}");
        }
        let set = |answer: &Answer| answer.exact.iter().find_map(|set| set.query_ns).unwrap();
        let sets = [answer, &trusted].map(set);
        assert!(sets[0] > sets[1] + more, "{answer}");
    }
    assert!(!notes(&trusted).contains("seed") && !notes(&trusted).contains("Keyed"));
}

#[test]
fn a_set_no_larger_than_a_filter_is_called_a_set() {
    let copies = Workload::new(Keys::AtMost(2_000_000_000))
        .with_fpr(0.001)
        .need(Need::Count { most: 100_000 })
        .with_copies(30.0);
    let answer = choose(&copies).unwrap();
    let best = answer.best();
    assert_eq!(
        (best.structure, best.structure.type_name().as_str()),
        (Structure::ExactMap, "HashMap")
    );
    // 2^32 buckets of a key, a count and a control byte.
    assert_eq!(best.bytes, (1 << 32) * 17 + 16);
    assert!(!best.reason.contains("themselves fit") && best.reason.contains("73.0 GB"), "{answer}");
    let first = answer.filters().next().unwrap().structure;
    // What a filter would do with copies is said only where one is first.
    assert!(first.is_filter() && !notes(&answer).contains("takes a slot"), "{answer}");
    // Beyond the record.
    assert!(best.reckoned && best.query_ns.is_some(), "{answer}");
    let small = choose(&Workload::new(Keys::AtMost(500)).with_fpr(0.01)).unwrap();
    assert_eq!(small.best().structure, Structure::ExactSet);
    assert!(!small.best().reason.contains("count"), "{small}");
}

/// The numbers after a text, without their separators.
fn number_after(text: &str, before: &str) -> Option<u64> {
    let rest = text.split_once(before)?.1;
    let end = rest.find(|it: char| !it.is_ascii_digit() && it != ',').unwrap_or(rest.len());
    rest[..end].replace(',', "").parse().ok()
}

/// `Rolling` itself says what a generation holds, and no smaller plan would be sure of all keys.
#[test]
fn how_many_keys_are_remembered_for_certain_is_said() {
    let held = |keys, generations: u32| {
        let goal = amq::Goal::fpr(keys, 0.01);
        let plan = amq::rolling::Rolling::<amq::BloomFilter>::plan(goal, generations as usize);
        plan.unwrap().part.keys * u64::from(generations - 1)
    };
    let (mut planned, mut whole, mut lists) = (0, 0, 0);
    for keys in [1, 2, 7, 8, 100, 4095, 4096, 10 * MILLION] {
        for generations in [2, 3, 7, 8, 100, 4095, 4096] {
            for needs in [&[][..], &[Need::Files], &[Need::List, Need::Files], &[Need::Grow]] {
                let asked = Workload::new(Keys::AtMost(keys)).need(Need::Forget { generations });
                let asked = needs.iter().fold(asked, |asked, &need| asked.need(need));
                let answer = choose(&asked).unwrap();
                let said = notes(&answer);
                let sure = said.lines().find(|it| it.contains("Sure to remember"));
                // A program that keeps the times of exact keys decides itself what to forget.
                assert_eq!(sure.is_some(), answer.best().structure.is_filter(), "{answer}");
                let Some(sure) = sure else {
                    lists += 1;
                    continue;
                };
                if needs.contains(&Need::Grow) {
                    assert!(sure.ends_with(" periods."), "{sure}");
                } else if held(keys, generations) < keys {
                    planned += 1;
                    let (left, all) = sure.split_once(" of the ").unwrap();
                    let left = left.rsplit_once("periods, ").unwrap().1.replace(',', "");
                    assert_eq!(left.parse(), Ok(held(keys, generations)), "{sure}");
                    assert_eq!(number_after(all, ""), Some(keys), "{sure}");
                    let plan = number_after(sure, "To be sure of all, plan for ").unwrap();
                    assert!(plan > keys && held(plan, generations) >= keys, "{sure}");
                    assert!(held(plan - 1, generations) < keys, "{sure}");
                } else {
                    whole += 1;
                    let each = keys.div_ceil(u64::from(generations));
                    let most = number_after(sure, ": all the keys, if no period has more than ");
                    assert_eq!(most, Some(each), "{sure}");
                    assert!(!sure.contains("plan for"), "{sure}");
                }
                if let Some(most) = number_after(&said, "refuses keys beyond ") {
                    assert_eq!(most, keys.div_ceil(u64::from(generations)), "{said}");
                }
            }
        }
    }
    assert!(planned >= 10 && whole >= 10 && lists >= 10, "{planned} {whole} {lists}");
    let million = choose(&million().with_fpr(0.001).need(Need::Forget { generations: 8 })).unwrap();
    let said = "Sure to remember the last 7 of 8 periods, 875,000 of the 1,000,000 keys. To be \
                sure of all, plan for 1,142,857.";
    assert!(notes(&million).contains(said), "{million}");
    assert!(notes(&million).contains("keys beyond 125,000 in one of the 8 periods"), "{million}");
    assert!(million.best().what.contains("8 generations of 125,000 keys"), "{million}");
}

/// Where each copy has a slot, a period is full of copies.
#[test]
fn a_period_of_copies_is_full_of_copies() {
    let counted = million().need(Need::Forget { generations: 8 }).need(Need::Count { most: 5 });
    let answer = choose(&counted.need(Need::List)).unwrap();
    assert!(answer.best().code.contains("Goal::fpr(625000, "), "{}", answer.best().code);
    assert!(
        notes(&answer).contains("It refuses copies beyond 625,000 in one of the 8"),
        "{answer}"
    );
}

/// The smallest form of the keys is compared with, and where it is near, stands second.
#[test]
fn keys_in_about_the_bytes_of_a_filter_are_named_by_their_form() {
    let below = |below| million().built_once().with_fpr(0.004).with_integers_below(below);
    let near = choose(&below(1000 * MILLION)).unwrap();
    // log2(10^9 / 10^6) + 2 bits each.
    let [first, list, ..] = &near.choices[..] else { panic!("{near}") };
    assert_eq!((list.structure, list.bytes), (Structure::SortedList, 1_495_724));
    let times = list.bytes as f64 / first.bytes as f64;
    let said = format!("Elias-Fano list: only {times:.1} times the {} filter", first.structure);
    assert!(times > 1.2 && notes(&near).contains(&said), "{said}\n{near}");
    let said = format!("unless {} kB or the time matters", (list.bytes - first.bytes) / 1000);
    assert!(notes(&near).contains(&said), "{said}\n{near}");
    let far = choose(&below(1 << 62)).unwrap();
    assert!(far.choices[1].structure.is_filter(), "{far}");
    assert!(notes(&far).contains("5.51 MB as a sorted Elias-Fano list: 5.5 times"), "{far}");
    let long = choose(&million().built_once().with_fpr(0.01).with_key_bytes(30)).unwrap();
    assert!(notes(&long).contains("30.0 MB as a sorted array of keys of 30 bytes"), "{long}");
    // One by one a list cannot be kept, but is named to those who ask about integers.
    let grows = choose(&million().with_fpr(0.01).with_integers_below(1000 * MILLION)).unwrap();
    let forms = "2.14 MB as a roaring bitmap, 10.5 MB as a hash set";
    assert!(notes(&grows).contains(forms), "{grows}");
    assert!(!notes(&choose(&million().with_fpr(0.01)).unwrap()).contains("Elias-Fano"));
}

/// Pairs are padded, as the compiler does; sorted ones lie side by side.
#[test]
fn maps_take_the_bytes_of_rusts_pairs() {
    fn pair<K, V>(bits: u32) -> (u64, u32, u64) {
        (size_of::<K>() as u64, bits, size_of::<(K, V)>() as u64)
    }
    for (key_bytes, bits, pair) in [
        pair::<u64, u8>(8),
        pair::<u64, u8>(1),
        pair::<u64, u32>(17),
        pair::<u32, u8>(8),
        pair::<u32, u16>(9),
        pair::<[u8; 16], u16>(16),
        pair::<[u8; 16], u8>(5),
        pair::<[u8; 20], u8>(5),
        pair::<[u8; 20], u32>(32),
        pair::<[u8; 7], u16>(10),
    ] {
        let asked = million().need(Need::Values { bits }).need(Need::Exact);
        let answer = choose(&asked.with_key_bytes(key_bytes)).unwrap();
        assert_eq!(answer.best().bytes, (1 << 21) * (pair + 1) + 16, "{key_bytes} {bits}");
    }
    let counted = choose(&million().need(Need::Count { most: 5000 })).unwrap();
    assert_eq!(counted.exact[0].bytes, (1 << 21) * (size_of::<(u64, u16)>() as u64 + 1) + 16);
    let values = choose(&million().built_once().need(Need::Values { bits: 8 })).unwrap();
    // 46.07 bits of the key, and 8.
    assert_eq!(values.exact[0].bytes, 6_758_554);
    assert!(notes(&values).contains("a sorted Elias-Fano list and an array of the values"));
}

#[test]
fn changes_that_are_sent_name_a_filter_that_takes_them() {
    let list = million().built_once().with_fpr(0.001);
    let answer = choose(&list.clone().with_changes(1000)).unwrap();
    let takes = answer
        .filters()
        .find(|it| it.structure.kind().is_some_and(|it| amq::Abilities::of(it).remove));
    let takes = takes.unwrap();
    let said = format!("for a {} filter ({:.1} bits per key)", takes.structure, takes.bits_per_key);
    assert!(notes(&answer).contains(&said), "{said}\n{answer}");
    let whole = choose(&list.with_changes(900_000)).unwrap();
    assert!(notes(&whole).contains("Send the whole filter"), "{whole}");
}

#[test]
fn no_sentence_names_a_builder_of_the_library() {
    for need in [Need::Grow, Need::Merge, Need::Remove] {
        let asked = million().with_threads(4).with_keys_by(KeysBy::Strangers).need(need);
        let text = choose(&asked).map_or_else(|error| error.to_string(), |it| it.to_string());
        for name in ["Keys::", "Need::", "with_"] {
            assert!(!text.contains(name), "{name}: {text}");
        }
    }
}

#[test]
fn what_every_filter_lets_through_makes_no_ties() {
    let asked = |keys, absent, bits| {
        Workload::new(Keys::AtMost(keys))
            .built_once()
            .with_absent(absent)
            .with_bits_per_key(bits)
            .with_queries_per_key(10.0)
    };
    let tables = [
        asked(MILLION, 0.9, 10.0).with_false_positive_ns(20_000.0),
        asked(100 * MILLION, 0.05, 6.76).with_false_positive_ns(100_000.0),
    ];
    for asked in tables {
        let order = |lookup_ns| {
            let answer = choose(&asked.clone().with_lookup_ns(lookup_ns)).unwrap();
            let order: Vec<_> = answer.filters().map(|choice| choice.structure).collect();
            order
        };
        let free = order(0.0);
        assert_eq!(free[0], Filter(FilterKind::Ribbon));
        for lookup_ns in [1e3, 5e3, 2e4, 2e5, 1e6] {
            assert_eq!(order(lookup_ns), free, "{lookup_ns}");
        }
    }
}

/// An exact set comes before a filter that takes about as many bytes, whatever an error costs and
/// whatever size is allowed; and a filter stays where it takes far fewer.
#[test]
fn no_filter_of_about_the_size_of_the_keys_comes_first() {
    let (mut sets, mut filters) = (0, 0);
    for keys in [100_000, MILLION, 10 * MILLION, 1_000 * MILLION] {
        for false_positive in [1e3, 1e5, 1e7, 1e9, 1e11, 1e12, 1e15] {
            for size in [None, Some(10.0), Some(60.0), Some(200.0), Some(2000.0)] {
                for is_static in [false, true] {
                    let asked = Workload::new(Keys::AtMost(keys))
                        .with_absent(0.9)
                        .with_false_positive_ns(false_positive);
                    let asked = if is_static { asked.built_once() } else { asked };
                    let asked = size.map_or(asked.clone(), |bits| asked.with_bits_per_key(bits));
                    let answer = choose(&asked).unwrap();
                    let is_set = |it: &&Choice| it.structure == Structure::ExactSet;
                    let set = answer.exact.iter().find(is_set).unwrap();
                    let best = answer.best();
                    let errors = 0.9 * best.fpr * false_positive;
                    let fits = size.is_none_or(|bits| set.bytes as f64 * 8.0 <= bits * keys as f64);
                    if best.structure == Structure::ExactSet {
                        sets += 1;
                        assert!(
                            fits && best.reason.contains("still errs on"),
                            "{asked:?}\n{answer}"
                        );
                    } else {
                        filters += 1;
                        assert!(best.bytes < set.bytes, "{asked:?}\n{answer}");
                        // Its errors are no reason to take the set, if that could be had.
                        let query = set.query_ns.unwrap();
                        assert!(!fits || errors < 20.0 * query, "{errors} {asked:?}\n{answer}");
                    }
                }
            }
        }
    }
    assert!(sets > 40 && filters > 100, "{sets} {filters}");
}

/// The reason of a sketch and of the keys themselves, reckoned again.
#[test]
fn the_numbers_before_the_filters_are_those_of_the_answer() {
    for most in [15u32, 255, 256, 60_000] {
        let answer = choose(&million().with_fpr(0.01).need(Need::Count { most })).unwrap();
        let best = answer.best();
        let bits = if most < 256 { 8 } else { 16 };
        // A counting Bloom filter's counters have four.
        let narrow = amq::CountingBloomFilter::plan(amq::Goal::fpr(MILLION, 0.01)).unwrap();
        assert_eq!((best.structure, best.bytes), (Structure::Sketch, narrow.bytes * bits / 4));
        assert_eq!(best.fpr, narrow.expected_fpr);
        assert!(best.reason.contains(&format!("Counters of {bits} bits take")), "{answer}");
        let smallest = answer.filters().map(|choice| choice.bytes).min().unwrap();
        assert!(best.bytes < smallest && best.bytes < answer.exact[0].bytes, "{answer}");
    }
    // In a size, too: where no filter fits, where those that do err more often, and as a way out.
    let often = million().need(Need::Count { most: 15 });
    for workload in [
        often.clone().with_bytes(10_000_000),
        often.clone().with_bytes(10_000_000).with_fpr(0.01),
        often.clone().with_bytes(20_000_000),
    ] {
        let answer = choose(&workload).unwrap();
        assert_eq!(answer.best().structure, Structure::Sketch, "{workload:?}\n{answer}");
        let fpr = answer.best().fpr;
        assert!(answer.filters().all(|other| other.fpr > fpr), "{answer}");
        assert!(answer.best().bytes <= 20_000_000, "{answer}");
    }
    let error = choose(&often.with_bytes(800_000).with_fpr(0.01)).unwrap_err().to_string();
    assert!(error.contains("take count-min sketch (76.7 bits per key"), "{error}");
    // Where counters of this family do, or copies are few, or a sketch cannot do it.
    for workload in [
        million().need(Need::Count { most: 14 }),
        million().need(Need::Count { most: 15 }).with_copies(3.0),
        million().need(Need::Count { most: 15 }).need(Need::List),
    ] {
        let first = choose(&workload).unwrap().best().structure;
        assert!(first.is_filter(), "{workload:?}: {first}");
    }
    let none = million().with_absent(0.1).with_false_positive_ns(30.0).with_lookup_ns(70.0);
    let answer = choose(&none).unwrap();
    let with = answer.filters().filter_map(|choice| choice.cost_ns).reduce(f64::min).unwrap();
    let said =
        format!("takes {with:.1} ns with the fastest filter and {:.1} ns without", 3.0 + 63.0);
    assert!(answer.best().reason.contains(&said), "{said}\n{answer}");
}

/// A value for each key, and a check of the key beside it.
#[test]
fn a_value_and_a_rate_are_met_by_a_wider_value() {
    let asked = |bits| million().built_once().with_fpr(0.005).need(Need::Values { bits });
    let answer = choose(&asked(8)).unwrap();
    let best = answer.best();
    assert_eq!(
        (best.structure, best.check_bits(), best.rate()),
        (Structure::Map, 8, Some(1.0 / 256.0))
    );
    let plan = <amq::RibbonFilter as amq::PlanFilter>::plan_params(
        amq_ribbon::RibbonParams::new(16, 0),
        MILLION,
    );
    assert_eq!(best.bytes, plan.unwrap().bytes);
    let said = "8 of its 16 bits check the key: build pairs of `value | check << 8`, with the check from a \
                hash under another seed; 0.391 % of absent keys pass.";
    assert!(best.reason.contains(said), "{answer}");
    // As that says: the check is a hash under another seed.
    let check = |key: u64| (amq::Key::key_hash(&key, 77).get() & 0xFF) as u32;
    let pairs = (0..20_000u64).map(|key| (key, key as u32 & 0xFF | check(key) << 8));
    let map = amq::RibbonMap::build(16, pairs).unwrap();
    let value =
        |key: u64| Some(map.get(&key)).filter(|it| it >> 8 == check(key)).map(|it| it & 0xFF);
    assert!((0..20_000).all(|key| value(key) == Some(key as u32 & 0xFF)));
    let wrong = (1 << 32..(1 << 32) + 200_000).filter(|&key| value(key).is_some()).count();
    // 781 expected, and five standard deviations.
    assert!((641..921).contains(&wrong), "{wrong}");
    // A cost asks for a check, too; nothing else does, and there are 32 bits.
    let cost = million().built_once().with_false_positive_ns(1e6).need(Need::Values { bits: 8 });
    assert!(choose(&cost).unwrap().best().check_bits() >= 12);
    let plain = choose(&million().built_once().need(Need::Values { bits: 8 })).unwrap();
    assert_eq!((plain.best().check_bits(), plain.best().rate()), (0, None));
    let wide = choose(&asked(25)).unwrap();
    assert_eq!(wide.best().structure, Structure::SortedList, "{wide}");
    let rejected = wide.rejections.iter().find(|it| it.structure == Structure::Map).unwrap();
    let said =
        "32 bits at most: the value leaves 7 of them to check the key, and a rate of 0.5 % takes 8";
    assert!(rejected.reason.contains(said), "{wide}");
    // Keys that come one by one are kept themselves, with their values.
    let later = million().need(Need::Values { bits: 8 }).need(Need::Remove);
    let later = choose(&later).unwrap();
    let best = later.best();
    assert_eq!((best.structure, best.bytes), (Structure::ExactMap, (1 << 21) * 17 + 16));
}

/// Short keys that never change are integers, and sorted ones take the least.
#[test]
fn exact_sets_of_short_keys_are_sorted_integers() {
    let badges = Workload::new(Keys::AtMost(8000)).built_once().need(Need::Exact);
    let answer = choose(&badges.with_key_bytes(4).with_bytes(24_000)).unwrap();
    assert_eq!(answer.best().structure, Structure::SortedList, "{answer}");
    // log2(2^32 / 8000) + 2 bits each.
    assert_eq!(answer.best().bytes, 21_035, "{answer}");
}

/// Of a hundred integers at most a hundred containers of a roaring bitmap are there.
#[test]
fn a_bitmap_of_few_integers_is_small() {
    let few = Workload::new(Keys::AtMost(100)).need(Need::Exact).with_integers_below(1 << 32);
    let answer = choose(&few).unwrap();
    let bitmap = answer.choices.iter().find(|choice| choice.structure == Structure::Bitmap);
    assert_eq!(bitmap.unwrap().bytes, 100 * (2 + 8), "{answer}");
}

/// Where inserts are to be even in a size, and nobody names a rate, the usual one is kept.
#[test]
fn an_even_filter_of_a_size_keeps_the_usual_rate() {
    let even = million().need(Need::Remove).with_bits_per_key(26.0).with_first(First::Tail);
    let answer = choose(&even).unwrap();
    assert!(answer.best().fpr <= 0.01, "{answer}");
    assert!(answer.filters().any(|choice| choice.fpr > 0.01), "{answer}");
}

#[test]
fn from_which_cost_on_a_filter_pays_is_said() {
    let answer = choose(&million().with_fpr(0.01).with_absent(0.2)).unwrap();
    let best = answer.best();
    let spared = 0.2 * (1.0 - best.fpr);
    let least = best.cost_ns.unwrap() / spared;
    assert!(
        notes(&answer).contains(&format!("it pays when a lookup takes longer than {least:.0} ns"))
    );
    let known = million().with_fpr(0.01).with_absent(0.2).with_false_positive_ns(1000.0);
    let answer = choose(&known).unwrap();
    let with = answer.best().cost_ns.unwrap();
    let said = format!("takes {with:.1} ns in all with it, and 200 ns without any filter");
    assert!(notes(&answer).contains(&said), "{answer}");
}

/// Few keys fit a cache, but not a million times.
#[test]
fn many_small_filters_are_asked_as_one_large_table() {
    let one = Workload::new(Keys::AtMost(100)).with_fpr(0.01);
    assert_eq!(choose(&one).unwrap().best().structure, Structure::ExactSet);
    let many = choose(&one.clone().with_filters(MILLION)).unwrap();
    let large = choose(&Workload::new(Keys::AtMost(100 * MILLION)).with_fpr(0.01)).unwrap();
    let of = |answer: &Answer| {
        let bloom = answer.filters().find(|it| it.structure == Filter(FilterKind::Bloom)).cloned();
        bloom.unwrap()
    };
    let ratio = of(&many).query_ns.unwrap() / of(&large).query_ns.unwrap();
    assert!((0.9..1.1).contains(&ratio), "{ratio}");
    let file = amq::BloomFilter::build(amq::Goal::fpr(100, 0.01), 0..100u64).unwrap();
    let beside = file.to_bytes().unwrap().len() as u64 - file.stats().bytes;
    let said = format!("each has {beside} bytes more");
    assert!(notes(&many).contains(&said), "{said}\n{many}");
    // The table of a ribbon has parts.
    let built = choose(&one.with_filters(MILLION).built_once()).unwrap();
    let file = amq::RibbonFilter::build(amq::Goal::fpr(100, 0.01), 0..100u64).unwrap();
    let beside = file.to_bytes().unwrap().len() as u64 - built.best().bytes;
    let said = notes(&built);
    let (_, said) = said.split_once("each has ").unwrap();
    let said: u64 = said.split(' ').next().unwrap().parse().unwrap();
    assert!(said <= beside && beside <= said + said / 2, "{said} {beside}");
}

/// One that inserts is planned for its keys, a part for those of the union.
#[test]
fn each_of_many_filters_is_planned_for_its_own_keys() {
    let many = Workload::new(Keys::AtMost(400)).with_fpr(0.01).with_filters(200_000);
    let own = "Plan each for its own number of keys.";
    let answer = choose(&many).unwrap();
    assert!(answer.to_string().contains(own), "{answer}");
    for other in [many.clone().built_once(), many.need(Need::Merge), million().with_fpr(0.01)] {
        let answer = choose(&other).unwrap();
        assert!(!notes(&answer).contains(own), "{answer}");
    }
}

/// A size that leaves a rate of little use is answered with what a useful one takes.
#[test]
fn a_rate_that_a_size_forces_is_said_first() {
    for sized in [
        million().built_once().with_bytes(350_000),
        million().with_bits_per_key(3.0),
        million().with_bits_per_key(3.0).need(Need::Files).with_first(First::Time),
    ] {
        let answer = choose(&sized).unwrap();
        let best = answer.best();
        let usual = AnyFilter::plan(best.structure.kind().unwrap(), amq::Goal::fpr(MILLION, 0.01));
        let usual = usual.unwrap().bytes;
        let said = format!("{:.1} % of absent keys pass, too many", best.fpr * 100.0);
        assert!(best.fpr > 0.05 && best.reason.starts_with(&said), "{said}\n{answer}");
        let takes = match usual {
            MILLION.. => format!(": 1 % takes {:.2} MB. ", usual as f64 / 1e6),
            _ => format!(": 1 % takes {:.0} kB. ", usual as f64 / 1e3),
        };
        assert!(best.reason.contains(&takes), "{takes}\n{answer}");
        assert!(!notes(&answer).contains("it pays when"), "{answer}");
        assert!(!best.reason.contains("Of little use"), "{answer}");
        // Where a cost weighs the errors, or a rate is named, it is what was asked for.
        let costly = choose(&sized.clone().with_false_positive_ns(200.0)).unwrap();
        let named = choose(&million().with_fpr(best.fpr)).unwrap();
        assert!(notes(&named).contains("it pays when"), "{named}");
        for answer in [costly, named] {
            assert!(!answer.best().reason.contains("too many"), "{answer}");
        }
    }
    let useful = choose(&million().built_once().with_bits_per_key(4.5)).unwrap();
    assert!((0.04..0.05).contains(&useful.best().fpr), "{useful}");
    assert!(!useful.best().reason.contains("too many"), "{useful}");
    assert!(notes(&useful).contains("it pays when"), "{useful}");
}

#[test]
fn a_wrong_removal_is_warned_of() {
    let answer = choose(&million().with_fpr(0.01).need(Need::Remove)).unwrap();
    let said = "removing one that never was, or twice, can remove another's.";
    assert!(answer.to_string().contains(said), "{answer}");
    assert!(answer.to_string().contains("A removed key may still be answered yes"), "{answer}");
    let exact = choose(&million().need(Need::Remove).need(Need::Exact)).unwrap();
    assert!(!notes(&exact).contains("another's"), "{exact}");
}

/// Nobody has timed lists and bitmaps: by time they come after what is timed.
#[test]
fn what_has_no_time_is_never_called_the_fastest() {
    let list = Workload::new(Keys::AtMost(737_280)).built_once().need(Need::Exact);
    let list = list.with_integers_below(1 << 32);
    for by_time in [list.clone().with_first(First::Time), list.clone().with_first(First::Tail)] {
        let answer = choose(&by_time).unwrap();
        assert_eq!(answer.best().structure, Structure::ExactSet, "{answer}");
        assert!(answer.best().reason.contains("among those with measured times"), "{answer}");
        // Where only such ones fit.
        let answer = choose(&by_time.with_bytes(3_000_000)).unwrap();
        assert_eq!(answer.best().structure, Structure::SortedList, "{answer}");
        assert!(answer.best().reason.contains("No time was measured"), "{answer}");
    }
    assert_eq!(choose(&list).unwrap().best().structure, Structure::SortedList);
}

/// Integers below a bound are kept in the shortest type that holds them.
#[test]
fn integers_below_a_bound_take_the_bytes_of_their_type() {
    let set: std::collections::HashSet<u32> = (0..60_000).collect();
    let buckets = set.capacity() as u64 / 7 * 8;
    for (below, bytes) in [
        (60_001u64, 2),
        (1 << 16, 2),
        ((1 << 16) + 1, 4),
        (1 << 24, 4),
        (1 << 32, 4),
        ((1 << 32) + 1, 8),
        (u64::MAX, 8),
    ] {
        let asked =
            Workload::new(Keys::AtMost(60_000)).need(Need::Exact).with_integers_below(below);
        let answer = choose(&asked.clone()).unwrap();
        let table = answer.exact.iter().find(|it| it.structure == Structure::ExactSet).unwrap();
        assert_eq!(table.bytes, buckets * (bytes + 1) + 16, "{below}");
        // Shorter keys stay short.
        let short = choose(&asked.with_key_bytes(2)).unwrap();
        let table = short.exact.iter().find(|it| it.structure == Structure::ExactSet).unwrap();
        assert_eq!(table.bytes, buckets * 3 + 16, "{below}");
    }
}

#[test]
fn the_shortest_tail_is_that_of_the_table() {
    let answer = choose(&million().with_fpr(0.01).with_first(First::Tail)).unwrap();
    let tails = answer.filters().filter(|it| it.bits_per_key <= 2.0 * 9.57);
    let least = tails.filter_map(|choice| choice.tail_ns).reduce(f64::min).unwrap();
    let best = answer.best();
    assert!(best.tail_ns.unwrap() <= least + 100.0, "{answer}");
    let said = format!("thousand takes longer than {:.0} ns.", best.tail_ns.unwrap());
    assert!(best.reason.contains(&said) && best.reason.contains("within 100 ns of it"), "{answer}");
    // Of what ties with it the quickest.
    let tied = answer.filters().filter(|it| it.tail_ns.is_some_and(|ns| ns <= least + 100.0));
    let quickest = tied.filter_map(|choice| choice.cost_ns).reduce(f64::min);
    assert!(best.cost_ns <= quickest.map(|ns| ns * 1.1), "{answer}");
    // A windowed cuckoo filter moves keys when it is nearly full.
    let windowed = Filter(FilterKind::WindowedCuckoo);
    let windowed = answer.filters().find(|it| it.structure == windowed).unwrap();
    assert!(windowed.tail_ns.unwrap() > 10.0 * least);
    // In larger tables they are longer, by as much as the mean insert is.
    let of = |keys| {
        let answer = choose(&Workload::new(Keys::AtMost(keys)).with_first(First::Tail)).unwrap();
        let bloom = answer.filters().find(|it| it.structure == Filter(FilterKind::Bloom)).unwrap();
        assert!(notes(&answer).contains("99.9th percentile"), "{answer}");
        (bloom.tail_ns.unwrap(), bloom.insert_ns.unwrap())
    };
    let [small, planned, large] = [10_000, MILLION, 1000 * MILLION].map(of);
    assert!(small.0 == planned.0 && large.0 > 5.0 * planned.0, "{small:?} {planned:?} {large:?}");
    assert!((large.0 / planned.0 / large.1 * planned.1 - 1.0).abs() < 1e-4, "{large:?}");
    // What is built at once has no inserts to wait for.
    let built = million().with_fpr(0.01).built_once();
    let by_tail = choose(&built.clone().with_first(First::Tail)).unwrap();
    let by_time = choose(&built.with_first(First::Time)).unwrap();
    assert_eq!(by_tail.best(), by_time.best());
}

/// A size without a rate is used for the lowest one: the keys themselves, if they fit.
#[test]
fn keys_that_fit_a_size_come_first_else_the_lowest_rate() {
    let large = choose(&million().with_bytes(100_000_000)).unwrap();
    assert_eq!(large.best().structure, Structure::ExactSet, "{large}");
    assert!(large.best().reason.contains("fit the size allowed, in 18.9 MB"), "{large}");
    let small = choose(&million().built_once().with_bytes(1_500_000)).unwrap();
    let lowest = small.filters().map(|it| it.fpr).fold(1.0, f64::min);
    assert_eq!(small.best().fpr, lowest, "{small}");
    let device = choose(&million().built_once().with_bytes(1_000_000)).unwrap();
    assert!(notes(&device).contains("A file has up to 1.15 kB more"), "{device}");
}

/// All integers of four bytes are a bitmap.
#[test]
fn short_keys_are_integers() {
    let addresses = Workload::new(Keys::AtMost(1000 * MILLION)).with_key_bytes(4);
    let answer = choose(&addresses).unwrap();
    assert_eq!((answer.best().structure, answer.best().bytes), (Structure::Bitmap, 1 << 29));
    let below = Workload::new(Keys::AtMost(1000 * MILLION)).with_integers_below(1 << 32);
    assert_eq!(choose(&below).unwrap().best(), answer.best());
}

/// A table for a rate that nobody measured is as slow as another of its bytes.
#[test]
fn a_larger_table_of_as_many_keys_is_slower() {
    let of = |keys: u64, fpr: f64| {
        let answer = choose(&Workload::new(Keys::AtMost(keys)).with_fpr(fpr)).unwrap();
        let split = Filter(FilterKind::BlockedBloom);
        let choice = answer.filters().find(|it| it.structure == split).cloned().unwrap();
        (choice.bytes, choice.query_ns.unwrap())
    };
    let (low, high) = (of(MILLION, 1e-6), of(MILLION, 0.001));
    assert!(low.0 > 3 * high.0 && low.1 > 1.2 * high.1, "{low:?} {high:?}");
    let (_, other) = of(MILLION * low.0 / high.0, 0.001);
    assert!((low.1 / other - 1.0).abs() < 0.25, "{low:?} {other}");
    // What takes many times the keys themselves falls out.
    let answer = choose(&million().with_fpr(1e-12)).unwrap();
    let most = answer.filters().map(|choice| choice.bytes).max().unwrap();
    assert!(most <= 16 * answer.exact[0].bytes, "{answer}");
    let split = Filter(FilterKind::BlockedBloom);
    let out = answer.rejections.iter().find(|one| one.structure == split).unwrap();
    assert!(out.reason.contains("where an exact set of the keys takes 18.9 MB"), "{answer}");
}

#[test]
fn parts_that_are_merged_are_planned_for_the_union() {
    let asked = million().with_fpr(0.001).need(Need::Merge);
    let bloom = choose(&asked).unwrap();
    assert!(!bloom.filters().any(|it| it.structure.id().contains("cuckoo")), "{bloom}");
    assert!(notes(&bloom).contains("To merge, plan each part for the 1,000,000 keys of the union"));
    // Its hashes are 8 bytes each, and its filter is as large as that of all.
    let keys = bloom.best().bytes / 8 / 1000;
    assert!(notes(&bloom).contains(&format!("A part of fewer than {keys},")), "{bloom}");
    let quotient = choose(&asked.clone().need(Need::Remove)).unwrap();
    assert_eq!(quotient.best().structure, Filter(FilterKind::Quotient), "{quotient}");
    assert!(notes(&quotient).contains("takes a slot for each part that holds it"), "{quotient}");
    // A slot for each part that holds a key: only who says how many has them planned.
    let quotient = |answer: &Answer| {
        let is = |it: &&Choice| it.structure == Filter(FilterKind::Quotient);
        answer.filters().find(is).map(|it| it.bits_per_key)
    };
    assert_eq!((bloom.best().structure, quotient(&bloom)), (Filter(FilterKind::Bloom), None));
    let disjoint = choose(&asked.clone().with_copies(1.0)).unwrap();
    assert_eq!(disjoint.best().structure, Filter(FilterKind::Quotient), "{disjoint}");
    let shared = choose(&asked.with_copies(3.0)).unwrap();
    assert_eq!(shared.best().structure, Filter(FilterKind::Bloom), "{shared}");
    let times = quotient(&shared).unwrap() / quotient(&disjoint).unwrap();
    assert!((times - 3.0).abs() < 0.01, "{times}");
    assert!(!notes(&shared).contains("insert_unique"), "{shared}");
}

#[test]
fn a_size_left_free_is_named_by_the_rate_that_fills_it() {
    let sized = Workload::new(Keys::AtMost(300_000)).built_once().with_bytes(524_288);
    let rate = choose(&sized).unwrap().best().fpr;
    assert!(rate < 0.0001);
    let said = "The 524 kB allowed are enough for a rate of 0.0065";
    assert!(notes(&choose(&sized.clone().with_fpr(0.01)).unwrap()).contains(said));
    // Nothing is left free where the rate takes all of it, or none is named.
    for full in [sized.clone(), sized.with_fpr(rate * 1.01)] {
        assert!(!notes(&choose(&full).unwrap()).contains("allowed are enough"));
    }
}

#[test]
fn a_rate_that_a_cost_calls_for_is_not_said_to_be_planned() {
    let planned = "No rate was asked for";
    assert!(notes(&choose(&million()).unwrap()).contains(planned));
    let costly = million().built_once().with_absent(0.9).with_queries_per_key(10.0);
    let answer = choose(&costly.with_false_positive_ns(100_000.0)).unwrap();
    assert!(answer.best().fpr < 0.001 && !notes(&answer).contains(planned), "{answer}");
}
