//! `amq dedupe`: prints the first occurrence of each line.

use crate::arguments::{KeyArgs, SeedArgs};
use crate::exact::{Compared, Lines};
use crate::exit::{self, Outcome};
use crate::input::{self, budget_text};
use crate::kinds::{self, KindParser};
use crate::lock::Wait;
use crate::memory::reserve;
use crate::numbers::{self, bytes_text, expected, grouped, of, rate_text};
use crate::output::Output;
use crate::pipeline::{GO_ON, Hashed, Keys};
use crate::progress;
use crate::replace::Existing;
use crate::signals;
use crate::stdio::Text;
use crate::stdio::is_dash;
use crate::work::Work;
use amq::rolling::Rolling;
use amq::{
    Abilities, AnyFile, AnyFilter, BloomFilter, Budget, DEFAULT_SEED, Filter, FilterKind, Goal,
    KeyHash, KeyInfo, Keyed, Secret, SipKey,
};
use anyhow::{Context, anyhow, bail};
use clap::Args;
use std::cell::{Cell, RefCell};
use std::ops::ControlFlow::Continue;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Print each line the first time it occurs
///
/// Prints each line that has certainly not occurred before, at once and in order. A repeated line
/// is never printed. A new line is taken for a repeated one, and dropped, at the filter's
/// false-positive rate: of a million new lines, on average fewer than 1 at the default rate of
/// 1e-6, fewer than 1,000 at 0.1%, fewer than 10,000 at 1%. At the default rate, a million lines of
/// any length take at most 9 MB.
///
/// With --filter, the filter is kept in a file between runs, which is locked against other runs. It
/// is saved when all lines have been written, when SIGINT or SIGTERM ends the run, and every
/// --save-every. Any other failure leaves it as last saved: the next run prints the lines since
/// then again, so none is lost.
///
/// With --exact, the lines themselves are compared, and none is dropped. Lines that do not fit into
/// --memory go to temporary files of about the same size; from then on nothing is printed until all
/// lines have been read.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES, visible_aliases = ["uniq"], aliases = ["unique", "dedup"])]
pub(crate) struct Arguments {
    /// Keep the filter in this file, which is created if missing
    #[arg(short = 'F', long, value_name = "FILE")]
    filter: Option<PathBuf>,

    /// Also save the filter this often, after the lines printed so far: 30s, 5min
    #[arg(long, value_name = "TIME", value_parser = numbers::duration, requires = "filter")]
    save_every: Option<Duration>,

    /// The share of new lines that may be dropped: 1%, 0.01, 1e-2 or 1/100 [default: 1e-6]
    #[arg(long, value_name = "RATE", value_parser = numbers::rate, allow_hyphen_values = true)]
    fpr: Option<f64>,

    /// An upper bound on the number of distinct lines, if known: a filter of fixed size is smaller.
    /// More lines are an error, except for kinds that grow. Without it, the filter grows
    #[arg(short = 'n', long = "keys", value_name = "N", value_parser = numbers::count)]
    #[arg(allow_hyphen_values = true)]
    planned: Option<u64>,

    /// Forget a line after N other distinct lines, or up to a seventh more, and print it again if
    /// it recurs: for endless streams, in fixed memory
    #[arg(long, value_name = "N", value_parser = numbers::positive)]
    #[arg(conflicts_with_all = ["filter", "planned", "kind"])]
    forget: Option<u64>,

    /// Compare the lines themselves: none is dropped
    #[arg(long)]
    #[arg(conflicts_with_all = ["filter", "planned", "forget", "kind", "fpr", "SeedArgs"])]
    exact: bool,

    /// The folder for the temporary files of --exact [default: the one that TMPDIR names]
    #[arg(long, value_name = "FOLDER", requires = "exact")]
    temporary_folder: Option<PathBuf>,

