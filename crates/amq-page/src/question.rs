//! Parses a question into a workload.

use amq_advisor::{Answer, ChooseError, First, Keys, KeysBy, Need, Workload, choose};
use std::str::FromStr;

/// The error for a question without an answer.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Refused {
    /// The error in words.
    pub why: String,
    /// The options at fault, if known; a need by its word.
    pub options: Vec<String>,
    /// If a number is at fault: its least and greatest value, each empty if unbounded, and `open`
    /// if these are excluded, `closed` if not, or `whole` if the number must be whole.
    pub range: [String; 3],
}

impl Refused {
    fn of(option: &str, why: String) -> Self {
        Self { why, options: vec![option.to_owned()], ..Self::default() }
    }
}

impl From<ChooseError> for Refused {
    fn from(error: ChooseError) -> Self {
        let bound =
            |number: f64| if number.is_finite() { number.to_string() } else { String::new() };
        let range = match &error {
            ChooseError::Invalid { min, max, open, .. } => {
                let ends = if *open { "open" } else { "closed" };
                [bound(*min), bound(*max), ends.to_owned()]
            }
            _ => Default::default(),
        };
        Self { why: error.to_string(), range, options: Vec::new() }
    }
}

type Pair<'a> = (&'a str, &'a str);

/// The workload that a query describes, or an error that names the invalid option.
///
/// Names are the options of `amq choose`; several needs are separated by commas.
pub fn workload(question: &str) -> Result<Workload, Refused> {
    described(&pairs(question))
}

/// The advisor's answer to a query, or why there is none.
pub fn answered(question: &str) -> Result<Answer, Refused> {
    let pairs = pairs(question);
    let workload = described(&pairs)?;
    choose(&workload).map_err(|error| {
        let is_checked = workload.check().is_ok();
        let is_other = |less: &Workload| match less.check() {
            // A conflict is gone if the other options have an answer.
            Ok(()) => !is_checked || choose(less).is_ok(),
            Err(other) => !is_checked && other.to_string() != error.to_string(),
        };
        Refused { options: at_fault(&pairs, is_other), ..error.into() }
    })
}

fn pairs(question: &str) -> Vec<Pair<'_>> {
    let pairs = question.split('&').filter(|pair| !pair.is_empty());
    let pairs = pairs.map(|pair| pair.split_once('=').unwrap_or((pair, "")));
    let pairs = pairs.flat_map(|(name, value)| {
        let values = if name == "need" { value.split(',').collect() } else { vec![value] };
        values.into_iter().map(move |value| (name, value))
    });
    pairs.collect()
}

/// The options whose removal avoids the error; that of the keys, if there are none.
fn at_fault(pairs: &[Pair<'_>], is_gone: impl Fn(&Workload) -> bool) -> Vec<String> {
    let is_at_fault = |index: usize| {
        let others: Vec<Pair<'_>> = [&pairs[..index], &pairs[index + 1..]].concat();
        described(&others).is_ok_and(|less| is_gone(&less))
    };
    let name = |(name, value): Pair<'_>| if name == "need" { value } else { name }.to_owned();
    let fault = (0..pairs.len()).filter(|&index| is_at_fault(index));
    let fault: Vec<String> = fault.map(|index| name(pairs[index])).collect();
    let keys = pairs.iter().filter(|(name, value)| keys(name, value).is_some());
    if fault.is_empty() { keys.map(|&pair| name(pair)).collect() } else { fault }
}

/// The workload that options describe, unless one of them is invalid.
fn described(pairs: &[Pair<'_>]) -> Result<Workload, Refused> {
    let mut all = pairs.iter().filter_map(|&(name, value)| keys(name, value));
    let refused = |why: &str| Refused::of("number", why.into());
    let of = all.next().ok_or_else(|| refused("how many keys?"))??;
    if all.next().is_some() {
        return Err(refused("how many keys? There can be one of keys and unknown-from"));
    }
    pairs.iter().try_fold(Workload::new(of), |all, &(name, value)| with(all, name, value))
}

fn keys(name: &str, value: &str) -> Option<Result<Keys, Refused>> {
    let of: fn(u64) -> Keys = match name {
        // Links to earlier pages use the other name.
        "keys" | "at-most" => Keys::AtMost,
        "unknown-from" => |start| Keys::Unknown { start },
        _ => return None,
    };
    Some(number(name, value).map(of))
}

/// Adds one option to a workload.
fn with(it: Workload, name: &str, value: &str) -> Result<Workload, Refused> {
    Ok(match name {
        "keys" | "at-most" | "unknown-from" => it,
        "static" => it.built_once(),
        "strangers" => it.with_keys_by(KeysBy::Strangers),
        "need" => {
            it.need(Need::from_str(value).map_err(|error| Refused::of(value, error.to_string()))?)
        }
        "fpr" => it.with_fpr(number(name, value)?),
        "bits-per-key" => it.with_bits_per_key(number(name, value)?),
        "bytes" => it.with_bytes(number(name, value)?),
        "absent" => it.with_absent(number(name, value)?),
        "false-positive" => it.with_false_positive_ns(number(name, value)?),
        "lookup" => it.with_lookup_ns(number(name, value)?),
        "queries-per-key" => it.with_queries_per_key(number(name, value)?),
        "copies" => it.with_copies(number(name, value)?),
        "filters" => it.with_filters(number(name, value)?),
        "threads" => it.with_threads(number(name, value)?),
        "key-bytes" => it.with_key_bytes(number(name, value)?),
        "changes" => it.with_changes(number(name, value)?),
        "integers-below" => it.with_integers_below(number(name, value)?),
        "count" => it.need(Need::Count { most: number(name, value)? }),
        "values" => it.need(Need::Values { bits: number(name, value)? }),
        "forget" => it.need(Need::Forget { generations: number(name, value)? }),
        "first" => it.with_first(match value {
            "memory" => First::Memory,
            "time" => First::Time,
            "tail" => First::Tail,
            _ => {
                return Err(Refused::of(name, format!("first: memory, time or tail, not {value}")));
            }
        }),
        _ => return Err(Refused::of(name, format!("there is no option {name}"))),
    })
}

/// A number of an option.
trait Number: FromStr {
    /// The maximum, if it must be whole.
    const MOST: Option<u64>;
}

impl Number for u32 {
    const MOST: Option<u64> = Some(u32::MAX as u64);
}

impl Number for u64 {
    const MOST: Option<u64> = Some(Self::MAX);
}

impl Number for f64 {
    const MOST: Option<u64> = None;
}

fn number<N: Number>(name: &str, value: &str) -> Result<N, Refused> {
    let refused = |_| match N::MOST {
        Some(most) => Refused {
            range: [String::new(), most.to_string(), "whole".into()],
            ..Refused::of(name, format!("{name}: {value} is no whole number up to {most}"))
        },
        None => Refused::of(name, format!("{name}: {value} is not a number")),
    };
    value.parse().map_err(refused)
}
