//! Detects a file's format from its first bytes: compressed, UTF-16, or one of our filters.

use anyhow::{anyhow, bail};
use encoding_rs_io::DecodeReaderBytes;
use std::fs::File;
use std::io::{Cursor, ErrorKind, Read};
use std::path::Path;

/// A format with a magic number.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Form {
    Filter,
    Gzip,
    Zstd,
    Bzip2,
    Xz,
    Utf16Le,
    Utf16Be,
    /// UTF-8 after a byte order mark.
    Utf8,
}

const MAGIC: [(Form, &[u8]); 8] = [
    (Form::Filter, &amq::format::MAGIC),
    (Form::Gzip, b"\x1f\x8b\x08"),
    (Form::Zstd, b"\x28\xb5\x2f\xfd"),
    (Form::Bzip2, b"BZh*1AY&SY"),
    (Form::Xz, b"\xfd7zXZ\0"),
    (Form::Utf16Le, b"\xff\xfe"),
    (Form::Utf16Be, b"\xfe\xff"),
    (Form::Utf8, b"\xef\xbb\xbf"),
];

/// The longest magic.
const LONGEST: usize = 10;

/// The most memory for a decoder's dictionary.
const MOST: u64 = 256 << 20;

/// Whether one is a prefix of the other. bzip2's level is a digit.
fn begins(bytes: &[u8], magic: &[u8]) -> bool {
    let same = |(&byte, &want): (&u8, &u8)| byte == want || want == b'*' && byte.is_ascii_digit();
    bytes.iter().zip(magic).all(same)
}

impl Form {
    /// The format that starts with these bytes.
    pub(crate) fn of(start: &[u8]) -> Option<Self> {
        let is = |(_, magic): &&(Self, &[u8])| start.len() >= magic.len() && begins(start, magic);
        MAGIC.iter().find(is).map(|&(form, _)| form)
    }

    /// The format of a file; `None` also if it is not a regular file, or cannot be read.
    pub(crate) fn of_file(path: &Path) -> Option<Self> {
        if !path.is_file() {
            return None;
        }
        let mut start = Vec::new();
        File::open(path).ok()?.take(LONGEST as u64).read_to_end(&mut start).ok()?;
        Self::of(&start)
    }

    pub(crate) const fn is_compressed(self) -> bool {
        matches!(self, Self::Gzip | Self::Zstd | Self::Bzip2 | Self::Xz)
    }

    /// The program that decompresses it to standard output.
    pub(crate) const fn decompressor(self) -> Option<&'static str> {
        match self {
            Self::Gzip => Some("gzip -dc"),
            Self::Zstd => Some("zstd -dc"),
            Self::Bzip2 => Some("bzip2 -dc"),
            Self::Xz => Some("xz -dc"),
            _ => None,
        }
    }
}

type Input = Box<dyn Read + Send>;

/// The input decompressed, without a byte order mark, and with UTF-16 converted to UTF-8.
pub(crate) fn decoded(input: Input) -> anyhow::Result<Input> {
    let (form, input) = begun(input)?;
    let input: Input = match form {
        Some(Form::Gzip) => Box::new(flate2::read::MultiGzDecoder::new(input)),
        Some(Form::Zstd) => Box::new(zstd::stream::read::Decoder::new(input)?),
        Some(Form::Bzip2) => Box::new(bzip2::read::MultiBzDecoder::new(input)),
        Some(Form::Xz) => {
            let flags = liblzma::stream::CONCATENATED;
            let stream = liblzma::stream::Stream::new_stream_decoder(MOST, flags)?;
            Box::new(liblzma::read::XzDecoder::new_stream(input, stream))
        }
        _ => return text(form, input),
    };
    let (form, input) = begun(input)?;
    text(form, input)
}

/// The bytes of text, whatever its encoding.
fn text(form: Option<Form>, mut input: Input) -> anyhow::Result<Input> {
    match form {
        Some(Form::Filter) => {
            bail!("this is a filter, not a file of keys: to unite filters, use amq merge")
        }
        Some(form) if form.is_compressed() => {
            let program = form.decompressor().unwrap_or_default();
            bail!("this is compressed twice: decompress it once with {program}")
        }
        // By its byte order mark, which is dropped. Invalid units become U+FFFD.
        Some(Form::Utf16Le | Form::Utf16Be) => Ok(Box::new(DecodeReaderBytes::new(input))),
        Some(Form::Utf8) => {
            input.read_exact(&mut [0; 3])?;
            Ok(input)
        }
        _ => Ok(input),
    }
}

/// The format of an input, and the whole input. Reads only as many bytes as decide: those that
/// follow in a pipe may arrive late.
fn begun(mut input: Input) -> anyhow::Result<(Option<Form>, Input)> {
    let mut start = Vec::new();
    let undecided = |start: &[u8]| {
        MAGIC.iter().any(|(_, magic)| start.len() < magic.len() && begins(start, magic))
    };
    let mut more = [0; LONGEST];
    while undecided(&start) {
        match input.read(&mut more[start.len()..]) {
            Ok(0) => break,
            Ok(read) => start.extend_from_slice(&more[start.len()..start.len() + read]),
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return Err(anyhow!(error)),
        }
    }
    Ok((Form::of(&start), Box::new(Cursor::new(start).chain(input))))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io;

    /// Returns one byte per read.
    struct Slow(Cursor<Vec<u8>>);

    impl Read for Slow {
        fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
            let most = to.len().min(1);
            self.0.read(&mut to[..most])
        }
    }

    fn read(bytes: &[u8]) -> String {
        let mut texts = Vec::new();
        for input in [
            Box::new(Cursor::new(bytes.to_vec())) as Input,
            Box::new(Slow(Cursor::new(bytes.to_vec()))),
        ] {
            let mut text = String::new();
            decoded(input).unwrap().read_to_string(&mut text).unwrap();
            texts.push(text);
        }
        assert_eq!(texts[0], texts[1]);
        texts.remove(0)
    }

    #[test]
    fn marks_are_skipped_and_utf_16_is_read() {
        let text = "a\nß\n\u{1f600}\n";
        let units: Vec<u16> = std::iter::once(0xFEFF).chain(text.encode_utf16()).collect();
        let little: Vec<u8> = units.iter().flat_map(|unit| unit.to_le_bytes()).collect();
        let big: Vec<u8> = units.iter().flat_map(|unit| unit.to_be_bytes()).collect();
        assert_eq!((read(&little), read(&big)), (text.into(), text.into()));
        assert_eq!(read(format!("\u{feff}{text}").as_bytes()), text);
        // Half a unit, and half a pair, at the end.
        assert_eq!(read(&[&little[..], b"x"].concat()), format!("{text}\u{fffd}"));
        assert_eq!(read(b"\xff\xfea\0\x3d\xd8"), "a\u{fffd}");
    }

    #[test]
    fn what_only_begins_like_a_magic_is_text() {
        for text in ["", "B", "BZh", "BZh91", "BZhalt", "\u{feff}", "(", "7z"] {
            assert_eq!(read(text.as_bytes()), text.trim_start_matches('\u{feff}'));
        }
    }
}
