//! The header: 192 bytes.

use super::contents::{Contents, Hashing};
use super::format::{
    Asked, CHECKED, ENCODING, ENTRY, HASHED_BY_CALLER, HEADER, KEY_ENCODING, MAGIC, MAJOR,
    MAX_DIRECTORY, MINOR, MINOR_OF_KEYS, MUST_UNDERSTAND, SECRET, SIPHASH, WITHHELD, XXH3, u32_at,
    u64_at,
};
use super::secret::{self, Told};
#[cfg(feature = "std")]
use crate::DEFAULT_SEED;
use crate::format::FileInfo;
use crate::header::Header;
use crate::{Budget, DecodeError, FilterKind, KeyEncoding, Secret};
use xxhash_rust::xxh3::xxh3_64;

/// A decoded header.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct FileHeader {
    pub(super) kind: u8,
    pub(super) revision: u8,
    pub(super) keys: u64,
    /// The seed is 0 unless keys are hashed under one.
    pub(super) filter: Header,
    pub(super) hashing: Hashing,
    pub(super) encoding: KeyEncoding,
    pub(super) asked: Asked,
    pub(super) directory_bytes: u64,
    pub(super) payload_bytes: u64,
    pub(super) payload_sum: u64,
    pub(super) directory_sum: u64,
}

impl FileHeader {
    pub(super) fn new(contents: &Contents<'_>) -> Self {
        let &Contents { kind, revision, hashing, header, keys, encoding, asked, .. } = contents;
        let seeded = matches!(hashing, Hashing::Seed | Hashing::SeedWithheld);
        Self {
            kind: kind.number(),
            revision,
            keys,
            filter: Header { seed: if seeded { header.seed } else { 0 }, ..header },
            hashing,
            // The caller's hashes have no encoding.
            encoding: match hashing {
                Hashing::Prehashed => KeyEncoding::Unknown,
                _ => encoding,
            },
            asked,
            directory_bytes: 0,
            payload_bytes: 0,
            payload_sum: 0,
            directory_sum: 0,
        }
    }

    const fn flags(&self) -> u32 {
        let withheld = if self.withholds_secret() { WITHHELD | CHECKED } else { 0 };
        withheld | self.encoding.flags()
    }

    pub(super) fn encode(&self) -> [u8; HEADER] {
        let mut bytes = [0; HEADER];
        let mut at = 0;
        let mut put = |part: &[u8]| {
            bytes[at..at + part.len()].copy_from_slice(part);
            at += part.len();
        };
        let (hash, flags) = (secret::number(self.hashing), self.flags());
        let minor = if hash == SIPHASH || flags != 0 { MINOR_OF_KEYS } else { MINOR };
        put(&MAGIC);
        put(&MAJOR.to_le_bytes());
        put(&minor.to_le_bytes());
        put(&(HEADER as u32).to_le_bytes());
        put(&[self.kind, self.revision, hash, KEY_ENCODING]);
        put(&flags.to_le_bytes());
        put(&self.keys.to_le_bytes());
        put(&self.filter.capacity.to_le_bytes());
        put(&[0; SECRET.end - SECRET.start]);
        let (kind, value) = match self.filter.budget {
            None => (0u64, 0),
            Some(Budget::Fpr(fpr)) => (1, fpr.to_bits()),
            Some(Budget::BitsPerKey(bits)) => (2, bits.to_bits()),
            Some(Budget::Bytes(bytes)) => (3, bytes),
        };
        put(&kind.to_le_bytes());
        put(&value.to_le_bytes());
        for number in self.asked {
            put(&number.to_le_bytes());
        }
        put(&self.directory_bytes.to_le_bytes());
        put(&self.payload_bytes.to_le_bytes());
        put(&[0; 16]);
        put(&self.payload_sum.to_le_bytes());
        put(&self.directory_sum.to_le_bytes());
        let (before, rest) = bytes.split_at_mut(SECRET.start);
        let field = secret::field(self.hashing, self.filter.seed, before);
        rest[..field.len()].copy_from_slice(&field);
        let sum = xxh3_64(&bytes[..HEADER - 8]);
        bytes[HEADER - 8..].copy_from_slice(&sum.to_le_bytes());
        bytes
    }

    /// Reads and checks a header, in the order of the most informative errors. `given` is the
    /// secret that the reader supplies; it must match the one in the file, if that has one.
    pub(super) fn decode(bytes: &[u8], given: Option<Secret>) -> Result<Self, DecodeError> {
        let (bytes, flags, told) = checked(bytes)?;
        let (hashing, seed) = told.resolve(given, &bytes[..SECRET.start])?;
        let [kind, revision, ..] = u32_at(bytes, 16).to_le_bytes();
        Ok(Self {
            kind,
            revision,
            keys: u64_at(bytes, 24),
            filter: Header {
                seed,
                capacity: u64_at(bytes, 32),
                budget: budget(u64_at(bytes, 56), u64_at(bytes, 64))?,
            },
            hashing,
            encoding: KeyEncoding::of_flags(flags & ENCODING),
            asked: core::array::from_fn(|i| u64_at(bytes, 72 + 8 * i)),
            directory_bytes: u64_at(bytes, 136),
            payload_bytes: u64_at(bytes, 144),
            payload_sum: u64_at(bytes, 168),
            directory_sum: u64_at(bytes, 176),
        })
    }

