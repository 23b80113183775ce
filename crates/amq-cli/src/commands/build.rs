//! `amq build`: builds a filter of keys.

use crate::arguments::{BudgetArgs, KeyArgs, SeedArgs};
use crate::exit::{Outcome, note};
use crate::gathered::Gathered;
use crate::kinds::{self, KindParser};
use crate::lock::Wait;
use crate::numbers::{self, bytes_text, grouped};
use crate::output::Output;
use crate::pipeline::{GO_ON, Hashed, Keys};
use crate::progress;
use crate::replace::Existing;
use crate::report::{self, Held};
use crate::spool::{HASH, Spool};
use crate::stdio::is_dash;
use amq::{
    Abilities, AnyError, AnyFile, AnyFilter, AnyPlan, Budget, BuildError, DEFAULT_SEED, Filter,
    FilterKind, Goal, InsertError, KeyEncoding, KeyInfo, Keyed, Secret,
};
use anyhow::{anyhow, bail};
use clap::Args;
use rayon::{ThreadPool, ThreadPoolBuilder};
use serde_json::json;
use std::path::PathBuf;

/// Build a filter of keys
///
/// Without --keys, the keys are counted first: their hashes, 8 bytes per key, are kept in memory up
/// to a quarter of --memory, then in a temporary file (in the folder that TMPDIR names). Kinds that
/// insert are then filled from these hashes; ribbon and fuse filters need all of them in memory.
/// With --keys, kinds that insert are filled as the keys are read, and no hashes are kept.
///
/// Repeated lines take no space in a filter that cannot remove: if more than 4 lines in 100 are
/// repeated, it is sized for the distinct keys. They are counted if all hashes are in memory;
/// otherwise it is sized for an upper bound, 4 % (five standard deviations) above an estimate, to
/// keep the rate asked for. Kinds that remove store a copy of each line, unless --unique is given.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES, override_usage = USAGE, aliases = ["create", "new", "make"])]
pub(crate) struct Arguments {
    /// The file to write; `-` is standard output. `{kind}` in its name is replaced by the kind
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,

    /// The kind of filter, or several separated by commas
    #[arg(short, long, value_name = "KIND", value_parser = KindParser::Every, ignore_case = true)]
    #[arg(value_delimiter = ',', default_value = "bloom")]
    kind: Vec<FilterKind>,

    /// The number of keys, if you know it: 1000000, 1_000_000, 1e6 or 1M. More keys are an error,
    /// except for kinds that grow
    #[arg(short = 'n', long = "keys", value_name = "N", value_parser = numbers::count)]
    #[arg(allow_hyphen_values = true)]
    planned: Option<u64>,

    /// Insert each key once. Kinds that remove otherwise store a copy of each line
    #[arg(short, long)]
    unique: bool,

    /// The most memory for the filter and the hashes of keys: a filter that needs more is refused
    /// before it is built. Reading and hashing take about 10 MB more
    #[arg(long, value_name = "SIZE", value_parser = numbers::size, default_value = MEMORY)]
    memory: u64,

    /// Replace the output if it exists
    #[arg(short, long)]
    force: bool,

    /// No report and no progress bar on standard error
    #[arg(short, long)]
    quiet: bool,

    /// Print JSON instead, a line for each filter: the fields of `amq info --json`, and `read`
    #[arg(long)]
    json: bool,

    #[command(flatten)]
    wait: Wait,

    #[command(flatten)]
    budget: BudgetArgs,

    #[command(flatten)]
    seed: SeedArgs,

    #[command(flatten)]
    keys: KeyArgs,
}

/// The default of --memory.
pub(crate) const MEMORY: &str = "1GiB";

const USAGE: &str = "\
amq build -o FILE (--fpr RATE | --bits-per-key BITS | --bytes SIZE) [OPTIONS] [KEYS]...";

const EXAMPLES: &str = "\
Examples:
  $ amq build -o seen.amq --fpr 1% keys.txt
  $ sort -u keys.txt more.txt | amq build -o all.amq --fpr 1/1000
  $ amq build -o small.amq --bits-per-key 8 --kind blocked-bloom keys.txt
  $ amq build -o '{kind}.amq' --fpr 1% --kind cuckoo,quotient --unique keys.txt
  $ find . -type f -print0 | amq build -0 -o - --fpr 1% > files.amq

