//! `amq query`: the keys that may be in a filter.

use crate::arguments::KeyArgs;
use crate::exit::Outcome;
use crate::input;
use crate::key_file::KeyFile;
use crate::memory::reserve;
use crate::mistaken::Watch;
use crate::pipeline::Sink;
use crate::progress;
use crate::stdio::Text;
use crate::work::Work;
use amq::{AnyFilter, Filter};
use clap::Args;
use serde_json::json;
use std::collections::TryReserveError;
use std::ops::ControlFlow::{Break, Continue};
use std::path::PathBuf;

/// Print the keys that may be in a filter
///
/// Prints each line that the filter answers "probably" to, in order and unchanged. A key that was
/// put in is always printed; any other key is printed at the filter's false-positive rate. With -v,
/// the keys printed were certainly not put in. A damaged filter gives no answers and status 2.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// The filter's file; `-` is standard input
    filter: PathBuf,

    /// Print the keys that are certainly not in
    #[arg(short = 'v', long)]
    invert: bool,

    /// Print only how many there are
    #[arg(short, long, conflicts_with = "quiet")]
    count: bool,

    /// Print one JSON object instead of the keys: `asked`, the number of keys; `found`, how many of
    /// them the filter answers "probably" to; `denied`, the others; and `rate`, its false-positive
    /// rate
    #[arg(long, conflicts_with_all = ["count", "quiet"])]
    json: bool,

    /// Print nothing, and stop at the first match: for the exit status
    #[arg(short, long)]
    quiet: bool,

    #[command(flatten)]
    key_file: KeyFile,

    #[command(flatten)]
    keys: KeyArgs,
}

const EXAMPLES: &str = "\
Examples:
  $ amq query seen.amq more.txt                 # lines that may be in
  $ amq query -v seen.amq more.txt > new.txt    # lines that are certainly not
  $ amq query -c seen.amq more.txt              # how many may be in
  $ amq query --json seen.amq more.txt          # both numbers, and the rate
  $ cut -d, -f1 table.csv | amq query seen.amq
  $ amq query -q seen.amq -e alice && echo 'alice may be in'

Exit status: 0 if any key was printed or counted, 1 if none was, 2 on an error.";

impl Arguments {
    pub(crate) fn run(&self) -> anyhow::Result<Outcome> {
        let keys = self.keys.keys([&*self.filter].into_iter().chain(self.key_file.path()))?;
        keys.not_into_themselves()?;
        let file = input::load_for_keys(&self.filter, self.key_file.key()?)?;
        let keys = keys.suited(&file, &input::name(&self.filter))?;
        let filter = file.filter().into_inner();
        let ask = Ask {
            filter,
            wanted: !self.invert,
            lines: !self.count && !self.quiet && !self.json,
            end: keys.shape.end,
        };
        let mut watch = Watch::new(keys.shape, &file);
        let mut found = 0;
        let to = std::cell::RefCell::new(Text::new());
        let bar = progress::beside_lines(keys.bytes, self.quiet);
        let asked = keys.run(
            file.secret(),
            &bar,
            &ask,
            |work| {
                found += work.found;
                let denied = work.hashes.len() as u64 - work.found;
                watch.see(work, if self.invert { denied } else { work.found });
                to.borrow_mut().write(&work.out)?;
                let enough = self.quiet && found > 0;
                Ok(if enough { Break(()) } else { Continue(()) })
            },
            || to.borrow_mut().flush(),
        )?;
        bar.finish_and_clear();
        let mut to = to.into_inner();
        if self.count {
            to.write(format!("{found}\n").as_bytes())?;
        } else if self.json {
            let others = asked - found;
            let (found, denied) = if self.invert { (others, found) } else { (found, others) };
            let rate = filter.expected_fpr();
            let told = json!({
                "filter": input::name(&self.filter),
                "kind": filter.kind().id(),
                "asked": asked,
                "found": found,
                "denied": denied,
                "rate": rate,
            });
            to.write(format!("{told}\n").as_bytes())?;
        }
        to.flush()?;
        watch.warn(&input::name(&self.filter));
        Ok(Outcome::found(found > 0))
    }
}

/// Asks the filter on the thread that has hashed a block.
struct Ask<'a> {
    filter: &'a AnyFilter,
    wanted: bool,
    /// Whether the lines themselves are asked for.
    lines: bool,
    end: u8,
}

impl Sink for Ask<'_> {
    fn map(&self, work: &mut Work) -> Result<(), TryReserveError> {
        work.answers.clear();
        reserve(&mut work.answers, work.hashes.len())?;
        work.answers.resize(work.hashes.len(), false);
        // The lengths are equal.
        let _ = self.filter.contains_batch(&work.hashes, &mut work.answers);
        let wanted = |&&answer: &&bool| answer == self.wanted;
        work.found = work.answers.iter().filter(wanted).count() as u64;
        let mut out = std::mem::take(&mut work.out);
        out.clear();
        if self.lines {
            // All lines, and the line end that the last one may lack.
            reserve(&mut out, work.used + 1)?;
            for (line, &answer) in work.lines().zip(&work.answers) {
                if answer == self.wanted {
                    out.extend_from_slice(line);
                    if line.last() != Some(&self.end) {
                        out.push(self.end);
                    }
                }
            }
        }
        work.out = out;
        Ok(())
    }
}
