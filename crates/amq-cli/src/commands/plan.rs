//! `amq plan`: sizes by formula, before anything is built.

use crate::exit::Outcome;
use crate::kinds::KindParser;
use crate::numbers::{self, bytes_text, of, rate_text};
use crate::stdio::Text;
use crate::table::table;
use amq::{AnyFilter, Budget, FilterKind, Goal};
use clap::Args;
use serde_json::json;

/// Show how large filters will be
///
/// Prints a table for each number of keys: bytes, and bits per key, of each kind at each rate. They
/// are computed by formula: nothing is built, and no key is needed.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// Numbers of keys, separated by commas: 1000000, 1_000_000, 1e6 or 1M
    #[arg(short = 'n', long = "keys", value_name = "N", value_parser = numbers::counts)]
    #[arg(default_value = "1e6", allow_hyphen_values = true)]
    keys: Vec<Counts>,

    /// False-positive rates, separated by commas: 1%, 0.01, 1e-2 or 1/100
    #[arg(long, value_name = "RATE", value_parser = numbers::rate, allow_hyphen_values = true)]
    #[arg(value_delimiter = ',', default_value = "10%,1%,0.1%,1e-6")]
    fpr: Vec<f64>,

    /// Only these kinds, separated by commas
    #[arg(short, long, value_name = "KIND", value_parser = KindParser, ignore_case = true)]
    #[arg(value_delimiter = ',')]
    kind: Vec<FilterKind>,

    /// Print JSON: a line for each kind, number and rate
    #[arg(long)]
    json: bool,
}

/// The values of one option: clap would read a plain vector as separate options.
type Counts = Vec<u64>;

const EXAMPLES: &str = "\
Examples:
  $ amq plan --keys 1e6,1e9 --fpr 1%,0.1%
  $ amq plan --keys 250000 --kind bloom,ribbon --json";

/// The number of rates that fit side by side in 80 columns.
const RATES: usize = 4;

impl Arguments {
    pub(crate) fn run(&self) -> anyhow::Result<Outcome> {
        let kinds = if self.kind.is_empty() { AnyFilter::KINDS } else { &self.kind };
        let texts = self.keys.iter().flatten().map(|&keys| match self.json {
            true => self.in_json(keys, kinds),
            false => self.in_words(keys, kinds),
        });
        let texts: Vec<String> = texts.collect();
        let text = texts.join(if self.json { "" } else { "\n" });
        Text::print(&text)?;
        Ok(Outcome::Done)
    }

    fn in_words(&self, keys: u64, kinds: &[FilterKind]) -> String {
        let mut text = format!("{} at a rate of\n", of(keys, "key"));
        for rates in self.fpr.chunks(RATES) {
            let names: Vec<String> = rates.iter().map(|&fpr| rate_text(fpr)).collect();
            let columns = names.iter().flat_map(|name| [name.as_str(), "bits/\nkey"]);
            let head: Vec<&str> = std::iter::once("").chain(columns).collect();
            let row = |&kind: &FilterKind| {
                let mut row = vec![kind.id().to_owned()];
                for &fpr in rates {
                    match AnyFilter::plan(kind, Goal::new(keys, Budget::Fpr(fpr))) {
                        Ok(plan) => {
                            let bits = format!("{:.2}", plan.bits_per_key());
                            row.extend([bytes_text(plan.bytes), bits]);
                        }
                        // Out of this kind's reach.
                        Err(_) => row.extend(["-".into(), "-".into()]),
                    }
                }
                row
            };
            let mut rows: Vec<Vec<String>> = kinds.iter().map(row).collect();
            let mut least = vec!["(least possible)".to_owned()];
            for &fpr in rates {
                let bits = -fpr.log2();
                let bytes = (keys as f64 * bits / 8.0).ceil() as u64;
                least.extend([bytes_text(bytes), format!("{bits:.2}")]);
            }
            rows.push(least);
            text += &table(&head, &rows);
        }
        text
    }

    fn in_json(&self, keys: u64, kinds: &[FilterKind]) -> String {
        let mut text = String::new();
        for &kind in kinds {
            for &fpr in &self.fpr {
                let goal = Goal::new(keys, Budget::Fpr(fpr));
                let line = match AnyFilter::plan(kind, goal) {
                    Ok(plan) => json!({
                        "kind": kind.id(),
                        "keys": keys,
                        "fpr": fpr,
                        "bytes": plan.bytes,
                        "bits_per_key": plan.bits_per_key(),
                        "expected_fpr": plan.expected_fpr,
                        "build_bytes": plan.build_bytes,
                    }),
                    Err(error) => json!({
                        "kind": kind.id(),
                        "keys": keys,
                        "fpr": fpr,
                        "error": error.to_string(),
                    }),
                };
                text += &format!("{line}\n");
            }
        }
        text
    }
}
