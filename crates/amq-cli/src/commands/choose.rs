//! `amq choose`: ranks the filters for a workload.

use crate::answer;
use crate::commands::build;
use crate::exit::Outcome;
use crate::kinds;
use crate::numbers;
use crate::stdio::Text;
use crate::table::folded;
use amq::{Abilities, Budget, FilterKind, Goal};
use amq_advisor::{Answer, First, Keys, KeysBy, Need, Structure, Workload, choose};
use clap::builder::{PossibleValue, PossibleValuesParser, StyledStr, TypedValueParser};
use clap::error::{ContextKind, ContextValue};
use clap::{Arg, Args, Command, ValueEnum};
use std::ffi::OsStr;

/// Rank the filters that meet your needs, or name two needs that conflict
#[derive(Args, Debug)]
#[command(after_help = AFTER)]
pub(crate) struct Arguments {
    #[command(flatten)]
    number: Number,

    /// All keys are known when the filter is built
    #[arg(long = "static")]
    built_once: bool,

    /// The false-positive rate to keep: 1%, 0.01 or 1/100 [default: 1% if no size is given]
    #[arg(long, value_name = "RATE", value_parser = numbers::rate, allow_hyphen_values = true)]
    fpr: Option<f64>,

    /// The most bits per key
    #[arg(long, value_name = "BITS", value_parser = numbers::bits, allow_hyphen_values = true)]
    bits_per_key: Option<f64>,

    /// The most bytes of the tables of all filters together, without file headers
    #[arg(long, value_name = "SIZE", value_parser = numbers::size, allow_hyphen_values = true)]
    bytes: Option<u64>,

    #[arg(long, value_name = "NEED", value_parser = NeedParser, value_delimiter = ',')]
    #[arg(help = needs(), hide_possible_values = true)]
    need: Vec<Need>,

    /// Count how often a key was inserted, up to this number
    #[arg(long, value_name = "MOST", value_parser = numbers::whole::<1, { u32::MAX }>)]
    count: Option<u32>,

    /// How often a key occurs on average, or in how many of the merged parts
    #[arg(long, value_name = "MEAN", value_parser = numbers::mean)]
    copies: Option<f64>,

    /// Forget by time, one of N periods at a time: the last N - 1 are remembered whole, and --keys
    /// is the number in all N [without a value: 8]
    #[arg(long, value_name = "N", num_args = 0..=1, default_missing_value = "8")]
    #[arg(value_parser = generations)]
    forget: Option<u32>,

    /// Store a value of this many bits for each key
    #[arg(long, value_name = "BITS", value_parser = numbers::whole::<1, 32>)]
    values: Option<u32>,

    /// The share of queries for absent keys
    #[arg(long, value_name = "SHARE", value_parser = numbers::share, default_value = "50%")]
    absent: f64,

    /// The cost of a false positive, a lookup that finds nothing: 500ns, 20us, 5ms
    #[arg(long, value_name = "TIME", value_parser = numbers::nanoseconds)]
    false_positive: Option<f64>,

    /// The cost of looking up a present key
    #[arg(long, value_name = "TIME", value_parser = numbers::nanoseconds, default_value = "0ns")]
    lookup: f64,

    /// Queries for each key inserted
    #[arg(long, value_name = "N", value_parser = numbers::mean, default_value = "1")]
    queries_per_key: f64,

    /// What to minimise; tail: the slowest inserts [default: time with --false-positive, else
    /// memory]
    #[arg(long, value_name = "WHAT", value_enum)]
    first: Option<Spared>,

    /// The number of filters, each of --keys keys; for filters to be merged, --keys is the union's
    #[arg(long, value_name = "N", value_parser = numbers::count, default_value = "1")]
    filters: u64,

    /// Threads that query the filter at the same time; with --need shared-insert they also insert
    #[arg(long, value_name = "N", value_parser = numbers::whole::<1, { u32::MAX }>)]
    #[arg(default_value = "1")]
    threads: u32,

    /// Strangers choose the keys
    #[arg(long)]
    strangers: bool,

    /// Bytes of a key
    #[arg(long, value_name = "N", value_parser = numbers::size, default_value = "8")]
    key_bytes: u64,

    /// Keys (or values) that change between two versions of a set that is sent to others
    #[arg(long, value_name = "N", value_parser = numbers::count)]
    changes: Option<u64>,

    /// The keys are integers below this, such as 4e9 or 2^32
    #[arg(long, value_name = "N", value_parser = numbers::bound)]
    integers_below: Option<u64>,

    /// Print JSON, with all choices, what does not qualify, and all notes
    #[arg(long)]
    json: bool,
}

