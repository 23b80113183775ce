//! Watched filters: what is counted, what it says, and in which words.
#![cfg(target_has_atomic = "64")]
use amq::monitored::{Metrics, Monitored, Report, Verdict};
use amq::*;

const KEYS: u64 = 100_000;
const ASKED: f64 = 0.01;

fn goal() -> Goal {
    Goal::fpr(KEYS, ASKED)
}

/// A filter of the keys below `keys`, of which every query is counted.
fn watched(seed: u64, keys: u64) -> Monitored<BloomFilter> {
    let mut filter = BloomFilter::with_seed(goal(), seed).unwrap();
    filter.extend(0..keys);
    Monitored::new(filter, ASKED).unwrap().counting_every_query()
}

/// Asks for absent keys and reports what is found; returns how many were.
fn ask_absent<F: Filter>(filter: &Monitored<F>, keys: impl Iterator<Item = u64>) -> u64 {
    let found = keys.filter(|key| {
        let key = 1 << 40 | key;
        let found = filter.contains(&key);
        if found {
            filter.report_false_positive();
        }
        found
    });
    found.count() as u64
}

#[test]
fn an_honest_filter_is_as_planned_and_its_rate_is_observed() {
    let (absent, present) = (150_000u64, 225_000u64);
    for seed in 0..16 {
        let filter = watched(seed, KEYS);
        assert!((0..present).all(|key| filter.contains(&(key % KEYS))));
        let found = ask_absent(&filter, 0..absent);
        let report = filter.report();
        assert_eq!((report.queries, report.recent_absent), (absent + present, absent));
        assert_eq!((report.false_positives, report.positives), (found, found + present));
        assert_eq!(report.reads_saved, absent - found);
        assert_eq!((report.observed_fpr, report.hit_rate()), (found as f64 / absent as f64, 0.6));
        assert_eq!(report.verdict, Some(Verdict::AsPlanned), "{report}");
        let ((low, high), expected) = (report.interval, report.stats.expected_fpr);
        assert!(low < expected && expected < high, "{report}");
        assert!(0.8 * expected < low && high < 1.2 * expected, "{report}");
    }
}

#[test]
fn every_query_is_counted_if_asked_for() {
    let filter = watched(1, KEYS);
    let found = ask_absent(&filter, 0..50_000);
    let hashes: Vec<_> = (0..1000u64).map(|key| key.key_hash(filter.seed())).collect();
    let mut answers = vec![false; 1000];
    filter.contains_batch(&hashes, &mut answers).unwrap();
    assert!(filter.contains_batch(&hashes, &mut answers[1..]).is_err());
    let report = filter.report();
    assert_eq!(report.queries, 51_000);
    assert_eq!(report.positives, 1000 + found);
    assert_eq!(report.reads_saved, 50_000 - found);
    assert_eq!(report.observed_fpr, found as f64 / 50_000.0);
    let report = watched(1, KEYS).report();
    assert_eq!((report.queries, report.false_positives), (0, 0));
    assert!(report.observed_fpr.is_nan() && report.hit_rate().is_nan());
    assert_eq!((report.interval, report.verdict), ((0.0, 1.0), None));
}

/// The table knows it, whatever is reported, and as soon as the plan is exceeded.
#[test]
fn an_overfull_table_is_never_as_planned() {
    for (keys, overfull) in
        [(KEYS / 2, false), (KEYS, false), (KEYS + KEYS / 50, true), (10 * KEYS, true)]
    {
        for (reported, asked) in [(false, 0u64), (false, 400_000), (true, 400_000)] {
            let filter = watched(3, keys);
            for key in 0..asked {
                let key = 1 << 40 | key;
                if filter.contains(&key) && reported {
                    filter.report_false_positive();
                }
            }
            let report = filter.report();
            let verdict = match (overfull, asked) {
                (true, _) => Some(Verdict::Overfull),
                (false, 0) => None,
                (false, _) => Some(Verdict::AsPlanned),
            };
            assert_eq!(report.verdict, verdict, "{report}");
        }
    }
    // One that grows has the room it needs.
    let mut grown = ExpandableQuotientFilter::new(Goal::fpr(1000, ASKED)).unwrap();
    grown.try_extend(0..200_000u64).unwrap();
    assert_eq!(Monitored::new(grown, ASKED).unwrap().report().verdict, None);
}

/// After much good, bad times are noticed, and good ones again.
#[test]
fn a_verdict_is_on_what_was_seen_lately() {
    let filter = watched(1, KEYS);
    ask_absent(&filter, 0..5_000_000);
    let report = filter.report();
    assert_eq!(report.verdict, Some(Verdict::AsPlanned), "{report}");
    // One prepared false positive, replayed, where there were 50,000 by chance.
    let known = (1u64 << 30..).find(|key| filter.filter().contains(&(1 << 40 | key))).unwrap();
    ask_absent(&filter, std::iter::repeat_n(known, 8000));
    let attacked = filter.report();
    assert_eq!(attacked.verdict, Some(Verdict::WorseThanPlanned), "{attacked}");
    assert!(attacked.false_positives < 2 * report.false_positives, "{attacked}");
    ask_absent(&filter, 6_000_000..6_300_000);
    let after = filter.report();
    assert_eq!(after.verdict, Some(Verdict::AsPlanned), "{after}");
    assert!(after.false_positives > attacked.false_positives);
}

