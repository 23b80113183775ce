//! Turns bytes into keys: splits them, decodes each key and hashes it.

use crate::memory::reserve;
use crate::records::{self, Split};
use amq::{Key, KeyEncoding, KeyHash, Secret};
use anyhow::bail;
use clap::ValueEnum;
use csv::ByteRecord;
use memchr::memchr_iter;
use std::borrow::Cow;
use std::collections::TryReserveError;
use unicase::UniCase;

/// How a line is read as a key.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub(crate) enum KeyType {
    /// The bytes of the line as they are: any encoding, none is assumed
    Text,
    /// A whole number from -2^63 to 2^64 - 1, in decimal; the same key as a Rust integer
    #[value(alias = "integer", alias = "i64")]
    U64,
    /// Bytes in hexadecimal, such as digests; upper and lower case are the same key
    Hex,
}

impl KeyType {
    /// The encoding of such keys.
    pub(crate) const fn encoding(self) -> KeyEncoding {
        match self {
            Self::Text => KeyEncoding::Bytes,
            Self::Hex => KeyEncoding::Hex,
            Self::U64 => KeyEncoding::Integers,
        }
    }

    /// The key type for the filter `name`, whose file records `encoding`, if the command line gives
    /// `asked`. Fails if the two contradict each other.
    pub(crate) fn suited(
        asked: Option<Self>,
        encoding: KeyEncoding,
        name: &str,
    ) -> anyhow::Result<Self> {
        match (encoding, asked) {
            (KeyEncoding::Unknown, None) => Ok(Self::Text),
            (KeyEncoding::Bytes, None) => Ok(Self::Text),
            (KeyEncoding::Integers, None) => Ok(Self::U64),
            (KeyEncoding::Hex, None) => Ok(Self::Hex),
            (KeyEncoding::Mixed, None) => bail!(
                "{name}: its keys are of several types, such as text and integers: say which these \
                 are, with --key-type"
            ),
            (KeyEncoding::Dates, None | Some(Self::Text | Self::Hex)) => bail!(
                "{name}: its keys are dates, each the number of its days since 1970-01-01: give \
                 these numbers, with --key-type u64"
            ),
            (KeyEncoding::Instants, _) => bail!(
                "{name}: its keys are instants, which lines cannot express, and it denies all text \
                 and integers: query it in SQL, by amq_contains of amq-datafusion, or in a program, \
                 for (seconds, nanoseconds) since 1970"
            ),
            (KeyEncoding::Hex, Some(Self::Text)) => bail!(
                "{name}: its keys are bytes, given in hexadecimal digits, and it denies the text of \
                 the digits: leave --key-type out, or give --key-type hex"
            ),
            (KeyEncoding::Bytes, Some(Self::Hex)) => bail!(
                "{name}: its keys are text or bytes exactly as in a line, and it denies bytes given in \
                 hexadecimal digits: leave --key-type out, or build it again, from its keys, \
                 with --key-type hex"
            ),
            (KeyEncoding::Bytes | KeyEncoding::Hex, Some(Self::U64)) => bail!(
                "{name}: its keys are text or bytes, and it denies every integer: leave --key-type \
                 u64 out"
            ),
            (KeyEncoding::Integers, Some(Self::Text | Self::Hex)) => bail!(
                "{name}: its keys are integers, and it denies all text and bytes: leave --key-type \
                 out, or give --key-type u64"
            ),
            (_, Some(asked)) => Ok(asked),
        }
    }
}

/// The format of keys.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Shape {
    /// The byte that ends a key.
    pub(crate) end: u8,
    /// Whether a carriage return before the end byte is part of the end.
    pub(crate) strip_cr: bool,
    pub(crate) key_type: KeyType,
    /// Whether white space is stripped from both ends of a key.
    pub(crate) trim: bool,
    /// Whether case is ignored.
    pub(crate) fold: bool,
    /// How a line is split, if the key is one of its fields.
    pub(crate) split: Option<Split>,
}

/// A line that is not a key.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct BadKey {
    /// The line's index in its block.
    pub(crate) index: u64,
    /// What is wrong.
    pub(crate) why: String,
}

