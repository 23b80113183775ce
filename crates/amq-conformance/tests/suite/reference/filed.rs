//! A sorted list of hashes that is stored as a file: an exact set, plain enough to be seen right.

use super::{Fault, has};
use amq_conformance::files::{FileFilter, Pieces, mend};
use amq_core::format::HEADER;
use amq_core::internal::{Contents, Entry, FileFormat, Hashing, Header, Opened, Section, Sections};
use amq_core::{
    BuildError, Bytes, ClearFilter, Count, CountFilter, DecodeError, Filter, FilterKind, Goal,
    InsertError, InsertFilter, Inserted, KeyHash, LoadOptions, MergeError, MergeFilter, Prehashed,
    ReadError, RemoveFilter, SaveOptions, Table,
};

/// The list, with the [`Fault`] of the thread. It implements no `PlanFilter`: what does, and is
/// stored, reads and writes by the envelope alone.
#[derive(Clone)]
pub(crate) struct Filed<B = Table> {
    header: Header,
    /// The most hashes it takes.
    limit: u64,
    /// A rate that only a fault believes.
    rate: u64,
    len: u64,
    table: B,
    was_read: bool,
    is_view: bool,
}

impl<B> Filed<B> {
    /// What stands for a hash in the list.
    fn word(hash: KeyHash, seed: u64) -> u64 {
        hash.get() ^ if has(Fault::SeedMixedIn) { seed } else { 0 }
    }
}

/// The list of these hashes; it takes twice as many as planned.
pub(crate) fn filed(goal: Goal, seed: u64, hashes: &[KeyHash]) -> Result<Filed, BuildError> {
    let mut words: Vec<u64> = hashes.iter().map(|&hash| Filed::<Table>::word(hash, seed)).collect();
    words.sort_unstable();
    Ok(Filed {
        header: Header { seed, capacity: goal.keys, budget: Some(goal.budget) },
        limit: 2 * goal.keys,
        rate: 0,
        len: words.len() as u64,
        table: table_of(&words),
        was_read: false,
        is_view: false,
    })
}

/// These words as little-endian bytes.
#[allow(clippy::unwrap_used, reason = "a helper of tests fails as they do")]
fn table_of(words: &[u64]) -> Table {
    let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    Table::try_from(&bytes[..]).unwrap()
}

impl<B: Bytes> Filed<B> {
    fn words(&self) -> Vec<u64> {
        self.table.as_ref().as_chunks().0.iter().map(|&word| u64::from_le_bytes(word)).collect()
    }
}

impl Filed {
    fn set_words(&mut self, words: &[u64]) {
        self.table = table_of(words);
        self.len = words.len() as u64;
    }
}

impl PartialEq for Filed {
    fn eq(&self, other: &Self) -> bool {
        let limits = has(Fault::LimitLeftOut) || self.limit == other.limit;
        limits && self.header == other.header && self.table == other.table
    }
}

impl<B: Bytes> Filter for Filed<B> {
    fn kind(&self) -> FilterKind {
        KIND
    }

    fn seed(&self) -> u64 {
        self.header.seed
    }

    fn len(&self) -> u64 {
        self.len
    }

    fn capacity(&self) -> u64 {
        self.header.capacity
    }

    fn size_in_bytes(&self) -> u64 {
        self.table.as_ref().len() as u64
    }

    fn expected_fpr(&self) -> f64 {
        f64::from_bits(self.rate)
    }

    fn load_factor(&self) -> f64 {
        1.0
    }

    fn contains_hash(&self, hash: KeyHash) -> bool {
        let mut words = self.table.as_ref().as_chunks().0;
        if has(Fault::NoKeysNoAnswer) && self.len == 0 {
            return false;
        }
        if has(Fault::ViewLeavesOutTheLast) && self.is_view {
            words = &words[..words.len().saturating_sub(1)];
        }
        let wanted = Self::word(hash, self.header.seed);
        words.binary_search_by_key(&wanted, |&word| u64::from_le_bytes(word)).is_ok()
    }
}

impl InsertFilter for Filed {
    fn insert_hash(&mut self, hash: KeyHash) -> Result<Inserted, InsertError> {
        if self.len >= self.limit {
            return Err(InsertError::Limit { what: "keys", limit: self.limit });
        }
        let (word, mut words) = (Self::word(hash, self.header.seed), self.words());
        let place = words.binary_search(&word);
        words.insert(place.unwrap_or_else(|place| place), word);
        self.set_words(&words);
        Ok(Inserted::from_change(place.is_err()))
    }
}

