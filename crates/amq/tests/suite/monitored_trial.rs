//! Honest loads and attacks, many times over: how often a watched filter is called what.
//!
//! `cargo test -p amq --test suite -- --ignored --nocapture trial` runs each honest load 3,000
//! times, each attack 50 times, and prints a table, within some two minutes.
#![cfg(target_has_atomic = "64")]
use amq::monitored::{Monitored, Verdict, restart_sampling};
use amq::*;

const KEYS: u64 = 10_000;
const ASKED: f64 = 0.01;
/// Reports in the course of a run.
const LOOKS: u64 = 4;
const QUERIES: u64 = 200_000;

/// Numbers that look random.
struct Noise(u64);

impl Noise {
    fn next(&mut self) -> u64 {
        self.0 += 1;
        KeyHash::of(&self.0, 77).get()
    }

    /// In [0, 1).
    fn share(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1u64 << 53) as f64
    }
}

/// Which absent key is asked for next.
#[derive(Clone, Copy, Debug)]
enum Load {
    /// Any of a million, equally often.
    Uniform,
    /// As above, but one key makes this share of all queries.
    Popular(f64),
    /// The logarithm of its rank is uniform: Zipf's law.
    LogUniform,
    /// Any of a million; of the queries for absent keys so many are for prepared false positives
    /// that the rate is this multiple of the one planned. There are so many of these, at most.
    Forged(f64, usize),
}

/// A run: whether it was ever called hostile, and what it was called at its end.
fn run(load: Load, seed: u64, looks: u64) -> (bool, Verdict) {
    let mut noise = Noise(seed << 32);
    let mut filter = BloomFilter::with_seed(Goal::fpr(KEYS, ASKED), noise.next()).unwrap();
    filter.extend(0..KEYS);
    let mut forged = Vec::new();
    if let Load::Forged(_, most) = load {
        let mut key = 1u64 << 50;
        while forged.len() < most {
            if filter.contains(&key) {
                forged.push(key);
            }
            key += 1;
        }
    }
    restart_sampling(noise.next());
    let filter = Monitored::new(filter, ASKED).unwrap();
    let absent = 1u64 << 40 | seed << 20;
    let mut hostile = false;
    for _ in 0..looks {
        for _ in 0..QUERIES / looks {
            let key = match load {
                Load::Uniform => absent + noise.next() % 1_000_000,
                Load::Popular(share) if noise.share() < share => absent,
                Load::Popular(_) => absent + noise.next() % 1_000_000,
                Load::LogUniform => absent + (noise.share() * f64::ln(1e6)).exp() as u64,
                Load::Forged(times, _) => {
                    let share = (times - 1.0) * ASKED / (1.0 - ASKED);
                    match noise.share() < share {
                        true => forged[noise.next() as usize % forged.len()],
                        false => absent + noise.next() % 1_000_000,
                    }
                }
            };
            if filter.contains(&key) {
                filter.report_false_positive(&key);
            }
        }
        hostile |= filter.report().verdict == Verdict::Hostile;
    }
    (hostile, filter.report().verdict)
}

const HONEST: [Load; 5] =
    [Load::Uniform, Load::Popular(0.02), Load::Popular(0.1), Load::Popular(0.5), Load::LogUniform];

#[test]
fn honest_loads_are_never_called_hostile_whatever_keys_are_popular() {
    for load in HONEST {
        let hostile = (0..60).filter(|&seed| run(load, seed, LOOKS).0).count();
        assert_eq!(hostile, 0, "{load:?}");
    }
}

/// Every run of an attack is noticed. Many prepared keys are called what they are; a few may be
/// popular keys, and chance may have done it as long as it errs less than twice as often.
#[test]
fn attacks_are_noticed_in_every_run() {
    use Verdict::{Hostile, Repeated, Unlucky};
    for (times, most, verdicts) in [
        (2.0, 1, &[Repeated][..]),
        (2.0, 100, &[Repeated, Hostile]),
        (2.0, 1000, &[Unlucky, Hostile]),
        (3.0, 1000, &[Hostile]),
        (5.0, 1, &[Repeated]),
        (5.0, 100, &[Hostile]),
        (5.0, 1000, &[Hostile]),
        (10.0, 10, &[Repeated, Hostile]),
        (10.0, 100, &[Hostile]),
        (10.0, 1000, &[Hostile]),
    ] {
        for seed in 0..8 {
            let (_, verdict) = run(Load::Forged(times, most), seed, 1);
            assert!(verdicts.contains(&verdict), "{times} times by {most} keys: {verdict}");
        }
    }
}

#[test]
#[ignore = "takes minutes: prints how often each load is called what"]
fn trial() {
    let attacks = [1.25, 1.5, 2.0, 3.0, 5.0, 10.0]
        .map(|times| [1, 10, 100, 1000, 10_000].map(|most| (Load::Forged(times, most), 50)));
    let honest = HONEST.map(|load| (load, 3000));
    for (load, runs) in honest.into_iter().chain(attacks.into_iter().flatten()) {
        let mut counts: std::collections::BTreeMap<&str, u64> = Default::default();
        let mut hostile = 0;
        for seed in 0..runs {
            let (ever, last) = run(load, seed, LOOKS);
            hostile += u64::from(ever);
            *counts.entry(last.name()).or_default() += 1;
        }
        println!("{load:?}: hostile at some time in {hostile} of {runs}; at the end {counts:?}");
    }
}