impl BadKey {
    /// Memory was refused at this line.
    pub(crate) fn no_memory(index: usize) -> Self {
        Self { index: index as u64, why: "there is no memory for this line and the next".into() }
    }
}

impl Shape {
    /// Hashes all keys of a block of whole lines; the last line may lack its end. `ends[i]` is the
    /// index after line `i` and its end. `column` is the index of the key's field.
    pub(crate) fn hash_block(
        self,
        block: &[u8],
        column: usize,
        under: Secret,
        hashes: &mut Vec<KeyHash>,
        ends: &mut Vec<u32>,
    ) -> Result<(), BadKey> {
        hashes.clear();
        ends.clear();
        self.each(block, column, |index, key, end| {
            if index == hashes.capacity().min(ends.capacity()) {
                let more = index.max(1 << 10);
                let refused = |_| BadKey::no_memory(index);
                reserve(hashes, more).map_err(refused)?;
                reserve(ends, more).map_err(refused)?;
            }
            let hash = match self.key(key, index)? {
                Compared::Bytes(bytes) => hash_of(&*bytes, under),
                Compared::Number(number) => hash_of(&number, under),
            };
            hashes.push(hash);
            // Does not truncate: `blocks` keeps blocks far below 2^32 bytes.
            ends.push(end as u32);
            Ok(())
        })
    }

    /// The bytes by which the keys of a block are compared, concatenated, and where each key ends.
    pub(crate) fn keys(
        self,
        block: &[u8],
        column: usize,
        keys: &mut Vec<u8>,
        ends: &mut Vec<usize>,
    ) -> Result<(), TryReserveError> {
        keys.clear();
        ends.clear();
        let mut refused = None;
        // Cannot fail: each line has been hashed, so it is a key.
        let _ = self.each(block, column, |index, key, _| {
            let number;
            let key = self.key(key, index)?;
            let bytes = match &key {
                Compared::Bytes(bytes) => &**bytes,
                Compared::Number(it) => {
                    number = it.to_le_bytes();
                    &number
                }
            };
            if let Err(error) = reserve(keys, bytes.len()).and_then(|()| reserve(ends, 1)) {
                refused = Some(error);
                return Err(BadKey::no_memory(index));
            }
            keys.extend_from_slice(bytes);
            ends.push(keys.len());
            Ok(())
        });
        refused.map_or(Ok(()), Err)
    }

    /// The length of a line's key, if the line begins with the key unchanged.
    pub(crate) fn plain(self, line: &[u8]) -> Option<usize> {
        let plain = self.key_type == KeyType::Text && !self.trim && !self.fold;
        (plain && self.split.is_none())
            .then(|| self.trim_cr(line.strip_suffix(&[self.end]).unwrap_or(line)).len())
    }

    /// Calls back with each line's index, its key (the line or a field), and the index after the
    /// line.
    #[inline]
    fn each(
        self,
        block: &[u8],
        column: usize,
        mut key: impl FnMut(usize, &[u8], usize) -> Result<(), BadKey>,
    ) -> Result<(), BadKey> {
        if let Some(split) = self.split.filter(|split| split.csv) {
            return self.each_record(split, block, column, key);
        }
        let mut start = 0;
        let mut index = 0;
        let mut line = |start, at, end| {
            let line = self.trim_cr(&block[start..at]);
            let field = match self.split {
                None => line,
                Some(split) => records::field(line, split.delimiter, column)
                    .ok_or_else(|| no_field(line, index, column))?,
            };
            key(index, field, end)?;
            index += 1;
            Ok(())
        };
        for at in memchr_iter(self.end, block) {
            line(start, at, at + 1)?;
            start = at + 1;
        }
        if start < block.len() {
            line(start, block.len(), block.len())?;
        }
        Ok(())
    }

