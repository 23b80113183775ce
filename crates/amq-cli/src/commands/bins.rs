//! `amq bins`: which of many sets may hold a key.

use super::build::MEMORY;
use super::info;
use crate::arguments::KeyArgs;
use crate::blocks::{BLOCK, Source};
use crate::exit::{Outcome, note};
use crate::input;
use crate::keys::{KeyType, Shape};
use crate::kinds;
use crate::lock::Wait;
use crate::mapped::MappedBins;
use crate::memory::reserve;
use crate::numbers::{self, bytes_text, grouped, of, rate_text};
use crate::output::Output;
use crate::pipeline::{GO_ON, Hashed, Keys};
use crate::progress;
use crate::recorded::Recorded;
use crate::replace::Existing;
use crate::spool::HASH;
use crate::stdio::{Text, is_dash};
use amq::interleaved::{Bins, SizeClass};
use amq::{Budget, Bytes, DEFAULT_SEED, FilterKind, Goal, InterleavedBloomFilter, KeyHash, Secret};
use anyhow::{Context, bail};
use clap::{Args, Subcommand};
use serde_json::{Value, json};
use std::ffi::OsString;
use std::fmt::Write;
use std::fs;
use std::path::PathBuf;

/// Say which of many sets may hold a key
///
/// An interleaved Bloom filter has a bin for each set: for each file, day, or tenant. One lookup
/// says which bins may hold a key. A bin that holds it is always among them; each other bin is with
/// the false-positive rate, so that at 1 % some ten of a thousand are.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    command: Command,
}

const EXAMPLES: &str = "\
Examples:
  $ amq bins build -o days.amq keys.txt more.txt    # a bin for each file
  $ amq bins query days.amq key7                    # the files that may have it
  $ amq info days.amq";

#[derive(Subcommand, Debug)]
enum Command {
    Build(BuildArguments),
    Query(QueryArguments),
}

/// Build a filter with a bin for each file of keys
///
/// A bin has the name of its file. All bins have the size that the largest file needs, so files of
/// very different sizes take less in several filters. The hashes of all keys, 8 bytes each, are
/// kept in memory meanwhile.
#[derive(Args, Debug)]
// A bin is a file.
#[command(after_help = BUILD_EXAMPLES, mut_arg("keys", |key| key.hide(true)))]
struct BuildArguments {
    /// The file to write; `-` is standard output
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,

    /// The false-positive rate of a bin: 1%, 0.01, 1e-2 or 1/100
    #[arg(long, value_name = "RATE", value_parser = numbers::rate, allow_hyphen_values = true)]
    #[arg(default_value = "1%")]
    fpr: f64,

    /// The most memory for the filter and the hashes of keys: a filter that needs more is refused
    /// before it is built. Reading and hashing take about 10 MB more
    #[arg(long, value_name = "SIZE", value_parser = numbers::size, default_value = MEMORY)]
    memory: u64,

    /// A seed of your own, decimal or 0x and hexadecimal
    #[arg(long, value_name = "SEED", value_parser = numbers::seed, allow_hyphen_values = true)]
    seed: Option<u64>,

    /// Replace the output if it exists
    #[arg(short, long)]
    force: bool,

    /// No report and no progress bar on standard error
    #[arg(short, long)]
    quiet: bool,

    #[command(flatten)]
    wait: Wait,

    #[command(flatten)]
    keys: KeyArgs,
}

const BUILD_EXAMPLES: &str = "\
Examples:
  $ amq bins build -o days.amq monday.txt tuesday.txt
  $ amq bins query days.amq key7";

/// Print the bins that may hold a key
///
/// Prints the name of each bin that may hold the key, a line each. Of several keys, and of keys
/// from standard input, each line begins with the key and a tab.
///
/// The file is mapped, and each key reads eight rows of it. Only the header is checked, so a
/// damaged file may give wrong answers; --verify reads and checks all of it first. A filter from
/// standard input is always checked.
#[derive(Args, Debug)]
#[command(after_help = QUERY_EXAMPLES)]
struct QueryArguments {
    /// The filter's file; `-` is standard input
    filter: PathBuf,

    /// The keys; without any, they are the lines of standard input. Keys that begin with a dash and
    /// are no numbers follow `--`
    #[arg(value_name = "KEY", allow_negative_numbers = true)]
    keys: Vec<OsString>,

    /// Print the bins that may hold all of the keys
    #[arg(long)]
    all: bool,

