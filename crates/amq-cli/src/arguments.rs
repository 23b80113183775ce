//! Groups of arguments that several commands share.

use crate::blocks::{BLOCK, Source};
use crate::input;
use crate::key_file::{self, KeyFile};
use crate::keys::{KeyType, Shape};
use crate::lock::Wait;
use crate::numbers;
use crate::output::Output;
use crate::pipeline::Keys;
use crate::records::{Columns, Field};
use crate::stdio;
use crate::stdio::is_dash;
use amq::format::HashedBy;
use amq::{AnyFile, Budget, DEFAULT_SEED, Secret};
use anyhow::{Context, bail};
use clap::Args;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// The sources of keys, and their format.
#[derive(Args, Debug)]
#[command(next_help_heading = "Keys")]
pub(crate) struct KeyArgs {
    /// Files of keys, one per line; `-`, or no file, is standard input
    #[arg(value_name = "KEYS")]
    pub(crate) files: Vec<PathBuf>,

    /// A key, instead of files of keys; can be repeated
    #[arg(short = 'e', long = "key", value_name = "KEY", allow_hyphen_values = true)]
    #[arg(conflicts_with_all = ["files", "field"])]
    keys: Vec<OsString>,

    /// Keys end at a NUL byte instead of a line feed, as `find -print0` writes them
    #[arg(short = '0', long)]
    null: bool,

    /// How to read a line [default: as the filter's file says, else as text]
    #[arg(long, value_name = "TYPE", value_enum)]
    key_type: Option<KeyType>,

    /// Use this field of each line as its key; the whole line is printed. Fields are numbered from
    /// 1; with --csv, the names in the first line work, too
    #[arg(long, value_name = "FIELD")]
    field: Option<String>,

    /// The separator of fields, a character or `tab` [default: tab; a comma with --csv]
    #[arg(short, long, value_name = "CHARACTER", value_parser = delimiter, requires = "field")]
    delimiter: Option<u8>,

    /// Read lines as CSV records: fields may be quoted, and may contain line ends
    #[arg(long, requires = "field")]
    csv: bool,

    /// The first line of each file names the fields and is not a key; implied if --field is a name
    #[arg(long, requires = "csv")]
    header: bool,

    /// Ignore case, by Unicode case folding. Neither this nor --trim is recorded in the filter:
    /// give it in later runs, too
    #[arg(short, long)]
    ignore_case: bool,

    /// Strip white space from both ends of a key
    #[arg(long)]
    trim: bool,

    /// Read files as they are. By default, files compressed by gzip, zstd, bzip2 or xz are
    /// decompressed, UTF-16 is read as UTF-8, and a byte order mark is skipped
    #[arg(long)]
    raw: bool,

    /// Keep a carriage return before the line feed as part of the key. By default CRLF ends a line,
    /// as LF does
    #[arg(long)]
    keep_cr: bool,

    /// Refuse longer keys; at most 1GiB. This bounds the memory used by a file without line ends
    #[arg(long, value_name = "SIZE", value_parser = key_len, default_value = "1MiB")]
    max_key_len: u64,

    /// Threads that hash [default: all processors]
    #[arg(long, value_name = "N", value_parser = numbers::whole::<1, 256>)]
    threads: Option<u32>,
}

/// The separator of fields.
fn delimiter(text: &str) -> Result<u8, String> {
    match text.as_bytes() {
        b"tab" | b"\\t" => Ok(b'\t'),
        &[byte] if !matches!(byte, b'"' | b'\n' | b'\r') => Ok(byte),
        _ => Err("one character of ASCII that is no quote and no line end, or the word tab".into()),
    }
}

/// A key length; the limit keeps line ends in a block below 2^32.
fn key_len(text: &str) -> Result<u64, String> {
    match numbers::size(text)? {
        bytes @ 1..=0x4000_0000 => Ok(bytes),
        _ => Err("at most 1GiB".into()),
    }
}

