//! Watched filters: what is counted, what it says, and in which words.
#![cfg(target_has_atomic = "64")]
use amq::monitored::{
    Metrics, MetricsError, Monitored, Report, SAMPLED, Verdict, restart_sampling,
};
use amq::*;

const KEYS: u64 = 100_000;
const ASKED: f64 = 0.01;
const SEEDS: u64 = 16;

fn goal() -> Goal {
    Goal::fpr(KEYS, ASKED)
}

/// A watched filter of the keys below `keys`.
fn watched(seed: u64, keys: u64) -> Monitored<BloomFilter> {
    let mut filter = BloomFilter::with_seed(goal(), seed).unwrap();
    filter.extend(0..keys);
    restart_sampling(seed);
    Monitored::new(filter, ASKED).unwrap()
}

/// Asks for absent keys and reports what is found; returns how many were.
fn ask_absent<F: Filter, const E: bool>(
    filter: &Monitored<F, E>,
    keys: impl Iterator<Item = u64>,
) -> u64 {
    let found = keys.filter(|key| {
        let key = 1 << 40 | key;
        let found = filter.contains(&key);
        if found {
            filter.report_false_positive(&key);
        }
        found
    });
    found.count() as u64
}

/// `found` within five standard deviations of `expected`.
fn near(found: f64, expected: f64, sd: f64) {
    assert!((found - expected).abs() <= 5.0 * sd, "{found}, not {expected} +- {sd}");
}

#[test]
fn an_honest_filter_is_as_planned_and_its_rate_is_observed() {
    let (absent, present) = (400_000u64, 600_000u64);
    let mut pooled = 0.0;
    for seed in 0..SEEDS {
        let filter = watched(seed, KEYS);
        for key in 0..present {
            assert!(filter.contains(&(key % KEYS)));
        }
        let found = ask_absent(&filter, 0..absent);
        let report = filter.report();
        assert_eq!(report.false_positives, found);
        assert_eq!(report.verdict, Verdict::AsPlanned, "{report}");
        assert!(
            report.interval.0 <= report.observed_fpr && report.observed_fpr <= report.interval.1
        );

        // Counted one in SAMPLED: that many times the variance.
        let queries = (absent + present) as f64;
        near(report.queries as f64, queries, (SAMPLED as f64 * queries).sqrt());
        let saved = (absent - found) as f64;
        near(report.reads_saved as f64, saved, (SAMPLED as f64 * saved).sqrt());
        // The rate is that of the present epoch and the one before it.
        let recent = report.recent_absent as f64;
        assert!((0.9e5..2.3e5).contains(&recent), "{recent}");
        let share = SAMPLED as f64 / recent;
        let p = report.stats.expected_fpr;
        let sd = p * (1.0 / (p * recent) + share).sqrt();
        near(report.observed_fpr, p, sd);
        pooled += (report.observed_fpr - p) / sd;
        // As many different keys as queries, and the same rate of them.
        let off = (SAMPLED as f64 / recent + 2.0 * 0.023f64.powi(2)).sqrt();
        near(report.absent_keys as f64, recent, recent * off);
        near(report.key_fpr, p, p * (off.powi(2) + 1.0 / (p * recent)).sqrt());
        assert!(report.key_interval.0 < p && p < report.key_interval.1);
        near(report.hit_rate(), 0.6, (SAMPLED as f64 / queries).sqrt());
        near(report.saved_share(), saved / queries, (SAMPLED as f64 / queries).sqrt());
    }
    near(pooled, 0.0, (SEEDS as f64).sqrt());
}

#[test]
fn every_query_is_counted_if_asked_for() {
    let filter = watched(1, KEYS).counting_every_query();
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
    filter.reset();
    let report = filter.report();
    assert_eq!((report.queries, report.false_positives), (0, 0));
    assert!(report.observed_fpr.is_nan() && report.hit_rate().is_nan());
    assert_eq!((report.interval, report.verdict), ((0.0, 1.0), Verdict::TooEarly));
}

