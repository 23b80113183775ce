//! `amq info`: what a filter is.

use crate::exit::Outcome;
use crate::input::{self, budget_text};
use crate::numbers::{bytes_text, grouped, rate_text};
use crate::picture;
use crate::report::{Held, estimate};
use crate::stdio::Text;
use amq::format::{FileInfo, HashedBy};
use amq::{
    Abilities, Ability, AnyFile, AnyFilter, Budget, DEFAULT_SEED, Filter, KeyEncoding,
    ParameterValue,
};
use clap::Args;
use serde_json::{Map, Value, json};
use std::fmt::Write;
use std::path::PathBuf;

/// Say what a filter is
///
/// Kind, parameters, number of keys, size, and the false-positive rate that it has now. The seed is
/// public or secret; a secret one is not shown.
///
/// A Bloom filter counts only keys that were new to it, and a union adds up what its filters
/// counted; so the number of different keys is estimated from the bits they set, and shown as
/// "about". With --json, `keys` is what it counted and `keys_by_bits` the estimate; the README of
/// the crate amq-cli has a table of all fields, with their types and units.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// The filters' files; `-` is standard input
    #[arg(required = true, value_name = "FILTER")]
    filters: Vec<PathBuf>,

    /// Print JSON, a line for each filter
    #[arg(long)]
    json: bool,

    /// Draw how full the table is
    #[arg(long, conflicts_with = "json")]
    picture: bool,
}

const EXAMPLES: &str = "\
Examples:
  $ amq info seen.amq
  $ amq info --json seen.amq
  $ amq info --picture seen.amq";

impl Arguments {
    pub(crate) fn run(&self) -> anyhow::Result<Outcome> {
        for path in &self.filters {
            let (header, file) = input::look(path)?;
            let name = input::name(path);
            let mut text = if self.json {
                format!("{}\n", in_json(&name, header, &file))
            } else {
                in_words(&name, header, &file)?
            };
            if self.picture {
                text += &picture::draw(file.filter().into_inner())?;
            }
            Text::print(&text)?;
        }
        Ok(Outcome::Done)
    }
}

/// The seed of a filter in a file; `None` if the hash of its keys is the caller's.
fn seed_text(header: FileInfo, file: &AnyFile) -> Option<&'static str> {
    match header.hashed_by {
        HashedBy::Seed if header.withheld || file.filter().into_inner().seed() != DEFAULT_SEED => {
            Some("secret")
        }
        HashedBy::Seed => Some("public"),
        HashedBy::Caller | HashedBy::Key => None,
    }
}

/// What its keys are hashed by: its id, and in words.
const fn hash(header: FileInfo) -> (&'static str, &'static str) {
    match header.hashed_by {
        HashedBy::Seed => ("xxh3-64", "XXH3-64 under a seed"),
        HashedBy::Caller => ("caller", "that of the program that made the filter"),
        HashedBy::Key => ("siphash-1-3", "SipHash-1-3 under a secret key"),
    }
}

/// How its keys were encoded: its id, and in words.
const fn encoding(header: FileInfo) -> Option<(&'static str, &'static str)> {
    match header.encoding {
        KeyEncoding::Unknown => None,
        KeyEncoding::Bytes => Some(("bytes", "text or bytes")),
        KeyEncoding::Integers => Some(("integers", "integers: ask with --key-type u64")),
        KeyEncoding::Hex => Some(("hex", "bytes in hexadecimal digits: ask with --key-type hex")),
        KeyEncoding::Dates => Some(("dates", "dates: ask for days since 1970, --key-type u64")),
        KeyEncoding::Instants => Some(("instants", "instants: ask in SQL, or in a program")),
        KeyEncoding::Mixed => Some(("mixed", "of several types: ask with --key-type")),
    }
}

