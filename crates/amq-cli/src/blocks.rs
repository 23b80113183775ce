//! Reads keys in blocks of whole lines on a separate thread, in bounded memory.

use crate::exit;
use crate::form::{self, Form};
use crate::keys::BadKey;
use crate::memory::reserve;
use crate::numbers::grouped;
use crate::pool::{Loan, Pool};
use crate::records::{Columns, Ends};
use crate::stdio;
use crate::work::Work;
use anyhow::{Context, anyhow, bail};
use std::fs::{self, File};
use std::io::{self, IsTerminal, Read};
use std::ops::ControlFlow::{self, Break, Continue};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::mpsc::SyncSender;

/// Bytes read at a time, unless memory is scarce.
pub(crate) const BLOCK: usize = 256 << 10;

/// A source of keys.
#[derive(Clone, Debug)]
pub(crate) enum Source {
    Stdin,
    File(PathBuf),
    /// Keys given on the command line, each with its end byte.
    Given(Vec<u8>),
}

impl Source {
    /// Its name in an error.
    pub(crate) fn name(&self) -> String {
        match self {
            Self::Stdin => "standard input".into(),
            Self::File(path) => path.display().to_string(),
            Self::Given(_) => "--key".into(),
        }
    }

    /// Checks early that it can be read, and returns its bytes if known. Opens no FIFO, which can
    /// be read only once. Refuses a filter; `first` is the file that was taken as the filter.
    pub(crate) fn check(&self, raw: bool, first: Option<&Path>) -> anyhow::Result<Option<u64>> {
        match self {
            Self::Given(keys) => Ok(Some(keys.len() as u64)),
            Self::Stdin => {
                if stdio::stdin()?.is_terminal() {
                    exit::note("reading keys from the terminal, one a line; Ctrl-D ends them");
                }
                Ok(None)
            }
            Self::File(path) => {
                let found = fs::metadata(path).with_context(|| self.missing(path))?;
                if found.is_dir() {
                    bail!("{}: this is a folder, not a file of keys", self.name());
                }
                if !found.is_file() {
                    return Ok(None);
                }
                File::open(path).with_context(|| self.name())?;
                match Form::of_file(path).filter(|_| !raw) {
                    Some(Form::Filter) => Err(not_keys(path, first)),
                    Some(Form::Utf8) | None => Ok(Some(found.len())),
                    // The decompressed size is unknown.
                    Some(_) => Ok(None),
                }
            }
        }
    }

    /// The error for a missing file, with a hint where a key may have been meant.
    fn missing(&self, path: &Path) -> String {
        match path.to_str() {
            Some(key) if !path.exists() && !key.contains(['/', '.']) => {
                format!("{key} (a file of keys; a key itself is -e {key})")
            }
            _ => self.name(),
        }
    }

    /// The keys, decompressed and in UTF-8 unless they are to be read `raw`.
    fn open(&self, raw: bool) -> anyhow::Result<Box<dyn Read + Send>> {
        let input: Box<dyn Read + Send> = match self {
            Self::Stdin => Box::new(stdio::stdin()?),
            Self::File(path) => Box::new(File::open(path).with_context(|| self.name())?),
            Self::Given(keys) => return Ok(Box::new(io::Cursor::new(keys.clone()))),
        };
        if raw { Ok(input) } else { form::decoded(input).with_context(|| self.name()) }
    }
}

/// The error for a filter where keys are expected, with what was meant.
fn not_keys(path: &Path, first: Option<&Path>) -> anyhow::Error {
    let name = path.display();
    match first {
        Some(first) if first.is_file() && Form::of_file(first) != Some(Form::Filter) => anyhow!(
            "{name}: this is a filter, and {} is none: the filter comes first, and then the keys",
            first.display()
        ),
        _ => anyhow!(
            "{name}: this is a filter, not a file of keys: amq merge unites filters, and amq query \
             -F FILTER -F FILTER asks several; --raw takes its bytes as keys"
        ),
    }
}

/// What the reading thread sends.
pub(crate) type Next = anyhow::Result<Loan>;

/// Reads all sources and sends their blocks, each of whole lines. Ends when the other side is gone.
pub(crate) struct Reader {
    pub(crate) sources: Vec<Source>,
    pub(crate) end: u8,
    pub(crate) raw: bool,
    pub(crate) columns: Option<Columns>,
    pub(crate) max_key_len: usize,
    /// Bytes read at a time.
    pub(crate) block: usize,
    pub(crate) pool: Pool,
    pub(crate) full: SyncSender<Next>,
}