#[test]
fn an_overfull_filter_is_told_from_a_hostile_one() {
    for seed in 0..4 {
        let filter = watched(seed, 3 * KEYS);
        ask_absent(&filter, 0..400_000);
        let report = filter.report();
        assert_eq!(report.verdict, Verdict::Overfull, "{report}");
        assert!(report.observed_fpr > 0.1 && report.stats.expected_fpr > 0.1, "{report}");
    }
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
                    filter.report_false_positive(&key);
                }
            }
            let report = filter.report();
            assert_eq!(report.overfull(), overfull, "{report}");
            let verdict = match (overfull, asked) {
                (true, _) => Verdict::Overfull,
                (false, 0) => Verdict::TooEarly,
                (false, _) => Verdict::AsPlanned,
            };
            assert_eq!(report.verdict, verdict, "{report}");
        }
    }
    // One that grows has the room it needs.
    let mut grown = ExpandableQuotientFilter::new(Goal::fpr(1000, ASKED)).unwrap();
    grown.try_extend(0..200_000u64).unwrap();
    assert!(!Monitored::new(grown, ASKED).unwrap().report().overfull());
}

/// After much good, bad times are noticed at once, and good ones again.
#[test]
fn a_verdict_is_on_what_was_seen_lately() {
    let filter = watched(1, KEYS);
    ask_absent(&filter, 0..5_000_000);
    let report = filter.report();
    assert_eq!(report.verdict, Verdict::AsPlanned, "{report}");
    // 8,000 prepared false positives, where there were 50,000 by chance.
    let forged = (1u64 << 30..).filter(|key| filter.filter().contains(&(1 << 40 | key)));
    assert_eq!(ask_absent(&filter, forged.take(8000)), 8000);
    let attacked = filter.report();
    assert_eq!(attacked.verdict, Verdict::Hostile, "{attacked}");
    assert!(attacked.false_positives < 2 * report.false_positives, "{attacked}");
    ask_absent(&filter, 6_000_000..6_300_000);
    let after = filter.report();
    assert_eq!(after.verdict, Verdict::AsPlanned, "{after}");
    assert!(after.false_positives > attacked.false_positives);
}

/// The counts cannot tell a popular key from a replayed one, and say so.
#[test]
fn a_replayed_false_positive_is_noticed_long_before_the_rate_doubles() {
    for seed in 0..4 {
        let filter = watched(seed, KEYS);
        ask_absent(&filter, 0..150_000);
        assert_eq!(filter.report().verdict, Verdict::AsPlanned);
        let known = (0..).find(|key| filter.filter().contains(&(1 << 40 | key))).unwrap();
        ask_absent(&filter, std::iter::repeat_n(known, 1200));
        let report = filter.report();
        assert!(report.observed_fpr < 1.9 * ASKED, "{report:?}");
        assert_eq!(report.verdict, Verdict::Repeated, "{report}");
    }
}

/// Absent keys that were asked for all along are no attack, whichever of them are false positives.
#[test]
fn keys_that_are_all_asked_for_again_and_again_are_not_hostile() {
    for seed in 0..SEEDS {
        let filter = watched(seed, KEYS);
        for _ in 0..200 {
            ask_absent(&filter, 0..2000);
        }
        let report = filter.report();
        assert!((0.66..1.5).contains(&report.repetition), "{report:?}");
        assert_ne!(report.verdict, Verdict::Hostile, "{report}");
    }
}

/// A filter that answers "probably" to some keys more than it says.
struct Worse {
    filter: BloomFilter,
    more: f64,
}

impl Filter for Worse {
    fn kind(&self) -> FilterKind {
        FilterKind::Bloom
    }
    fn seed(&self) -> u64 {
        self.filter.seed()
    }
    fn len(&self) -> u64 {
        self.filter.len()
    }
    fn capacity(&self) -> u64 {
        self.filter.capacity()
    }
    fn size_in_bytes(&self) -> u64 {
        self.filter.size_in_bytes()
    }
    fn expected_fpr(&self) -> f64 {
        self.filter.expected_fpr()
    }
    fn load_factor(&self) -> f64 {
        self.filter.load_factor()
    }
    fn contains_hash(&self, hash: KeyHash) -> bool {
        let parts = 1 << 20;
        self.filter.contains_hash(hash) || (hash.shard(parts) as f64) < self.more * parts as f64
    }
}

