//! The known attacks on filters, played against every kind under the public seed, a secret seed and
//! a secret key. The tables of SECURITY.md are what these tests count.
//!
//! # The attacker
//!
//! He chooses keys: he has them inserted, asks for them, or, where that is offered, has them
//! removed. He knows everything but the secret: this code, the kind, the goal, all parameters, the
//! honest keys. He computes offline as much as he likes, and `evaluations` counts the hashes.
//!
//! | under | he knows | he lacks |
//! | --- | --- | --- |
//! | the public seed | the hash of every key, so the whole filter | nothing |
//! | a secret seed | that the hash is XXH3 | 64 bits |
//! | a secret key | that the hash is SipHash-1-3 | 128 bits |
//!
//! Keys that are *prepared* ([`pollution`], [`refusal`], [`clusters`], [`forgery`]) are computed
//! before he sees anything of the filter. Where he lacks the secret he takes the public seed for
//! it: to prepare keys under a wrong guess is no better than to draw them, and the tests show that
//! it is no worse. An attacker who *sees answers* ([`answers`]) knows of each key that he asks for
//! whether the filter says yes; he replays and varies what he found. One who *sees hashes or files*
//! computes a secret seed back ([`recovery`]).
//!
//! He does not measure time: how long a call takes is another story, which a key does not end.
//!
//! All counts are of fixed seeds, so the same on every machine. Each test holds what it counted to
//! limits on both sides, then compares it with its table.

mod answers;
mod clusters;
mod forgery;
mod page;
mod pollution;
mod recovery;
mod refusal;
mod victim;
mod xxh3;

use amq::{AnyFilter, FilterFile, FilterKind, Goal};
use amq_core::index::remix;
use victim::Victim;

/// Keys that every filter is planned for. Enough for all ribbons to bump.
const KEYS: u64 = 10_000;
/// The rate that it is planned for.
const FPR: f64 = 0.01;

fn goal() -> Goal {
    Goal::fpr(KEYS, FPR)
}

/// The keys that honest users put in.
fn honest() -> Vec<u64> {
    (0..KEYS).collect()
}

/// Random numbers, another stream for each purpose: keys without a plan, candidates to search.
fn stream(purpose: u64) -> impl Iterator<Item = u64> {
    (0..).map(move |i| remix(i, purpose << 32))
}

/// Keys that nobody put in, to measure a rate with.
const ABSENT: u64 = 100_000;

/// The share of random absent keys that the filter answers `true` for.
fn rate(victim: &Victim) -> f64 {
    let found = stream(1).take(ABSENT as usize).filter(|&key| victim.contains(key)).count();
    found as f64 / ABSENT as f64
}

/// Whether what was found `of` so many random tries is compatible with the rate `want`: five
/// standard deviations on each side, and a tenth of the rate for filters that differ.
fn as_by_chance(found: f64, want: f64, of: u64) -> bool {
    let sd = (want * (1.0 - want) / of as f64).sqrt();
    (found - want).abs() <= 5.0 * sd + 0.1 * want
}

/// Number `number` of the entry `entry` in the directory of the filter's file: its geometry, which
/// the attacker may as well compute. FORMAT.md says what each number is.
fn geometry(filter: &AnyFilter, entry: u64, number: u64) -> u64 {
    const DIRECTORY: u64 = 192;
    let bytes = filter.to_bytes().unwrap();
    let read = |row: u64, number: u64| {
        let at = (DIRECTORY + 64 * row + 8 * number) as usize;
        u64::from_le_bytes(bytes[at..at + 8].try_into().unwrap())
    };
    // The head, a row for each section, a row for each entry.
    read(1 + read(0, 0) + entry, number)
}

/// A percentage with two digits behind the point.
fn percent(share: f64) -> String {
    format!("{:.2} %", share * 100.0)
}

/// A number with commas between the thousands.
fn number(number: u64) -> String {
    match number {
        0..1000 => number.to_string(),
        _ => format!("{},{:03}", self::number(number / 1000), number % 1000),
    }
}

/// The kinds with an ability, or without it.
fn kinds(which: impl Fn(amq::Abilities) -> bool) -> Vec<FilterKind> {
    let all = AnyFilter::KINDS.iter().copied();
    all.filter(|&kind| which(amq::Abilities::of(kind))).collect()
}