    /// Print only how many bins there are
    #[arg(short, long)]
    count: bool,

    /// Check all of the file first, as amq verify does; a damaged one gives no answers
    #[arg(long)]
    verify: bool,

    /// How to read a key [default: as the filter's file says, else as text]
    #[arg(long, value_name = "TYPE", value_enum)]
    key_type: Option<KeyType>,

    /// Ignore case, by Unicode case folding. Neither this nor --trim is recorded in the filter:
    /// give what the build was given
    #[arg(short, long)]
    ignore_case: bool,

    /// Strip white space from both ends of a key
    #[arg(long)]
    trim: bool,
}

const QUERY_EXAMPLES: &str = "\
Examples:
  $ amq bins query days.amq 203.0.113.7
  $ amq bins query --all days.amq alice bob   # days that may hold both
  $ amq bins query --count days.amq alice
  $ amq bins query days.amq < keys.txt

Exit status: 0 if any bin was printed or counted, 1 if none was, 2 on an error.";

impl Arguments {
    pub(crate) fn run(&self) -> anyhow::Result<Outcome> {
        match &self.command {
            Command::Build(arguments) => arguments.run(),
            Command::Query(arguments) => arguments.run(),
        }
    }
}

impl BuildArguments {
    fn run(&self) -> anyhow::Result<Outcome> {
        let output = Output::new(&self.output, Existing::forced(self.force))?.waiting(self.wait);
        output.not_among(self.keys.files.iter().map(PathBuf::as_path))?;
        for file in self.keys.files.iter().filter(|file| !is_dash(file)) {
            // Without the hint of other commands, that a key may have been meant.
            fs::metadata(file).with_context(|| input::name(file))?;
        }
        let keys = self.keys.keys([])?;
        if keys.sources.iter().any(|source| matches!(source, Source::Given(_))) {
            bail!("--key: a bin is a file of keys; give their names");
        }
        let mut sets: Vec<Vec<KeyHash>> = vec![Vec::new(); keys.sources.len()];
        let seed = self.seed.unwrap_or(DEFAULT_SEED);
        let bar = progress::bar(keys.bytes, self.quiet);
        let mut held = 0;
        let read = keys.run(
            Secret::Seed(seed),
            &bar,
            &Hashed,
            |work| {
                let set = &mut sets[work.source];
                let more = work.hashes.len();
                held += more as u64 * HASH;
                if held > self.memory {
                    bail!(
                        "the hashes of these keys take more while the filter is built, and \
                         --memory allows {}: allow more, or build a filter each of fewer files",
                        bytes_text(self.memory)
                    );
                }
                if set.capacity() - set.len() < more {
                    // As a vector grows by itself, but with an error where there is no memory.
                    reserve(set, more.max(set.len())).context("no memory for the hashes")?;
                }
                set.extend_from_slice(&work.hashes);
                GO_ON
            },
            || Ok(()),
        )?;
        bar.finish_and_clear();
        self.affordable(&keys.sources, &sets)?;
        let mut filter = InterleavedBloomFilter::build_hashes(Budget::Fpr(self.fpr), seed, &sets)?;
        filter.set_names(keys.sources.iter().map(Source::name))?;
        let file = Recorded { filter, encoding: keys.encoding(read) };
        output.write(&file)?;
        let filter = &file.filter;
        if !self.quiet {
            note(&format!(
                "{}: {} in {}, {}",
                output.name(),
                keys_text(filter.len(), read),
                of(filter.bin_count(), "bin"),
                bytes_text(filter.size_in_bytes())
            ));
        }
        Ok(Outcome::Done)
    }
}

