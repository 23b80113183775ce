//! A sorted list of hashes that is stored as a file: an exact set, plain enough to be seen right.

use amq_conformance::files::{FileFilter, Pieces, load_options, mend, save_options};
use amq_core::format::{HEADER, HashedBy};
use amq_core::internal::{Contents, Entry, FileFormat, Hashing, Header, Opened, Section, Sections};
use amq_core::{
    BuildError, Bytes, ClearFilter, Count, CountFilter, DecodeError, Filter, FilterFile,
    FilterKind, Goal, InsertError, InsertFilter, Inserted, KeyHash, LoadOptions, MergeError,
    MergeFilter, Prehashed, ReadError, RemoveFilter, Table,
};

/// What is wrong with a stored filter, or with a way in or out.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub(crate) enum Lapse {
    /// Nothing.
    None,
    // Of writing.
    NotedWhenReadBefore,
    SeedTold,
    LimitLeftOut,
    ZerosWritten,
    // Of reading.
    CapacityLost,
    SeedGuessed,
    SeedIgnored,
    ChecksumsIgnored,
    ChecksumsIgnoredInStreams,
    TrailingBytesTaken,
    VersionIgnored,
    KindIgnored,
    TextModeUnnamed,
    OrderNotWalked,
    NoKeysNoAnswer,
    RateOfTheFile,
    // Of streams.
    ReadsAhead,
    StreamLimitIgnored,
    // Of views.
    ViewLeavesOutTheLast,
    // Of memory.
    ClaimAllocated,
    CopiedBeforeItIsRead,
    MemoryErrorUnnamed,
    // Of what is done with a filter that was read.
    TakesAnotherAway,
    MergeForgets,
    // Of prehashed filters.
    SeedMixedIn,
    PrehashedUntold,
    PrehashedSeedTold,
    PrehashedSeedDropped,
    PrehashedSeedWithheld,
    PrehashedDecoded,
    PrehashedRead,
    PrehashedViewed,
    KeysDecoded,
    KeysRead,
    KeysViewed,
    AnyHashTaken,
}

/// The list, with one [`Lapse`]. It implements no `PlanFilter`: what does, and is stored, reads and
/// writes by the envelope alone.
#[derive(Clone)]
pub(crate) struct Filed<const LAPSE: u8, B = Table> {
    header: Header,
    /// The most hashes it takes.
    limit: u64,
    /// A rate that only a lapse believes.
    rate: u64,
    len: u64,
    table: B,
    was_read: bool,
    is_view: bool,
}

impl<const LAPSE: u8, B> Filed<LAPSE, B> {
    fn has_lapse(lapse: Lapse) -> bool {
        LAPSE == lapse as u8
    }

    /// What stands for a hash in the list.
    fn word(hash: KeyHash, seed: u64) -> u64 {
        hash.get() ^ if Self::has_lapse(Lapse::SeedMixedIn) { seed } else { 0 }
    }
}

/// The list of these hashes; it takes twice as many as planned.
pub(crate) fn filed<const LAPSE: u8>(
    goal: Goal,
    seed: u64,
    hashes: &[KeyHash],
) -> Result<Filed<LAPSE>, BuildError> {
    let mut words: Vec<u64> = hashes.iter().map(|&hash| Filed::<LAPSE>::word(hash, seed)).collect();
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

impl<const LAPSE: u8, B: Bytes> Filed<LAPSE, B> {
    fn words(&self) -> Vec<u64> {
        self.table.as_ref().as_chunks().0.iter().map(|&word| u64::from_le_bytes(word)).collect()
    }
}

impl<const LAPSE: u8> Filed<LAPSE> {
    fn set_words(&mut self, words: &[u64]) {
        self.table = table_of(words);
        self.len = words.len() as u64;
    }
}

impl<const LAPSE: u8> PartialEq for Filed<LAPSE> {
    fn eq(&self, other: &Self) -> bool {
        let limits = Self::has_lapse(Lapse::LimitLeftOut) || self.limit == other.limit;
        limits && self.header == other.header && self.table == other.table
    }
}

impl<const LAPSE: u8, B: Bytes> Filter for Filed<LAPSE, B> {
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
        if Self::has_lapse(Lapse::NoKeysNoAnswer) && self.len == 0 {
            return false;
        }
        if Self::has_lapse(Lapse::ViewLeavesOutTheLast) && self.is_view {
            words = &words[..words.len().saturating_sub(1)];
        }
        let wanted = Self::word(hash, self.header.seed);
        words.binary_search_by_key(&wanted, |&word| u64::from_le_bytes(word)).is_ok()
    }
}

