//! A sorted list of hashes that is stored as a file: an exact set, plain enough to be seen right.

use amq_conformance::files::{FileFilter, Pieces, mend};
use amq_core::format::HEADER;
use amq_core::internal::{
    Borrowing, Copying, Description, Entry, Hashing, Header, Opened, Restore, Section, Source,
    Stored, Streaming, Written,
};
use amq_core::{
    BuildError, ClearFilter, Count, CountFilter, DecodeError, Filter, FilterFile, FilterKind, Goal,
    InsertError, InsertFilter, Inserted, KeyHash, LoadOptions, MergeError, MergeFilter, Prehashed,
    ReadError, RemoveFilter, SaveOptions, Secret,
};

/// What a reader is given.
fn secret(seed: Option<u64>) -> Option<Secret> {
    seed.map(Secret::Seed)
}

/// What is wrong with a stored filter, or with a way in or out.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub(crate) enum Lapse {
    /// Nothing.
    None,
    // Of writing.
    NotedWhenReadBefore,
    ShortBufferBegun,
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
pub(crate) struct Filed<const LAPSE: u8, S = Vec<u64>> {
    header: Header,
    /// The most hashes it takes.
    limit: u64,
    /// A rate that only a lapse believes.
    rate: u64,
    len: u64,
    words: S,
    was_read: bool,
    is_view: bool,
}

impl<const LAPSE: u8, S> Filed<LAPSE, S> {
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
        words,
        was_read: false,
        is_view: false,
    })
}

impl<const LAPSE: u8> PartialEq for Filed<LAPSE> {
    fn eq(&self, other: &Self) -> bool {
        let limits = Self::has_lapse(Lapse::LimitLeftOut) || self.limit == other.limit;
        limits && self.header == other.header && self.words == other.words
    }
}

impl<const LAPSE: u8, S: AsRef<[u64]> + Send + Sync> Filter for Filed<LAPSE, S> {
    fn kind(&self) -> FilterKind {
        Self::KIND
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
        self.words.as_ref().len() as u64 * 8
    }

    fn expected_fpr(&self) -> f64 {
        f64::from_bits(self.rate)
    }

    fn load_factor(&self) -> f64 {
        1.0
    }

    fn contains_hash(&self, hash: KeyHash) -> bool {
        let mut words = self.words.as_ref();
        if Self::has_lapse(Lapse::NoKeysNoAnswer) && self.len == 0 {
            return false;
        }
        if Self::has_lapse(Lapse::ViewLeavesOutTheLast) && self.is_view {
            words = &words[..words.len().saturating_sub(1)];
        }
        words.binary_search(&Self::word(hash, self.header.seed)).is_ok()
    }
}

impl<const LAPSE: u8> InsertFilter for Filed<LAPSE> {
    fn insert_hash(&mut self, hash: KeyHash) -> Result<Inserted, InsertError> {
        if self.len >= self.limit {
            return Err(InsertError::Limit { what: "keys", limit: self.limit });
        }
        let word = Self::word(hash, self.header.seed);
        let place = self.words.binary_search(&word);
        self.words.insert(place.unwrap_or_else(|place| place), word);
        self.len += 1;
        Ok(Inserted::from_change(place.is_err()))
    }
}

impl<const LAPSE: u8> ClearFilter for Filed<LAPSE> {
    fn clear(&mut self) {
        self.words.clear();
        self.len = 0;
    }
}

impl<const LAPSE: u8> RemoveFilter for Filed<LAPSE> {
    fn remove_hash(&mut self, hash: KeyHash) -> bool {
        let place = match self.words.binary_search(&Self::word(hash, self.header.seed)) {
            Err(place) if Self::has_lapse(Lapse::TakesAnotherAway) => place,
            Err(_) => return false,
            Ok(place) => place,
        };
        if place < self.words.len() {
            self.words.remove(place);
            self.len -= 1;
        }
        true
    }
}

impl<const LAPSE: u8, S: AsRef<[u64]> + Send + Sync> CountFilter for Filed<LAPSE, S> {
    fn count_hash(&self, hash: KeyHash) -> Count {
        let wanted = Self::word(hash, self.header.seed);
        let copies = self.words.as_ref().iter().filter(|&&word| word == wanted);
        Count::new(copies.count() as u64)
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
        self.words.extend(other.words.iter().skip(lost));
        self.words.sort_unstable();
        self.len = self.words.len() as u64;
        Ok(())
    }
}