impl Reader {
    pub(crate) fn run(self) {
        for index in 0..self.sources.len() {
            match self.read(index) {
                Ok(Continue(())) => {}
                Ok(Break(())) => return,
                Err(error) => {
                    // If the receiver is gone, the error is not needed.
                    let _ = self.full.send(Err(error));
                    return;
                }
            }
        }
    }

    /// Sends the blocks of one source. `Break` if the receiver is gone.
    fn read(&self, index: usize) -> anyhow::Result<ControlFlow<()>> {
        let source = &self.sources[index];
        let mut input = source.open(self.raw)?;
        let mut ends = Ends::new(self.end, self.columns.as_ref());
        let mut column = None;
        // The bytes after the last whole line.
        let mut rest = Vec::new();
        loop {
            let mut work = self.pool.lend();
            work.begin(index);
            work.append(&rest)?;
            rest.clear();
            let ended = self.fill(source, &mut *input, &mut ends, &mut work, &mut rest)?;
            if ended && ends.ends_open(self.end) {
                let record = crate::keys::shown(work.bytes());
                bail!("{}: a quote in the last record, {record}, is not closed", source.name());
            }
            if let (Some(columns), None) = (&self.columns, column) {
                column = Some(columns.begin(&mut work).with_context(|| source.name())?);
            }
            work.column = column.unwrap_or(0);
            let bad = work.bad.is_some();
            let gone = (work.used > 0 || !work.head.is_empty() || bad)
                && self.full.send(Ok(work)).is_err();
            if gone || bad {
                return Ok(Break(()));
            }
            if ended {
                return Ok(Continue(()));
            }
        }
    }

    /// Reads until the block holds a whole line, and moves what follows its last line to `rest`.
    /// Returns whether the source has ended.
    fn fill(
        &self,
        source: &Source,
        input: &mut dyn Read,
        ends: &mut Ends,
        work: &mut Work,
        rest: &mut Vec<u8>,
    ) -> anyhow::Result<bool> {
        loop {
            let before = work.used;
            let read = read_block(input, work, self.block).with_context(|| source.name())?;
            let ended = read == 0;
            let last = ends.last(&work.bytes()[before..]);
            if let Some(at) = last {
                let behind = &work.bytes()[before + at + 1..];
                reserve(rest, behind.len())?;
                rest.extend_from_slice(behind);
                work.used = before + at + 1;
            }
            if last.is_some() || ended || work.used > self.max_key_len {
                let long = match &self.columns {
                    // Without an end there is one record.
                    Some(columns) if columns.is_csv() => Some((0, 0..work.used))
                        .filter(|_| last.is_none() && work.used > self.max_key_len),
                    _ => self.first_long(work.bytes()),
                };
                if let Some((index, line)) = &long {
                    work.bad = Some(self.too_long(*index, &work.bytes()[line.clone()]));
                    work.used = line.start;
                }
                if last.is_some() || ended || long.is_some() {
                    return Ok(ended);
                }
            }
        }
    }

    /// The first line that is too long: its index in the block, and its range.
    fn first_long(&self, block: &[u8]) -> Option<(u64, Range<usize>)> {
        // Then none of its lines is too long.
        if block.len() <= self.max_key_len {
            return None;
        }
        let mut start = 0;
        let ends = memchr::memchr_iter(self.end, block).chain([block.len()]);
        for (index, at) in ends.enumerate() {
            // A carriage return may belong to the line end, and is not counted.
            let line = &block[start..at];
            if line.strip_suffix(b"\r").unwrap_or(line).len() > self.max_key_len {
                return Some((index as u64, start..at));
            }
            start = at + 1;
        }
        None
    }

    fn too_long(&self, index: u64, line: &[u8]) -> BadKey {
        let why = format!(
            "the key that begins with {} is longer than {} bytes: is this a file of keys, one a \
             line? If so, allow more with --max-key-len",
            crate::keys::shown(line),
            grouped(self.max_key_len as u64)
        );
        BadKey { index, why }
    }
}

/// Appends the bytes of one read, at most a block; 0 is the end.
fn read_block(input: &mut dyn Read, work: &mut Work, most: usize) -> io::Result<usize> {
    let room = work.room(most)?;
    loop {
        match input.read(room) {
            Ok(read) => {
                work.used += read;
                return Ok(read);
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
}