The output is written to a temporary file, synced and renamed: after a crash you
have the old file or the new one. Standard output may be cut short.";

impl Arguments {
    pub(crate) fn run(&self) -> anyhow::Result<Outcome> {
        let outputs = self.outputs()?;
        for (_, output) in &outputs {
            output.not_among(self.keys.files.iter().map(PathBuf::as_path))?;
            output.not_among(self.seed.key_file())?;
        }
        let keys = self.keys.keys(self.seed.key_file())?;
        let budget = self.budget.budget()?;
        for &(kind, _) in &outputs {
            self.plannable(kind, budget)?;
        }
        let secret = self.seed.secret()?;
        let fills = |kind: FilterKind| Abilities::of(kind).insert;
        let all_fill = outputs.iter().all(|&(kind, _)| fills(kind));
        match self.planned {
            Some(planned) if all_fill && !self.unique => {
                self.fill(&keys, Goal::new(planned, budget), secret, &outputs)?;
            }
            _ => self.collect(&keys, budget, secret, &outputs)?,
        }
        Ok(Outcome::Done)
    }

    /// Each kind and its output.
    fn outputs(&self) -> anyhow::Result<Vec<(FilterKind, Output)>> {
        let pattern = self.output.to_str().filter(|name| name.contains("{kind}"));
        let mut kinds = self.kind.clone();
        // Each kind once, in the order given.
        let mut seen = Vec::new();
        kinds.retain(|kind| !seen.contains(kind) && (seen.push(*kind), true).1);
        if kinds.len() > 1 && pattern.is_none() {
            let reason = if is_dash(&self.output) {
                "standard output takes one"
            } else {
                "write {kind} in the name of the output, as in -o 'seen.{kind}.amq'"
            };
            bail!("--kind names several kinds: {reason}");
        }
        let output = |&kind: &FilterKind| {
            let path = pattern.map(|name| PathBuf::from(name.replace("{kind}", kind.id())));
            let path = path.as_deref().unwrap_or(&self.output);
            let output = Output::new(path, Existing::forced(self.force))?;
            Ok((kind, output.waiting(self.wait).telling(self.json)?))
        };
        kinds.iter().map(output).collect()
    }

    /// Refuses, before any key is read, a filter that cannot be planned or takes too much memory.
    fn plannable(&self, kind: FilterKind, budget: Budget) -> anyhow::Result<()> {
        let Some(planned) = self.planned else {
            // An invalid budget fails for any number of keys.
            return match AnyFilter::plan(kind, Goal::new(1 << 20, budget)) {
                Err(error @ (amq::PlanError::Fpr { .. } | amq::PlanError::BitsPerKey { .. })) => {
                    Err(error.into())
                }
                _ => Ok(()),
            };
        };
        let plan = AnyFilter::plan(kind, Goal::new(planned, budget))?;
        self.affordable(kind, taken(kind, &plan, 0).least)
    }

    fn affordable(&self, kind: FilterKind, bytes: u64) -> anyhow::Result<()> {
        if bytes <= self.memory {
            return Ok(());
        }
        let way = if Abilities::of(kind).insert {
            match self.budget.budget()? {
                Budget::Fpr(_) => "take a higher rate",
                Budget::BitsPerKey(_) => "take fewer bits per key",
                Budget::Bytes(_) => "take fewer bytes",
            }
        } else {
            "take a kind that is filled key by key, such as blocked-bloom"
        };
        bail!(
            "{} filter of these keys takes {} while it is built, and --memory allows {}: allow \
             more, or {way}",
            kinds::a(kind),
            bytes_text(bytes),
            bytes_text(self.memory)
        )
    }