    /// The most memory for the run, about 12 MB of it for the program: the run fails before its
    /// filter exceeds it. Lines of megabytes can exceed it. With --exact, the default is 1GiB
    #[arg(long, value_name = "SIZE", value_parser = numbers::size)]
    memory: Option<u64>,

    /// The kind of filter [default: bloom with --keys, else expandable-quotient]
    #[arg(short, long, value_name = "KIND", value_parser = KindParser::Inserting)]
    #[arg(ignore_case = true)]
    kind: Option<FilterKind>,

    /// Print the lines that have probably occurred before instead
    #[arg(short = 'v', long)]
    invert: bool,

    /// Exit with status 0 even if no line was printed
    #[arg(long)]
    zero: bool,

    /// Print to standard error how many lines were read, and how many may have been dropped
    #[arg(short, long)]
    stats: bool,

    #[command(flatten)]
    wait: Wait,

    #[command(flatten)]
    seed: SeedArgs,

    #[command(flatten)]
    keys: KeyArgs,
}

const EXAMPLES: &str = "\
Examples:
  $ amq dedupe keys.txt more.txt                # as awk '!seen[$0]++' does
  $ amq dedupe --filter lines.amq keys.txt      # and remembers them
  $ amq dedupe --filter lines.amq more.txt      # prints what was in neither
  $ amq dedupe --csv --field 1 table.csv        # the first line of each key
  $ amq dedupe --forget 1e6 keys.txt            # of the last million
  $ amq dedupe --keys 1e6 --fpr 0.1% --stats keys.txt
  $ amq dedupe --exact keys.txt more.txt        # in memory and temporary files

Exit status: 0 if any line was printed, or with --zero; 1 if none was; 2 on an
error.";

/// The share of new lines dropped by default.
const RATE: f64 = 1e-6;

/// The error where memory is refused.
const MEMORY: &str = "no memory for the lines of a block";

/// The default memory of --exact.
const EXACTLY: u64 = 1 << 30;

/// The most freed memory that the system's allocator keeps back (glibc: 32 MiB).
const HELD_BACK: u64 = 32 << 20;

/// The initial capacity where the number of lines is unknown: 4 kB. At ten million lines the table
/// has as many slots as if it had begun with room for 65,536.
const FIRST_ROOM: u64 = 1 << 10;

/// Generations of a window, which always holds the lines of all but one.
const GENERATIONS: u64 = 8;

/// The lines seen so far.
enum Seen {
    File(Box<AnyFile>),
    Window(Rolling<BloomFilter>),
}

/// The file of the filter.
struct Kept {
    output: Output,
    /// Whether this run created it, and has not saved to it yet.
    made: bool,
    /// Whether it was empty when this run began.
    empty: bool,
    saved: Instant,
}

/// The counts of a run.
#[derive(Default)]
struct Counts {
    lines: u64,
    new: u64,
    printed: u64,
}