/// The number of keys: one of two options.
#[derive(Args, Debug)]
#[group(required = true, multiple = false)]
struct Number {
    /// The number of keys, or the most there will be: 1000000, 1_000_000 or 1e6; with --forget, in
    /// all periods together
    #[arg(short = 'n', long, alias = "at-most", value_name = "N", value_parser = numbers::count)]
    #[arg(allow_hyphen_values = true)]
    keys: Option<u64>,

    /// The number is unknown: start with room for this many keys, then grow
    #[arg(long, value_name = "N", value_parser = numbers::count, allow_hyphen_values = true)]
    unknown_from: Option<u64>,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Spared {
    Memory,
    Time,
    Tail,
}

/// Reads `--forget`, for which users may give a time instead of a number.
fn generations(text: &str) -> Result<u32, String> {
    numbers::whole::<2, 4096>(text).map_err(|error| {
        format!(
            "{error}: the generations of the window, such as 8 for an hour in steps of 7.5 minutes"
        )
    })
}

/// Reads the words of `--need`; the error for a synonym names the word that it means.
#[derive(Clone, Copy, Debug)]
struct NeedParser;

impl TypedValueParser for NeedParser {
    type Value = Need;

    fn parse_ref(
        &self,
        command: &Command,
        option: Option<&Arg>,
        value: &OsStr,
    ) -> Result<Need, clap::Error> {
        let word = value.to_str().unwrap_or_default();
        word.parse().or_else(|_| {
            let parser = PossibleValuesParser::new(words());
            let known = parser.parse_ref(command, option, value).map_err(|mut error| {
                let Some(meant) = Need::meant(word) else { return error };
                let tip = match meant.starts_with("--") {
                    true => format!("that is an option: '{meant}'"),
                    false => format!("a similar value exists: '{meant}'"),
                };
                error.remove(ContextKind::SuggestedValue);
                let tips = ContextValue::StyledStrs(vec![StyledStr::from(tip)]);
                error.insert(ContextKind::Suggested, tips);
                error
            })?;
            Ok(known.parse().unwrap_or(Need::Exact))
        })
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        Some(Box::new(words()))
    }
}

/// The help of `--need`: each word with its line.
fn needs() -> String {
    let lines = Need::WORDS.map(|(word, about, _)| format!("{word}: {}", about.to_lowercase()));
    format!("What it must do, separated by commas; {}", lines.join("; "))
}

fn words() -> impl Iterator<Item = PossibleValue> {
    Need::WORDS.into_iter().map(|(word, ..)| PossibleValue::new(word))
}

const AFTER: &str = "\
Ranked by memory, or by time if --false-positive is given: then within the size
you allow, or twice the fewest bits. Times marked ~ are extrapolated. The keys
themselves, a sketch that counts, or no filter come first where that is better.

Examples:
  $ amq choose --keys 1e6 --fpr 1% --static
  $ amq choose --keys 1e7 --need remove,files --bits-per-key 12
  $ amq choose --keys 1e6 --static --false-positive 20us --queries-per-key 10
  $ amq choose --keys 1e8 --need shared-insert --threads 8 --first time
  $ amq choose --keys 5e6 --fpr 0.1% --static --changes 20000 --key-bytes 30
  $ amq choose --unknown-from 1000 --fpr 0.1% --json";

impl Arguments {
    pub(crate) fn run(&self) -> anyhow::Result<Outcome> {
        let answer = choose(&self.workload());
        let text = match &answer {
            Ok(answer) if self.json => {
                format!("{}\n", answer::in_json(answer, self.build(answer)))
            }
            Ok(answer) => self.in_words(answer),
            // As JSON; the error is also printed to standard error.
            Err(error) if self.json => format!("{}\n", answer::refusal_in_json(error)),
            Err(_) => String::new(),
        };
        Text::print(&text)?;
        Ok(answer.map(|_| Outcome::Done)?)
    }