impl BuildArguments {
    /// Refuses sets whose filter would take too much memory, and says how to divide them.
    fn affordable(&self, sources: &[Source], sets: &[Vec<KeyHash>]) -> anyhow::Result<()> {
        let budget = Budget::Fpr(self.fpr);
        let sizes: Vec<u64> = sets.iter().map(|set| set.len() as u64).collect();
        let largest = (0..sizes.len()).max_by_key(|&set| sizes[set]).unwrap_or(0);
        let bytes = taken(budget, &sizes)?;
        if bytes <= self.memory {
            return Ok(());
        }
        // The fewest filters that are small enough.
        let fits = |class: &SizeClass| -> anyhow::Result<bool> {
            let sizes: Vec<u64> = class.sets.iter().map(|&set| sizes[set]).collect();
            Ok(taken(budget, &sizes)? <= self.memory)
        };
        let mut parts = String::new();
        for division in InterleavedBloomFilter::classes(budget, &sizes)? {
            let [first, rest @ .., last] = &division.classes[..] else { continue };
            if !division.classes.iter().map(fits).collect::<Result<Vec<_>, _>>()?.contains(&false) {
                write!(parts, ", or build {} files of bins: of ", division.classes.len())?;
                match first.sets.len() {
                    1 => parts += "the largest file of keys",
                    more => write!(parts, "the {} largest files of keys", grouped(more as u64))?,
                }
                for class in rest {
                    write!(parts, ", of the next {}", grouped(class.sets.len() as u64))?;
                }
                write!(parts, ", and of the other {}", grouped(last.sets.len() as u64))?;
                break;
            }
        }
        bail!(
            "{} filter of these keys takes {} while it is built, and --memory allows {}: allow \
             more, take a higher rate{parts}. All bins have the size of the largest: {}, {}",
            kinds::a(FilterKind::Interleaved),
            bytes_text(bytes),
            bytes_text(self.memory),
            sources.get(largest).map(Source::name).unwrap_or_default(),
            of(sizes.get(largest).copied().unwrap_or(0), "key"),
        )
    }
}

/// A bin counts its new keys, and misses those that were false positives when inserted.
fn keys_text(counted: u64, read: u64) -> String {
    match counted < read {
        true => format!("at least {} different of {}", grouped(counted), of(read, "key")),
        false => of(read, "key"),
    }
}

/// The memory to build a filter of sets of these sizes from their hashes.
fn taken(budget: Budget, sizes: &[u64]) -> anyhow::Result<u64> {
    let largest = sizes.iter().copied().max().unwrap_or(0);
    let bins = sizes.len() as u64;
    let table = InterleavedBloomFilter::plan(bins, Goal::new(largest, budget))?;
    // Up to 64 bins are filled as single filters, and then transposed.
    let single = table.params.blocks.saturating_mul(32);
    let hashes = sizes.iter().fold(0u64, |sum, &keys| sum.saturating_add(keys * HASH));
    Ok(table.bytes.saturating_add(single.saturating_mul(bins.min(64))).saturating_add(hashes))
}

impl QueryArguments {
    fn run(&self) -> anyhow::Result<Outcome> {
        let keys = self.keys()?;
        if self.verify || !self.filter.is_file() {
            return self.print(keys, &Recorded::load(&self.filter)?);
        }
        match MappedBins::open(&self.filter) {
            Ok(mapped) => {
                let outcome = self.print(keys, &mapped.file)?;
                mapped.check().with_context(|| input::name(&self.filter))?;
                Ok(outcome)
            }
            // Loading says what is wrong.
            Err(_) => self.print(keys, &Recorded::load(&self.filter)?),
        }
    }

    /// Prints the requested information about the filter.
    fn print<B: Bytes>(&self, mut keys: Keys, file: &Recorded<B>) -> anyhow::Result<Outcome> {
        let filter = &file.filter;
        keys.shape.key_type = match self.key_type {
            Some(asked) if filter.is_empty() => asked,
            asked => KeyType::suited(asked, file.encoding, &input::name(&self.filter))?,
        };
        let mut bins = Bins::default();
        let mut to = Text::new();
        let mut hashes = Vec::new();
        let mut found = false;
        // A single key needs no saying.
        let is_one = self.keys.len() == 1;
        keys.run(
            Secret::Seed(filter.seed()),
            &progress::bar(None, true),
            &Hashed,
            |work| {
                if self.all {
                    reserve(&mut hashes, work.hashes.len()).context("no memory for the keys")?;
                    hashes.extend_from_slice(&work.hashes);
                    return GO_ON;
                }
                for (line, &hash) in work.lines().zip(&work.hashes) {
                    filter.bins_hash_into(hash, &mut bins);
                    found |= !bins.is_empty();
                    let key = line.strip_suffix(b"\n").unwrap_or(line);
                    let key = key.strip_suffix(b"\r").unwrap_or(key);
                    let head = |to: &mut Text| match is_one {
                        true => Ok(()),
                        false => to.write(key).and_then(|()| to.write(b"\t")),
                    };
                    if self.count {
                        head(&mut to)?;
                        to.write(format!("{}\n", bins.count()).as_bytes())?;
                        continue;
                    }
                    for bin in bins.iter() {
                        head(&mut to)?;
                        to.write(format!("{}\n", name(filter, bin)).as_bytes())?;
                    }
                }
                GO_ON
            },
            || Ok(()),
        )?;
        if self.all {
            let bins: Vec<usize> = match hashes.split_first() {
                None => Vec::new(),
                Some((&first, others)) => {
                    let mut left: Vec<usize> = filter.bins_hash(first).iter().collect();
                    for &hash in others {
                        let bins = filter.bins_hash(hash);
                        left.retain(|&bin| bins.contains(bin));
                    }
                    left
                }
            };
            found = !bins.is_empty();
            if self.count {
                to.write(format!("{}\n", bins.len()).as_bytes())?;
            } else {
                for &bin in &bins {
                    to.write(format!("{}\n", name(filter, bin)).as_bytes())?;
                }
            }
        }
        to.flush()?;
        Ok(Outcome::found(found))
    }