impl Arguments {
    pub(crate) fn run(&self) -> anyhow::Result<Outcome> {
        let path = match self.filter.as_deref() {
            Some(path) if is_dash(path) => bail!("--filter: a file is needed, not a pipe"),
            other => other,
        };
        let output = path.map(|path| Output::new(path, Existing::Change)).transpose()?;
        if let Some(output) = &output {
            output.not_among(self.keys.files.iter().map(PathBuf::as_path))?;
            output.not_among(self.seed.key_file())?;
        }
        let mut keys = self.keys.keys(self.seed.key_file())?;
        keys.not_into_themselves()?;
        if let Some(memory) = self.memory.or(self.exact.then_some(EXACTLY)) {
            keys.within(memory);
        }
        if self.exact {
            return self.run_exact(&keys);
        }
        // Read once: a key file may be a pipe.
        let given = self.seed.given()?;
        let (seen, mut kept) = match (path, self.forget) {
            (Some(path), _) => {
                let (file, kept) = self.kept(path, &keys, given)?;
                (Seen::File(file.into()), Some(kept))
            }
            (None, Some(lines)) => (self.window(lines, given)?, None),
            (None, None) => (Seen::File(self.fresh(&keys, given)?.into()), None),
        };
        let keys = match &seen {
            Seen::File(file) => keys.suited(file, &path.map_or_else(String::new, input::name))?,
            Seen::Window(_) => keys,
        };
        if kept.is_some() {
            signals::end_keys();
        }
        let before = seen.filter().len();
        let seen = RefCell::new(seen);
        let ended = self.print_firsts(&keys, given, &seen, kept.as_mut());
        let mut seen = seen.into_inner();
        let counts = match (ended, &mut kept) {
            (Ok(counts), Some(kept)) => {
                kept.save(&mut seen, &keys)?;
                counts
            }
            (Ok(counts), None) => counts,
            (Err(error), Some(kept)) => {
                if kept.made {
                    kept.output.remove();
                }
                // The reader left before the last lines: the next run must print them again.
                if error.is::<exit::Closed>() {
                    bail!("{error}: {} stays as it was last saved", kept.output.name())
                }
                return Err(error);
            }
            (Err(error), None) => return Err(error),
        };
        if self.stats {
            let rate = seen.filter().expected_fpr();
            exit::note(&format!(
                "{}, {} of them new; on average, at most {} more were new and dropped (rate now {}, {} \
                 held)",
                of(counts.lines, "line"),
                grouped(counts.new),
                expected(counts.new as f64 * rate / (1.0 - rate).max(f64::MIN_POSITIVE)),
                rate_text(rate),
                match &seen {
                    Seen::File(_) => of(before + counts.new, "key"),
                    Seen::Window(window) => of(window.len(), "key"),
                }
            ));
        }
        if let Some(signal) = signals::came() {
            signals::end(signal);
        }
        Ok(Outcome::found(self.zero || counts.printed > 0))
    }

    /// Prints the lines that differ from all before, or with --invert the others.
    fn run_exact(&self, keys: &Keys) -> anyhow::Result<Outcome> {
        let folder = self.temporary_folder.clone().unwrap_or_else(std::env::temp_dir);
        let mut lines = Lines::new(&folder, keys.room, self.invert)?;
        // A secret seed: prepared lines with equal hashes would take long to compare.
        let under = Secret::Seed(getrandom::u64().context("no random seed")?);
        let to = RefCell::new(Text::new());
        let mut out = Vec::new();
        let mut headed = false;
        let bar = progress::beside_lines(keys.bytes, false);
        let read = keys.run(
            under,
            &bar,
            &Compared(keys.shape),
            |work| {
                out.clear();
                reserve(&mut out, work.head.len() + work.bytes().len() + 1).context(MEMORY)?;
                if !work.head.is_empty() && !std::mem::replace(&mut headed, true) {
                    out.extend_from_slice(&work.head);
                }
                lines.add(work, keys.shape, &mut out)?;
                to.borrow_mut().write(&out)?;
                GO_ON
            },
            || to.borrow_mut().flush(),
        )?;
        bar.finish_and_clear();
        let mut to = to.into_inner();
        out.clear();
        lines.finish(|line| {
            out.extend_from_slice(line);
            if out.len() >= 1 << 16 {
                to.write(&out)?;
                out.clear();
            }
            Ok(())
        })?;
        to.write(&out)?;
        to.flush()?;
        if self.stats {
            exit::note(&format!("{}, {} of them new", of(read, "line"), grouped(lines.new)));
        }
        Ok(Outcome::found(self.zero || lines.printed > 0))
    }

