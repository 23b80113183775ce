//! `amq query`: prints the keys that may be in a filter.

use crate::arguments::KeyArgs;
use crate::exit::Outcome;
use crate::input;
use crate::key_file::KeyFile;
use crate::keys::{KeyType, Shape};
use crate::mapped::Asked;
use crate::memory::reserve;
use crate::mistaken::Watch;
use crate::pipeline::Sink;
use crate::progress;
use crate::stdio::Text;
use crate::work::Work;
use amq::Secret;
use anyhow::{Context, bail};
use clap::Args;
use serde_json::json;
use std::cell::RefCell;
use std::collections::TryReserveError;
use std::io::Write;
use std::ops::ControlFlow::{Break, Continue};
use std::path::{Path, PathBuf};

/// Print the keys that may be in a filter
///
/// Prints each line that the filter answers "probably" to, in order and unchanged. A key that was
/// inserted is always printed; any other key is printed at the filter's false-positive rate. With
/// -v, prints the keys that were certainly not inserted. A damaged filter gives no answers and
/// status 2.
///
/// With -F, several filters are queried at once, and their rates add up. Their files are mapped,
/// not read, and only their headers are checked: verify files that may be damaged. Query thousands
/// of filters in several runs.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES, visible_aliases = ["contains"], aliases = ["ask", "lookup", "test"])]
#[command(override_usage = USAGE)]
pub(crate) struct Arguments {
    /// The filter's file; `-` is standard input
    #[arg(required_unless_present = "filters")]
    filter: Option<PathBuf>,

    /// Query this filter, too; all other names are then files of keys
    #[arg(short = 'F', long = "filter", value_name = "FILTER", help_heading = "Several filters")]
    filters: Vec<PathBuf>,

    /// Print the keys that may be in any of the filters (the default)
    #[arg(long, conflicts_with = "all", help_heading = "Several filters")]
    any: bool,

    /// Print the keys that may be in all of the filters
    #[arg(long, help_heading = "Several filters")]
    all: bool,

    /// Print the filter's name before each key, as `grep -H` does, on a line for each filter
    #[arg(short = 'H', long, help_heading = "Several filters")]
    with_filter: bool,

    /// Print only the names of the filters that any of the keys may be in, as `grep -l` does
    #[arg(short = 'l', long, conflicts_with_all = ["count", "json", "quiet", "with_filter", "print"])]
    #[arg(help_heading = "Several filters")]
    list: bool,

    /// Print the keys that are certainly not in the filter
    #[arg(short = 'v', long)]
    invert: bool,

    /// Print only the number of keys
    #[arg(short, long, conflicts_with = "quiet")]
    count: bool,

    /// Print a line for every key: the first word if it may be in the filter, the second if it
    /// certainly is not; `,key` appends a tab and the key. Examples: --print yes,no,key and --print
    /// 1,0
    #[arg(long, value_name = "WORDS", value_parser = words)]
    #[arg(conflicts_with_all = ["invert", "count", "quiet", "json"])]
    print: Option<Words>,

    /// Print each key's line number before it
    #[arg(short = 'n', long)]
    line_number: bool,

    /// Print one JSON object for each filter instead of the keys: `asked`, the number of keys;
    /// `found`, how many of them the filter answers "probably" to; `denied`, the others; and
    /// `rate`, its false-positive rate
    #[arg(long, conflicts_with_all = ["count", "quiet"])]
    json: bool,

    /// Print nothing, and stop at the first match; the exit status is the answer
    #[arg(short, long)]
    quiet: bool,

    #[command(flatten)]
    key_file: KeyFile,

    #[command(flatten)]
    keys: KeyArgs,
}

const USAGE: &str = "\
amq query [OPTIONS] FILTER [KEYS]...
       amq query [OPTIONS] -F FILTER... [KEYS]...";

const EXAMPLES: &str = "\
Examples:
  $ amq query seen.amq more.txt                 # lines that may be in
  $ amq query -v seen.amq more.txt > new.txt    # lines that are certainly not
  $ amq query -c seen.amq more.txt              # how many may be in
  $ amq query --json seen.amq more.txt          # both numbers, and the rate
  $ amq query --csv --field 1 seen.amq table.csv
  $ amq query --print yes,no,key seen.amq -e alice -e bob
  $ amq query -l -F seen.amq -F seen.amq -e key7
  $ amq query -q seen.amq -e alice && echo 'alice may be in'

Exit status: 0 if any key was printed or counted, 1 if none was, 2 on an error.";

/// The words printed for each answer.
#[derive(Clone, Debug)]
struct Words {
    yes: String,
    no: String,
    key: bool,
}