    /// The same for the records of a CSV file.
    fn each_record(
        self,
        split: Split,
        block: &[u8],
        column: usize,
        mut key: impl FnMut(usize, &[u8], usize) -> Result<(), BadKey>,
    ) -> Result<(), BadKey> {
        let mut reader = records::reader(split, self.end, block);
        let mut record = ByteRecord::new();
        let (mut index, mut start) = (0, 0);
        loop {
            let before = reader.position().byte() as usize;
            let read = reader.read_byte_record(&mut record);
            if !read.map_err(|error| BadKey { index: index as u64, why: error.to_string() })? {
                return Ok(());
            }
            let end = reader.position().byte() as usize;
            // An empty line is not a record, with or without a carriage return.
            if self.strip_cr && block[before..end].iter().all(|byte| b"\r\n".contains(byte)) {
                continue;
            }
            let Some(mut field) = record.get(column) else {
                return Err(no_field(&block[start..end], index, column));
            };
            if column + 1 == record.len() {
                field = self.trim_cr(field);
            }
            key(index, field, end)?;
            (index, start) = (index + 1, end);
        }
    }

    #[inline]
    fn trim_cr(self, line: &[u8]) -> &[u8] {
        match line {
            [rest @ .., b'\r'] if self.strip_cr => rest,
            line => line,
        }
    }

    /// The key that a line or field encodes.
    #[inline]
    fn key(self, line: &[u8], index: usize) -> Result<Compared<'_>, BadKey> {
        let line = if self.trim { trimmed(line) } else { line };
        let line = if self.fold { folded(line) } else { Cow::Borrowed(line) };
        let key = match self.key_type {
            KeyType::Text => return Ok(Compared::Bytes(line)),
            KeyType::U64 => number(&line).map(Compared::Number),
            KeyType::Hex => unhex(&line).map(|bytes| Compared::Bytes(Cow::Owned(bytes))),
        };
        key.ok_or_else(|| BadKey { index: index as u64, why: self.complaint(&line) })
    }

    fn complaint(self, line: &[u8]) -> String {
        let shown = shown(line);
        match self.key_type {
            KeyType::U64 => format!(
                "{shown} is not a whole number from -9223372036854775808 to 18446744073709551615 \
                 (--key-type u64)"
            ),
            KeyType::Text | KeyType::Hex => {
                format!("{shown} is not an even number of hexadecimal digits (--key-type hex)")
            }
        }
    }
}

/// The bytes or number by which keys are compared.
enum Compared<'a> {
    Bytes(Cow<'a, [u8]>),
    Number(u64),
}

#[inline]
fn hash_of<K: Key + ?Sized>(key: &K, under: Secret) -> KeyHash {
    match under {
        Secret::Key(secret) => key.key_hash_under(&secret),
        Secret::Seed(seed) => key.key_hash(seed),
        // Unreachable: such files are refused earlier.
        Secret::Unknown => key.key_hash(0),
    }
}

/// A key as shown in errors: long ones cut off, control characters escaped.
pub(crate) fn shown(line: &[u8]) -> String {
    const MOST: usize = 40;
    let cut = &line[..line.len().min(MOST)];
    let text: String = String::from_utf8_lossy(cut).escape_debug().collect();
    let dots = if line.len() > MOST { "..." } else { "" };
    format!("\"{text}{dots}\"")
}

/// The error for a line that has too few fields.
fn no_field(line: &[u8], index: usize, column: usize) -> BadKey {
    let why = format!(
        "{} has no field {}: is --delimiter right?",
        shown(line.trim_ascii_end()),
        column + 1
    );
    BadKey { index: index as u64, why }
}

/// Strips white space from both ends; Unicode white space if the bytes are text.
fn trimmed(line: &[u8]) -> &[u8] {
    str::from_utf8(line).map_or_else(|_| line.trim_ascii(), |text| text.trim().as_bytes())
}

/// Applies Unicode's full case folding; bytes that are not text stay as they are.
fn folded(line: &[u8]) -> Cow<'_, [u8]> {
    if line.is_ascii() {
        return match line.iter().any(u8::is_ascii_uppercase) {
            true => Cow::Owned(line.to_ascii_lowercase()),
            false => Cow::Borrowed(line),
        };
    }
    let mut all = Vec::with_capacity(line.len());
    for chunk in line.utf8_chunks() {
        all.extend_from_slice(UniCase::unicode(chunk.valid()).to_folded_case().as_bytes());
        all.extend_from_slice(chunk.invalid());
    }
    Cow::Owned(all)
}

/// A decimal number; with a minus sign, the key of a signed Rust integer.
fn number(line: &[u8]) -> Option<u64> {
    match line {
        [] => None,
        [b'-', digits @ ..] if !digits.is_empty() => {
            let size = natural(digits).filter(|&size| size <= 1 << 63)?;
            Some(size.wrapping_neg())
        }
        digits => natural(digits),
    }
}

