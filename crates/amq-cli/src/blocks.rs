//! Reads keys block by block, on a thread of its own: whole lines, in bounded memory.

use crate::exit;
use crate::numbers::grouped;
use crate::pipeline::Work;
use anyhow::{Context, anyhow, bail};
use memchr::memrchr;
use std::fs::{self, File};
use std::io::{self, IsTerminal, Read};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, SyncSender};

/// Bytes read at a time.
const BLOCK: usize = 256 << 10;

/// Where keys come from, in order.
#[derive(Clone, Debug)]
pub(crate) enum Source {
    Stdin,
    File(PathBuf),
    /// Keys given on the command line, each with its end.
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

    /// Finds early what cannot be read, and the bytes in it if they are known. Opens no FIFO,
    /// which can be read once only.
    pub(crate) fn check(&self) -> anyhow::Result<Option<u64>> {
        match self {
            Self::Given(keys) => Ok(Some(keys.len() as u64)),
            Self::Stdin => {
                if io::stdin().is_terminal() {
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
                Ok(Some(found.len()))
            }
        }
    }

    /// Its name; with a hint where a key may have been meant.
    fn missing(&self, path: &Path) -> String {
        match path.to_str() {
            Some(key) if !path.exists() && !key.contains(['/', '.']) => {
                format!("{key} (a file of keys; a key itself is -e {key})")
            }
            _ => self.name(),
        }
    }

    fn open(&self) -> anyhow::Result<Box<dyn Read + Send>> {
        Ok(match self {
            Self::Stdin => Box::new(io::stdin()),
            Self::File(path) => Box::new(File::open(path).with_context(|| self.name())?),
            Self::Given(keys) => Box::new(io::Cursor::new(keys.clone())),
        })
    }
}

/// What the reading thread sends.
pub(crate) type Next = anyhow::Result<Box<Work>>;

/// Reads all sources and sends their blocks, each in a used `Work` that was sent back. Ends when
/// the other side is gone.
pub(crate) struct Reader {
    pub(crate) sources: Vec<Source>,
    pub(crate) end: u8,
    pub(crate) max_key_len: usize,
    pub(crate) empty: Receiver<Box<Work>>,
    pub(crate) full: SyncSender<Next>,
}

/// The other side is gone, or has been told of an error.
struct Stop;

impl Reader {
    pub(crate) fn run(self) {
        // Stopping early is no error: whoever stopped knows why.
        let _ = self.sources.iter().enumerate().try_for_each(|(i, source)| {
            let opened = source.open();
            match opened {
                Ok(mut input) => self.read(i, source, &mut *input),
                Err(error) => self.fail(error),
            }
        });
    }

    fn fail(&self, error: anyhow::Error) -> Result<(), Stop> {
        let _ = self.full.send(Err(error));
        Err(Stop)
    }

    fn read(&self, index: usize, source: &Source, input: &mut dyn Read) -> Result<(), Stop> {
        // What was read behind the last whole line.
        let mut rest = Vec::new();
        loop {
            let mut work = self.empty.recv().map_err(|_| Stop)?;
            work.source = index;
            work.used = 0;
            work.append(&rest);
            rest.clear();
            loop {
                let before = work.used;
                let read = match fill(input, &mut work) {
                    Ok(read) => read,
                    Err(error) => {
                        return self.fail(anyhow::Error::new(error).context(source.name()));
                    }
                };
                if read == 0 {
                    if before == 0 {
                        return Ok(());
                    }
                    self.check_line(source, work.bytes())?;
                    return self.full.send(Ok(work)).map_err(|_| Stop);
                }
                if let Some(at) = memrchr(self.end, &work.bytes()[before..]) {
                    rest.extend_from_slice(&work.bytes()[before + at + 1..]);
                    work.used = before + at + 1;
                    break;
                }
                self.check_line(source, work.bytes())?;
            }
            self.check_first(source, work.bytes())?;
            self.full.send(Ok(work)).map_err(|_| Stop)?;
        }
    }

    /// Only the first line of a block can have come together from several reads.
    fn check_first(&self, source: &Source, block: &[u8]) -> Result<(), Stop> {
        if block.len() <= self.max_key_len {
            return Ok(());
        }
        let mut start = 0;
        for at in memchr::memchr_iter(self.end, block) {
            self.check_line(source, &block[start..at])?;
            start = at + 1;
        }
        Ok(())
    }

    fn check_line(&self, source: &Source, line: &[u8]) -> Result<(), Stop> {
        // The end, and a carriage return, are not counted.
        let line = line.strip_suffix(&[self.end]).unwrap_or(line);
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        if line.len() <= self.max_key_len {
            return Ok(());
        }
        self.fail(anyhow!(
            "{}: the key that begins with {} is longer than {} bytes: is this a file of keys, one a \
             line? If so, allow more with --max-key-len",
            source.name(),
            crate::keys::shown(line),
            grouped(self.max_key_len as u64)
        ))
    }
}

/// Appends what one read gives, at most a block; 0 is the end.
fn fill(input: &mut dyn Read, work: &mut Work) -> io::Result<usize> {
    let room = work.room(BLOCK);
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