fn words(text: &str) -> Result<Words, String> {
    match text.split(',').collect::<Vec<_>>()[..] {
        [yes, no] => Ok(Words { yes: yes.into(), no: no.into(), key: false }),
        [yes, no, "key"] => Ok(Words { yes: yes.into(), no: no.into(), key: true }),
        _ => Err("two words, and perhaps key: yes,no or 1,0,key".into()),
    }
}

impl Arguments {
    pub(crate) fn run(&self) -> anyhow::Result<Outcome> {
        // With -F, the first name is a file of keys.
        let (paths, first) = match (&self.filter, self.filters.is_empty()) {
            (Some(filter), true) => (std::slice::from_ref(filter), None),
            (first, _) => (self.filters.as_slice(), first.as_deref()),
        };
        let before = paths.iter().map(PathBuf::as_path).chain(self.key_file.path());
        let mut keys = self.keys.keys_after(first, before)?;
        keys.not_into_themselves()?;
        let key = self.key_file.key()?;
        let open = |path: &PathBuf| -> anyhow::Result<Asked> {
            match paths.len() {
                1 => Ok(Asked::Whole(input::load_for_keys(path, key)?.into())),
                _ => Asked::open(path, key),
            }
        };
        let filters: Vec<Asked> = paths.iter().map(open).collect::<Result<_, _>>()?;
        let names: Vec<String> = paths.iter().map(|path| input::name(path)).collect();
        keys.shape.key_type = self.key_type(keys.asked, &filters, paths)?;
        let ask = Ask { filters: &filters, names: &names, shape: keys.shape, how: self };
        let mut watch = match &filters[..] {
            [Asked::Whole(file)] => Some(Watch::new(keys.shape, file)),
            _ => None,
        };
        let mut found = 0;
        let mut counts = vec![0; filters.len()];
        let to = RefCell::new(Text::new());
        let mut place = (0, 0);
        let mut headed = !ask.prints() || self.print.is_some() || self.with_filter;
        let bar = progress::beside_lines(keys.bytes, self.quiet);
        let under = filters.first().map_or(Secret::Unknown, Asked::secret);
        let asked = keys.run(
            under,
            &bar,
            &ask,
            |work| {
                if place.0 != work.source {
                    place = (work.source, 0);
                }
                if !work.head.is_empty() {
                    place.1 += 1;
                    if !std::mem::replace(&mut headed, true) {
                        to.borrow_mut().write(&work.head)?;
                    }
                }
                found += work.found;
                for (sum, &more) in counts.iter_mut().zip(&work.counts) {
                    *sum += more;
                }
                let denied = work.hashes.len() as u64 - work.found;
                if let Some(watch) = &mut watch {
                    watch.see(work, if self.invert { denied } else { work.found });
                }
                if self.line_number {
                    ask.print(work, place.1).context("no memory for the lines of a block")?;
                }
                place.1 += work.hashes.len() as u64;
                to.borrow_mut().write(&work.out)?;
                let enough = self.quiet && found > 0;
                Ok(if enough { Break(()) } else { Continue(()) })
            },
            || to.borrow_mut().flush(),
        )?;
        bar.finish_and_clear();
        for (filter, name) in filters.iter().zip(&names) {
            filter.check().with_context(|| name.clone())?;
        }
        let mut to = to.into_inner();
        if self.list {
            for (name, _) in names.iter().zip(&counts).filter(|(_, count)| **count > 0) {
                to.write(format!("{name}\n").as_bytes())?;
            }
        } else if self.count && self.with_filter {
            for (name, count) in names.iter().zip(&counts) {
                to.write(format!("{name}:{count}\n").as_bytes())?;
            }
        } else if self.count {
            to.write(format!("{found}\n").as_bytes())?;
        } else if self.json {
            for ((name, filter), &count) in names.iter().zip(&filters).zip(&counts) {
                let others = asked - count;
                let (found, denied) = if self.invert { (others, count) } else { (count, others) };
                let told = json!({
                    "filter": name,
                    "kind": filter.filter().kind().id(),
                    "asked": asked,
                    "found": found,
                    "denied": denied,
                    "rate": filter.filter().expected_fpr(),
                });
                to.write(format!("{told}\n").as_bytes())?;
            }
        }
        to.flush()?;
        if let Some(watch) = watch {
            watch.warn(&names[0]);
        }
        Ok(Outcome::found(if self.list {
            counts.iter().any(|&count| count > 0)
        } else {
            found > 0
        }))
    }