    /// Prints the lines that are new, or with --invert the others, and inserts them.
    fn print_firsts(
        &self,
        keys: &Keys,
        given: Option<Secret>,
        seen: &RefCell<Seen>,
        kept: Option<&mut Kept>,
    ) -> anyhow::Result<Counts> {
        let kept = RefCell::new(kept);
        let to = RefCell::new(Text::new());
        let mut counts = Counts::default();
        let mut out = Vec::new();
        let mut headed = false;
        let under = seen.borrow().secret(given);
        let most = seen.borrow().most();
        let bar = progress::beside_lines(keys.bytes, false);
        // Only lines that have been printed are saved.
        let unsaved = Cell::new(false);
        let save = || -> anyhow::Result<()> {
            match (&mut *kept.borrow_mut(), self.save_every) {
                (Some(kept), Some(every)) if unsaved.get() && kept.saved.elapsed() >= every => {
                    to.borrow_mut().flush()?;
                    unsaved.set(false);
                    kept.save(&mut seen.borrow_mut(), keys)
                }
                _ => Ok(()),
            }
        };
        counts.lines = keys.run(
            under,
            &bar,
            &Hashed,
            |work| {
                let mut held = seen.borrow_mut();
                self.afford(held.filter(), work.hashes.len() as u64, keys)?;
                let firsts = match (held.firsts(work), most) {
                    (Err(_), Some(most)) if held.filter().len() >= most => {
                        return Err(too_many(most));
                    }
                    (firsts, _) => firsts?,
                };
                out.clear();
                reserve(&mut out, work.head.len() + work.bytes().len() + 1).context(MEMORY)?;
                if !work.head.is_empty() && !std::mem::replace(&mut headed, true) {
                    out.extend_from_slice(&work.head);
                }
                for (line, &first) in work.lines().zip(&work.answers) {
                    if first != self.invert {
                        out.extend_from_slice(line);
                        if line.last() != Some(&keys.shape.end) {
                            out.push(keys.shape.end);
                        }
                        counts.printed += 1;
                    }
                }
                counts.new += firsts;
                to.borrow_mut().write(&out)?;
                if let Some(most) = most.filter(|&most| held.filter().len() > most) {
                    return Err(too_many(most));
                }
                drop(held);
                unsaved.set(true);
                save()?;
                Ok(Continue(()))
            },
            || {
                to.borrow_mut().flush()?;
                save()
            },
        )?;
        bar.finish_and_clear();
        to.borrow_mut().flush()?;
        Ok(counts)
    }

    /// Ends the run if the filter may exceed the memory after these lines.
    fn afford(&self, filter: &dyn Filter, lines: u64, keys: &Keys) -> anyhow::Result<()> {
        let now = filter.size_in_bytes();
        if !kinds::grows(filter.kind()) {
            return self.affordable(now, keys);
        }
        // The allocator may not return the memory of smaller tables.
        let with_old = now + now.min(HELD_BACK);
        match filter.len() + lines > filter.capacity() {
            // Growing copies the table into one of twice its size.
            true => self.affordable(with_old + 2 * now, keys),
            false => self.affordable(with_old, keys),
        }
    }

    fn affordable(&self, bytes: u64, keys: &Keys) -> anyhow::Result<()> {
        let (true, Some(memory)) = (bytes > keys.room, self.memory) else { return Ok(()) };
        bail!(
            "the filter needs {} to go on, and --memory allows {}, of which {} are for reading and for the \
             program: allow more, take a higher --fpr, let it --forget, or take --exact, which uses \
             temporary files",
            bytes_text(bytes),
            bytes_text(memory),
            bytes_text(memory - keys.room)
        )
    }