impl KeyArgs {
    /// The keys. Unreadable sources are refused now. `before` are files read first, a filter or a
    /// secret key: standard input can be only one of them.
    pub(crate) fn keys<'a>(
        &self,
        before: impl IntoIterator<Item = &'a Path>,
    ) -> anyhow::Result<Keys> {
        self.keys_after(None, before)
    }

    /// The same, with one more file before the others.
    pub(crate) fn keys_after<'a>(
        &self,
        first: Option<&Path>,
        before: impl IntoIterator<Item = &'a Path>,
    ) -> anyhow::Result<Keys> {
        let before: Vec<&Path> = before.into_iter().collect();
        let end = if self.null { 0 } else { b'\n' };
        let sources = self.sources(first, end)?;
        let columns = self.columns(end)?;
        let means_stdin = |source: &&Source| match source {
            Source::Stdin => true,
            // A regular file can be read again by its name.
            Source::File(path) => !path.is_file() && stdio::is_stdin(path),
            Source::Given(_) => false,
        };
        stdio::once(sources.iter().filter(means_stdin).count(), before.iter().copied())?;
        let mut bytes = Some(0u64);
        for source in &sources {
            let held = source.check(self.raw, before.first().copied())?;
            bytes = bytes.zip(held).map(|(sum, held)| sum + held);
        }
        let processors = || std::thread::available_parallelism().map_or(1, usize::from);
        let key_type = self.key_type.unwrap_or(KeyType::Text);
        Ok(Keys {
            sources,
            shape: Shape {
                end,
                strip_cr: !self.keep_cr && !self.null,
                key_type,
                trim: self.trim,
                fold: self.ignore_case,
                split: columns.as_ref().map(Columns::split),
            },
            columns,
            raw: self.raw,
            asked: self.key_type,
            max_key_len: self.max_key_len as usize,
            block: BLOCK,
            room: u64::MAX,
            threads: self.threads.map_or_else(processors, |threads| threads as usize),
            bytes,
        })
    }

    /// The field that is the key.
    fn columns(&self, end: u8) -> anyhow::Result<Option<Columns>> {
        let Some(field) = &self.field else { return Ok(None) };
        let (field, is_name) = match field.parse::<usize>() {
            Ok(0) => bail!("--field 0: fields are counted from 1"),
            Ok(number) => (Field::Index(number - 1), false),
            Err(_) if self.csv => (Field::Name(field.clone()), true),
            Err(_) => bail!(
                "--field {field}: a number, counted from 1; a name needs --csv, and a first line that \
                 names the fields"
            ),
        };
        let default = if self.csv { b',' } else { b'\t' };
        Ok(Some(Columns {
            field,
            delimiter: self.delimiter.unwrap_or(default),
            end,
            csv: self.csv,
            header: self.header || is_name,
        }))
    }

    fn sources(&self, first: Option<&Path>, end: u8) -> anyhow::Result<Vec<Source>> {
        if !self.keys.is_empty() {
            if let Some(path) = first {
                bail!("{}: give files of keys, or keys by --key, not both", path.display());
            }
            let mut given = Vec::new();
            for key in &self.keys {
                let key = key.as_encoded_bytes();
                if key.contains(&end) {
                    bail!("--key: a key with a line feed in it needs -0");
                }
                given.extend_from_slice(key);
                given.push(end);
            }
            return Ok(vec![Source::Given(given)]);
        }
        let source = |path: &Path| match is_dash(path) {
            true => Source::Stdin,
            false => Source::File(path.to_owned()),
        };
        let files = first.into_iter().chain(self.files.iter().map(PathBuf::as_path));
        let sources: Vec<Source> = files.map(source).collect();
        Ok(if sources.is_empty() { vec![Source::Stdin] } else { sources })
    }
}

/// A filter to change, and the keys to change it by.
#[derive(Args, Debug)]
pub(crate) struct ChangeArgs {
    /// The filter's file; `-` is standard input, and standard output without -o
    filter: PathBuf,

    /// Write here instead of to the same file; `-` is standard output
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,

    /// Replace the file of -o if it exists, and a filter's own file if it is read-only
    #[arg(short, long)]
    force: bool,

    /// Keep the replaced file, under its name followed by `~`
    #[arg(long)]
    backup: bool,

    /// No report and no progress bar on standard error
    #[arg(short, long)]
    pub(crate) quiet: bool,

    /// Print one JSON object instead: the fields of `amq info --json`, and what was done: `read`,
    /// and `inserted`, or `removed` and `stuck`
    #[arg(long)]
    pub(crate) json: bool,

    #[command(flatten)]
    wait: Wait,

    #[command(flatten)]
    key_file: KeyFile,

    #[command(flatten)]
    keys: KeyArgs,
}

impl ChangeArgs {
    /// The filter, locked against other runs from now on, its destination, and the keys.
    pub(crate) fn begin(&self) -> anyhow::Result<(AnyFile, Output, Keys)> {
        let output = Output::of_change(&self.filter, self.output.as_deref(), self.force)?;
        let output = output.keeping(self.backup)?.telling(self.json)?;
        output.not_among(self.keys.files.iter().map(PathBuf::as_path))?;
        let keys = self.keys.keys([&*self.filter].into_iter().chain(self.key_file.path()))?;
        output.not_among(self.key_file.path())?;
        let output = output.locked(self.wait)?;
        let file = input::load_for_keys(&self.filter, self.key_file.key()?)?;
        let keys = keys.suited(&file, &self.name())?;
        Ok((file, output, keys))
    }