    /// Fills filters planned for a known number of keys while the keys are read.
    fn fill(
        &self,
        keys: &Keys,
        goal: Goal,
        secret: Secret,
        outputs: &[(FilterKind, Output)],
    ) -> anyhow::Result<()> {
        let make =
            |&(kind, _): &(FilterKind, Output)| AnyFilter::with_seed(kind, goal, seed_of(secret));
        let mut filters: Vec<AnyFilter> = outputs.iter().map(make).collect::<Result<_, _>>()?;
        let mut new = vec![0; filters.len()];
        let bar = progress::bar(keys.bytes, self.quiet || self.json);
        let read = keys.run(
            secret,
            &bar,
            &Hashed,
            |work| {
                for (filter, new) in filters.iter_mut().zip(&mut new) {
                    let kind = filter.kind();
                    *new +=
                        filter.insert_batch(&work.hashes).map_err(|error| match full(&error) {
                            Some(InsertError::Table { len, .. }) if len >= goal.keys => {
                                too_many(kind, goal.keys)
                            }
                            _ => refused(error),
                        })?;
                    // A kind that is never full takes any number of copies.
                    let held = if Abilities::of(kind).never_full { *new } else { filter.len() };
                    match kinds::grows(kind) {
                        true => self.affordable(kind, filter.size_in_bytes())?,
                        false if held > goal.keys => return Err(too_many(kind, goal.keys)),
                        false => {}
                    }
                }
                GO_ON
            },
            || Ok(()),
        )?;
        bar.finish_and_clear();
        let how = How { secret, encoding: keys.encoding(read) };
        for (filter, (_, output)) in filters.into_iter().zip(outputs) {
            let held = Held::built(&filter, read, None);
            self.finish(how.file(filter), output, &held, read)?;
        }
        if read == 0 {
            note(NO_KEYS);
        }
        Ok(())
    }

    /// Builds filters once all hashes are there.
    fn collect(
        &self,
        keys: &Keys,
        budget: Budget,
        secret: Secret,
        outputs: &[(FilterKind, Output)],
    ) -> anyhow::Result<()> {
        let bar = progress::bar(keys.bytes, self.quiet || self.json);
        let mut gathered = Gathered::new((self.memory / 4 / HASH) as usize);
        let read = keys.run(
            secret,
            &bar,
            &Hashed,
            |work| {
                gathered.extend(&work.hashes)?;
                GO_ON
            },
            || Ok(()),
        )?;
        bar.finish_and_clear();
        let how = How { secret, encoding: keys.encoding(read) };
        if self.unique {
            self.dedup(outputs[0].0, &mut gathered)?;
        }
        // Kinds that store copies are built first, before copies are dropped.
        let (copies, others): (Vec<_>, Vec<_>) =
            outputs.iter().partition(|(kind, _)| kinds::keeps_copies(*kind));
        let seed = seed_of(secret);
        let kept = !copies.is_empty() && !self.unique && gathered.has_copies();
        for (kind, output) in copies.into_iter().chain(others) {
            let number = self.number(*kind, &mut gathered)?.max(1);
            let goal = Goal::new(self.planned.unwrap_or(number), budget);
            let mut filter =
                self.build(*kind, goal, number, seed, keys.threads, &mut gathered.spool)?;
            if self.planned.is_none() && filter.len() > number {
                // The bound was exceeded: one run in three million, or keys chosen to mislead the
                // estimate.
                let number = gathered.spool.len();
                let goal = Goal::new(number, budget);
                filter =
                    self.build(*kind, goal, number, seed, keys.threads, &mut gathered.spool)?;
            }
            let held = Held::built(&filter, read, gathered.different);
            self.finish(how.file(filter), output, &held, read)?;
        }
        if read == 0 {
            note(NO_KEYS);
        } else if kept && !self.quiet && !self.json {
            if gathered.spool.in_memory().is_some() {
                gathered.dedup()?;
            }
            note(&gathered.copies());
        }
        Ok(())
    }