    /// The filter in the file, locked against other runs from now on. The first run creates it
    /// before it reads a line: others that start meanwhile wait for it, then continue with its
    /// filter.
    fn kept(
        &self,
        path: &Path,
        keys: &Keys,
        given: Option<Secret>,
    ) -> anyhow::Result<(AnyFile, Kept)> {
        let mut made = None;
        loop {
            let output = Output::new(path, Existing::Change)?.locked(self.wait)?;
            if output.is_locked() {
                let kept = |made, empty| Kept { output, made, empty, saved: Instant::now() };
                if let Some(made) = made
                    && input::load_for_keys(path, key_in(given))? == made
                {
                    return Ok((made, kept(true, true)));
                }
                let file = self.resumed(path, given)?;
                let empty = file.filter().is_empty();
                return Ok((file, kept(false, empty)));
            }
            let new = self.fresh(keys, given)?;
            let written = Output::new(path, Existing::Keep).and_then(|output| output.write(&new));
            match written {
                Ok(()) => made = Some(new),
                // Another run has just created it.
                Err(_) if path.symlink_metadata().is_ok() => {}
                Err(error) => return Err(error),
            }
        }
    }

    /// A filter of the last lines.
    fn window(&self, lines: u64, given: Option<Secret>) -> anyhow::Result<Seen> {
        let keys = lines.saturating_mul(GENERATIONS).div_ceil(GENERATIONS - 1);
        let goal = Goal::new(keys.max(GENERATIONS), Budget::Fpr(self.fpr.unwrap_or(RATE)));
        let seed = match given {
            Some(Secret::Seed(seed)) => seed,
            _ => DEFAULT_SEED,
        };
        let window = Rolling::with_seed(goal, GENERATIONS as usize, seed)?;
        Ok(Seen::Window(window.by_count()))
    }

    fn fresh(&self, keys: &Keys, given: Option<Secret>) -> anyhow::Result<AnyFile> {
        let kind = self.kind.unwrap_or(match self.planned {
            Some(_) => FilterKind::Bloom,
            None => FilterKind::ExpandableQuotient,
        });
        if !Abilities::of(kind).insert {
            bail!(
                "{} filter cannot insert lines as they come; kinds that grow with them: {}",
                kinds::a(kind),
                kinds::list(AnyFilter::KINDS.iter().copied().filter(|&kind| kinds::grows(kind)))
            );
        }
        let planned = match self.planned {
            Some(planned) => planned,
            None if kinds::grows(kind) => FIRST_ROOM,
            None => bail!(
                "{} filter has a fixed size: say how many lines there are, --keys N",
                kinds::a(kind)
            ),
        };
        let goal = Goal::new(planned, Budget::Fpr(self.fpr.unwrap_or(RATE)));
        self.affordable(AnyFilter::plan(kind, goal)?.bytes, keys)?;
        let encoding = keys.encoding(0);
        Ok(match given {
            Some(Secret::Key(key)) => {
                let info = KeyInfo { encoding, withheld: true };
                AnyFile::Keyed(Keyed::of(AnyFilter::new(kind, goal)?, key), info)
            }
            Some(Secret::Seed(seed)) => {
                AnyFile::Keys(AnyFilter::with_seed(kind, goal, seed)?, encoding.into())
            }
            _ => AnyFile::Keys(AnyFilter::new(kind, goal)?, encoding.into()),
        })
    }

    /// The filter of the previous run, which must match the options of this one.
    fn resumed(&self, path: &Path, given: Option<Secret>) -> anyhow::Result<AnyFile> {
        let mut file = input::load_for_keys(path, key_in(given))?;
        let secret = file.secret();
        let filter = file.filter_mut().into_inner();
        let name = path.display();
        let other = "leave the option out, or use another file";
        // Inserts nothing: fails if the kind cannot insert.
        filter.insert_batch(&[]).with_context(|| input::name(path))?;
        if let Some(kind) = self.kind.filter(|&kind| kind != filter.kind()) {
            let (is, not) = (kinds::a(filter.kind()), kinds::a(kind));
            bail!("{name} is {is} filter, not {not} one: {other}");
        }
        // A filter that grows reports its present capacity, not the planned one.
        let made_for = self.planned.filter(|_| !kinds::grows(filter.kind()));
        if let Some(planned) = made_for.filter(|&planned| planned != filter.capacity()) {
            bail!(
                "{name} was made for {}, not {}: {other}",
                of(filter.capacity(), "line"),
                grouped(planned)
            );
        }
        let budget = input::budget(filter);
        if let Some(fpr) = self.fpr.filter(|&fpr| budget != Some(Budget::Fpr(fpr))) {
            let made = budget.map_or("parameters".into(), budget_text);
            bail!("{name} was made for {made}, not {}: {other}", rate_text(fpr));
        }
        if given.is_some_and(|given| given != secret) {
            bail!("{name} has another seed: {other}");
        }
        Ok(file)
    }
}