#[test]
fn a_rate_above_what_the_load_explains_is_bad_luck_below_twice_and_hostile_above() {
    for (more, verdict) in
        [(0.0, Verdict::AsPlanned), (0.005, Verdict::Unlucky), (0.02, Verdict::Hostile)]
    {
        for seed in 0..4 {
            let filter = watched(seed, KEYS).into_inner();
            let filter = Monitored::new(Worse { filter, more }, ASKED).unwrap();
            ask_absent(&filter, 0..1_000_000);
            let report = filter.report();
            assert_eq!(report.verdict, verdict, "{report}");
        }
    }
}

#[test]
fn few_queries_give_no_verdict() {
    let filter = watched(1, KEYS);
    assert_eq!(filter.report().verdict, Verdict::TooEarly);
    ask_absent(&filter, 0..100);
    assert_eq!(filter.report().verdict, Verdict::TooEarly);
    for fpr in [0.0, 1.0, -0.1, f64::NAN, f64::INFINITY] {
        let refused = Monitored::new(watched(1, 1).into_inner(), fpr).unwrap_err();
        assert!(matches!(refused, PlanError::Fpr { .. }), "{refused}");
    }
}

#[test]
fn threads_lose_no_count() {
    let filter = watched(1, KEYS).counting_every_query();
    std::thread::scope(|scope| {
        for thread in 0..4u64 {
            let filter = &filter;
            scope.spawn(move || ask_absent(filter, thread * 50_000..(thread + 1) * 50_000));
        }
    });
    let alone = watched(1, KEYS).counting_every_query();
    ask_absent(&alone, 0..200_000);
    // The epochs begin where they may; the totals are exact.
    let (report, alone) = (filter.report(), alone.report());
    let totals = |report: &Report| (report.queries, report.reads_saved, report.positives);
    assert_eq!(totals(&report), totals(&alone));
    assert_eq!(report.false_positives, alone.false_positives);
    assert_eq!(report.verdict, alone.verdict);
}

#[test]
fn a_watched_filter_is_changed_counted_and_asked_in_batches_as_the_filter_is() {
    let mut filter = CuckooFilter::new(Goal::fpr(2000, ASKED)).unwrap();
    let mut watched = Monitored::new(filter.clone(), ASKED).unwrap().counting_every_query();
    let keys: Vec<u64> = (0..1500).collect();
    assert_eq!(watched.insert_keys(&keys), filter.insert_keys(&keys));
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
    near(report.absent_keys as f64, 5000.0 - positives as f64, 0.023 * 5000.0);
    watched.clear();
    assert!(watched.is_empty());
}

#[test]
fn a_replaced_filter_is_judged_anew_and_the_totals_go_on() {
    for cleared in [false, true] {
        let mut watched = watched(1, 3 * KEYS);
        let found = ask_absent(&watched, 0..300_000);
        let before = watched.report();
        assert_eq!(before.verdict, Verdict::Overfull);
        if cleared {
            watched.clear();
        } else {
            let mut filter = BloomFilter::with_seed(goal(), 2).unwrap();
            filter.extend(0..KEYS);
            assert_eq!(watched.replace(filter).len(), before.stats.len);
        }
        let after = watched.report();
        assert_eq!((after.queries, after.false_positives), (before.queries, found));
        assert_eq!((after.recent_absent, after.absent_keys), (0, 0));
        assert_eq!(after.verdict, Verdict::TooEarly, "{after}");
        ask_absent(&watched, 0..300_000);
        assert_eq!(watched.report().verdict, Verdict::AsPlanned, "{}", watched.report());
        watched.reset();
        assert_eq!((watched.report().queries, watched.report().false_positives), (0, 0));
    }
}