fn in_words(name: &str, header: FileInfo, file: &AnyFile) -> Result<String, std::fmt::Error> {
    let filter = file.filter().into_inner();
    let stats = filter.stats();
    let kind = filter.kind();
    let mut text = format!("{name}: {kind} filter\n");
    let mut row = |name: &str, value: String| writeln!(text, "  {name:<12} {value}");
    row("kind", kind.id().into())?;
    let asked = input::budget(filter).map_or("parameters by hand".into(), budget_text);
    row("asked for", asked)?;
    let held = Held::of(filter);
    row("keys", format!("{} of {} planned", held.count(), grouped(stats.capacity)))?;
    let bits = held.bits_per_key(filter);
    let bits = bits.map(|bits| format!(", {bits:.2} bits per {}", held.unit()));
    row("table", format!("{}{}", bytes_text(stats.bytes), bits.unwrap_or_default()))?;
    row("in use", format!("{:.1} %", stats.load_factor * 100.0))?;
    row("rate now", rate_text(stats.expected_fpr))?;
    if stats.saturated > 0 {
        row("saturated", format!("{} places", grouped(stats.saturated)))?;
    }
    let (_, hash) = hash(header);
    let place = match (header.withheld, header.hashed_by) {
        (true, _) => ", which is not in the file",
        (false, HashedBy::Key) => ", which is in the file: keep the file secret",
        _ => "",
    };
    row("hash", format!("{hash}{place}"))?;
    if let Some(seed) = seed_text(header, file) {
        row("seed", seed.into())?;
    }
    row("keys are", encoding(header).map_or("not said", |(_, words)| words).into())?;
    let parameters = filter.parameters().into_iter().map(|parameter| parameter.to_string());
    row("parameters", parameters.collect::<Vec<_>>().join(", "))?;
    // All kinds can be saved, and queried in a mapped file.
    let all = |ability: &Ability| matches!(ability, Ability::Save | Ability::Map);
    let can = Abilities::of(kind).iter().filter(|ability| !all(ability));
    let can = can.map(|ability| words(&format!("{ability:?}")));
    row("abilities", can.collect::<Vec<_>>().join(", "))?;
    Ok(text)
}

/// `NeverFull` as `never full`.
fn words(name: &str) -> String {
    let mut text = String::new();
    for (i, letter) in name.chars().enumerate() {
        if i > 0 && letter.is_uppercase() {
            text.push(' ');
        }
        text.extend(letter.to_lowercase());
    }
    text
}

pub(super) fn in_json(name: &str, header: FileInfo, file: &AnyFile) -> Value {
    let filter = file.filter().into_inner();
    let stats = filter.stats();
    let asked = match input::budget(filter) {
        None => Value::Null,
        Some(Budget::Fpr(fpr)) => json!({ "fpr": fpr }),
        Some(Budget::BitsPerKey(bits)) => json!({ "bits_per_key": bits }),
        Some(Budget::Bytes(bytes)) => json!({ "bytes": bytes }),
    };
    json!({
        "file": name,
        "kind": filter.kind().id(),
        "asked": asked,
        "keys": stats.len,
        "keys_by_bits": estimate(filter).map(|(_, keys)| keys),
        "planned": stats.capacity,
        "bytes": stats.bytes,
        // Over the different keys, as in words. JSON has no infinity: of no keys there are none.
        "bits_per_key": (stats.len > 0).then(|| Held::of(filter).all_bits_per_key(filter)),
        "load": stats.load_factor,
        "rate_now": stats.expected_fpr,
        "saturated": stats.saturated,
        // Without a seed the caller hashes the keys.
        "seed": seed_text(header, file),
        "hash": hash(header).0,
        // The seed or key is not in the file.
        "withheld": header.withheld,
        "encoding": encoding(header).map(|(id, _)| id),
        "parameters": parameters(filter),
    })
}

/// The parameters, by the names that the library has for them.
fn parameters(filter: &AnyFilter) -> Map<String, Value> {
    let value = |value: ParameterValue| match value {
        ParameterValue::Whole(number) => json!(number),
        ParameterValue::Real(number) => json!(number),
        ParameterValue::Wholes(numbers) => json!(numbers),
        ParameterValue::Limit(limit) => json!(limit),
        _ => Value::Null,
    };
    let parameters = filter.parameters().into_iter();
    parameters.map(|parameter| (parameter.name.to_owned(), value(parameter.value))).collect()
}
