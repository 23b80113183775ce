//! `amq choose`: which filter.

use crate::answer;
use crate::commands::build;
use crate::exit::Outcome;
use crate::kinds;
use crate::numbers;
use crate::stdio::Text;
use crate::table::folded;
use amq::{Abilities, Budget, FilterKind, Goal};
use amq_advisor::{
    Answer, Beyond, First, Keys, KeysBy, Need, Structure, Times, Workload, choose_by,
};
use anyhow::Context;
use clap::builder::{PossibleValue, PossibleValuesParser, StyledStr, TypedValueParser};
use clap::error::{ContextKind, ContextValue};
use clap::{Arg, Args, Command, ValueEnum};
use std::ffi::OsStr;
use std::fs;
use std::path::PathBuf;

/// Choose a filter
///
/// Plans every kind for the needs you name, ranks them, and gives a reason for each, including
/// those that do not qualify. It adds what else you should know, and says if you need no filter at
/// all. If nothing meets all needs, it names two that conflict.
///
/// Filters are ranked by memory, unless you give the cost of a false positive, or --first time:
/// then by time, within the size you allow, or else within twice the fewest bits. Sizes and rates
/// come from exact formulas; times were measured on one machine, and those marked ~ are
/// extrapolated. If the keys themselves take no more bytes than a filter, or a sketch counts in
/// fewer, those come first.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    #[command(flatten)]
    number: Number,

    /// The false-positive rate to keep: 1%, 0.01, 1e-2 or 1/100 [default: 1% if no size is given]
    #[arg(long, value_name = "RATE", value_parser = numbers::rate, allow_hyphen_values = true)]
    fpr: Option<f64>,

    /// The most bits per key
    #[arg(long, value_name = "BITS", value_parser = numbers::bits, allow_hyphen_values = true)]
    bits_per_key: Option<f64>,

    /// The most bytes; with --filters, of all together
    #[arg(long, value_name = "SIZE", value_parser = numbers::size, allow_hyphen_values = true)]
    bytes: Option<u64>,

    /// All keys are known when the filter is built, and none is added later
    #[arg(long = "static")]
    built_once: bool,

    /// What the filter must be able to do, separated by commas
    #[arg(long, value_name = "NEED", value_parser = NeedParser, value_delimiter = ',')]
    need: Vec<Need>,

    /// Count how often a key was inserted, up to this number: filters of this family count to 14, a
    /// count-min sketch further
    #[arg(long, value_name = "MOST", value_parser = numbers::whole::<1, { u32::MAX }>)]
    count: Option<u32>,

    /// How often a key occurs on average: repeats in a stream; copies to be counted, of which at
    /// most --count are kept; or, with --need merge, the number of parts that hold it [default: 1;
    /// with --count, that number]
    #[arg(long, value_name = "MEAN", value_parser = numbers::mean)]
    copies: Option<f64>,

    /// Forget by time, one of this many generations at a time: a sliding window, expiry, the last
    /// hour of a stream. The number of keys is that of all generations together, the one being
    /// filled included: with 2, only half of the keys are sure to be remembered; with 8, seven
    /// eighths
    #[arg(long, value_name = "GENERATIONS", num_args = 0..=1, default_missing_value = "8")]
    #[arg(value_parser = generations)]
    forget: Option<u32>,

    /// Store a value of this many bits for each key; with --fpr, and check bits that detect all but
    /// that share of the absent keys
    #[arg(long, value_name = "BITS", value_parser = numbers::whole::<1, 32>)]
    values: Option<u32>,

    /// The share of queries for keys that are not in: 90%, 0.9 or 9/10
    #[arg(long, value_name = "SHARE", value_parser = numbers::share, default_value = "50%")]
    absent: f64,

    /// What to rank by [default: time if --false-positive is given, else memory]
    #[arg(long, value_name = "WHAT", value_enum)]
    first: Option<Spared>,

    /// The price of memory: what a bit per key is worth, in time per query, such as 0.5ns
    #[arg(long, value_name = "TIME", value_parser = numbers::nanoseconds)]
    bit_price: Option<f64>,

    /// The most bytes while it is built; with --filters, of one
    #[arg(long, value_name = "SIZE", value_parser = numbers::size)]
    build_bytes: Option<u64>,

    /// The cost of a false positive, the lookup that finds nothing: 500ns, 20us, 5ms. With
    /// --absent, it tells whether a filter is worth having
    #[arg(long, value_name = "TIME", value_parser = numbers::nanoseconds)]
    false_positive: Option<f64>,

    /// The cost of looking up a key that is in
    #[arg(long, value_name = "TIME", value_parser = numbers::nanoseconds, default_value = "0ns")]
    lookup: f64,

    /// Queries for each key inserted
    #[arg(long, value_name = "N", value_parser = numbers::mean, default_value = "1")]
    queries_per_key: f64,

    /// The number of filters, each with that many keys: sizes in the answer are those of one, and
    /// --bytes is for all
    #[arg(long, value_name = "N", value_parser = numbers::count, default_value = "1")]
    filters: u64,

    /// Threads that use it at the same time
    #[arg(long, value_name = "N", value_parser = numbers::whole::<1, { u32::MAX }>)]
    #[arg(default_value = "1")]
    threads: u32,

    /// Strangers choose the keys
    #[arg(long)]
    strangers: bool,

    /// Bytes of a key: for the time to hash it, and the size of the keys themselves
    #[arg(long, value_name = "N", value_parser = numbers::size, default_value = "8")]
    key_bytes: u64,

    /// Keys added or removed from one version to the next, in a set that is sent to others: says
    /// whether to send the filter or the changes. With --need reconcile, the most keys in which two
    /// sets differ
    #[arg(long, value_name = "N", value_parser = numbers::count)]
    changes: Option<u64>,

    /// The keys are integers below this, such as 4e9 or 2^32: an exact bitmap or sorted list may be
    /// smaller
    #[arg(long, value_name = "N", value_parser = numbers::bound)]
    integers_below: Option<u64>,

    /// Times measured on your own machine, as written by `amq-bench fit`
    #[arg(long, value_name = "FILE")]
    times: Option<PathBuf>,

    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// How many keys: one of three.