    pub(crate) fn filter(&self) -> &Path {
        &self.filter
    }

    /// The filter's name in an error.
    pub(crate) fn name(&self) -> String {
        input::name(&self.filter)
    }

    /// Whether the filter's own file is replaced.
    pub(crate) fn is_in_place(&self) -> bool {
        self.output.is_none() && !is_dash(&self.filter)
    }

    /// Whether progress and reports are off.
    pub(crate) const fn is_silent(&self) -> bool {
        self.quiet || self.json
    }
}

/// The budget of a filter: its rate or its size, one of three options.
#[derive(Args, Debug)]
#[command(next_help_heading = "Size")]
#[group(required = true, multiple = false)]
pub(crate) struct BudgetArgs {
    /// The false-positive rate to keep: 1%, 0.01, 1e-2 or 1/100
    #[arg(long, value_name = "RATE", value_parser = numbers::rate, allow_hyphen_values = true)]
    fpr: Option<f64>,

    /// The most bits per key
    #[arg(long, value_name = "BITS", value_parser = numbers::bits, allow_hyphen_values = true)]
    bits_per_key: Option<f64>,

    /// The most bytes of the table: 4096, 64KiB, 1.5GB
    #[arg(long, value_name = "SIZE", value_parser = numbers::size, allow_hyphen_values = true)]
    bytes: Option<u64>,
}

impl BudgetArgs {
    pub(crate) fn budget(&self) -> anyhow::Result<Budget> {
        match (self.fpr, self.bits_per_key, self.bytes) {
            (Some(fpr), _, _) => Ok(Budget::Fpr(fpr)),
            (_, Some(bits), _) => Ok(Budget::BitsPerKey(bits)),
            (_, _, Some(bytes)) => Ok(Budget::Bytes(bytes)),
            (None, None, None) => bail!("give --fpr, --bits-per-key or --bytes"),
        }
    }
}

/// The seed or secret key that keys are hashed with.
#[derive(Args, Debug)]
#[command(next_help_heading = "Seed")]
#[group(multiple = false)]
pub(crate) struct SeedArgs {
    /// A seed of your own, in decimal or, after 0x, in hexadecimal. The default, 0, is public: the
    /// same keys in the same order make the same file everywhere
    #[arg(long, value_name = "SEED", value_parser = numbers::seed, allow_hyphen_values = true)]
    seed: Option<u64>,

    /// A random seed, for keys that strangers choose: they cannot prepare keys that collide. The
    /// file contains the seed, so only its owner can read it: keep it secret
    #[arg(long)]
    secret: bool,

    /// Use the seed of another filter, so that the two can be merged
    #[arg(long, value_name = "FILTER")]
    seed_of: Option<PathBuf>,

    /// Instead of a seed, a secret key in a file of 32 hexadecimal digits that only its owner can
    /// access: the strongest protection against strangers who choose the keys. The filter does not
    /// contain it, so later runs need --key-file, too
    #[arg(long, value_name = "FILE")]
    key_file: Option<PathBuf>,
}

impl SeedArgs {
    /// The seed or key given on the command line, if any.
    pub(crate) fn given(&self) -> anyhow::Result<Option<Secret>> {
        if let Some(path) = &self.seed_of {
            let (header, file) = input::look(path)?;
            return match (header.hashed_by, file.secret()) {
                (_, seed @ Secret::Seed(_)) => Ok(Some(seed)),
                (HashedBy::Key, _) => bail!(
                    "{}: its keys are hashed under a secret key, and no seed: give that key by \
                     --key-file, and leave --seed-of out",
                    path.display()
                ),
                (HashedBy::Seed, _) => bail!("{}: it omits its seed", path.display()),
                (HashedBy::Caller, _) => bail!(
                    "{}: its keys were hashed by the program that made it: it has no seed",
                    path.display()
                ),
            };
        }
        if self.secret {
            return Ok(Some(Secret::Seed(getrandom::u64().context("no random seed")?)));
        }
        if let Some(path) = &self.key_file {
            return Ok(Some(Secret::Key(key_file::read(path)?)));
        }
        Ok(self.seed.map(Secret::Seed))
    }

    pub(crate) fn secret(&self) -> anyhow::Result<Secret> {
        Ok(self.given()?.unwrap_or(Secret::Seed(DEFAULT_SEED)))
    }

    /// The file of the secret key.
    pub(crate) fn key_file(&self) -> Option<&Path> {
        self.key_file.as_deref()
    }

    /// Whether a random seed was asked for.
    pub(crate) const fn is_secret(&self) -> bool {
        self.secret
    }
}