impl ClearFilter for Filed {
    fn clear(&mut self) {
        self.set_words(&[]);
    }
}

impl RemoveFilter for Filed {
    fn remove_hash(&mut self, hash: KeyHash) -> bool {
        let mut words = self.words();
        let place = match words.binary_search(&Self::word(hash, self.header.seed)) {
            Err(place) if has(Fault::TakesAnotherAway) => place,
            Err(_) => return false,
            Ok(place) => place,
        };
        if place < words.len() {
            words.remove(place);
            self.set_words(&words);
        }
        true
    }
}

impl<B: Bytes> CountFilter for Filed<B> {
    fn count_hash(&self, hash: KeyHash) -> Count {
        let wanted = Self::word(hash, self.header.seed);
        let copies = self.words().into_iter().filter(|&word| word == wanted).count();
        Count::new(copies as u64)
    }
}

impl MergeFilter for Filed {
    fn can_merge(&self, other: &Self) -> Result<(), MergeError> {
        self.header.check_seeds(&other.header)?;
        match self.len.checked_add(other.len) {
            Some(sum) if sum <= self.limit => Ok(()),
            _ => Err(MergeError::Keys { ours: self.len, theirs: other.len, slots: self.limit }),
        }
    }

    fn merge(&mut self, other: &Self) -> Result<(), MergeError> {
        self.can_merge(other)?;
        let lost = usize::from(has(Fault::MergeForgets));
        let mut words = self.words();
        words.extend(other.words().iter().skip(lost));
        words.sort_unstable();
        self.set_words(&words);
        Ok(())
    }
}

/// More than the list has any use for.
const ZEROS: usize = 8192 * 8;

const KIND: FilterKind = FilterKind::Quotient;

impl<B: Bytes> FileFormat for Filed<B> {
    type With<C: Bytes> = Filed<C>;
    type Geometry = ();

    fn contents(&self, mut hashing: Hashing) -> Result<Contents<'_>, BuildError> {
        let mut header = self.header;
        if hashing == Hashing::Prehashed && has(Fault::PrehashedUntold) {
            hashing = Hashing::Seed;
        }
        if hashing == Hashing::Prehashed && has(Fault::PrehashedSeedDropped) {
            header.seed = 0;
        }
        let limit = match has(Fault::LimitLeftOut) {
            true => u64::MAX,
            false => self.limit,
        };
        let table = self.table.as_ref();
        let mut sections = vec![Section::new(table, 8)];
        if has(Fault::ZerosWritten) {
            sections.push(Section::new(vec![0; ZEROS], 8));
        }
        let mut entry = Entry::default();
        entry[0] = table.len() as u64 / 8;
        Ok(Contents {
            asked: [limit, self.rate, 0, 0, 0, 0, 0, 0],
            entries: vec![entry],
            sections,
            ..Contents::new(KIND, 1, hashing, &header, self.len)
        })
    }

    fn geometry(opened: &Opened<'_>) -> Result<(), DecodeError> {
        if has(Fault::ClaimAllocated) {
            let [words] = opened.only_entry()?;
            let claim = usize::try_from(words.min(1 << 30)).unwrap_or(0);
            std::hint::black_box(Vec::<u8>::with_capacity(claim));
        }
        if !has(Fault::KindIgnored) {
            opened.expect_kind(KIND, 1)?;
        }
        opened.expect_asked(if has(Fault::RateOfTheFile) { 2 } else { 1 })?;
        let [words] = opened.only_entry()?;
        let bytes =
            words.checked_mul(8).ok_or(DecodeError::Geometry { field: "words", value: words })?;
        let zeros = has(Fault::ZerosWritten);
        let sections = [(bytes, 8), (ZEROS as u64, 8)];
        opened.expect_sections(sections[..1 + usize::from(zeros)].iter().copied())
    }

    fn from_sections<C: Bytes>(
        opened: &Opened<'_>,
        (): (),
        mut sections: Sections<'_, C>,
    ) -> Result<Filed<C>, DecodeError> {
        let [limit, rate, ..] = *opened.asked();
        let mut header = opened.header();
        if has(Fault::CapacityLost) {
            header.capacity = 0;
        }
        let (table, len) = (sections.take()?, opened.keys());
        let list = Filed { header, limit, rate, len, table, was_read: true, is_view: false };
        if sections.is_checked() {
            let words = list.table.as_ref().as_chunks().0;
            let sorted = words.is_sorted_by_key(|&word| u64::from_le_bytes(word));
            let sorted = sorted || has(Fault::OrderNotWalked);
            let counted = len == words.len() as u64 || has(Fault::NoKeysNoAnswer);
            if !sorted || !counted {
                return Err(DecodeError::Structure { what: "order, or number" });
            }
        }
        Ok(list)
    }
}