impl<const LAPSE: u8> InsertFilter for Filed<LAPSE> {
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

impl<const LAPSE: u8> ClearFilter for Filed<LAPSE> {
    fn clear(&mut self) {
        self.set_words(&[]);
    }
}

impl<const LAPSE: u8> RemoveFilter for Filed<LAPSE> {
    fn remove_hash(&mut self, hash: KeyHash) -> bool {
        let mut words = self.words();
        let place = match words.binary_search(&Self::word(hash, self.header.seed)) {
            Err(place) if Self::has_lapse(Lapse::TakesAnotherAway) => place,
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

impl<const LAPSE: u8, B: Bytes> CountFilter for Filed<LAPSE, B> {
    fn count_hash(&self, hash: KeyHash) -> Count {
        let wanted = Self::word(hash, self.header.seed);
        let copies = self.words().into_iter().filter(|&word| word == wanted).count();
        Count::new(copies as u64)
    }
}

impl<const LAPSE: u8> MergeFilter for Filed<LAPSE> {
    fn can_merge(&self, other: &Self) -> Result<(), MergeError> {
        self.header.check_seeds(&other.header)?;
        match self.len.checked_add(other.len) {
            Some(sum) if sum <= self.limit => Ok(()),
            _ => Err(MergeError::Keys { ours: self.len, theirs: other.len, slots: self.limit }),
        }
    }

    fn merge(&mut self, other: &Self) -> Result<(), MergeError> {
        self.can_merge(other)?;
        let lost = usize::from(Self::has_lapse(Lapse::MergeForgets));
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

impl<const LAPSE: u8, B: Bytes> FileFormat for Filed<LAPSE, B> {
    type With<C: Bytes> = Filed<LAPSE, C>;
    type Geometry = ();

    fn contents(&self, hashing: Hashing) -> Result<Contents<'_>, BuildError> {
        let limit = match Self::has_lapse(Lapse::LimitLeftOut) {
            true => u64::MAX,
            false => self.limit,
        };
        let table = self.table.as_ref();
        let mut sections = vec![Section::new(table, 8)];
        if Self::has_lapse(Lapse::ZerosWritten) {
            sections.push(Section::new(vec![0; ZEROS], 8));
        }
        let mut entry = Entry::default();
        entry[0] = table.len() as u64 / 8;
        Ok(Contents {
            asked: [limit, self.rate, 0, 0, 0, 0, 0, 0],
            entries: vec![entry],
            sections,
            ..Contents::new(KIND, 1, hashing, &self.header, self.len)
        })
    }

    fn geometry(opened: &Opened<'_>) -> Result<(), DecodeError> {
        if !Self::has_lapse(Lapse::KindIgnored) {
            opened.expect_kind(KIND, 1)?;
        }
        opened.expect_asked(if Self::has_lapse(Lapse::RateOfTheFile) { 2 } else { 1 })?;
        let [words] = opened.only_entry()?;
        let bytes =
            words.checked_mul(8).ok_or(DecodeError::Geometry { field: "words", value: words })?;
        let zeros = Self::has_lapse(Lapse::ZerosWritten);
        let sections = [(bytes, 8), (ZEROS as u64, 8)];
        opened.expect_sections(sections[..1 + usize::from(zeros)].iter().copied())
    }

    fn from_sections<C: Bytes>(
        opened: &Opened<'_>,
        (): (),
        mut sections: Sections<'_, C>,
    ) -> Result<Filed<LAPSE, C>, DecodeError> {
        let [limit, rate, ..] = *opened.asked();
        let mut header = opened.header();
        if Self::has_lapse(Lapse::CapacityLost) {
            header.capacity = 0;
        }
        let (table, len) = (sections.take()?, opened.keys());
        let list = Filed { header, limit, rate, len, table, was_read: true, is_view: false };
        if sections.is_checked() {
            let words = list.table.as_ref().as_chunks().0;
            let sorted = words.is_sorted_by_key(|&word| u64::from_le_bytes(word));
            let sorted = sorted || Self::has_lapse(Lapse::OrderNotWalked);
            let counted = len == words.len() as u64 || Self::has_lapse(Lapse::NoKeysNoAnswer);
            if !sorted || !counted {
                return Err(DecodeError::Structure { what: "order, or number" });
            }
        }
        Ok(list)
    }
}

/// A way in that does not ask by whom the keys were hashed.
struct ByAnyHash<F>(F);

impl<F: FileFormat> FileFormat for ByAnyHash<F> {
    const HASHED_BY: Option<HashedBy> = None;
    type With<B: Bytes> = ByAnyHash<F::With<B>>;
    type Geometry = F::Geometry;

    fn contents(&self, hashing: Hashing) -> Result<Contents<'_>, BuildError> {
        self.0.contents(hashing)
    }

    fn geometry(opened: &Opened<'_>) -> Result<F::Geometry, DecodeError> {
        F::geometry(opened)
    }

    fn from_sections<B: Bytes>(
        opened: &Opened<'_>,
        geometry: F::Geometry,
        sections: Sections<'_, B>,
    ) -> Result<ByAnyHash<F::With<B>>, DecodeError> {
        F::from_sections(opened, geometry, sections).map(ByAnyHash)
    }
}

/// The bytes as a way in takes them that leaves out a check.
fn excused<const LAPSE: u8>(bytes: &[u8]) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    if bytes.len() < HEADER {
        return bytes;
    }
    if Filed::<LAPSE>::has_lapse(Lapse::VersionIgnored) {
        bytes[8] = 0;
        mend(&mut bytes);
    }
    if Filed::<LAPSE>::has_lapse(Lapse::AnyHashTaken) && bytes[18] > 2 {
        bytes[18] = 1;
        mend(&mut bytes);
    }
    if Filed::<LAPSE>::has_lapse(Lapse::ChecksumsIgnored) {
        mend(&mut bytes);
    }
    if Filed::<LAPSE>::has_lapse(Lapse::TrailingBytesTaken) {
        let number = |at: usize| u64::from_le_bytes(core::array::from_fn(|i| bytes[at + i]));
        let length = number(136).saturating_add(number(144)).saturating_add(192);
        bytes.truncate(usize::try_from(length).unwrap_or(usize::MAX));
    }
    bytes
}

impl<const LAPSE: u8> FileFilter for Filed<LAPSE> {
    type View<'a> = Filed<LAPSE, &'a [u8]>;

    fn realised(&self) -> String {
        format!("{}", self.limit)
    }

    fn encode(&self, withhold_seed: bool) -> Result<Vec<u8>, BuildError> {
        let withhold = withhold_seed && !Self::has_lapse(Lapse::SeedTold);
        let mut bytes = save_options(withhold).to_bytes(self)?;
        if Self::has_lapse(Lapse::NotedWhenReadBefore) && self.was_read {
            // A flag that every reader may ignore.
            bytes[20] = 1;
            mend(&mut bytes);
        }
        Ok(bytes)
    }

    fn decode(bytes: &[u8], seed: Option<u64>) -> Result<Self, DecodeError> {
        let seed = match Self::has_lapse(Lapse::SeedGuessed) {
            true => seed.or(Some(0)),
            false => seed,
        };
        if Self::has_lapse(Lapse::ClaimAllocated) && bytes.len() > HEADER {
            let claim = u64::from_le_bytes(core::array::from_fn(|i| bytes[144 + i]));
            let claim = usize::try_from(claim.min(1 << 30)).unwrap_or(0);
            std::hint::black_box(Vec::<u8>::with_capacity(claim));
        }
        let excuses = [
            Lapse::VersionIgnored,
            Lapse::AnyHashTaken,
            Lapse::ChecksumsIgnored,
            Lapse::TrailingBytesTaken,
            Lapse::CopiedBeforeItIsRead,
        ];
        if Self::has_lapse(Lapse::PrehashedDecoded) {
            return load_options(seed).from_bytes::<ByAnyHash<Self>>(bytes).map(|read| read.0);
        }
        let read = match excuses.into_iter().any(Self::has_lapse) {
            true => load_options(seed).from_bytes(&excused::<LAPSE>(bytes)),
            false => load_options(seed).from_bytes(bytes),
        };
        let read = match read {
            Err(DecodeError::OtherSeed) if Self::has_lapse(Lapse::SeedIgnored) => {
                Self::from_bytes(bytes)
            }
            read => read,
        };
        read.map_err(|error| match error {
            DecodeError::TextMode if Self::has_lapse(Lapse::TextModeUnnamed) => DecodeError::Magic,
            DecodeError::OutOfMemory { .. } if Self::has_lapse(Lapse::MemoryErrorUnnamed) => {
                DecodeError::Magic
            }
            error => error,
        })
    }

    fn read(reader: &mut Pieces<'_>, seed: Option<u64>, max_bytes: u64) -> Result<Self, ReadError> {
        let ahead = usize::from(Self::has_lapse(Lapse::ReadsAhead));
        let max_bytes = match Self::has_lapse(Lapse::StreamLimitIgnored) {
            true => u64::MAX,
            false => max_bytes,
        };
        let ignored = Self::has_lapse(Lapse::ChecksumsIgnoredInStreams);
        let options = load_options(seed).max_bytes(max_bytes);
        let read = if ignored && reader.bytes.len() >= HEADER {
            let mut bytes = reader.bytes.to_vec();
            mend(&mut bytes);
            let mut mended = Pieces { bytes: &bytes, size: reader.size };
            let read = options.read_from(&mut mended)?;
            let left = mended.bytes.len();
            reader.bytes = &reader.bytes[reader.bytes.len() - left..];
            read
        } else if Self::has_lapse(Lapse::PrehashedRead) {
            options.read_from::<ByAnyHash<Self>, _>(&mut *reader)?.0
        } else {
            options.read_from(&mut *reader)?
        };
        reader.bytes = &reader.bytes[ahead.min(reader.bytes.len())..];
        Ok(read)
    }

    fn view(
        bytes: &[u8],
        seed: Option<u64>,
        check: bool,
    ) -> Result<Filed<LAPSE, &[u8]>, DecodeError> {
        let options = load_options(seed);
        let options = if check { options } else { options.unchecked_payload() };
        let mut view = match Self::has_lapse(Lapse::PrehashedViewed) {
            true => options.view::<ByAnyHash<Self>>(bytes)?.0,
            false => options.view::<Self>(bytes)?,
        };
        view.is_view = true;
        Ok(view)
    }

    fn encode_prehashed(filter: &Prehashed<Self>, withhold: bool) -> Result<Vec<u8>, BuildError> {
        let mut filter = filter.clone();
        if Self::has_lapse(Lapse::PrehashedSeedDropped) {
            filter.get_mut().header.seed = 0;
        }
        let mut bytes = save_options(withhold).to_bytes(&filter)?;
        if Self::has_lapse(Lapse::PrehashedUntold) {
            bytes[18] = 1;
        }
        if Self::has_lapse(Lapse::PrehashedSeedTold) {
            bytes[40] = 1;
        }
        if Self::has_lapse(Lapse::PrehashedSeedWithheld) && withhold {
            bytes[22] = 1;
        }
        mend(&mut bytes);
        Ok(bytes)
    }

    fn decode_prehashed(bytes: &[u8]) -> Result<Prehashed<Self>, DecodeError> {
        match Self::has_lapse(Lapse::KeysDecoded) {
            true => ByAnyHash::<Self>::from_bytes(bytes).map(|read| Prehashed::of(read.0)),
            false => LoadOptions::new().from_bytes(bytes),
        }
    }

    fn read_prehashed(reader: Pieces<'_>) -> Result<Prehashed<Self>, ReadError> {
        match Self::has_lapse(Lapse::KeysRead) {
            true => ByAnyHash::<Self>::read_from(reader).map(|read| Prehashed::of(read.0)),
            false => LoadOptions::new().read_from(reader),
        }
    }

    fn view_prehashed(bytes: &[u8]) -> Result<Prehashed<Filed<LAPSE, &[u8]>>, DecodeError> {
        let view = match Self::has_lapse(Lapse::KeysViewed) {
            true => ByAnyHash::<Self>::view(bytes)?.0,
            false => LoadOptions::new().view::<Prehashed<Self>>(bytes)?.into_inner(),
        };
        Ok(Prehashed::of(Filed { is_view: true, ..view }))
    }
}