    /// The keys that were given, or those of standard input.
    fn keys(&self) -> anyhow::Result<Keys> {
        let shape = Shape {
            end: b'\n',
            strip_cr: true,
            key_type: KeyType::Text,
            trim: self.trim,
            fold: self.ignore_case,
            split: None,
        };
        let source = if self.keys.is_empty() {
            if is_dash(&self.filter) {
                bail!("standard input is the filter: give the keys, or name its file");
            }
            Source::Stdin
        } else {
            let mut given = Vec::new();
            for key in &self.keys {
                let key = key.as_encoded_bytes();
                if key.contains(&shape.end) {
                    bail!("a key with a line feed in it: each line is a key");
                }
                given.extend_from_slice(key);
                given.push(shape.end);
            }
            Source::Given(given)
        };
        source.check(false, None)?;
        Ok(Keys {
            sources: vec![source],
            shape,
            columns: None,
            raw: false,
            asked: self.key_type,
            max_key_len: 1 << 20,
            block: BLOCK,
            room: u64::MAX,
            threads: 1,
            bytes: None,
        })
    }
}

/// A bin's name, or its number if it has none. The names of a stranger's file may contain control
/// characters, which are escaped: they could forge a line, or command the terminal.
fn name<B: Bytes>(filter: &InterleavedBloomFilter<B>, bin: usize) -> String {
    match filter.name(bin) {
        "" => bin.to_string(),
        name => name.chars().fold(String::new(), |text, c| match c.is_control() {
            true => text + &c.escape_default().to_string(),
            false => text + c.encode_utf8(&mut [0; 4]),
        }),
    }
}

/// What a filter of bins is, for programs.
pub(crate) fn in_json(name: &str, file: &Recorded) -> Value {
    let filter = &file.filter;
    json!({
        "file": name,
        "kind": FilterKind::Interleaved.id(),
        "bins": filter.bin_count(),
        "keys": filter.len(),
        "planned_keys": filter.capacity(),
        "bytes": filter.size_in_bytes(),
        "blocks": filter.params().blocks,
        "encoding": info::encoding(file.encoding).map(|(id, _)| id),
    })
}

/// What a filter of bins is.
pub(crate) fn in_words(name: &str, file: &Recorded) -> anyhow::Result<String> {
    let filter = &file.filter;
    let bins = filter.bin_count();
    let largest = (0..bins as usize).max_by_key(|&bin| filter.bin_len(bin)).unwrap_or(0);
    let mut text = String::new();
    writeln!(text, "{name}: {} filter", FilterKind::Interleaved)?;
    writeln!(text, "  bins         {}", grouped(bins))?;
    writeln!(text, "  keys         counted {}", grouped(filter.len()))?;
    let (keys, called) = (filter.bin_len(largest), self::name(filter, largest));
    writeln!(text, "  largest bin  {}, {called}", of(keys, "key"))?;
    writeln!(text, "  rate         {} in that bin", rate_text(filter.expected_fpr(largest)?))?;
    writeln!(text, "  size         {}", bytes_text(filter.size_in_bytes()))?;
    let seed = if filter.seed() == DEFAULT_SEED { "public" } else { "its own" };
    writeln!(text, "  seed         {seed}")?;
    let encoding = info::encoding(file.encoding).map_or("not said", |(_, words)| words);
    writeln!(text, "  keys are     {encoding}")?;
    Ok(text)
}