    pub(super) const fn withholds_secret(&self) -> bool {
        matches!(self.hashing, Hashing::SeedWithheld | Hashing::KeyWithheld(_))
    }

    pub(super) const fn secret(&self) -> Option<Secret> {
        match self.hashing {
            Hashing::Seed | Hashing::SeedWithheld => Some(Secret::Seed(self.filter.seed)),
            Hashing::Key(key) | Hashing::KeyWithheld(key) => Some(Secret::Key(key)),
            Hashing::Prehashed | Hashing::Unknown(_) => None,
        }
    }

    /// The length of the whole file; an error if the lengths of its parts are invalid.
    pub(super) fn file_bytes(&self) -> Result<u64, DecodeError> {
        let directory = self.directory_bytes;
        let whole = directory.is_multiple_of(ENTRY as u64) && directory >= ENTRY as u64;
        if !whole || directory > MAX_DIRECTORY {
            return Err(DecodeError::Geometry { field: "directory length", value: directory });
        }
        self.payload_bytes
            .checked_add(directory + HEADER as u64)
            .ok_or(DecodeError::Geometry { field: "payload length", value: self.payload_bytes })
    }
}

impl FileInfo {
    /// Reads the header at the start of these bytes: [`HEADER`](crate::format::HEADER) bytes or
    /// more.
    pub fn of(bytes: &[u8]) -> Result<Self, DecodeError> {
        let (bytes, flags, told) = checked(bytes)?;
        Ok(Self {
            kind: FilterKind::from_number(bytes[16]),
            hashed_by: told.hashed_by(),
            encoding: KeyEncoding::of_flags(flags & ENCODING),
            withheld: flags & WITHHELD != 0,
            checked: flags & CHECKED != 0,
        })
    }
}

/// The secret in a header, if any: a secret key, or a seed other than the public one.
#[cfg(feature = "std")]
pub(super) fn told_secret(bytes: &[u8]) -> Option<Secret> {
    match checked(bytes) {
        Ok((_, _, Told::Seed(seed))) if seed != DEFAULT_SEED => Some(Secret::Seed(seed)),
        Ok((_, _, Told::Key(key))) => Some(Secret::Key(key)),
        _ => None,
    }
}

/// The header at the start of these bytes, its flags, and its field of the seed or secret key.
/// Checks all that can be checked without a withheld secret.
fn checked(bytes: &[u8]) -> Result<(&[u8], u32, Told), DecodeError> {
    // The magic first, even a part of it: a file of another format must not be reported as cut
    // short.
    let start = &bytes[..bytes.len().min(MAGIC.len())];
    if *start != MAGIC[..start.len()] {
        return Err(magic_error(start));
    }
    if bytes.len() < HEADER {
        return Err(DecodeError::Truncated { bytes: bytes.len() as u64, needed: HEADER as u64 });
    }
    let bytes = &bytes[..HEADER];
    let version = u32_at(bytes, 8);
    let (major, minor) = (version as u16, (version >> 16) as u16);
    if major != MAJOR {
        return Err(DecodeError::Version { major, minor });
    }
    if xxh3_64(&bytes[..HEADER - 8]) != u64_at(bytes, HEADER - 8) {
        return Err(DecodeError::Checksum { part: "header" });
    }
    let length = u32_at(bytes, 12);
    if length as usize != HEADER {
        return Err(DecodeError::Geometry { field: "header length", value: length.into() });
    }
    let [_, _, hash, encoding] = u32_at(bytes, 16).to_le_bytes();
    if !matches!(hash, XXH3 | HASHED_BY_CALLER | SIPHASH) {
        return Err(DecodeError::Hash { id: hash });
    }
    if encoding != KEY_ENCODING {
        return Err(DecodeError::KeyEncoding { version: encoding });
    }
    let flags = u32_at(bytes, 20);
    let unknown = flags & MUST_UNDERSTAND & !(WITHHELD | CHECKED);
    if unknown != 0 {
        return Err(DecodeError::Flags { unknown, minor });
    }
    if bytes[152..168].iter().any(|&byte| byte != 0) {
        return Err(DecodeError::Reserved { part: "header" });
    }
    let mut field = [0; SECRET.end - SECRET.start];
    field.copy_from_slice(&bytes[SECRET]);
    Ok((bytes, flags, Told::in_field(hash, flags, field)?))
}

fn budget(kind: u64, value: u64) -> Result<Option<Budget>, DecodeError> {
    let real = f64::from_bits(value);
    let wrong = DecodeError::Geometry { field: "budget", value };
    match kind {
        0 if value == 0 => Ok(None),
        1 if real > 0.0 && real < 1.0 => Ok(Some(Budget::Fpr(real))),
        2 if real > 0.0 && real < f64::INFINITY => Ok(Some(Budget::BitsPerKey(real))),
        3 => Ok(Some(Budget::Bytes(value))),
        _ => Err(wrong),
    }
}

/// The error for bytes that are not the magic.
fn magic_error(start: &[u8]) -> DecodeError {
    let mangled = start.len() >= 4
        && start[1..4] == MAGIC[1..4]
        && (start[0] != MAGIC[0] || start[4..] != MAGIC[4..start.len()]);
    let mut reversed = MAGIC;
    reversed.reverse();
    if mangled {
        DecodeError::TextMode
    } else if start == reversed {
        DecodeError::ByteSwapped
    } else {
        DecodeError::Magic
    }
}