#[test]
fn a_page_has_filters_that_are_not_watched() {
    let filter = watched(1, KEYS);
    ask_absent(&filter, 0..100_000);
    let mut page = Metrics::new("amq").unwrap();
    page.add_stats(&[("filter", "plain")], &filter.filter().stats()).unwrap();
    let samples = parsed(&page.to_string());
    let names: Vec<&str> = samples.iter().map(|(name, _, _)| name.as_str()).collect();
    assert_eq!(
        names,
        ["amq_expected_fpr", "amq_keys", "amq_capacity_keys", "amq_size_bytes", "amq_load_ratio"]
    );
    page.add(&[("filter", "watched")], &filter.report()).unwrap();
    let samples = parsed(&page.to_string());
    let of = |label: &str| samples.iter().filter(|(_, labels, _)| labels.contains(label)).count();
    assert_eq!(of("plain"), 5);
    assert_eq!(of("watched"), 15 + Verdict::ALL.len());
    let refused = page.add_stats(&[("filter", "watched")], &filter.stats()).unwrap_err();
    assert!(matches!(refused, MetricsError::SameLabels { .. }));
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
    let mut page = Metrics::new("store:filters").unwrap();
    assert_eq!(page.to_string(), "");
    let odd = "a \"b\"\\\nc,}={ \u{e9}";
    page.add(&[], &reports[0]).unwrap();
    page.add(&[("name", odd), ("_2", "")], &reports[1]).unwrap();
    page.add(&[("name", "plain")], &reports[2]).unwrap();
    let samples = parsed(&page.to_string());
    let value = |metric: &str, label: &str| {
        let found = samples.iter().filter(|(name, labels, _)| {
            name.strip_prefix("store:filters_") == Some(metric) && labels.contains(label)
        });
        let found: Vec<f64> = found.map(|&(_, _, value)| value).collect();
        assert_eq!(found.len(), 1, "{metric} {label}");
        found[0]
    };
    assert_eq!(value("queries_total", "plain"), reports[2].queries as f64);
    assert_eq!(value("false_positives_total", "_2"), reports[1].false_positives as f64);
    assert_eq!(value("observed_fpr", "plain"), reports[2].observed_fpr);
    assert_eq!(value("size_bytes", "plain"), reports[2].stats.bytes as f64);
    assert_eq!(value("verdict", "plain\",verdict=\"as planned"), 1.0);
    assert_eq!(value("verdict", "plain\",verdict=\"hostile"), 0.0);
    assert!(page.to_string().contains(r#"name="a \"b\"\\\nc,}={ é""#));
    // Before the first query there is no rate.
    let none = samples
        .iter()
        .find(|(name, labels, _)| name == "store:filters_observed_fpr" && labels.is_empty());
    assert!(none.unwrap().2.is_nan());
}

#[test]
fn names_that_prometheus_refuses_are_refused() {
    for prefix in ["", "9", "a-b", "a b", "é"] {
        let refused = Metrics::new(prefix).unwrap_err();
        assert_eq!(refused, MetricsError::Prefix { prefix: prefix.into() });
    }
    let report = watched(1, 1).report();
    let mut page = Metrics::new("amq").unwrap();
    for name in ["", "9", "a:b", "__name__", "verdict", "a-b"] {
        let refused = page.add(&[(name, "x")], &report).unwrap_err();
        assert_eq!(refused, MetricsError::Label { name: name.into() });
    }
    let refused = page.add(&[("a", "x"), ("a", "y")], &report).unwrap_err();
    assert_eq!(refused, MetricsError::Repeated { name: "a".into() });
    page.add(&[("a", "x")], &report).unwrap();
    let refused = page.add(&[("a", "x")], &report).unwrap_err();
    assert_eq!(refused, MetricsError::SameLabels { labels: "a=\"x\"".into() });
}

#[test]
fn debug_shows_what_was_counted_in_a_few_lines() {
    let filter = BloomFilter::new(Goal::fpr(1000, 0.01)).unwrap();
    let watched = Monitored::new(filter, 0.01).unwrap().counting_every_query();
    for key in 0..500u64 {
        assert!(!watched.contains(&key));
    }
    watched.report_false_positive(&1u64);
    let text = format!("{watched:?}");
    assert!(text.contains("planned_fpr: 0.01") && text.contains("negative: 500"), "{text}");
    assert!(text.contains("false_positive: 1") && text.len() < 600, "{} {text}", text.len());
}