/// Digits only.
fn natural(line: &[u8]) -> Option<u64> {
    line.iter().try_fold(0u64, |number, &digit| {
        let digit = digit.wrapping_sub(b'0');
        if digit > 9 {
            return None;
        }
        number.checked_mul(10)?.checked_add(digit.into())
    })
}

fn unhex(line: &[u8]) -> Option<Vec<u8>> {
    let digit = |byte: u8| (byte as char).to_digit(16).map(|digit| digit as u8);
    if line.is_empty() || line.len() % 2 == 1 {
        return None;
    }
    line.chunks_exact(2).map(|pair| Some(digit(pair[0])? << 4 | digit(pair[1])?)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const LINES: Shape = Shape {
        end: b'\n',
        strip_cr: true,
        key_type: KeyType::Text,
        trim: false,
        fold: false,
        split: None,
    };

    fn hashed(shape: Shape, block: &[u8]) -> Result<Vec<KeyHash>, BadKey> {
        let (mut hashes, mut ends) = (Vec::new(), Vec::new());
        shape.hash_block(block, 0, Secret::Seed(7), &mut hashes, &mut ends)?;
        assert_eq!(hashes.len(), ends.len());
        assert_eq!(ends.last().map_or(0, |&end| end as usize), block.len());
        Ok(hashes)
    }

    fn texts(keys: &[&str]) -> Vec<KeyHash> {
        keys.iter().map(|key| key.key_hash(7)).collect()
    }

    #[test]
    fn lines_end_at_line_feeds_and_the_last_one_at_the_end() {
        assert_eq!(hashed(LINES, b"").unwrap(), []);
        assert_eq!(hashed(LINES, b"a\nbc\n").unwrap(), texts(&["a", "bc"]));
        assert_eq!(hashed(LINES, b"a\nbc").unwrap(), texts(&["a", "bc"]));
        assert_eq!(hashed(LINES, b"\n\na\n").unwrap(), texts(&["", "", "a"]));
    }

    #[test]
    fn a_carriage_return_before_the_end_is_part_of_the_end() {
        let kept = Shape { strip_cr: false, ..LINES };
        assert_eq!(hashed(LINES, b"a\r\nb\r\r\n\rc\r").unwrap(), texts(&["a", "b\r", "\rc"]));
        assert_eq!(hashed(kept, b"a\r\nb").unwrap(), texts(&["a\r", "b"]));
    }

    #[test]
    fn keys_that_end_at_nul_may_hold_line_feeds() {
        let nul = Shape { end: 0, strip_cr: false, ..LINES };
        assert_eq!(hashed(nul, b"a\nb\0c\r\0").unwrap(), texts(&["a\nb", "c\r"]));
    }

    #[test]
    fn numbers_are_the_keys_of_rust_integers() {
        let shape = Shape { key_type: KeyType::U64, ..LINES };
        let want: Vec<KeyHash> = [0u64, 42, u64::MAX].map(|n| n.key_hash(7)).into();
        assert_eq!(hashed(shape, b"0\n0042\r\n18446744073709551615").unwrap(), want);
        // Negative numbers are signed integers.
        let want: Vec<KeyHash> = [-5i64, i64::MIN, 0].map(|n| n.key_hash(7)).into();
        assert_eq!(hashed(shape, b"-5\n-9223372036854775808\n-0").unwrap(), want);
        for bad in [
            "",
            "-",
            "--5",
            "-9223372036854775809",
            "+5",
            "0x10",
            "1e3",
            " 1",
            "18446744073709551616",
            "1_0",
        ] {
            let block = format!("1\n2\n{bad}\n");
            assert_eq!(hashed(shape, block.as_bytes()).unwrap_err().index, 2);
        }
    }

    #[test]
    fn hexadecimal_digits_are_bytes() {
        let shape = Shape { key_type: KeyType::Hex, ..LINES };
        let want = [[0xdeu8, 0xad].key_hash(7); 2];
        assert_eq!(hashed(shape, b"DEAD\ndead\n").unwrap(), want);
        for bad in ["", "abc", "0x10", "zz"] {
            let block = format!("00\n{bad}\n");
            assert_eq!(hashed(shape, block.as_bytes()).unwrap_err().index, 1);
        }
    }

    #[test]
    fn case_and_white_space_of_keys_can_be_ignored() {
        let fold = Shape { fold: true, ..LINES };
        let text = "STRASSE\nstra\u{df}e\n\u{3a3}\u{3c2}\nA\u{c4}\n".as_bytes();
        let want = texts(&["strasse", "strasse", "\u{3c3}\u{3c3}", "a\u{e4}"]);
        assert_eq!(hashed(fold, text).unwrap(), want);
        let mixed = [0xffu8, b'a', 0xc3, 0xa4, 0xff].key_hash(7);
        assert_eq!(hashed(fold, b"\xffA\xc3\x84\xff").unwrap(), [mixed]);
        let trim = Shape { trim: true, ..LINES };
        assert_eq!(
            hashed(trim, b" a b\t\r\n\xc2\xa0c\n \xff \n").unwrap()[..2],
            texts(&["a b", "c"])
        );
    }

    #[test]
    fn a_key_can_be_a_field_of_its_line_or_record() {
        let of = |shape: Shape, column, block: &[u8]| {
            let (mut hashes, mut ends) = (Vec::new(), Vec::new());
            shape.hash_block(block, column, Secret::Seed(7), &mut hashes, &mut ends)?;
            Ok::<_, BadKey>((hashes, ends))
        };
        let tabs = Shape { split: Some(Split { delimiter: b'\t', csv: false }), ..LINES };
        let (hashes, ends) = of(tabs, 1, b"1\ta\r\n2\tb\tx\n").unwrap();
        assert_eq!((hashes, ends), (texts(&["a", "b"]), vec![5, 11]));
        assert_eq!(of(tabs, 1, b"1\ta\n2\n").unwrap_err().index, 1);
        let csv = Shape { split: Some(Split { delimiter: b',', csv: true }), ..LINES };
        let (hashes, ends) = of(csv, 1, b"1,\"a\nb\"\r\n\"2\",\"q\"\"\",\n3,c").unwrap();
        assert_eq!((hashes, ends), (texts(&["a\nb", "q\"", "c"]), vec![9, 20, 23]));
        assert_eq!(of(csv, 2, b"1,2,3\n1,2\n").unwrap_err().index, 1);
    }

    #[test]
    fn the_file_says_the_type_of_keys_and_others_are_refused() {
        use KeyEncoding::{Bytes, Dates, Instants, Integers, Mixed, Unknown};
        use KeyType::{Hex, Text, U64};
        const DIGITS: KeyEncoding = KeyEncoding::Hex;

        let suited = |encoding, asked| KeyType::suited(asked, encoding, "f").ok();
        for (encoding, asked, want) in [
            (
                Unknown,
                [None, Some(Text), Some(U64), Some(Hex)],
                [Some(Text), Some(Text), Some(U64), Some(Hex)],
            ),
            (Bytes, [None, Some(Text), Some(U64), Some(Hex)], [Some(Text), Some(Text), None, None]),
            (
                Integers,
                [None, Some(Text), Some(U64), Some(Hex)],
                [Some(U64), None, Some(U64), None],
            ),
            (DIGITS, [None, Some(Text), Some(U64), Some(Hex)], [Some(Hex), None, None, Some(Hex)]),
            (Dates, [None, Some(Text), Some(U64), Some(Hex)], [None, None, Some(U64), None]),
            (Instants, [None, Some(Text), Some(U64), Some(Hex)], [None; 4]),
            (
                Mixed,
                [None, Some(Text), Some(U64), Some(Hex)],
                [None, Some(Text), Some(U64), Some(Hex)],
            ),
        ] {
            assert_eq!(asked.map(|asked| suited(encoding, asked)), want, "{encoding:?}");
        }
    }

    #[test]
    fn a_bad_key_is_shown_short_and_without_control_characters() {
        assert_eq!(shown(b"a\x1b[31m\xff"), "\"a\\u{1b}[31m\u{fffd}\"");
        assert_eq!(shown(&[b'x'; 100]), format!("\"{}...\"", "x".repeat(40)));
    }
}