    /// The key type of all filters.
    fn key_type(
        &self,
        asked: Option<KeyType>,
        filters: &[Asked],
        paths: &[PathBuf],
    ) -> anyhow::Result<KeyType> {
        let mut all: Option<(KeyType, &Path)> = None;
        for (filter, path) in filters.iter().zip(paths) {
            let this = match asked {
                Some(asked) if filter.filter().is_empty() => asked,
                asked => KeyType::suited(asked, filter.encoding(), &input::name(path))?,
            };
            match all {
                Some((other, first)) if other != this => bail!(
                    "{} and {} have keys of different types: ask them in runs of their own, or give \
                     --key-type",
                    input::name(first),
                    input::name(path)
                ),
                _ => all = Some((this, path)),
            }
        }
        Ok(all.map_or(KeyType::Text, |(key_type, _)| key_type))
    }
}

/// Queries the filters on the thread that hashed the block.
struct Ask<'a> {
    filters: &'a [Asked],
    names: &'a [String],
    shape: Shape,
    how: &'a Arguments,
}

impl Ask<'_> {
    /// Whether a line is printed for keys.
    const fn prints(&self) -> bool {
        !(self.how.count || self.how.quiet || self.how.json || self.how.list)
    }

    /// Writes the lines of a block; `before` lines precede it in its source.
    fn print(&self, work: &mut Work, before: u64) -> Result<(), TryReserveError> {
        let mut out = std::mem::take(&mut work.out);
        out.clear();
        let lines = work.hashes.len();
        if self.prints() {
            // Room for all lines, and for the line end that the last one may lack.
            reserve(&mut out, work.used + 1)?;
            let each: &[String] = if self.how.with_filter { self.names } else { &[] };
            for (at, line) in work.lines().enumerate() {
                if each.is_empty() {
                    self.line(&mut out, "", before + at as u64, line, work.answers[at]);
                }
                for (filter, name) in each.iter().enumerate() {
                    let answer = work.each[filter * lines + at];
                    self.line(&mut out, name, before + at as u64, line, answer);
                }
            }
        }
        work.out = out;
        Ok(())
    }

    fn line(&self, out: &mut Vec<u8>, name: &str, before: u64, line: &[u8], answer: bool) {
        if self.how.print.is_none() && answer == self.how.invert {
            return;
        }
        if !name.is_empty() {
            out.extend_from_slice(name.as_bytes());
            out.push(b':');
        }
        if self.how.line_number {
            let _ = write!(out, "{}:", before + 1);
        }
        if let Some(words) = &self.how.print {
            out.extend_from_slice(if answer { &words.yes } else { &words.no }.as_bytes());
            if !words.key {
                out.push(self.shape.end);
                return;
            }
            out.push(b'\t');
        }
        out.extend_from_slice(line);
        if line.last() != Some(&self.shape.end) {
            out.push(self.shape.end);
        }
    }
}

impl Sink for Ask<'_> {
    fn map(&self, work: &mut Work) -> Result<(), TryReserveError> {
        let lines = work.hashes.len();
        let wanted = !self.how.invert;
        work.each.clear();
        reserve(&mut work.each, lines * self.filters.len())?;
        work.each.resize(lines * self.filters.len(), false);
        work.counts.clear();
        let under = self.filters.first().map(Asked::secret);
        // The hashes under the seeds of other filters.
        let (mut hashes, mut ends) = (Vec::new(), Vec::new());
        for (at, filter) in self.filters.iter().enumerate() {
            let answers = &mut work.each[at * lines..][..lines];
            let mut of = &work.hashes;
            if Some(filter.secret()) != under {
                let block = &work.block[..work.used];
                // Cannot fail: each line has been hashed once, so it is a key.
                let _ = self.shape.hash_block(
                    block,
                    work.column,
                    filter.secret(),
                    &mut hashes,
                    &mut ends,
                );
                of = &hashes;
            }
            // The lengths are equal.
            let _ = filter.filter().contains_batch(of, answers);
            work.counts.push(answers.iter().filter(|&&answer| answer == wanted).count() as u64);
        }
        work.answers.clear();
        reserve(&mut work.answers, lines)?;
        let each = &work.each;
        let of = |at: usize| (0..self.filters.len()).map(move |it| each[it * lines + at]);
        match self.how.all {
            true => work.answers.extend((0..lines).map(|at| of(at).all(|yes| yes))),
            false if self.filters.len() == 1 => work.answers.extend_from_slice(each),
            false => work.answers.extend((0..lines).map(|at| of(at).any(|yes| yes))),
        }
        work.found = work.answers.iter().filter(|&&answer| answer == wanted).count() as u64;
        if self.how.line_number {
            // Only the numbers are printed, by the caller.
            return Ok(());
        }
        self.print(work, 0)
    }
}
