//! A question as a workload.

use amq_advisor::{First, Keys, KeysBy, Need, Workload};
use std::str::FromStr;

/// The workload that a query describes, or what is wrong with it.
///
/// Names are the options of `amq choose`; several needs are separated by commas. An empty value
/// says nothing.
pub fn workload(question: &str) -> Result<Workload, String> {
    let pairs = question.split('&').filter(|pair| !pair.is_empty());
    let pairs = pairs.map(|pair| pair.split_once('=').unwrap_or((pair, "")));
    let pairs: Vec<(&str, &str)> = pairs.collect();
    let keys = pairs.iter().find_map(|&(name, value)| keys(name, value));
    let keys = keys.ok_or("how many keys?")??;
    pairs.iter().try_fold(Workload::new(keys), |all, &(name, value)| with(all, name, value))
}

fn keys(name: &str, value: &str) -> Option<Result<Keys, String>> {
    let of: fn(u64) -> Keys = match name {
        "keys" => Keys::Exactly,
        "at-most" => Keys::AtMost,
        "unknown-from" => |start| Keys::Unknown { start },
        _ => return None,
    };
    Some(number(name, value).map(of))
}

/// A workload that one option more is said of.
fn with(it: Workload, name: &str, value: &str) -> Result<Workload, String> {
    let flags = ["static", "strangers"];
    if value.is_empty() && !flags.contains(&name) {
        return Ok(it);
    }
    Ok(match name {
        "keys" | "at-most" | "unknown-from" => it,
        "static" => it.built_once(),
        "strangers" => it.with_keys_by(KeysBy::Strangers),
        "need" => value.split(',').try_fold(it, |it, word| {
            word.parse().map(|need: Need| it.need(need)).map_err(|error| error.to_string())
        })?,
        "fpr" => it.with_fpr(number(name, value)?),
        "bits-per-key" => it.with_bits_per_key(number(name, value)?),
        "bytes" => it.with_bytes(number(name, value)?),
        "build-bytes" => it.with_build_bytes(number(name, value)?),
        "absent" => it.with_absent(number(name, value)?),
        "false-positive" => it.with_false_positive_ns(number(name, value)?),
        "lookup" => it.with_lookup_ns(number(name, value)?),
        "bit-price" => it.with_bit_ns(number(name, value)?),
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
            _ => return Err(format!("first: memory, time or tail, not {value}")),
        }),
        _ => return Err(format!("there is no option {name}")),
    })
}

fn number<N: FromStr>(name: &str, value: &str) -> Result<N, String> {
    value.parse().map_err(|_| format!("{name}: {value} is not such a number"))
}