static ZEROS: [u64; 8192] = [0; 8192];

impl<const LAPSE: u8, S: AsRef<[u64]> + Send + Sync> Stored for Filed<LAPSE, S> {
    const KIND: FilterKind = FilterKind::Quotient;
    const REVISION: u8 = 1;

    fn header(&self) -> &Header {
        &self.header
    }

    fn items(&self) -> u64 {
        self.len
    }

    fn describe(&self) -> Description<'_> {
        let limit = match Self::has_lapse(Lapse::LimitLeftOut) {
            true => u64::MAX,
            false => self.limit,
        };
        let words = self.words.as_ref();
        let mut sections = vec![Section::of(words)];
        if Self::has_lapse(Lapse::ZerosWritten) {
            sections.push(Section::of(&ZEROS));
        }
        let mut entry = Entry::default();
        entry[0] = words.len() as u64;
        Description { asked: [limit, self.rate, 0, 0, 0, 0, 0, 0], entries: vec![entry], sections }
    }
}

impl<const LAPSE: u8> Restore for Filed<LAPSE> {
    type Over<R: Source> = Filed<LAPSE, R::Store<u64>>;

    fn restore<R: Source>(
        opened: &Opened<'_>,
        mut source: R,
    ) -> Result<Self::Over<R>, DecodeError> {
        if !Self::has_lapse(Lapse::KindIgnored) {
            opened.expect_kind(Self::KIND, Self::REVISION)?;
        }
        let [limit, rate, ..] = *opened.asked();
        opened.expect_asked(if Self::has_lapse(Lapse::RateOfTheFile) { 2 } else { 1 })?;
        let [words] = opened.only_entry()?;
        let bytes =
            words.checked_mul(8).ok_or(DecodeError::Geometry { field: "words", value: words })?;
        let zeros = Self::has_lapse(Lapse::ZerosWritten);
        let sections = [(bytes, 8), (size_of_val(&ZEROS) as u64, 8)];
        opened.expect_sections(sections[..1 + usize::from(zeros)].iter().copied())?;
        let words = source.section::<u64>(opened)?;
        if zeros {
            source.section::<u64>(opened)?;
        }
        if source.finish(opened)? {
            let words = words.as_ref();
            let sorted = words.is_sorted() || Self::has_lapse(Lapse::OrderNotWalked);
            let counted =
                opened.keys() == words.len() as u64 || Self::has_lapse(Lapse::NoKeysNoAnswer);
            if !sorted || !counted {
                return Err(DecodeError::Structure { what: "order, or number" });
            }
        }
        let mut header = opened.header();
        if Self::has_lapse(Lapse::CapacityLost) {
            header.capacity = 0;
        }
        Ok(Filed { header, limit, rate, len: opened.keys(), words, was_read: true, is_view: false })
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
    type View<'a> = Filed<LAPSE, &'a [u64]>;

    fn realised(&self) -> String {
        format!("{}", self.limit)
    }

    fn encode(&self, withhold_seed: bool) -> Result<Vec<u8>, BuildError> {
        let withhold = withhold_seed && !Self::has_lapse(Lapse::SeedTold);
        let seed = if withhold { Hashing::SeedWithheld } else { Hashing::Seed };
        let mut bytes = self.encode_file(seed)?;
        if Self::has_lapse(Lapse::NotedWhenReadBefore) && self.was_read {
            // A flag that every reader may ignore.
            bytes[20] = 1;
            mend(&mut bytes);
        }
        Ok(bytes)
    }

    fn encode_into(&self, buffer: &mut [u8]) -> Option<usize> {
        if Self::has_lapse(Lapse::ShortBufferBegun) {
            buffer[0] = 0x89;
        }
        self.encode_file_into(buffer)
    }

    fn encoded_len(&self) -> u64 {
        self.file_len()
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
            return Self::decoded_by_any_hash(bytes, seed);
        }
        let read = match excuses.into_iter().any(Self::has_lapse) {
            true => Self::decode_file(&excused::<LAPSE>(bytes), secret(seed)),
            false => Self::decode_file(bytes, secret(seed)),
        };
        let read = match read {
            Err(DecodeError::OtherSeed) if Self::has_lapse(Lapse::SeedIgnored) => {
                Self::decode_file(bytes, None)
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

    fn read(
        reader: &mut Pieces<'_>,
        seed: Option<u64>,
        max_bytes: u64,
    ) -> Result<(Self, u64), ReadError> {
        let ahead = usize::from(Self::has_lapse(Lapse::ReadsAhead));
        let max_bytes = match Self::has_lapse(Lapse::StreamLimitIgnored) {
            true => u64::MAX,
            false => max_bytes,
        };
        let ignored = Self::has_lapse(Lapse::ChecksumsIgnoredInStreams);
        let read = if ignored && reader.bytes.len() >= HEADER {
            let mut bytes = reader.bytes.to_vec();
            mend(&mut bytes);
            let mut mended = Pieces { bytes: &bytes, size: reader.size };
            let read = Self::read_file(&mut mended, secret(seed), max_bytes)?;
            reader.bytes = &reader.bytes[read.1 as usize..];
            read
        } else if Self::has_lapse(Lapse::PrehashedRead) {
            Streaming::read(reader, secret(seed), max_bytes, |opened, source| {
                <Self as Restore>::restore(opened, source)
            })?
        } else {
            Self::read_file(reader, secret(seed), max_bytes)?
        };
        reader.bytes = &reader.bytes[ahead.min(reader.bytes.len())..];
        Ok(read)
    }

    fn view(
        bytes: &[u8],
        seed: Option<u64>,
        check: bool,
    ) -> Result<<Self as Restore>::Over<Borrowing<'_>>, DecodeError> {
        let mut view = match Self::has_lapse(Lapse::PrehashedViewed) {
            true => Self::viewed_by_any_hash(bytes, seed, check)?,
            false => Self::view_file(bytes, secret(seed), check)?,
        };
        view.is_view = true;
        Ok(view)
    }

    fn encode_prehashed(
        filter: &Prehashed<Self>,
        withhold_seed: bool,
    ) -> Result<Vec<u8>, BuildError> {
        let mut filter = filter.clone();
        if Self::has_lapse(Lapse::PrehashedSeedDropped) {
            filter.get_mut().header.seed = 0;
        }
        let mut bytes = match withhold_seed {
            true => SaveOptions::new().without_secret().to_bytes(&filter)?,
            false => filter.to_bytes()?,
        };
        if Self::has_lapse(Lapse::PrehashedUntold) {
            bytes[18] = 1;
        }
        if Self::has_lapse(Lapse::PrehashedSeedTold) {
            bytes[40] = 1;
        }
        if Self::has_lapse(Lapse::PrehashedSeedWithheld) && withhold_seed {
            bytes[22] = 1;
        }
        mend(&mut bytes);
        Ok(bytes)
    }

    fn decode_prehashed(bytes: &[u8]) -> Result<Prehashed<Self>, DecodeError> {
        match Self::has_lapse(Lapse::KeysDecoded) {
            true => Self::decoded_by_any_hash(bytes, None).map(Prehashed::of),
            false => LoadOptions::new().from_bytes(bytes),
        }
    }

    fn read_prehashed(mut reader: Pieces<'_>) -> Result<Prehashed<Self>, ReadError> {
        if Self::has_lapse(Lapse::KeysRead) {
            let (read, _) = Streaming::read(&mut reader, None, u64::MAX, |opened, source| {
                <Self as Restore>::restore(opened, source)
            })?;
            return Ok(Prehashed::of(read));
        }
        LoadOptions::new().read_from(reader)
    }

    fn view_prehashed(bytes: &[u8]) -> Result<Prehashed<Filed<LAPSE, &[u64]>>, DecodeError> {
        let view = match Self::has_lapse(Lapse::KeysViewed) {
            true => Self::viewed_by_any_hash(bytes, None, true)?,
            false => LoadOptions::new().view::<Prehashed<Self>>(bytes)?.into_inner(),
        };
        Ok(Prehashed::of(Filed { is_view: true, ..view }))
    }
}

/// Ways in that do not ask by whom the keys were hashed.
impl<const LAPSE: u8> Filed<LAPSE> {
    fn decoded_by_any_hash(bytes: &[u8], seed: Option<u64>) -> Result<Self, DecodeError> {
        let (opened, payload) = Opened::in_bytes(bytes, secret(seed))?;
        <Self as Restore>::restore(&opened, Copying::new(payload, &opened)?)
    }

    fn viewed_by_any_hash(
        bytes: &[u8],
        seed: Option<u64>,
        check: bool,
    ) -> Result<Filed<LAPSE, &[u64]>, DecodeError> {
        let (opened, payload) = Opened::in_bytes(bytes, secret(seed))?;
        <Self as Restore>::restore(&opened, Borrowing::new(payload, &opened, check)?)
    }
}
