//! `amq info`: describes filters.

use super::bins;
use crate::exit::{Outcome, complain, note};
use crate::input::{self, budget_text};
use crate::numbers::{self, bytes_text, grouped, rate_text};
use crate::recorded::{Recorded, is_bins};
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

/// Describe filters: kind, keys, size, rate
///
/// Prints the kind, the parameters, the number of keys, the size, and the present false-positive
/// rate. A secret seed is not shown.
///
/// A Bloom filter counts only keys that were new to it, and a union adds the counts of its filters;
/// so the number of distinct keys is estimated from the bits that are set, and shown as "about".
/// With --json, `keys` is the count and `keys_by_bits` the estimate; FIELDS.md of the crate amq-cli
/// has all fields, with their types and units.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES, visible_alias = "stats", alias = "show")]
pub(crate) struct Arguments {
    /// The filters' files; `-` is standard input
    #[arg(required = true, value_name = "FILTER")]
    filters: Vec<PathBuf>,

    /// Print JSON, a line for each filter; for an unreadable one, `file` and `error`
    #[arg(long)]
    json: bool,

    /// Print metrics for Prometheus, as its node exporter reads them from a text file
    #[arg(long, conflicts_with = "json")]
    prometheus: bool,

    /// Fail with status 1 if a filter's false-positive rate is higher than this: 2%, 0.02 or 1/50
    #[arg(long, value_name = "RATE", value_parser = numbers::rate)]
    max_rate: Option<f64>,

    /// Fail with status 1 if more of a filter's table is in use than this: 95%, 0.95 or 19/20
    #[arg(long, value_name = "SHARE", value_parser = numbers::share)]
    max_load: Option<f64>,
}

const EXAMPLES: &str = "\
Examples:
  $ amq info seen.amq
  $ amq info --json seen.amq
  $ amq info --max-rate 2% --max-load 95% seen.amq
  $ amq info --prometheus seen.amq > seen.prom

Exit status: 0 if done; 1 if a filter is beyond --max-rate or --max-load; 2 on
an error.";

impl Arguments {
    pub(crate) fn run(&self) -> anyhow::Result<Outcome> {
        let mut outcome = Outcome::Done;
        let mut metrics = Metrics::default();
        for (at, path) in self.filters.iter().enumerate() {
            // A metric has one sample per file.
            if self.prometheus && self.filters[..at].contains(path) {
                continue;
            }
            let name = input::name(path);
            if !self.prometheus && is_bins(path) {
                match Recorded::load(path) {
                    Ok(file) if self.json => {
                        Text::print(&format!("{}\n", bins::in_json(&name, &file)))?;
                    }
                    Ok(file) => Text::print(&bins::in_words(&name, &file)?)?,
                    Err(error) => {
                        if self.json {
                            let told = json!({ "file": name, "error": format!("{error:#}") });
                            Text::print(&format!("{told}\n"))?;
                        }
                        complain(&error);
                        outcome = Outcome::Told;
                    }
                }
                continue;
            }
            let (header, file) = match input::look(path) {
                Ok(read) => read,
                Err(error) => {
                    if self.json {
                        let told = json!({ "file": name, "error": format!("{error:#}") });
                        Text::print(&format!("{told}\n"))?;
                    }
                    complain(&error);
                    metrics.add(&name, None);
                    outcome = Outcome::Told;
                    continue;
                }
            };
            metrics.add(&name, Some(&file));
            match (self.json, self.prometheus) {
                (true, _) => Text::print(&format!("{}\n", in_json(&name, header, &file)))?,
                (_, true) => {}
                _ => Text::print(&in_words(&name, header, &file)?)?,
            }
            if self.is_beyond(&name, &file) && outcome == Outcome::Done {
                outcome = Outcome::Nothing;
            }
        }
        if self.prometheus {
            Text::print(&metrics.text())?;
        }
        Ok(outcome)
    }

    /// Whether a filter errs too often or is too full; if so, prints a note.
    fn is_beyond(&self, name: &str, file: &AnyFile) -> bool {
        let filter = file.filter().into_inner();
        let (rate, load) = (filter.expected_fpr(), filter.load_factor());
        let beyond = |is: f64, most: Option<f64>| most.filter(|&most| is > most);
        let rates = beyond(rate, self.max_rate);
        if let Some(most) = rates {
            let (rate, most) = (rate_text(rate), rate_text(most));
            note(&format!("{name}: its rate is {rate}, above the {most} of --max-rate"));
        }
        let loads = beyond(load, self.max_load);
        if let Some(most) = loads {
            let [load, most] = [load, most].map(|share| share * 100.0);
            note(&format!("{name}: {load:.1} % is in use, above the {most:.1} % of --max-load"));
        }
        rates.is_some() || loads.is_some()
    }
}

