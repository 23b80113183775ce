//! `amq dedupe`: first occurrences of lines.

use crate::cli::{self, KeyArgs, SeedArgs};
use crate::exit::{self, Outcome};
use crate::input::{self, Locked, budget_text};
use crate::numbers::{self, grouped, rate_text};
use crate::output::{Output, Text, is_dash};
use crate::pipeline::{Hashed, Work};
use amq::{Abilities, AnyFilter, Budget, Filter, FilterKind, Goal};
use anyhow::{Context, bail};
use clap::Args;
use indicatif::ProgressBar;
use std::cell::RefCell;
use std::ops::ControlFlow::Continue;
use std::path::{Path, PathBuf};

/// Print lines that come for the first time
///
/// Prints each line that has certainly not come before, at once and in order. A repeated line is
/// never printed. A new one is taken for a repeated one, and dropped, at the filter's
/// false-positive rate: of a million new lines, on average fewer than 1 at the default rate of
/// 1e-6, fewer than 1,000 at 0.1%, fewer than 10,000 at 1%. A million lines take 9 MB at most at
/// the default rate, however long they are.
///
/// With --filter, the filter is kept in a file from run to run. It is replaced at the end of a run,
/// when all lines have been written. A run that fails leaves it as it was, so that its lines come
/// again the next time, and none is lost.
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
    items: Option<u64>,

    /// The kind of filter [default: bloom with --keys, else
    /// expandable-quotient]
    #[arg(short, long, value_name = "KIND", value_parser = cli::kind)]
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
  $ amq dedupe keys.txt more.txt                # as awk '!seen[$0]++', in a few bytes a line
  $ amq dedupe --filter lines.amq keys.txt      # and remembers them
  $ amq dedupe --filter lines.amq more.txt      # prints what was in neither
  $ amq dedupe --keys 1e6 --fpr 0.1% --stats keys.txt";

/// The share of new lines dropped by default.
const RATE: f64 = 1e-6;

/// Room at first for so many lines where their number is not known.
const FIRST_ROOM: u64 = 1 << 16;

impl Arguments {
    pub(crate) fn run(&self) -> anyhow::Result<Outcome> {
        let kept = match self.filter.as_deref() {
            Some(path) if is_dash(path) => bail!("--filter: a file is needed, not a pipe"),
            other => other,
        };
        let output = kept.map(|path| Output::new(path, true)).transpose()?;
        let keys = self.keys.keys(&[])?;
        if let Some(output) = &output {
            output.not_among(self.keys.files.iter().map(PathBuf::as_path))?;
        }
        let lock = kept.filter(|path| path.exists()).map(Locked::wait);
        let lock = lock.transpose()?;
        let mut filter = match (kept, &lock) {
            (Some(path), Some(_)) => self.resumed(path)?,
            _ => self.fresh()?,
        };
        // Two first runs at once: the second must not overwrite what the first has learnt.
        let output = match (output, kept, &lock) {
            (Some(_), Some(path), None) => Some(Output::new(path, false)?),
            (output, ..) => output,
        };
        // These kinds would go on, and drop more and more.
        let bound = Abilities::of(filter.kind()).never_full;
        let before = filter.len();
        let to = RefCell::new(Text::new());
        let (mut printed, mut new) = (0, 0);
        let mut out = Vec::new();
        let ended = keys.run(
            filter.seed(),
            &ProgressBar::hidden(),
            &Hashed,
            |work| {
                work.answers.clear();
                work.answers.resize(work.hashes.len(), false);
                filter.contains_batch(&work.hashes, &mut work.answers)?;
                let firsts = firsts(&mut filter, work)?;
                out.clear();
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
                        "there are more different lines than the {} that the filter was made for, \
                         and more new ones would be dropped than asked: begin with a larger --keys, or \
                         with none",
                        grouped(filter.capacity())
                    );
                }
                Ok(Continue(()))
            },
            || to.borrow_mut().flush(),
        );
        let ended = ended.and_then(|lines| to.borrow_mut().flush().map(|()| lines));
        let lines = match (ended, &output) {
            (Ok(lines), _) => lines,
            // A reader that went away has not seen all lines: they must come again.
            (Err(error), Some(output)) if error.is::<exit::Closed>() => {
                bail!("{error}: {} stays as it was", output.name())
            }
            (Err(error), _) => return Err(error),
        };
        if let Some(output) = output {
            output.write(&filter)?;
        }
        if self.stats {
            let rate = filter.expected_fpr();
            exit::note(&format!(
                "{} lines, {} of them new; fewer than {:.0} new ones dropped (rate now {}, {} keys held)",
                grouped(lines),
                grouped(new),
                (new as f64 * rate).max(1.0).ceil(),
                rate_text(rate),
                grouped(before + new)
            ));
        }
        Ok(Outcome::found(printed > 0))
    }

    fn fresh(&self) -> anyhow::Result<AnyFilter> {
        let kind = self.kind.unwrap_or(match self.items {
            Some(_) => FilterKind::Bloom,
            None => FilterKind::ExpandableQuotient,
        });
        let grows = grows(kind);
        let items = match self.items {
            Some(items) => items,
            None if grows => FIRST_ROOM,
            None => {
                bail!("a {kind} filter has a fixed size: say how many lines there are, --keys N")
            }
        };
        let goal = Goal::new(items, Budget::Fpr(self.fpr.unwrap_or(RATE)));
        Ok(AnyFilter::with_seed(kind, goal, self.seed.seed()?)?)
    }

    /// The filter of the run before, which must be what is asked for now.
    fn resumed(&self, path: &Path) -> anyhow::Result<AnyFilter> {
        let mut filter = input::load_for_keys(path)?;
        let name = path.display();
        let other = "leave the option out, or begin with another file";
        // Nothing is inserted: this asks whether the kind can.
        filter.insert_batch(&[]).with_context(|| input::name(path))?;
        if let Some(kind) = self.kind.filter(|&kind| kind != filter.kind()) {
            bail!("{name} is a {} filter, not a {kind} one: {other}", filter.kind());
        }
        // The capacity of one that grows is its present one, whatever it was made for.
        let made_for = self.items.filter(|_| !grows(filter.kind()));
        if let Some(items) = made_for.filter(|&items| items != filter.capacity()) {
            bail!(
                "{name} was made for {} lines, not {}: {other}",
                grouped(filter.capacity()),
                grouped(items)
            );
        }
        let budget = input::budget(&filter);
        if let Some(fpr) = self.fpr.filter(|&fpr| budget != Some(Budget::Fpr(fpr))) {
            let made = budget.map_or("parameters".into(), budget_text);
            bail!("{name} was made for {made}, not {}: {other}", rate_text(fpr));
        }
        if self.seed.given()?.is_some_and(|seed| seed != filter.seed()) {
            bail!("{name} has another seed: {other}");
        }
        Ok(filter)
    }
}

/// Whether filters of this kind begin small and grow.
const fn grows(kind: FilterKind) -> bool {
    matches!(
        kind,
        FilterKind::Scalable | FilterKind::ScalableBlocked | FilterKind::ExpandableQuotient
    )
}

/// Marks the lines that have certainly not come before, and remembers them.
fn firsts(filter: &mut AnyFilter, work: &mut Work) -> anyhow::Result<u64> {
    let mut firsts = 0;
    // What was in before the block is found quickly; a line can also come twice within it.
    for (first, &hash) in work.answers.iter_mut().zip(&work.hashes) {
        *first = !*first && filter.insert_unique_hash(hash)?.is_new();
        firsts += u64::from(*first);
    }
    Ok(firsts)
}
