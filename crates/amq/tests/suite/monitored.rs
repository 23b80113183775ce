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
    Goal::fpr(KEYS as usize, ASKED)
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
        let share = SAMPLED as f64 / absent as f64;
        let p = report.stats.expected_fpr;
        let sd = p * (1.0 / (p * absent as f64) + share).sqrt();
        near(report.observed_fpr, p, sd);
        pooled += (report.observed_fpr - p) / sd;
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

/// A tenth more keys than planned: its load explains the rate, which is not twice the plan's.
#[test]
fn a_few_keys_too_many_are_as_planned() {
    let filter = watched(3, KEYS + KEYS / 10);
    ask_absent(&filter, 0..2_000_000);
    let report = filter.report();
    assert!(report.interval.0 > ASKED, "{report}");
    assert_eq!(report.verdict, Verdict::AsPlanned, "{report}");
}

#[test]
fn a_replayed_false_positive_is_hostile_long_before_the_rate_doubles() {
    for seed in 0..4 {
        let filter = watched(seed, KEYS);
        ask_absent(&filter, 0..400_000);
        assert_eq!(filter.report().verdict, Verdict::AsPlanned);
        let known = (0..).find(|key| filter.filter().contains(&(1 << 40 | key))).unwrap();
        ask_absent(&filter, std::iter::repeat_n(known, 3300));
        let report = filter.report();
        assert!(report.observed_fpr < 1.9 * ASKED, "{report:?}");
        assert_eq!(report.verdict, Verdict::Hostile, "{report}");
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
    assert_eq!(filter.report(), alone.report());
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