#[derive(Args, Debug)]
#[group(required = true, multiple = false)]
struct Number {
    /// The number of keys: 1000000, 1_000_000 or 1e6
    #[arg(short = 'n', long, value_name = "N", value_parser = numbers::count)]
    #[arg(allow_hyphen_values = true)]
    keys: Option<u64>,

    /// The number is not known, but this at most
    #[arg(long, value_name = "N", value_parser = numbers::count, allow_hyphen_values = true)]
    at_most: Option<u64>,

    /// The number is not known: room for this many at first, then growth
    #[arg(long, value_name = "N", value_parser = numbers::count, allow_hyphen_values = true)]
    unknown_from: Option<u64>,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Spared {
    /// The fewest bits
    Memory,
    /// The fewest nanoseconds
    Time,
    /// The fewest nanoseconds at the 99.9th percentile of inserts: the tail latency
    Tail,
}

/// Reads `--forget`, which people give a time.
fn generations(text: &str) -> Result<u32, String> {
    numbers::whole::<2, 4096>(text).map_err(|error| {
        format!(
            "{error}: the generations of the window, such as 8 for an hour in steps of 7.5 minutes"
        )
    })
}

/// Reads the words for `--need`; of another word for one of them it says which that is.
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

/// Each with a line about it: what this family does, and what it does not.
fn words() -> impl Iterator<Item = PossibleValue> {
    let known = Need::WORDS.map(|(word, about, _)| PossibleValue::new(word).help(about));
    let beyond = Beyond::ALL.map(|it| {
        let about = format!("Name what {}, since no filter of this family does", it.wanted);
        PossibleValue::new(it.name).help(about)
    });
    known.into_iter().chain(beyond)
}

const EXAMPLES: &str = "\
Examples:
  $ amq choose --keys 1e6 --fpr 1% --static
  $ amq choose --at-most 1e7 --need remove,files --bits-per-key 12 --absent 90%
  $ amq choose --keys 1e6 --static --false-positive 20us --queries-per-key 10
  $ amq choose --at-most 1e8 --need shared-insert --threads 8 --first time
  $ amq choose --at-most 1e6 --count 10 --copies 3
  $ amq choose --keys 5e6 --fpr 0.1% --static --changes 20000 --key-bytes 30
  $ amq choose --keys 100 --filters 1e6 --static
  $ amq choose --keys 1e6 --absent 5% --false-positive 100ns
  $ amq choose --keys 1e6 --need exact
  $ amq choose --unknown-from 1000 --fpr 0.1% --json";

impl Arguments {
    pub(crate) fn run(&self) -> anyhow::Result<Outcome> {
        let times = self.times().inspect_err(|error| {
            if self.json {
                // The error itself goes to standard error.
                let _ = Text::print(&format!("{}\n", answer::error_in_json(&format!("{error:#}"))));
            }
        })?;
        let answer = choose_by(&self.workload()?, &times);
        let text = match &answer {
            Ok(answer) if self.json => {
                format!("{}\n", answer::in_json(answer, &times, self.build(answer)))
            }
            Ok(answer) => self.in_words(answer),
            // For programs; the error says the same to people.
            Err(error) if self.json => format!("{}\n", answer::refusal_in_json(error)),
            Err(_) => String::new(),
        };
        Text::print(&text)?;
        Ok(answer.map(|_| Outcome::Done)?)
    }

