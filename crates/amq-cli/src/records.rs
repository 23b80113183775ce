//! Keys that are fields of lines or of CSV records, whose fields may contain line ends.

use crate::keys::shown;
use crate::work::Work;
use anyhow::bail;
use csv::{ByteRecord, Terminator};
use memchr::{memchr_iter, memrchr};

/// The field of a line that is the key.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Field {
    /// By its number, from 0.
    Index(usize),
    /// By its name in the first line.
    Name(String),
}

/// How lines are split into fields.
#[derive(Clone, Debug)]
pub(crate) struct Columns {
    pub(crate) field: Field,
    pub(crate) delimiter: u8,
    pub(crate) end: u8,
    /// Fields may be quoted, as in RFC 4180.
    pub(crate) csv: bool,
    /// The first line of each source names its fields.
    pub(crate) header: bool,
}

/// How a block is split.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Split {
    pub(crate) delimiter: u8,
    pub(crate) csv: bool,
}

impl Columns {
    pub(crate) const fn is_csv(&self) -> bool {
        self.csv
    }

    pub(crate) const fn split(&self) -> Split {
        Split { delimiter: self.delimiter, csv: self.csv }
    }

    /// Finds the field in a source's first block, whose header moves into `work.head`.
    pub(crate) fn begin(&self, work: &mut Work) -> anyhow::Result<usize> {
        let mut names = ByteRecord::new();
        let mut after = 0;
        if self.header {
            let mut reader = reader(self.split(), self.end, work.bytes());
            reader.read_byte_record(&mut names)?;
            after = reader.position().byte() as usize;
            work.head = work.block[..after].to_vec();
            work.block.copy_within(after..work.used, 0);
            work.used -= after;
        }
        let name = match &self.field {
            Field::Index(index) => return Ok(*index),
            Field::Name(name) => name,
        };
        let is = |field: &[u8]| field.strip_suffix(b"\r").unwrap_or(field) == name.as_bytes();
        match names.iter().position(is) {
            Some(index) => Ok(index),
            // An empty file has no keys.
            None if after == 0 => Ok(0),
            None => {
                let names: Vec<_> = names.iter().map(|name| name.trim_ascii()).map(shown).collect();
                bail!("there is no field \"{name}\" in its first line: it has {}", names.join(", "))
            }
        }
    }
}

/// Reads records out of a block.
pub(crate) fn reader(split: Split, end: u8, block: &[u8]) -> csv::Reader<&[u8]> {
    let mut builder = csv::ReaderBuilder::new();
    builder.has_headers(false).flexible(true).delimiter(split.delimiter);
    builder.terminator(Terminator::Any(end)).from_reader(block)
}

/// The field of a line that has no quotes.
pub(crate) fn field(line: &[u8], delimiter: u8, index: usize) -> Option<&[u8]> {
    let mut start = 0;
    let mut ends = memchr_iter(delimiter, line);
    for _ in 0..index {
        start = ends.next()? + 1;
    }
    Some(&line[start..ends.next().unwrap_or(line.len())])
}

/// Finds the ends of lines, or of CSV records, where a line end in quotes does not count.
#[derive(Debug)]
pub(crate) enum Ends {
    Lines(u8),
    Records(Box<csv_core::Reader>),
}

impl Ends {
    pub(crate) fn new(end: u8, columns: Option<&Columns>) -> Self {
        let Some(columns) = columns.filter(|columns| columns.csv) else {
            return Self::Lines(end);
        };
        let mut builder = csv_core::ReaderBuilder::new();
        builder.delimiter(columns.delimiter).terminator(csv_core::Terminator::Any(end));
        Self::Records(Box::new(builder.build()))
    }

    /// The last end in the next bytes of a source.
    pub(crate) fn last(&mut self, bytes: &[u8]) -> Option<usize> {
        let core = match self {
            Self::Lines(end) => return memrchr(*end, bytes),
            Self::Records(core) => core,
        };
        let (mut out, mut ends) = ([0; 4096], [0; 64]);
        let (mut at, mut last) = (0, None);
        while at < bytes.len() {
            let (result, read, _, _) = core.read_record(&bytes[at..], &mut out, &mut ends);
            at += read;
            if result == csv_core::ReadRecordResult::Record {
                last = Some(at - 1);
            }
        }
        last
    }

    /// Whether a quote is open at the end of a source.
    pub(crate) fn ends_open(&mut self, end: u8) -> bool {
        let Self::Records(core) = self else { return false };
        // Inside quotes, this does not end a record.
        let (result, ..) = core.read_record(&[b'x', end], &mut [0; 4], &mut [0; 4]);
        result != csv_core::ReadRecordResult::Record
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_counted_from_the_left() {
        let line = b"a\tbc\t\td";
        let all: Vec<_> = (0..5).map(|index| field(line, b'\t', index)).collect();
        assert_eq!(all, [Some(&b"a"[..]), Some(b"bc"), Some(b""), Some(b"d"), None]);
        assert_eq!((field(b"", b',', 0), field(b"", b',', 1)), (Some(&b""[..]), None));
    }

    /// Wherever the input is split.
    #[test]
    fn a_line_end_in_quotes_ends_no_record() {
        let text = b"1,\"a\nb\"\r\n2,x\"y\n\n3,\"q\"\"\n\"\nrest";
        let columns = Columns {
            field: Field::Index(0),
            delimiter: b',',
            end: b'\n',
            csv: true,
            header: false,
        };
        for cut in 1..text.len() {
            let mut ends = Ends::new(b'\n', Some(&columns));
            let first = ends.last(&text[..cut]);
            let second = ends.last(&text[cut..]).map(|at| cut + at);
            assert_eq!(second.or(first), Some(text.len() - 5), "{cut}");
            let open = [&text[..3], b"1,\"a\nb", b"1,\"a\""].map(|text| {
                let mut ends = Ends::new(b'\n', Some(&columns));
                ends.last(text);
                ends.ends_open(b'\n')
            });
            assert_eq!(open, [true, true, false]);
            let known = [None, Some(8), Some(14), Some(15), Some(text.len() - 5)];
            assert!(known.contains(&first), "{cut}: {first:?}");
        }
    }
}
