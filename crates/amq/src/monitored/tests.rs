//! The laws of the verdict, over many streams of queries with fixed seeds.

use super::{Monitored, SAMPLED, Verdict, sample};
use amq_core::{Filter, FilterKind, KeyHash};
use core::iter;
use std::vec;
use std::vec::Vec;

const PLANNED: f64 = 0.01;

/// Errs for the share `fpr` of all keys, and expects to err as often as `expected_fpr`.
#[derive(Clone, Copy)]
struct Fake {
    fpr: f64,
    expected_fpr: f64,
    len: u64,
}

const HONEST: Fake = Fake { fpr: PLANNED, expected_fpr: PLANNED, len: 100 };

impl Filter for Fake {
    fn kind(&self) -> FilterKind {
        FilterKind::Other("fake")
    }
    fn seed(&self) -> u64 {
        0
    }
    fn len(&self) -> u64 {
        self.len
    }
    fn capacity(&self) -> u64 {
        100
    }
    fn size_in_bytes(&self) -> u64 {
        0
    }
    fn expected_fpr(&self) -> f64 {
        self.expected_fpr
    }
    fn load_factor(&self) -> f64 {
        1.0
    }
    fn contains_hash(&self, hash: KeyHash) -> bool {
        (hash.get() as f64) < self.fpr * 2f64.powi(64)
    }
}

/// Watches the filter, by a sample of the queries or by all.
fn watch(filter: Fake, weight: u64, stream: u64) -> Monitored<Fake> {
    sample::restart(stream);
    let watched = Monitored::new(filter, PLANNED).unwrap();
    if weight == 1 { watched.counting_every_query() } else { watched }
}

/// Asks for keys that are all absent, and reports the positives.
fn ask(watched: &Monitored<Fake>, keys: impl Iterator<Item = u64>) {
    for key in keys {
        if watched.contains(&key) {
            watched.report_false_positive();
        }
    }
}

/// `queries` different keys of a stream, after `first` others.
fn keys(stream: u64, first: u64, queries: u64) -> impl Iterator<Item = u64> {
    (first..first + queries).map(move |key| stream << 32 | key)
}

const STREAMS: u64 = 1000;

/// Of 1,000 streams, looked at 50 times each. Stated: at most one in a thousand.
#[test]
fn a_filter_as_planned_is_never_called_worse() {
    for weight in [1, SAMPLED] {
        let (mut worse, mut as_planned) = (0, 0);
        for stream in 0..STREAMS {
            let watched = watch(HONEST, weight, stream);
            let mut ever = false;
            // Often at first, where the counts are small.
            for look in 1..=50 {
                ask(&watched, keys(stream, 10 * look * (look - 1), 20 * look));
                ever |= watched.report().verdict == Some(Verdict::WorseThanPlanned);
            }
            worse += u64::from(ever);
            as_planned += u64::from(watched.report().verdict == Some(Verdict::AsPlanned));
        }
        assert!(worse <= STREAMS / 1000, "{worse} of {STREAMS} at {weight}");
        assert!(as_planned >= STREAMS - STREAMS / 1000, "{as_planned} at {weight}");
    }
}

/// Within 500 / planned queries.
#[test]
fn three_times_the_planned_rate_is_told_in_every_stream() {
    for weight in [1, SAMPLED] {
        for stream in 0..STREAMS {
            let watched = watch(Fake { fpr: 3.0 * PLANNED, ..HONEST }, weight, stream);
            ask(&watched, keys(stream, 0, 50_000));
            let report = watched.report();
            assert_eq!(report.verdict, Some(Verdict::WorseThanPlanned), "{report}");
        }
    }
}

/// Within two epochs of 1,024 / planned queries each, wherever in an epoch it begins.
#[test]
fn a_change_is_told_within_two_epochs() {
    let epoch = (1024.0 / PLANNED) as u64;
    for weight in [1, SAMPLED] {
        for before in [2 * epoch, 9 * epoch / 4, 5 * epoch / 2, 3 * epoch - 100] {
            let mut watched = watch(HONEST, weight, before);
            for (index, fpr, verdict) in [
                (0, PLANNED, Verdict::AsPlanned),
                (1, 3.0 * PLANNED, Verdict::WorseThanPlanned),
                (2, PLANNED, Verdict::AsPlanned),
            ] {
                watched.filter_mut().fpr = fpr;
                let queries = if index == 0 { before } else { 2 * epoch + epoch / 10 };
                ask(&watched, keys(before + index, 0, queries));
                assert_eq!(watched.report().verdict, Some(verdict), "{}", watched.report());
            }
        }
    }
}

/// Half of the queries are for one absent key. It matters only if it is reported as a false
/// positive, which it is in a hundredth of the streams.
#[test]
fn a_popular_absent_key_matters_only_if_it_is_reported() {
    for weight in [1, SAMPLED] {
        let mut found = 0;
        for stream in 0..STREAMS {
            let watched = watch(HONEST, weight, stream);
            let popular = watched.filter().contains_hash(amq_core::Key::key_hash(&stream, 0));
            found += u64::from(popular);
            let ask_both = |report_popular| {
                for key in keys(stream + 1, 0, 10_000) {
                    ask(&watched, iter::once(key));
                    if watched.contains(&stream) && report_popular {
                        watched.report_false_positive();
                    }
                }
                watched.report()
            };
            let report = ask_both(false);
            assert_eq!(report.verdict, Some(Verdict::AsPlanned), "{report}");
            let report = ask_both(true);
            let worse = report.verdict == Some(Verdict::WorseThanPlanned);
            assert_eq!(worse, popular, "{report}");
        }
        assert!((3..20).contains(&found), "{found}");
    }
}

/// Whatever was counted: the table alone says it.
#[test]
fn overfull_is_what_the_filter_itself_expects() {
    for (times, len, overfull) in [
        (1.0, 100, false),
        (1.0, 101, false),
        (1.01, 100, false),
        (1.01, 101, true),
        (2.0, 100, false),
        (2.01, 100, true),
        (2.01, 0, true),
        (f64::NAN, 101, false),
    ] {
        for (fpr, asked, otherwise) in [
            (0.0, 0, None),
            (0.0, 100_000, Some(Verdict::AsPlanned)),
            (0.05, 100_000, Some(Verdict::WorseThanPlanned)),
        ] {
            let watched = watch(Fake { fpr, expected_fpr: times * PLANNED, len }, 1, 1);
            ask(&watched, keys(1, 0, asked));
            let wanted = if overfull { Some(Verdict::Overfull) } else { otherwise };
            assert_eq!(watched.report().verdict, wanted, "{times} times, {len} keys");
        }
    }
}

/// Of one query in 64, for fixed seeds.
#[test]
fn a_sample_stands_for_all_queries() {
    for seed in 0..16 {
        sample::restart(seed);
        let filter = Monitored::new(HONEST, PLANNED).unwrap();
        let hashes: Vec<_> = (0..200_000u64).map(|key| KeyHash::of(&key, seed)).collect();
        let mut answers = vec![false; hashes.len()];
        filter.contains_batch(&hashes, &mut answers).unwrap();
        let report = filter.report();
        // Five standard deviations, which are 8 sqrt(n).
        let near = |found: u64, n: f64| (found as f64 - n).abs() < 40.0 * n.sqrt();
        assert!(near(report.queries, 200_000.0), "{seed}: {report}");
        let positives = answers.iter().filter(|&&found| found).count();
        assert!(near(report.positives, positives as f64), "{seed}: {report}");
    }
}
