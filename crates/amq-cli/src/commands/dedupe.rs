//! `amq dedupe`: first occurrences of lines.

use crate::arguments::{KeyArgs, SeedArgs};
use crate::exit::{self, Outcome};
use crate::input::{self, budget_text};
use crate::kinds::{self, KindParser};
use crate::memory::reserve;
use crate::numbers::{self, grouped, of, rate_text};
use crate::output::Output;
use crate::pipeline::{Hashed, Keys};
use crate::progress;
use crate::replace::Existing;
use crate::stdio::Text;
use crate::stdio::is_dash;
use crate::work::Work;
use amq::{
    Abilities, AnyFile, AnyFilter, Budget, Filter, FilterKind, Goal, KeyInfo, Keyed, Secret, SipKey,
};
use anyhow::{Context, bail};
use clap::Args;
use std::cell::RefCell;
use std::ops::ControlFlow::Continue;
use std::path::{Path, PathBuf};

/// Print each line the first time it occurs
///
/// Prints each line that has certainly not come before, at once and in order. A repeated line is
/// never printed. A new line is mistaken for a repeated one, and dropped, at the filter's
/// false-positive rate: of a million new lines, on average fewer than 1 at the default rate of
/// 1e-6, fewer than 1,000 at 0.1%, fewer than 10,000 at 1%. A million lines take 9 MB at most at
/// the default rate, however long they are.
///
/// With --filter, the filter is kept in a file from run to run. It is replaced at the end of a run,
/// when all lines have been written. A run that fails leaves it as it was, so that its lines are
/// printed again the next time, and none is lost.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// Keep the filter in this file, which is made if it is not there
    #[arg(short = 'F', long, value_name = "FILE")]
    filter: Option<PathBuf>,

    /// The share of new lines that may be dropped: 1%, 0.01, 1e-2 or 1/100 [default: 1e-6]
    #[arg(long, value_name = "RATE", value_parser = numbers::rate, allow_hyphen_values = true)]
    fpr: Option<f64>,

    /// The number of different lines, if you know a bound: a filter of fixed size takes less. More
    /// are an error. Without it, the filter grows
    #[arg(short = 'n', long = "keys", value_name = "N", value_parser = numbers::count)]
    #[arg(allow_hyphen_values = true)]
    planned: Option<u64>,

    /// The kind of filter [default: bloom with --keys, else expandable-quotient]
    #[arg(short, long, value_name = "KIND", value_parser = KindParser, ignore_case = true)]
    kind: Option<FilterKind>,

    /// Print the lines that have probably come before instead
    #[arg(short = 'v', long)]
    invert: bool,

    /// Say on standard error how many lines there were, and how many may have been dropped
    #[arg(short, long)]
    stats: bool,

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
  $ amq dedupe --keys 1e6 --fpr 0.1% --stats keys.txt";

/// The share of new lines dropped by default.
const RATE: f64 = 1e-6;

/// What is missing where memory is refused.
const MEMORY: &str = "no memory for the lines of a block";

/// The initial capacity where the number of lines is not known: 4 kB. The table of ten million
/// lines has as many slots as if there had been room for 65,536.
const FIRST_ROOM: u64 = 1 << 10;