/// The bytes as a way in takes them that leaves out a check.
fn excused(bytes: &[u8]) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    if bytes.len() < HEADER {
        return bytes;
    }
    if has(Fault::VersionIgnored) {
        bytes[8] = 0;
        mend(&mut bytes);
    }
    if has(Fault::AnyHasher) && bytes[18] == 2 || has(Fault::AnyHashTaken) && bytes[18] > 2 {
        bytes[18] = 1;
        mend(&mut bytes);
    }
    if has(Fault::ChecksumsIgnored) {
        mend(&mut bytes);
    }
    if has(Fault::TrailingBytesTaken) {
        let number = |at: usize| u64::from_le_bytes(core::array::from_fn(|i| bytes[at + i]));
        let length = number(136).saturating_add(number(144)).saturating_add(192);
        bytes.truncate(usize::try_from(length).unwrap_or(usize::MAX));
    }
    bytes
}

impl FileFilter for Filed {
    type View<'a> = Filed<&'a [u8]>;

    fn encode(&self, options: SaveOptions) -> Result<Vec<u8>, BuildError> {
        let options = if has(Fault::SeedTold) { SaveOptions::new() } else { options };
        let mut bytes = options.to_bytes(self)?;
        if has(Fault::NotedWhenReadBefore) && self.was_read {
            // A flag that every reader may ignore.
            bytes[20] = 1;
            mend(&mut bytes);
        }
        Ok(bytes)
    }

    fn decode(bytes: &[u8], options: LoadOptions) -> Result<Self, DecodeError> {
        let retry = |options: LoadOptions| options.from_bytes::<Self>(&excused(bytes));
        let excuses = [
            Fault::VersionIgnored,
            Fault::AnyHasher,
            Fault::AnyHashTaken,
            Fault::ChecksumsIgnored,
            Fault::TrailingBytesTaken,
            Fault::CopiedBeforeItIsRead,
        ];
        let read = match excuses.into_iter().any(has) {
            true => retry(options),
            false => options.from_bytes(bytes),
        };
        match read {
            Err(DecodeError::SeedWithheld) if has(Fault::SeedGuessed) => retry(options.seed(0)),
            Err(DecodeError::OtherSeed) if has(Fault::SeedIgnored) => retry(LoadOptions::new()),
            Err(DecodeError::TextMode) if has(Fault::TextModeUnnamed) => Err(DecodeError::Magic),
            Err(DecodeError::OutOfMemory { .. }) if has(Fault::MemoryErrorUnnamed) => {
                Err(DecodeError::Magic)
            }
            read => read,
        }
    }

    fn read(reader: &mut Pieces<'_>, options: LoadOptions) -> Result<Self, ReadError> {
        let options = match has(Fault::StreamLimitIgnored) {
            true => options.max_bytes(u64::MAX),
            false => options,
        };
        if !has(Fault::ChecksumsIgnoredInStreams) || reader.bytes.len() < HEADER {
            let read = options.read_from(&mut *reader)?;
            let ahead = usize::from(has(Fault::ReadsAhead)).min(reader.bytes.len());
            reader.bytes = &reader.bytes[ahead..];
            return Ok(read);
        }
        let mut bytes = reader.bytes.to_vec();
        mend(&mut bytes);
        let mut mended = Pieces { bytes: &bytes, size: reader.size };
        let read = options.read_from(&mut mended)?;
        reader.bytes = &reader.bytes[reader.bytes.len() - mended.bytes.len()..];
        Ok(read)
    }

    fn view(bytes: &[u8], options: LoadOptions) -> Result<Filed<&[u8]>, DecodeError> {
        options.view::<Self>(bytes).map(|view| Filed { is_view: true, ..view })
    }

    fn view_prehashed(bytes: &[u8]) -> Result<Filed<&[u8]>, DecodeError> {
        let view = LoadOptions::new().view::<Prehashed<Self>>(bytes)?.into_inner();
        Ok(Filed { is_view: true, ..view })
    }
}