/// Lines looked up at once: few enough that the blocks they read are still in the first-level cache
/// when the new lines are inserted.
const AT_ONCE: usize = 64;

/// The secret key, if one was given.
const fn key_in(given: Option<Secret>) -> Option<SipKey> {
    match given {
        Some(Secret::Key(key)) => Some(key),
        _ => None,
    }
}

fn too_many(most: u64) -> anyhow::Error {
    anyhow!(
        "there are more different lines than the {} that the filter was made for, and more new ones \
         would be dropped than you allowed: start over with a larger --keys, or without it",
        grouped(most)
    )
}

impl Seen {
    fn filter(&self) -> &dyn Filter {
        match self {
            Self::File(file) => file.filter().into_inner(),
            Self::Window(window) => window,
        }
    }

    /// The seed or key that lines are hashed under.
    fn secret(&self, given: Option<Secret>) -> Secret {
        match self {
            Self::File(file) => file.secret(),
            Self::Window(_) => given.unwrap_or(Secret::Seed(DEFAULT_SEED)),
        }
    }

    /// The most lines for a kind of fixed size, which beyond them would drop more and more lines.
    fn most(&self) -> Option<u64> {
        match self {
            Self::File(file) => {
                let filter = file.filter().into_inner();
                Some(filter.capacity()).filter(|_| !kinds::grows(filter.kind()))
            }
            Self::Window(_) => None,
        }
    }

    /// Marks the lines that have certainly not occurred before, and inserts them.
    fn firsts(&mut self, work: &mut Work) -> anyhow::Result<u64> {
        match self {
            Self::File(file) => {
                let insert = |filter: &mut AnyFilter, hash: KeyHash| -> anyhow::Result<bool> {
                    Ok(filter.insert_unique_hash(hash)?.is_new())
                };
                firsts(file.filter_mut().into_inner(), work, insert)
            }
            Self::Window(window) => firsts(window, work, |window, hash| {
                Ok(!window.contains_hash(hash) && window.insert_hash(hash)?.is_new())
            }),
        }
    }
}

impl Kept {
    /// Saves the filter. Lines that are in it must have been printed.
    fn save(&mut self, seen: &mut Seen, keys: &Keys) -> anyhow::Result<()> {
        if let Seen::File(file) = seen {
            if self.empty && !file.filter().is_empty() {
                // The filter was empty, so no key has another encoding.
                file.set_encoding(keys.encoding(1));
            }
            self.output.write(&**file)?;
            self.made = false;
        }
        self.saved = Instant::now();
        Ok(())
    }
}

fn firsts<F: Filter>(
    filter: &mut F,
    work: &mut Work,
    insert: impl Fn(&mut F, KeyHash) -> anyhow::Result<bool>,
) -> anyhow::Result<u64> {
    let mut firsts = 0;
    work.answers.clear();
    reserve(&mut work.answers, work.hashes.len()).context(MEMORY)?;
    work.answers.resize(work.hashes.len(), false);
    for (answers, hashes) in work.answers.chunks_mut(AT_ONCE).zip(work.hashes.chunks(AT_ONCE)) {
        filter.contains_batch(hashes, answers)?;
        // A line can also occur twice in this batch.
        for (first, &hash) in answers.iter_mut().zip(hashes) {
            *first = !*first && insert(filter, hash)?;
            firsts += u64::from(*first);
        }
    }
    Ok(firsts)
}
