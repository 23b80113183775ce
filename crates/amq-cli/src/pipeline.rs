//! The pipeline of keys: one thread reads, several hash, and the caller gets the blocks in the
//! order in which they were read.
//!
//! ```text
//!            full                worker 0             fold
//!   reader --------> caller ===> worker 1 ===> caller ----> filter, standard output
//!      ^                         worker 2                     |
//!      '--------------- the pool: blocks, again --------------'
//! ```
//!
//! The number of blocks is fixed, which bounds memory however fast the input is. Slow input, as
//! from a pipe, is passed on before the caller waits for more.

use crate::blocks::{BLOCK, Next, Reader, Source};
use crate::keys::{BadKey, KeyType, Shape};
use crate::memory;
use crate::pool::{Loan, Pool};
use crate::records::Columns;
use crate::signals;
use crate::work::Work;
use amq::{AnyFile, KeyEncoding, Secret};
use anyhow::{Context, anyhow, bail};
use indicatif::ProgressBar;
use same_file::Handle;
use std::collections::TryReserveError;
use std::ops::ControlFlow::{self, Break, Continue};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender, TryRecvError};
use std::thread;
use std::time::Duration;

/// The keys of a run: their sources and their format.
pub(crate) struct Keys {
    pub(crate) sources: Vec<Source>,
    pub(crate) shape: Shape,
    /// The field that is the key, if it is not the whole line.
    pub(crate) columns: Option<Columns>,
    /// Whether sources are read as they are, without decompressing.
    pub(crate) raw: bool,
    /// The key type given on the command line.
    pub(crate) asked: Option<KeyType>,
    pub(crate) max_key_len: usize,
    pub(crate) threads: usize,
    /// Bytes read at a time.
    pub(crate) block: usize,
    /// Bytes of memory that the caller may take.
    pub(crate) room: u64,
    /// Bytes of all sources, if known.
    pub(crate) bytes: Option<u64>,
}

/// The consumer of hashed blocks.
pub(crate) trait Sink {
    /// Processes one hashed block, on any thread. Refused memory is an error.
    fn map(&self, _work: &mut Work) -> Result<(), TryReserveError> {
        Ok(())
    }
}

/// Does nothing but hash.
pub(crate) struct Hashed;

impl Sink for Hashed {}

impl Keys {
    /// Reads the keys in the encoding recorded in the file of the filter `name`. For an empty
    /// filter, that is only the default of --key-type.
    pub(crate) fn suited(mut self, file: &AnyFile, name: &str) -> anyhow::Result<Self> {
        self.shape.key_type = match self.asked {
            Some(asked) if file.filter().is_empty() => asked,
            asked => KeyType::suited(asked, file.encoding(), name)?,
        };
        Ok(self)
    }

    /// The key encoding of a new filter with `read` keys: unknown if there are none and the command
    /// line gives no type.
    pub(crate) fn encoding(&self, read: u64) -> KeyEncoding {
        match (self.asked, read) {
            (None, 0) => KeyEncoding::Unknown,
            _ => self.shape.key_type.encoding(),
        }
    }

    /// Threads beside the one that reads and the caller's.
    const fn workers(&self) -> usize {
        if self.threads > 1 { self.threads } else { 0 }
    }

    /// Keeps the run within this memory: blocks in flight take at most an eighth of it, however
    /// short the lines are.
    pub(crate) fn within(&mut self, memory: u64) {
        // Each thread adds blocks.
        self.threads = self.threads.min((memory >> 22) as usize).max(1);
        let most = BYTES * (2 * self.workers() + 3) as u64;
        self.block = (memory / 8 / most).clamp(4 << 10, BLOCK as u64) as usize;
        self.room = memory.saturating_sub(PROGRAM + most * self.block as u64);
    }

    /// Hashes all keys under a seed or key. `sink` maps blocks on many threads; `fold` receives
    /// them in order and decides when to stop; `idle` is called before waiting for input, and
    /// repeatedly while waiting. Returns the number of keys.
    pub(crate) fn run(
        &self,
        under: Secret,
        progress: &ProgressBar,
        sink: &(impl Sink + Sync),
        mut fold: impl FnMut(&mut Work) -> anyhow::Result<ControlFlow<()>>,
        idle: impl FnMut() -> anyhow::Result<()>,
    ) -> anyhow::Result<u64> {
        let workers = self.workers();
        let ahead = 2 * workers;
        let (full, from_reader) = mpsc::sync_channel(ahead + 2);
        let reader = Reader {
            sources: self.sources.clone(),
            end: self.shape.end,
            raw: self.raw,
            columns: self.columns.clone(),
            max_key_len: self.max_key_len,
            block: self.block,
            pool: Pool::new(ahead + 3),
            full,
        };
        memory::spare((1 + workers) * STACK).context("no memory for threads")?;
        // Not a scoped thread: it may still wait for input when the run is over.
        thread_builder().spawn(move || reader.run()).context("no thread to read keys")?;
        let process = |work: &mut Work| {
            let (hashes, ends) = (&mut work.hashes, &mut work.ends);
            let block = &work.block[..work.used];
            let hashed = self.shape.hash_block(block, work.column, under, hashes, ends);
            // A bad line that the reader has found is after all others.
            work.bad = hashed.err().or(work.bad.take());
            if work.bad.is_none() && sink.map(work).is_err() {
                work.bad = Some(BadKey::no_memory(0));
            }
        };
        let mut place = Place::default();
        let fold = |mut work: Loan| {
            self.check(&work, &mut place)?;
            progress.inc(work.used as u64);
            fold(&mut work)
        };
        thread::scope(|scope| {
            // If the system refuses threads, fewer do the work, or this one alone.
            let lanes = (0..workers).map_while(|_| {
                let (input, waiting) = mpsc::channel::<Loan>();
                let (done, output) = mpsc::channel();
                let process = &process;
                let work = move || {
                    for mut work in waiting {
                        process(&mut work);
                        if done.send(work).is_err() {
                            break;
                        }
                    }
                };
                thread_builder().spawn_scoped(scope, work).ok()?;
                Some(Lane { input, output })
            });
            let lanes: Vec<Lane> = lanes.collect();
            drive(&from_reader, &lanes, ahead, process, fold, idle)
        })?;
        Ok(place.keys)
    }