#[test]
fn few_queries_give_no_verdict() {
    let filter = watched(1, KEYS);
    assert_eq!(filter.report().verdict, None);
    ask_absent(&filter, 0..100);
    assert_eq!(filter.report().verdict, None);
    for fpr in [0.0, 1.0, -0.1, f64::NAN, f64::INFINITY] {
        let refused = Monitored::new(watched(1, 1).into_inner(), fpr).unwrap_err();
        assert!(matches!(refused, PlanError::Fpr { .. }), "{refused}");
    }
}

#[test]
fn threads_lose_no_count() {
    let filter = watched(1, KEYS);
    std::thread::scope(|scope| {
        for thread in 0..4u64 {
            let filter = &filter;
            scope.spawn(move || ask_absent(filter, thread * 50_000..(thread + 1) * 50_000));
        }
    });
    let alone = watched(1, KEYS);
    ask_absent(&alone, 0..200_000);
    // The epochs begin where they may; the totals are exact.
    let (report, alone) = (filter.report(), alone.report());
    let totals = |report: &Report| (report.queries, report.reads_saved, report.positives);
    assert_eq!(totals(&report), totals(&alone));
    assert_eq!(report.false_positives, alone.false_positives);
    assert_eq!(report.verdict, alone.verdict);
}

#[test]
fn a_watched_filter_does_what_the_filter_does() {
    let mut filter = CuckooFilter::new(Goal::fpr(2000, ASKED)).unwrap();
    let mut watched = Monitored::new(filter.clone(), ASKED).unwrap().counting_every_query();
    let keys: Vec<u64> = (0..1500).collect();
    assert_eq!(watched.insert_keys(&keys), filter.insert_keys(&keys));
    let (mut new, mut wanted) = ([true; 10], [false; 10]);
    let inserted = filter.insert_keys_new(&keys[..10], &mut wanted);
    assert_eq!(watched.insert_keys_new(&keys[..10], &mut new), inserted);
    assert_eq!(new, wanted);
    assert_eq!(watched.insert_unique(&7u64), filter.insert_unique(&7u64));
    for key in (0..3000u64).step_by(2) {
        assert_eq!(watched.remove(&key), filter.remove(&key));
        assert_eq!(watched.count(&key), filter.count(&key));
    }
    assert!(*watched.filter() == filter);
    let asked: Vec<u64> = (0..5000).collect();
    let (mut answers, mut wanted) = (vec![false; 5000], vec![false; 5000]);
    watched.contains_keys(&asked, &mut answers).unwrap();
    filter.contains_keys(&asked, &mut wanted).unwrap();
    assert_eq!(answers, wanted);
    let positives = answers.iter().filter(|&&found| found).count() as u64;
    let report = watched.report();
    assert_eq!((report.queries, report.positives), (5000, positives));
    watched.clear();
    assert!(watched.is_empty());
}

#[test]
fn a_replaced_filter_is_judged_anew_and_the_totals_go_on() {
    for cleared in [false, true] {
        let mut watched = watched(1, 3 * KEYS);
        let found = ask_absent(&watched, 0..300_000);
        let before = watched.report();
        assert_eq!(before.verdict, Some(Verdict::Overfull));
        if cleared {
            watched.clear();
        } else {
            let mut filter = BloomFilter::with_seed(goal(), 2).unwrap();
            filter.extend(0..KEYS);
            assert_eq!(watched.replace(filter).len(), before.stats.len);
        }
        let after = watched.report();
        assert_eq!((after.queries, after.false_positives), (before.queries, found));
        assert_eq!(after.recent_absent, 0);
        assert_eq!(after.verdict, None, "{after}");
        ask_absent(&watched, 0..300_000);
        assert_eq!(watched.report().verdict, Some(Verdict::AsPlanned), "{}", watched.report());
    }
}

#[test]
fn a_page_has_filters_that_are_not_watched() {
    let filter = watched(1, KEYS);
    ask_absent(&filter, 0..100_000);
    let mut page = Metrics::new();
    page.add_stats("plain", &filter.filter().stats());
    let samples = parsed(&page.to_string());
    let names: Vec<&str> = samples.iter().map(|(name, _, _)| name.as_str()).collect();
    assert_eq!(
        names,
        ["amq_expected_fpr", "amq_keys", "amq_capacity_keys", "amq_size_bytes", "amq_load_ratio"]
    );
    page.add("watched", &filter.report());
    let samples = parsed(&page.to_string());
    let of = |label: &str| samples.iter().filter(|(_, labels, _)| labels.contains(label)).count();
    assert_eq!(of("plain"), 5);
    assert_eq!(of("watched"), 13 + Verdict::ALL.len());
    // Of one name there is one.
    page.add_stats("watched", &filter.stats());
    assert_eq!(parsed(&page.to_string()).len(), 10);
}