    /// The number of keys that a filter of this kind will hold, or an upper bound.
    fn number(&self, kind: FilterKind, gathered: &mut Gathered) -> anyhow::Result<u64> {
        let most = self.planned.filter(|_| !kinds::grows(kind)).unwrap_or(u64::MAX);
        let at_once = !Abilities::of(kind).insert || gathered.spool.in_memory().is_some();
        let mut number = gathered.spool.len();
        if !kinds::keeps_copies(kind) && gathered.different.is_none() {
            if number > most || (gathered.has_copies() && at_once) {
                self.dedup(kind, gathered)?;
                number = gathered.spool.len();
            } else {
                number = gathered.at_most();
            }
        }
        if number > most {
            return Err(too_many(kind, most));
        }
        Ok(number)
    }

    fn dedup(&self, kind: FilterKind, gathered: &mut Gathered) -> anyhow::Result<()> {
        self.affordable(kind, gathered.spool.len().saturating_mul(HASH))?;
        gathered.dedup()
    }

    /// Builds a filter for this goal, which will hold `number` keys.
    fn build(
        &self,
        kind: FilterKind,
        goal: Goal,
        number: u64,
        seed: u64,
        threads: usize,
        spool: &mut Spool,
    ) -> anyhow::Result<AnyFilter> {
        // A kind that grows may hold more than its goal; its final size is about that of a plan.
        let outgrown = number > goal.keys;
        let plan = AnyFilter::plan(kind, Goal::new(number.max(goal.keys), goal.budget))?;
        let at_once = taken(kind, &plan, spool.len()).most;
        // Kinds that insert do not need all hashes in memory. A cuckoo filter built at once stores
        // a set; only one filled key by key stores a copy of each line.
        let cuckoo = matches!(kind, FilterKind::Cuckoo | FilterKind::WindowedCuckoo);
        let copies = cuckoo && !self.unique;
        let scarce = spool.in_memory().is_none() || at_once > self.memory;
        if Abilities::of(kind).insert && (copies || scarce || outgrown) {
            self.affordable(kind, taken(kind, &plan, spool.held()).least)?;
            let mut filter = AnyFilter::with_seed(kind, goal, seed)?;
            spool.each(|hashes| filter.insert_batch(hashes).map(drop).map_err(refused))?;
            return Ok(filter);
        }
        self.affordable(kind, at_once)?;
        let hashes = spool.load()?;
        let beside = at_once - plan.build_bytes;
        let affordable =
            |&threads: &usize| plan.build_bytes_for(threads).saturating_add(beside) <= self.memory;
        let threads = (2..=threads).rev().find(affordable).unwrap_or(1);
        let filter = match pool(threads, hashes.len()) {
            Some(pool) => pool.install(|| AnyFilter::par_build_hashes(kind, goal, seed, hashes)),
            None => AnyFilter::build_hashes(kind, goal, seed, hashes),
        };
        filter.map_err(|error| refused(error.into()))
    }

    fn finish(&self, file: AnyFile, output: &Output, held: &Held, read: u64) -> anyhow::Result<()> {
        output.write(&file)?;
        if self.json {
            output.tell(&file, json!({ "read": read }))?;
        } else if !self.quiet {
            note(&report::line(file.filter().into_inner(), &output.name(), held));
            if self.seed.is_secret() {
                note("the seed is secret and in the file: keep the file secret, too");
            }
        }
        Ok(())
    }
}

/// The hash and the encoding of keys.
#[derive(Clone, Copy)]
struct How {
    secret: Secret,
    encoding: KeyEncoding,
}

/// The seed of the filter itself.
const fn seed_of(secret: Secret) -> u64 {
    match secret {
        Secret::Seed(seed) => seed,
        _ => DEFAULT_SEED,
    }
}

impl How {
    fn file(self, filter: AnyFilter) -> AnyFile {
        match self.secret {
            Secret::Key(key) => {
                let info = KeyInfo { encoding: self.encoding, withheld: true };
                AnyFile::Keyed(Keyed::of(filter, key), info)
            }
            _ => AnyFile::Keys(filter, self.encoding.into()),
        }
    }
}

const NO_KEYS: &str = "there were no keys: the filter is empty, and denies every key";

/// The error of a refused insert, if it is one.
const fn full(error: &AnyError) -> Option<InsertError> {
    match error {
        AnyError::Insert(full) => Some(*full),
        AnyError::Batch(batch) | AnyError::Build(BuildError::Insert(batch)) => Some(batch.error),
        _ => None,
    }
}