/// Samples in Prometheus' text format, grouped by metric.
#[derive(Default)]
struct Metrics([String; METRICS.len()]);

/// Each metric's name and help text.
const METRICS: [(&str, &str); 7] = [
    ("amq_readable", "Whether the filter could be read and is whole."),
    ("amq_keys", "Keys that the filter holds, by its own count."),
    ("amq_planned_keys", "Keys that the filter was planned for."),
    ("amq_bytes", "Size of the table."),
    ("amq_load_ratio", "Share of the table in use."),
    ("amq_false_positive_rate", "The false-positive rate that the filter has now."),
    ("amq_saturated", "Counters or blocks that are full."),
];

impl Metrics {
    fn add(&mut self, name: &str, file: Option<&AnyFile>) {
        let mut values = vec![0.0];
        let mut kind = String::new();
        if let Some(file) = file {
            let filter = file.filter().into_inner();
            let stats = filter.stats();
            kind = format!(",kind=\"{}\"", filter.kind().id());
            let counts = [stats.len, stats.capacity, stats.bytes].map(|count| count as f64);
            values = vec![1.0];
            values.extend(counts);
            values.extend([stats.load_factor, stats.expected_fpr, stats.saturated as f64]);
        }
        let name = name.replace('\\', r"\\").replace('"', "\\\"").replace('\n', r"\n");
        for ((samples, (metric, _)), value) in self.0.iter_mut().zip(METRICS).zip(values) {
            let kind = if metric == "amq_readable" { "" } else { &kind };
            *samples += &format!("{metric}{{file=\"{name}\"{kind}}} {value}\n");
        }
    }

    fn text(&self) -> String {
        let metric = |(samples, (name, about)): (&String, (&str, &str))| match samples.as_str() {
            "" => String::new(),
            _ => format!("# HELP {name} {about}\n# TYPE {name} gauge\n{samples}"),
        };
        self.0.iter().zip(METRICS).map(metric).collect()
    }
}

/// The seed of a filter in a file; `None` if the caller hashes its keys.
fn seed_text(header: FileInfo, file: &AnyFile) -> Option<&'static str> {
    match header.hashed_by {
        HashedBy::Seed if header.withheld || file.filter().into_inner().seed() != DEFAULT_SEED => {
            Some("secret")
        }
        HashedBy::Seed => Some("public"),
        HashedBy::Caller | HashedBy::Key => None,
    }
}

/// The hash of its keys: its id, and in words.
const fn hash(header: FileInfo) -> (&'static str, &'static str) {
    match header.hashed_by {
        HashedBy::Seed => ("xxh3-64", "XXH3-64 under a seed"),
        HashedBy::Caller => ("caller", "that of the program that made the filter"),
        HashedBy::Key => ("siphash-1-3", "SipHash-1-3 under a secret key"),
    }
}

/// The encoding of its keys: its id, and in words.
pub(super) const fn encoding(of: KeyEncoding) -> Option<(&'static str, &'static str)> {
    match of {
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
    row("keys are", encoding(header.encoding).map_or("not said", |(_, words)| words).into())?;
    let parameters = filter.parameters().into_iter().map(|parameter| parameter.to_string());
    row("parameters", parameters.collect::<Vec<_>>().join(", "))?;
    // Omitted: every kind can be saved, and queried in a mapped file.
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

pub(crate) fn in_json(name: &str, header: FileInfo, file: &AnyFile) -> Value {
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
        // Over the distinct keys, as in the text. JSON has no infinity: null without keys.
        "bits_per_key": (stats.len > 0).then(|| Held::of(filter).all_bits_per_key(filter)),
        "load": stats.load_factor,
        "rate_now": stats.expected_fpr,
        "saturated": stats.saturated,
        // Without a seed the caller hashes the keys.
        "seed": seed_text(header, file),
        "hash": hash(header).0,
        // The seed or key is not in the file.
        "withheld": header.withheld,
        "encoding": encoding(header.encoding).map(|(id, _)| id),
        "parameters": parameters(filter),
    })
}

/// The parameters, by their names in the library.
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