impl Arguments {
    pub(crate) fn run(&self) -> anyhow::Result<Outcome> {
        let kept = match self.filter.as_deref() {
            Some(path) if is_dash(path) => bail!("--filter: a file is needed, not a pipe"),
            other => other,
        };
        let output = kept.map(|path| Output::new(path, Existing::Change)).transpose()?;
        let keys = self.keys.keys(self.seed.key_file())?;
        keys.not_into_themselves()?;
        if let Some(output) = &output {
            output.not_among(self.keys.files.iter().map(PathBuf::as_path))?;
            output.not_among(self.seed.key_file())?;
        }
        let output = output.map(Output::locked).transpose()?;
        // Once: a key may come from a pipe.
        let given = self.seed.given()?;
        let (mut file, output) = match (kept, output) {
            (Some(path), Some(output)) if output.is_locked() => {
                (self.resumed(path, given)?, Some(output))
            }
            // Of two first runs at the same time, the second must not overwrite what the first has
            // learnt.
            (Some(path), _) => {
                (self.fresh(&keys, given)?, Some(Output::new(path, Existing::Keep)?))
            }
            (None, _) => (self.fresh(&keys, given)?, None),
        };
        let name = kept.map_or_else(String::new, input::name);
        let keys = keys.suited(&file, &name)?;
        let under = file.secret();
        let filter = file.filter_mut().into_inner();
        // These kinds would go on, and drop more and more.
        let bound = Abilities::of(filter.kind()).never_full;
        let before = filter.len();
        let to = RefCell::new(Text::new());
        let (mut printed, mut new) = (0, 0);
        let mut out = Vec::new();
        let bar = progress::beside_lines(keys.bytes, false);
        let ended = keys.run(
            under,
            &bar,
            &Hashed,
            |work| {
                let firsts = firsts(filter, work)?;
                out.clear();
                reserve(&mut out, work.bytes().len() + 1).context(MEMORY)?;
                for (line, &first) in work.lines().zip(&work.answers) {
                    if first != self.invert {
                        out.extend_from_slice(line);
                        if line.last() != Some(&keys.shape.end) {
                            out.push(keys.shape.end);
                        }
                        printed += 1;
                    }
                }
                new += firsts;
                to.borrow_mut().write(&out)?;
                if bound && filter.len() > filter.capacity() {
                    bail!(
                        "there are more different lines than the {} that the filter was made for, and \
                         more new ones would be dropped than you allowed: start over with a larger \
                         --keys, or without it",
                        grouped(filter.capacity())
                    );
                }
                Ok(Continue(()))
            },
            || to.borrow_mut().flush(),
        );
        bar.finish_and_clear();
        let ended = ended.and_then(|lines| to.borrow_mut().flush().map(|()| lines));
        let lines = match (ended, &output) {
            (Ok(lines), _) => lines,
            // A reader that went away has not seen all lines: they must come again.
            (Err(error), Some(output)) if error.is::<exit::Closed>() => {
                bail!("{error}: {} stays as it was", output.name())
            }
            (Err(error), _) => return Err(error),
        };
        if before == 0 && lines > 0 {
            // Nothing was in that could be otherwise.
            file.set_encoding(keys.encoding(lines));
        }
        if let Some(output) = output {
            output.write(&file)?;
        }
        if self.stats {
            let filter = file.filter().into_inner();
            let rate = filter.expected_fpr();
            exit::note(&format!(
                "{}, {} of them new; fewer than {:.0} new ones dropped (rate now {}, {} held)",
                of(lines, "line"),
                grouped(new),
                (new as f64 * rate).max(1.0).ceil(),
                rate_text(rate),
                of(before + new, "key")
            ));
        }
        Ok(Outcome::found(printed > 0))
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

    /// The filter of the run before, which must be what is asked for now.
    fn resumed(&self, path: &Path, given: Option<Secret>) -> anyhow::Result<AnyFile> {
        let mut file = input::load_for_keys(path, key_in(given))?;
        let secret = file.secret();
        let filter = file.filter_mut().into_inner();
        let name = path.display();
        let other = "leave the option out, or use another file";
        // Nothing is inserted: this asks whether the kind can.
        filter.insert_batch(&[]).with_context(|| input::name(path))?;
        if let Some(kind) = self.kind.filter(|&kind| kind != filter.kind()) {
            let (is, not) = (kinds::a(filter.kind()), kinds::a(kind));
            bail!("{name} is {is} filter, not {not} one: {other}");
        }
        // A filter that grows reports its present capacity, whatever it was made for.
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

/// Lines looked up at once: few enough that what the queries have read is still in the first-level
/// cache when the new ones are inserted.
const AT_ONCE: usize = 64;

/// The secret key, if that is what was given.
const fn key_in(given: Option<Secret>) -> Option<SipKey> {
    match given {
        Some(Secret::Key(key)) => Some(key),
        _ => None,
    }
}

/// Marks the lines that have certainly not come before, and remembers them.
fn firsts(filter: &mut AnyFilter, work: &mut Work) -> anyhow::Result<u64> {
    let mut firsts = 0;
    work.answers.clear();
    reserve(&mut work.answers, work.hashes.len()).context(MEMORY)?;
    work.answers.resize(work.hashes.len(), false);
    for (answers, hashes) in work.answers.chunks_mut(AT_ONCE).zip(work.hashes.chunks(AT_ONCE)) {
        filter.contains_batch(hashes, answers)?;
        // A line can also occur twice among these.
        for (first, &hash) in answers.iter_mut().zip(hashes) {
            *first = !*first && filter.insert_unique_hash(hash)?.is_new();
            firsts += u64::from(*first);
        }
    }
    Ok(firsts)
}
