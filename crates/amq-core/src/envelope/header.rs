//! The header: 192 bytes that say what the file is.

use super::contents::{Contents, Hashing};
use super::format::{
    Asked, ENTRY, HASHED_BY_CALLER, HEADER, KEY_ENCODING, MAGIC, MAJOR, MAX_DIRECTORY, MINOR,
    MUST_UNDERSTAND, SEED_WITHHELD, XXH3, u32_at, u64_at,
};
use crate::header::Header;
use crate::{Budget, DecodeError};
use xxhash_rust::xxh3::xxh3_64;

/// What a header says.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct FileHeader {
    pub(super) kind: u8,
    pub(super) revision: u8,
    pub(super) flags: u32,
    pub(super) keys: u64,
    pub(super) filter: Header,
    /// The hashes of its keys come from the caller, and the seed is 0.
    pub(super) prehashed: bool,
    pub(super) asked: Asked,
    pub(super) directory_bytes: u64,
    pub(super) payload_bytes: u64,
    pub(super) payload_sum: u64,
    pub(super) directory_sum: u64,
}

impl FileHeader {
    pub(super) fn new(contents: &Contents<'_>) -> Self {
        let &Contents { kind, revision, hashing, header, keys, ref description } = contents;
        let prehashed = hashing == Hashing::Prehashed;
        Self {
            kind: kind.number(),
            revision,
            flags: if hashing == Hashing::SeedWithheld { SEED_WITHHELD } else { 0 },
            keys,
            filter: Header { seed: if prehashed { 0 } else { header.seed }, ..header },
            prehashed,
            asked: description.asked,
            directory_bytes: 0,
            payload_bytes: 0,
            payload_sum: 0,
            directory_sum: 0,
        }
    }

    pub(super) fn encode(&self) -> [u8; HEADER] {
        let mut bytes = [0; HEADER];
        let mut at = 0;
        let mut put = |part: &[u8]| {
            bytes[at..at + part.len()].copy_from_slice(part);
            at += part.len();
        };
        put(&MAGIC);
        put(&MAJOR.to_le_bytes());
        put(&MINOR.to_le_bytes());
        put(&(HEADER as u32).to_le_bytes());
        let hash = if self.prehashed { HASHED_BY_CALLER } else { XXH3 };
        put(&[self.kind, self.revision, hash, KEY_ENCODING]);
        put(&self.flags.to_le_bytes());
        put(&self.keys.to_le_bytes());
        put(&self.filter.capacity.to_le_bytes());
        let withheld = self.flags & SEED_WITHHELD != 0;
        put(&if withheld { 0 } else { self.filter.seed }.to_le_bytes());
        put(&[0; 8]);
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
        let sum = xxh3_64(&bytes[..HEADER - 8]);
        bytes[HEADER - 8..].copy_from_slice(&sum.to_le_bytes());
        bytes
    }

    /// Reads and checks a header, in the order in which errors say most. `seed` is what the reader
    /// knows, for files that withhold theirs; it must not contradict one that is stored.
    pub(super) fn decode(bytes: &[u8], seed: Option<u64>) -> Result<Self, DecodeError> {
        // What is there of the magic is looked at first: a file of another kind is none cut short.
        let start = &bytes[..bytes.len().min(MAGIC.len())];
        if *start != MAGIC[..start.len()] {
            return Err(magic_error(start));
        }
        if bytes.len() < HEADER {
            return Err(DecodeError::Truncated {
                bytes: bytes.len() as u64,
                needed: HEADER as u64,
            });
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
        let [kind, revision, hash, encoding] = u32_at(bytes, 16).to_le_bytes();
        let prehashed = match hash {
            XXH3 => false,
            HASHED_BY_CALLER => true,
            id => return Err(DecodeError::Hash { id }),
        };
        if encoding != KEY_ENCODING {
            return Err(DecodeError::KeyEncoding { version: encoding });
        }
        let flags = u32_at(bytes, 20);
        if flags & MUST_UNDERSTAND & !SEED_WITHHELD != 0 {
            return Err(DecodeError::Flags { flags });
        }
        let withheld = flags & SEED_WITHHELD != 0;
        if withheld && prehashed {
            return Err(DecodeError::Geometry {
                field: "withheld seed beside keys that the caller hashes: flags",
                value: flags.into(),
            });
        }
        let stored = u64_at(bytes, 40);
        let seedless = withheld || prehashed;
        let zero = |range: core::ops::Range<usize>| bytes[range].iter().all(|&byte| byte == 0);
        if !zero(48..56) || !zero(152..168) || (seedless && stored != 0) {
            return Err(DecodeError::Reserved { part: "header" });
        }
        let seed = match (withheld, seed) {
            (true, None) => return Err(DecodeError::SeedWithheld),
            (true, Some(given)) => given,
            (false, Some(given)) if prehashed || given != stored => {
                return Err(DecodeError::OtherSeed);
            }
            (false, _) => stored,
        };
        Ok(Self {
            kind,
            revision,
            flags,
            keys: u64_at(bytes, 24),
            filter: Header {
                seed,
                capacity: u64_at(bytes, 32),
                budget: budget(u64_at(bytes, 56), u64_at(bytes, 64))?,
            },
            prehashed,
            asked: core::array::from_fn(|i| u64_at(bytes, 72 + 8 * i)),
            directory_bytes: u64_at(bytes, 136),
            payload_bytes: u64_at(bytes, 144),
            payload_sum: u64_at(bytes, 168),
            directory_sum: u64_at(bytes, 176),
        })
    }

    pub(super) const fn withholds_seed(&self) -> bool {
        self.flags & SEED_WITHHELD != 0
    }

    /// The length of the whole file, if its parts can be so long.
    pub(super) fn file_bytes(&self) -> Result<u64, DecodeError> {
        let directory = self.directory_bytes;
        let whole = directory % ENTRY as u64 == 0 && directory >= ENTRY as u64;
        if !whole || directory > MAX_DIRECTORY {
            return Err(DecodeError::Geometry { field: "directory length", value: directory });
        }
        self.payload_bytes
            .checked_add(directory + HEADER as u64)
            .ok_or(DecodeError::Geometry { field: "payload length", value: self.payload_bytes })
    }
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

/// What is wrong with bytes that are not the magic.
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