    fn times(&self) -> anyhow::Result<Times> {
        let Some(path) = &self.times else { return Ok(Times::committed()) };
        let name = || path.display().to_string();
        let text = fs::read_to_string(path).with_context(name)?;
        Times::parse(&text).with_context(name)
    }

    fn workload(&self) -> anyhow::Result<Workload> {
        let keys = match (self.number.keys, self.number.at_most, self.number.unknown_from) {
            (Some(keys), _, _) => Keys::Exactly(keys),
            (_, Some(most), _) => Keys::AtMost(most),
            (_, _, start) => Keys::Unknown { start: start.unwrap_or(1) },
        };
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
        if let Some(ns) = self.bit_price {
            workload = workload.with_bit_ns(ns);
        }
        if let Some(bytes) = self.build_bytes {
            workload = workload.with_build_bytes(bytes);
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
        Ok(workload)
    }

    /// The command that builds the first choice, as it stands; what it cannot build is a library's.
    fn build(&self, answer: &Answer) -> Option<String> {
        let (kind, goal) = self.built(answer)?;
        let size = match goal.budget {
            Budget::Bytes(bytes) => format!("--bytes {bytes}"),
            Budget::BitsPerKey(bits) => format!("--bits-per-key {bits}"),
            Budget::Fpr(fpr) => format!("--fpr {fpr}"),
        };
        // Keys come later, parts that are merged are planned alike, and none is held to be counted.
        let is_planned = Abilities::of(kind).insert;
        let planned = if is_planned { format!(" --keys {}", goal.keys) } else { String::new() };
        let unique = if self.is_unique(kind) { " --unique" } else { "" };
        let bytes = self.memory(kind, goal).filter(|&bytes| bytes <= self.most())?;
        let memory = match numbers::size(build::MEMORY).is_ok_and(|default| bytes > default) {
            true => format!(" --memory {}GB", bytes.div_ceil(1_000_000_000)),
            false => String::new(),
        };
        let seed = if self.strangers { " --key-file KEY" } else { "" };
        let kind = kind.id();
        Some(format!("amq build -o FILE --kind {kind} {size}{planned}{unique}{memory}{seed} KEYS"))
    }

    /// The kind and the goal of the first choice, if `amq build` builds it as it is in the answer:
    /// what grows to a bound begins at its full size there, and each copy of a key is inserted.
    fn built(&self, answer: &Answer) -> Option<(FilterKind, Goal)> {
        let is_bounded = self.need.contains(&Need::Grow) && self.number.unknown_from.is_none();
        let is_over = self.count.zip(self.copies).is_some_and(|(most, mean)| mean > most.into());
        let (Structure::Filter(kind), goal) = (answer.best().structure, answer.best().goal?) else {
            return None;
        };
        let is_full = is_over && !Abilities::of(kind).never_full;
        (!is_bounded && !is_full).then_some((kind, goal))
    }

    /// The most bytes that a build may take.
    fn most(&self) -> u64 {
        self.build_bytes.unwrap_or(u64::MAX)
    }

    /// How often a line comes that is neither counted nor kept for each part that is merged.
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

    /// What the command would take beyond the memory that is allowed to build it.
    fn beyond(&self, answer: &Answer) -> Option<String> {
        let (kind, goal) = self.built(answer)?;
        let bytes = self.memory(kind, goal).filter(|&bytes| bytes > self.most())?;
        let [bytes, most] = [bytes, self.most()].map(numbers::bytes_text);
        Some(format!(
            "\n`amq build` would take {bytes}, with 8 bytes for each line: more than {most}. From\n\
             hashes that you hold, the library's `build_hashes` does not."
        ))
    }

    fn in_words(&self, answer: &Answer) -> String {
        let text = folded(&answer.to_string());
        let beyond = self.beyond(answer).unwrap_or_default();
        match (self.build(answer), answer.best().structure.import()) {
            (Some(build), _) => format!("{text}\nTo build the first: {build}\n"),
            (None, import) if import.is_empty() => text,
            (None, import) => format!("{text}{beyond}\nThe first in Rust: {import}\n"),
        }
    }
}