/// Lines of a page: (metric, labels, value), after each was checked against the format's grammar.
fn parsed(page: &str) -> Vec<(String, String, f64)> {
    let name = |text: &str| {
        !text.is_empty()
            && !text.starts_with(|c: char| c.is_ascii_digit())
            && text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == ':')
    };
    assert!(page.ends_with('\n'));
    let (mut samples, mut current, mut seen) = (Vec::new(), String::new(), Vec::new());
    for line in page.lines() {
        if let Some(help) = line.strip_prefix("# HELP ") {
            let (metric, help) = help.split_once(' ').unwrap();
            assert!(name(metric) && !help.is_empty() && !help.contains('\\'), "{line}");
            assert!(!seen.contains(&metric.to_string()), "{metric} in two groups");
            seen.push(metric.to_string());
            current = metric.to_string();
            continue;
        }
        if let Some(kind) = line.strip_prefix("# TYPE ") {
            let (metric, kind) = kind.split_once(' ').unwrap();
            assert_eq!(metric, current);
            assert_eq!(kind == "counter", metric.ends_with("_total"), "{line}");
            assert!(["counter", "gauge"].contains(&kind));
            continue;
        }
        let (series, value) = line.rsplit_once(' ').unwrap();
        let (metric, labels) = match series.split_once('{') {
            None => (series, ""),
            Some((metric, rest)) => (metric, rest.strip_suffix('}').unwrap()),
        };
        assert_eq!(metric, current, "a sample outside of its group");
        let mut rest = labels;
        while !rest.is_empty() {
            let (label, quoted) = rest.split_once("=\"").unwrap();
            assert!(name(label) && !label.contains(':'), "{line}");
            let mut escaped = false;
            let end = quoted.find(|c| {
                let ends = c == '"' && !escaped;
                assert!(!escaped || ['\\', '"', 'n'].contains(&c), "{line}");
                escaped = c == '\\' && !escaped;
                ends
            });
            rest = &quoted[end.unwrap() + 1..];
            rest = if rest.is_empty() { rest } else { rest.strip_prefix(',').unwrap() };
        }
        let value = if value == "+Inf" { f64::INFINITY } else { value.parse().unwrap() };
        samples.push((metric.to_string(), labels.to_string(), value));
    }
    let mut series: Vec<_> = samples.iter().map(|(metric, labels, _)| (metric, labels)).collect();
    series.sort();
    series.dedup();
    assert_eq!(series.len(), samples.len(), "a series is there twice");
    samples
}

#[test]
fn the_page_of_metrics_is_what_prometheus_reads() {
    let reports: Vec<Report> = (0..3)
        .map(|seed| {
            let filter = watched(seed, KEYS);
            if seed > 0 {
                ask_absent(&filter, 0..200_000 * seed);
            }
            filter.report()
        })
        .collect();
    let mut page = Metrics::new();
    assert_eq!(page.to_string(), "");
    let odd = "a \"b\"\\\nc,}={ \u{e9}";
    page.add("", &reports[0]);
    page.add(odd, &reports[1]);
    page.add("plain", &reports[2]);
    let samples = parsed(&page.to_string());
    let value = |metric: &str, label: &str| {
        let found = samples.iter().filter(|(name, labels, _)| {
            name.strip_prefix("amq_") == Some(metric) && labels.contains(label)
        });
        let found: Vec<f64> = found.map(|&(_, _, value)| value).collect();
        assert_eq!(found.len(), 1, "{metric} {label}");
        found[0]
    };
    assert_eq!(value("queries_total", "plain"), reports[2].queries as f64);
    assert_eq!(value("false_positives_total", "a "), reports[1].false_positives as f64);
    assert_eq!(value("observed_fpr", "plain"), reports[2].observed_fpr);
    assert_eq!(value("size_bytes", "plain"), reports[2].stats.bytes as f64);
    assert_eq!(value("verdict", "plain\",verdict=\"as planned"), 1.0);
    assert_eq!(value("verdict", "plain\",verdict=\"worse than planned"), 0.0);
    assert!(page.to_string().contains(r#"filter="a \"b\"\\\nc,}={ é""#));
    // Before the first query there is no rate.
    let none = samples
        .iter()
        .find(|(name, labels, _)| name == "amq_observed_fpr" && labels == "filter=\"\"");
    assert!(none.unwrap().2.is_nan());
}

#[test]
fn debug_shows_what_was_counted_in_a_few_lines() {
    let filter = BloomFilter::new(Goal::fpr(1000, 0.01)).unwrap();
    let watched = Monitored::new(filter, 0.01).unwrap().counting_every_query();
    for key in 0..500u64 {
        assert!(!watched.contains(&key));
    }
    watched.report_false_positive();
    let text = format!("{watched:?}");
    assert!(text.contains("planned_fpr: 0.01") && text.contains("negative: 500"), "{text}");
    assert!(text.contains("false_positive: 1") && text.len() < 600, "{} {text}", text.len());
}