/// The ways out where copies fill a filter.
const COPIES: &str = "--unique takes each key once; to count copies, give the number of all of them \
                      to --keys, or take --kind counting";

/// A build error, with this command's ways out.
fn refused(error: AnyError) -> anyhow::Error {
    match full(&error) {
        Some(full @ InsertError::Copies { .. }) => anyhow!("{full}; {COPIES}"),
        // Copies fill the few slots of their key, even if there are no more keys than planned.
        Some(InsertError::Table { len, .. }) => anyhow!(
            "there is no slot left for one of the keys, after {} of them: {COPIES}, and otherwise a \
             larger --keys leaves more room",
            grouped(len)
        ),
        Some(full) => full.into(),
        None => error.into(),
    }
}

fn too_many(kind: FilterKind, planned: u64) -> anyhow::Error {
    let repeated = match kinds::keeps_copies(kind) && !Abilities::of(kind).never_full {
        true => format!("; each copy of a repeated line takes a slot: {COPIES}"),
        false => String::new(),
    };
    anyhow!(
        "there are more keys than the {} of --keys, and the filter would miss its rate or size: give \
         a larger number, or leave the option out to have the keys counted{repeated}",
        grouped(planned)
    )
}

/// Threads to build a filter of `keys` keys; `None` if the system refuses them, or if starting them
/// would take longer than the build.
fn pool(threads: usize, keys: usize) -> Option<ThreadPool> {
    let worth = threads > 1 && keys >= 100_000;
    worth.then(|| ThreadPoolBuilder::new().num_threads(threads).build().ok()).flatten()
}

/// The memory of a build, in bytes.
struct Taken {
    /// If kinds that insert are filled key by key.
    least: u64,
    /// If all hashes are in memory, and the filter is built from them at once.
    most: u64,
}

/// The memory to build a filter of a kind with `hashes` hashes in memory.
fn taken(kind: FilterKind, plan: &AnyPlan, hashes: u64) -> Taken {
    let hashes = hashes.saturating_mul(HASH);
    let bytes = if Abilities::of(kind).insert { plan.bytes } else { plan.build_bytes };
    Taken { least: bytes.saturating_add(hashes), most: plan.build_bytes.saturating_add(hashes) }
}

/// A `--memory` that suffices to build from this many lines: that of the filter alone for kinds
/// filled while lines are read, else also the hashes of all lines.
pub(crate) fn memory(
    kind: FilterKind,
    goal: Goal,
    lines: u64,
    is_filled: bool,
) -> anyhow::Result<u64> {
    let plan = AnyFilter::plan(kind, goal)?;
    Ok(taken(kind, &plan, if is_filled { 0 } else { lines }).least)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::Cli;
    use clap::Parser;

    #[test]
    fn the_memory_that_is_told_suffices_and_a_tenth_less_does_not() {
        let folder = tempfile::tempdir().unwrap();
        let [keys, out] = ["keys", "out.amq"].map(|name| folder.path().join(name));
        let lines: String = (0..50_000).map(|key| format!("{key}\n")).collect();
        std::fs::write(&keys, lines).unwrap();
        let (keys, out) = (keys.display(), out.display());
        for (kind, options, is_filled) in [
            (FilterKind::Bloom, "--keys 50000", true),
            (FilterKind::Quotient, "--keys 50000 --unique", false),
            (FilterKind::Ribbon, "", false),
        ] {
            let bytes = memory(kind, Goal::fpr(50_000, 0.01), 50_000, is_filled).unwrap();
            for (memory, suffices) in [(bytes, true), (bytes / 10 * 9, false)] {
                let line = format!(
                    "amq build -q -f -o {out} --kind {kind} --fpr 1% {options} --memory {memory} {keys}",
                    kind = kind.id()
                );
                let built = Cli::try_parse_from(line.split_whitespace()).unwrap().run();
                assert_eq!(built.is_ok(), suffices, "{line}: {built:?}");
            }
        }
    }
}