    fn workload(&self) -> Workload {
        let unknown = Keys::Unknown { start: self.number.unknown_from.unwrap_or(1) };
        let keys = self.number.keys.map_or(unknown, Keys::AtMost);
        let mut workload = Workload::new(keys)
            .with_absent(self.absent)
            .with_threads(self.threads)
            .with_filters(self.filters)
            .with_lookup_ns(self.lookup)
            .with_queries_per_key(self.queries_per_key)
            .with_key_bytes(self.key_bytes);
        if let Some(fpr) = self.fpr {
            workload = workload.with_fpr(fpr);
        }
        if let Some(bits) = self.bits_per_key {
            workload = workload.with_bits_per_key(bits);
        }
        if let Some(bytes) = self.bytes {
            workload = workload.with_bytes(bytes);
        }
        if self.built_once {
            workload = workload.built_once();
        }
        if self.strangers {
            workload = workload.with_keys_by(KeysBy::Strangers);
        }
        if let Some(ns) = self.false_positive {
            workload = workload.with_false_positive_ns(ns);
        }
        workload = self.need.iter().fold(workload, |workload, &need| workload.need(need));
        if let Some(mean) = self.copies {
            workload = workload.with_copies(mean);
        }
        if let Some(first) = self.first {
            workload = workload.with_first(match first {
                Spared::Memory => First::Memory,
                Spared::Time => First::Time,
                Spared::Tail => First::Tail,
            });
        }
        if let Some(keys) = self.changes {
            workload = workload.with_changes(keys);
        }
        if let Some(below) = self.integers_below {
            workload = workload.with_integers_below(below);
        }
        if let Some(generations) = self.forget {
            workload = workload.need(Need::Forget { generations });
        }
        if let Some(most) = self.count {
            workload = workload.need(Need::Count { most });
        }
        if let Some(bits) = self.values {
            workload = workload.need(Need::Values { bits });
        }
        workload
    }

    /// The command that builds the first choice, ready to run; `None` if only the library can build
    /// it.
    fn build(&self, answer: &Answer) -> Option<String> {
        let (kind, goal) = self.built(answer)?;
        let size = match goal.budget {
            Budget::Bytes(bytes) => format!("--bytes {bytes}"),
            Budget::BitsPerKey(bits) => format!("--bits-per-key {bits}"),
            Budget::Fpr(fpr) => format!("--fpr {fpr}"),
        };
        // With --keys, more keys may follow, parts to be merged get the same plan, and no hashes
        // are kept.
        let is_planned = Abilities::of(kind).insert;
        let planned = if is_planned { format!(" --keys {}", goal.keys) } else { String::new() };
        let unique = if self.is_unique(kind) { " --unique" } else { "" };
        let bytes = self.memory(kind, goal)?;
        let memory = match numbers::size(build::MEMORY).is_ok_and(|default| bytes > default) {
            true => format!(" --memory {}GB", bytes.div_ceil(1_000_000_000)),
            false => String::new(),
        };
        let seed = if self.strangers { " --key-file KEY" } else { "" };
        let kind = kind.id();
        Some(format!("amq build -o FILE --kind {kind} {size}{planned}{unique}{memory}{seed} KEYS"))
    }

    /// The kind and goal of the first choice, if `amq build` builds what the answer describes: it
    /// gives a filter that grows to a bound its full size at once, and inserts every copy of a key.
    fn built(&self, answer: &Answer) -> Option<(FilterKind, Goal)> {
        let is_bounded = self.need.contains(&Need::Grow) && self.number.unknown_from.is_none();
        let is_over = self.count.zip(self.copies).is_some_and(|(most, mean)| mean > most.into());
        let (Structure::Filter(kind), goal) = (answer.best().structure, answer.best().goal?) else {
            return None;
        };
        let is_full = is_over && !Abilities::of(kind).never_full;
        (!is_bounded && !is_full).then_some((kind, goal))
    }

    /// The copies per key, if they are neither counted nor due to parts that are merged.
    fn repeats(&self) -> f64 {
        let are_kept = self.count.is_some() || self.need.contains(&Need::Merge);
        self.copies.filter(|_| !are_kept).unwrap_or(1.0)
    }

    fn is_unique(&self, kind: FilterKind) -> bool {
        self.repeats() > 1.0 && kinds::keeps_copies(kind)
    }

    /// The memory that the command takes to build it.
    fn memory(&self, kind: FilterKind, goal: Goal) -> Option<u64> {
        let lines = (goal.keys as f64 * self.repeats()) as u64;
        let is_filled = Abilities::of(kind).insert && !self.is_unique(kind);
        build::memory(kind, goal, lines, is_filled).ok()
    }

    fn in_words(&self, answer: &Answer) -> String {
        let text = folded(&answer.to_string());
        let best = answer.best();
        match (self.build(answer), best.structure.import()) {
            (Some(build), _) => format!("{text}\nTo build the first: {build}\n"),
            (None, _) if !best.code.is_empty() => {
                let lines = best.code.lines().map(|line| format!("  {line}\n"));
                format!("{text}\nThe first in Rust:\n{}", lines.collect::<String>())
            }
            (None, import) if import.is_empty() => text,
            (None, import) => format!("{text}\nThe first in Rust: {import}\n"),
        }
    }
}
