//! The header: 192 bytes that say what the file is.

use super::DecodeError;
use super::directory::{Directory, ENTRY, Entry, MAX_DIRECTORY};
use crate::shell::Header;
use crate::{Budget, FilterKind};
use xxhash_rust::xxh3::xxh3_64;

/// The first eight bytes. The first has its top bit set, and line ends of all kinds follow: a
/// transfer in text mode shows.
pub const MAGIC: [u8; 8] = [0x89, b'A', b'M', b'Q', 0x0D, 0x0A, 0x1A, 0x0A];

/// The format's version. Another major number cannot be read; a higher minor one can.
pub const MAJOR: u16 = 0;
/// See [`MAJOR`].
pub const MINOR: u16 = 1;

/// Bytes of the header.
pub const HEADER: usize = 192;

/// Every part, and every section of the payload, begins at a multiple of this.
pub const ALIGN: usize = 64;

/// What the user asked for, in numbers that the variant gives a meaning.
pub type Asked = [u64; 8];

/// The hash of keys is XXH3-64 of their encoding, under the seed.
const XXH3: u8 = 1;
/// The hash of keys is the caller's: the file cannot say which, and has no seed.
pub(crate) const HASHED_BY_CALLER: u8 = 2;

/// The number of a hash in a file, by the filter's [`key_seed`](crate::Filter::key_seed).
pub(crate) const fn hash_id(key_seed: Option<u64>) -> u8 {
    match key_seed {
        Some(_) => XXH3,
        None => HASHED_BY_CALLER,
    }
}

/// The encoding of keys that [`Key`](crate::Key) documents.
const KEY_ENCODING: u8 = 1;
/// The seed is not in the file: whoever reads it must give it.
const SEED_WITHHELD: u32 = 1 << 16;
/// Flags that a reader must understand.
const MUST_UNDERSTAND: u32 = 0xFFFF_0000;

/// What a header says.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct FileHeader {
    pub(super) kind: u8,
    pub(super) revision: u8,
    pub(super) flags: u32,
    pub(super) items: u64,
    pub(super) filter: Header,
    pub(super) asked: Asked,
    pub(super) directory_bytes: u64,
    pub(super) payload_bytes: u64,
    pub(super) payload_sum: u64,
    pub(super) directory_sum: u64,
}

pub(super) fn u64_at(bytes: &[u8], at: usize) -> u64 {
    let mut word = [0; 8];
    word.copy_from_slice(&bytes[at..at + 8]);
    u64::from_le_bytes(word)
}

fn u32_at(bytes: &[u8], at: usize) -> u32 {
    u64_at(bytes, at) as u32
}