    /// Refuses to print lines to a file that they are read from, which would grow while it is read.
    pub(crate) fn not_into_themselves(&self) -> anyhow::Result<()> {
        let is_file = |handle: &Handle| handle.as_file().metadata().is_ok_and(|it| it.is_file());
        let Some(output) = Handle::stdout().ok().filter(is_file) else {
            return Ok(());
        };
        for source in &self.sources {
            let is_output = match source {
                Source::Stdin => Handle::stdin().is_ok_and(|input| input == output),
                Source::File(path) => path.is_file() && Handle::from_path(path)? == output,
                Source::Given(_) => false,
            };
            if is_output {
                bail!("{}: this is also the output: write to another file", source.name());
            }
        }
        Ok(())
    }

    /// Counts lines, and turns a bad key into an error with its file and line.
    fn check(&self, work: &Work, place: &mut Place) -> anyhow::Result<()> {
        if place.source != work.source {
            place.source = work.source;
            place.lines = 0;
        }
        place.lines += u64::from(!work.head.is_empty());
        if let Some(bad) = &work.bad {
            let line = place.lines + bad.index + 1;
            let name = self.sources[work.source].name();
            bail!("{name}:{line}: {}", bad.why);
        }
        place.lines += work.hashes.len() as u64;
        place.keys += work.hashes.len() as u64;
        Ok(())
    }
}

/// The position in the input.
#[derive(Default)]
struct Place {
    source: usize,
    lines: u64,
    keys: u64,
}

/// Memory per byte of input, at worst: a byte may be a line, with a hash, two ends and an answer,
/// and copies as a key and as output.
const BYTES: u64 = 24;

/// Memory of the program itself, with its code and stacks.
const PROGRAM: u64 = 10 << 20;

/// How long to wait for keys before `idle` is called again.
const PAUSE: Duration = Duration::from_millis(100);

/// The stack size of a thread that reads or hashes.
const STACK: usize = 512 << 10;

fn thread_builder() -> thread::Builder {
    thread::Builder::new().stack_size(STACK)
}

/// The channels to and from a worker.
struct Lane {
    input: Sender<Loan>,
    output: Receiver<Loan>,
}

/// Sends blocks to the workers in turn and receives them in the same order, at most `ahead` at a
/// time. Without workers, processes them itself.
fn drive(
    from_reader: &Receiver<Next>,
    lanes: &[Lane],
    ahead: usize,
    process: impl Fn(&mut Work),
    mut fold: impl FnMut(Loan) -> anyhow::Result<ControlFlow<()>>,
    mut idle: impl FnMut() -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    let lost = || anyhow!("a thread ended before its work was done");
    let (mut sent, mut taken) = (0, 0);
    let (mut open, mut failed) = (true, None);
    loop {
        open = open && signals::came().is_none();
        let next = if !open || (sent - taken == ahead && !lanes.is_empty()) {
            None
        } else if sent > taken {
            match from_reader.try_recv() {
                Ok(next) => Some(next),
                Err(TryRecvError::Empty) => None,
                Err(TryRecvError::Disconnected) => {
                    open = false;
                    None
                }
            }
        } else {
            let next = loop {
                idle()?;
                match from_reader.recv_timeout(PAUSE) {
                    Ok(next) => break Some(next),
                    Err(RecvTimeoutError::Timeout) if signals::came().is_none() => {}
                    Err(_) => break None,
                }
            };
            open = next.is_some();
            next
        };
        match next {
            Some(Ok(mut work)) => {
                if lanes.is_empty() {
                    process(&mut work);
                    if fold(work)? == Break(()) {
                        return Ok(());
                    }
                    continue;
                }
                let lane = &lanes[sent % lanes.len()];
                lane.input.send(work).map_err(|_| lost())?;
                sent += 1;
            }
            // Earlier blocks are processed first.
            Some(Err(error)) => (open, failed) = (false, Some(error)),
            None if sent > taken => {
                let work = lanes[taken % lanes.len()].output.recv();
                taken += 1;
                if fold(work.map_err(|_| lost())?)? == Break(()) {
                    return Ok(());
                }
            }
            None => return failed.map_or(Ok(()), Err),
        }
    }
}

/// The usual result of `fold` in [`Keys::run`].
pub(crate) const GO_ON: anyhow::Result<ControlFlow<()>> = Ok(Continue(()));