impl FileHeader {
    pub(super) fn new(
        kind: FilterKind,
        revision: u8,
        filter: Header,
        items: u64,
        asked: Asked,
        withhold_seed: bool,
    ) -> Self {
        Self {
            kind: kind.number(),
            revision,
            // There is none to withhold if the caller hashes the keys.
            flags: match filter.hashed_by_caller || !withhold_seed {
                true => 0,
                false => SEED_WITHHELD,
            },
            items,
            filter,
            asked,
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
        let hash = hash_id(self.filter.key_seed());
        put(&[self.kind, self.revision, hash, KEY_ENCODING]);
        put(&self.flags.to_le_bytes());
        put(&self.items.to_le_bytes());
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
        let hashed_by_caller = match hash {
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
        if withheld && hashed_by_caller {
            return Err(DecodeError::Geometry {
                field: "withheld seed beside keys that the caller hashes: flags",
                value: flags.into(),
            });
        }
        let stored = u64_at(bytes, 40);
        let seedless = withheld || hashed_by_caller;
        let zero = |range: core::ops::Range<usize>| bytes[range].iter().all(|&byte| byte == 0);
        if !zero(48..56) || !zero(152..168) || (seedless && stored != 0) {
            return Err(DecodeError::Reserved { part: "header" });
        }
        let seed = match (withheld, seed) {
            (true, None) => return Err(DecodeError::SeedWithheld),
            (true, Some(given)) => given,
            (false, Some(given)) if hashed_by_caller || given != stored => {
                return Err(DecodeError::OtherSeed);
            }
            (false, _) => stored,
        };
        Ok(Self {
            kind,
            revision,
            flags,
            items: u64_at(bytes, 24),
            filter: Header {
                seed,
                capacity: u64_at(bytes, 32),
                budget: budget(u64_at(bytes, 56), u64_at(bytes, 64))?,
                hashed_by_caller,
            },
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

/// A file of which header and directory have been checked.
#[derive(Clone, Copy, Debug)]
pub struct Opened<'a> {
    pub(super) file: FileHeader,
    pub(super) directory: Directory<'a>,
}

impl<'a> Opened<'a> {
    pub(super) fn new(file: FileHeader, directory: &'a [u8]) -> Result<Self, DecodeError> {
        if xxh3_64(directory) != file.directory_sum {
            return Err(DecodeError::Checksum { part: "directory" });
        }
        Ok(Self { directory: Directory::new(directory, file.payload_bytes)?, file })
    }

    /// The number that stands for the kind of filter, known or not.
    pub const fn kind(&self) -> u8 {
        self.file.kind
    }

    /// Seed, capacity and budget.
    pub const fn header(&self) -> Header {
        self.file.filter
    }

    /// The number of keys in the filter.
    pub const fn items(&self) -> u64 {
        self.file.items
    }

    /// Whether the file withholds its seed, and whoever reads it gave it.
    pub const fn withholds_seed(&self) -> bool {
        self.file.withholds_seed()
    }

    /// How many sections there are.
    pub const fn sections(&self) -> usize {
        self.directory.sections()
    }

    /// The length of a section in bytes; `None` if there is none of this number.
    pub fn section_bytes(&self, index: usize) -> Option<u64> {
        (index < self.sections()).then(|| self.directory.place(index).bytes)
    }

    /// What the user asked for of parameters.
    pub const fn asked(&self) -> &Asked {
        &self.file.asked
    }

    /// How many entries there are.
    pub const fn entries(&self) -> usize {
        self.directory.entries()
    }

    /// An entry of the geometry.
    pub fn entry(&self, index: usize) -> Result<Entry, DecodeError> {
        self.directory
            .entry(index)
            .ok_or(DecodeError::Geometry { field: "entries", value: self.entries() as u64 })
    }

    /// The first numbers of an entry; the others must be zero.
    pub fn numbers<const N: usize>(&self, index: usize) -> Result<[u64; N], DecodeError> {
        let entry = self.entry(index)?;
        if entry[N..].iter().any(|&number| number != 0) {
            return Err(DecodeError::Reserved { part: "directory" });
        }
        Ok(core::array::from_fn(|i| entry[i]))
    }

    /// The same for the only entry that there is.
    pub fn only_entry<const N: usize>(&self) -> Result<[u64; N], DecodeError> {
        match self.entries() {
            1 => self.numbers(0),
            entries => Err(DecodeError::Geometry { field: "entries", value: entries as u64 }),
        }
    }

    /// `Ok` if the file holds this kind of filter, in the layout revision that is read here.
    pub fn expect_kind(&self, kind: FilterKind, revision: u8) -> Result<(), DecodeError> {
        if self.file.kind != kind.number() {
            return Err(match FilterKind::from_number(self.file.kind) {
                Some(found) => DecodeError::WrongKind { found, wanted: kind },
                None => DecodeError::Kind { number: self.file.kind },
            });
        }
        if self.file.revision != revision {
            return Err(DecodeError::Revision { kind, found: self.file.revision, known: revision });
        }
        Ok(())
    }

    /// `Ok` if the file says how its keys are hashed, and not that the caller does it.
    pub fn expect_seed(&self) -> Result<(), DecodeError> {
        match self.file.filter.key_seed() {
            Some(_) => Ok(()),
            None => Err(DecodeError::Hash { id: HASHED_BY_CALLER }),
        }
    }

    /// `Ok` if the parameters asked for are this many, and zero from there on.
    pub fn expect_asked(&self, used: usize) -> Result<(), DecodeError> {
        match self.file.asked[used..].iter().all(|&number| number == 0) {
            true => Ok(()),
            false => Err(DecodeError::Reserved { part: "header" }),
        }
    }

    /// `Ok` if the sections have exactly these lengths in bytes, and elements of these widths.
    ///
    /// To be called before any section is taken: it is what ties the geometry to the payload's
    /// length.
    pub fn expect_sections(
        &self,
        wanted: impl ExactSizeIterator<Item = (u64, usize)>,
    ) -> Result<(), DecodeError> {
        if wanted.len() != self.directory.sections() {
            return Err(DecodeError::Geometry {
                field: "sections",
                value: self.directory.sections() as u64,
            });
        }
        for (index, (bytes, width)) in wanted.enumerate() {
            let place = self.directory.place(index);
            if place.bytes != bytes || place.width != width as u64 {
                return Err(DecodeError::PayloadLength { stated: place.bytes, expected: bytes });
            }
        }
        Ok(())
    }
}

/// A number of the geometry that must fit a narrower type.
pub fn narrow<T: TryFrom<u64>>(field: &'static str, value: u64) -> Result<T, DecodeError> {
    T::try_from(value).map_err(|_| DecodeError::Geometry { field, value })
}
