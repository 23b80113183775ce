//! Filters of any kind as files.

use super::table::each;
use super::{AnyError, AnyFilter, AnyView};
use crate::kinds;
#[cfg(feature = "std")]
use amq_core::ReadError;
use amq_core::format::HashedBy;
#[cfg(feature = "std")]
use amq_core::internal::Streaming;
use amq_core::internal::{Borrowing, Contents, Copying, Hashing, Opened, Restore, Written};
use amq_core::{
    BuildError, DecodeError, Filter, FilterKind, KeyEncoding, Keyed, MergeError, Prehashed, Secret,
};
#[cfg(feature = "std")]
use std::{io, path::Path};

/// The filter of the kind that the header names, out of a source.
macro_rules! restored {
    (
        $opened:expr, $source:expr;
        $($feature:literal $name:ident: $module:ident::$type:ident [$($can:ident)*];)*
    ) => {
        match FilterKind::from_number($opened.kind()) {
            $(
                #[cfg(feature = $feature)]
                Some(FilterKind::$name) => {
                    Ok(Self::$name(<$module::$type as Restore>::restore($opened, $source)?))
                }
            )*
            other => Err(unread(other, $opened.kind())),
        }
    };
}

/// Why a file of no kind above is not read.
fn unread(kind: Option<FilterKind>, number: u8) -> DecodeError {
    match kind {
        Some(found) => DecodeError::UnsupportedKind { found },
        None => DecodeError::Kind { number },
    }
}

impl Written for AnyFilter {
    fn contents(&self, hashing: Hashing) -> Result<Contents<'_>, BuildError> {
        kinds!(each self, filter => filter.contents(hashing))
    }
}

impl AnyFilter {
    amq_core::methods! { to_bytes; }

    /// Bytes of the filter as a file.
    #[must_use]
    pub fn encoded_len(&self) -> u64 {
        kinds!(each self, filter => filter.encoded_len())
    }

    /// The filter in these bytes, of whatever kind: one whole file and no more. Everything is
    /// checked.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, DecodeError> {
        AnyFile::decode(bytes, None, keys).map_err(for_keys)?.of_keys()
    }

    #[doc = amq_core::docs!(from_bytes_with_seed)]
    pub fn from_bytes_with_seed(bytes: &[u8], seed: u64) -> Result<Self, DecodeError> {
        AnyFile::decode(bytes, Some(Secret::Seed(seed)), keys)?.of_keys()
    }

    fn copied(opened: &Opened<'_>, source: Copying<'_>) -> Result<Self, DecodeError> {
        kinds!(restored opened, source)
    }

    #[cfg(feature = "std")]
    fn streamed<R: io::Read>(
        opened: &Opened<'_>,
        source: Streaming<'_, R>,
    ) -> Result<Self, DecodeError> {
        kinds!(restored opened, source)
    }
}

#[cfg(feature = "std")]
impl AnyFilter {
    /// Loads the filter in a file, which must hold nothing else. Reads header and directory, then
    /// the table into its place: the file's bytes are never held beside the filter.
    pub fn load(path: impl AsRef<Path>) -> Result<Self, ReadError> {
        Ok(AnyFile::loaded(path.as_ref(), None, keys).map_err(read_for_keys)?.of_keys()?)
    }

    #[doc = amq_core::docs!(from_bytes_with_seed)]
    pub fn load_with_seed(path: impl AsRef<Path>, seed: u64) -> Result<Self, ReadError> {
        Ok(AnyFile::loaded(path.as_ref(), Some(Secret::Seed(seed)), keys)?.of_keys()?)
    }

    /// Reads one filter, and no byte more.
    pub fn read_from(reader: impl io::Read) -> Result<Self, ReadError> {
        Self::read_from_within(reader, u64::MAX)
    }

    #[doc = amq_core::docs!(from_bytes_with_seed)]
    pub fn read_from_with_seed(mut reader: impl io::Read, seed: u64) -> Result<Self, ReadError> {
        Ok(AnyFile::read(&mut reader, Some(Secret::Seed(seed)), u64::MAX, keys)?.of_keys()?)
    }

    /// Reads one filter, unless the file is larger than `max_bytes`. Memory is taken as the bytes
    /// come, not as the file claims.
    pub fn read_from_within(mut reader: impl io::Read, max_bytes: u64) -> Result<Self, ReadError> {
        Ok(AnyFile::read(&mut reader, None, max_bytes, keys).map_err(read_for_keys)?.of_keys()?)
    }
}

/// Whether a file is read whose header and directory are checked: before its table is.
type Accept = fn(&Opened<'_>) -> Result<(), DecodeError>;

/// If it is asked for keys, which are hashed under a seed.
const fn keys(opened: &Opened<'_>) -> Result<(), DecodeError> {
    opened.expect_hashed_by(HashedBy::Seed)
}

/// Why a file is not read for keys.
const fn for_keys(error: DecodeError) -> DecodeError {
    Opened::refusal(error, HashedBy::Seed)
}

#[cfg(feature = "std")]
fn read_for_keys(error: ReadError) -> ReadError {
    match error {
        ReadError::Decode(error) => ReadError::Decode(for_keys(error)),
        error => error,
    }
}

/// However its keys are hashed.
const fn all(_: &Opened<'_>) -> Result<(), DecodeError> {
    Ok(())
}

/// What a file can hold: a filter of any kind, with how its keys are hashed and were encoded.
///
/// The encoding is what somebody said who knew of all keys: the file of a filter that was saved by
/// itself says [`KeyEncoding::Unknown`].
///
/// ```
/// use amq::{AnyFile, BloomFilter, Goal, KeyEncoding};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let mut filter = BloomFilter::new(Goal::fpr(1000, 0.01))?;
/// filter.insert(&42u64);
/// let bytes = AnyFile::Keys(filter.into(), KeyEncoding::Integers).to_bytes()?; // or `save`
///
/// let file = AnyFile::from_bytes(&bytes)?; // or `load`
/// assert_eq!(file.encoding(), KeyEncoding::Integers);
/// assert!(file.of_keys()?.contains(&42u64));
/// # Ok(())
/// # }
/// ```
#[derive(Clone, PartialEq, Debug)]
pub enum AnyFile {
    /// A filter of keys, hashed under a seed.
    Keys(AnyFilter, KeyEncoding),
    /// A filter of keys, hashed under a key of 128 bits.
    Keyed(Keyed<AnyFilter>, KeyEncoding),
    /// A filter of hashes.
    Hashes(Prehashed<AnyFilter>),
}

impl AnyFile {
    /// What these bytes hold: one whole file and no more. Everything is checked.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, DecodeError> {
        Self::decode(bytes, None, all)
    }

    #[doc = amq_core::docs!(from_bytes_with_seed)]
    pub fn from_bytes_with_seed(bytes: &[u8], seed: u64) -> Result<Self, DecodeError> {
        Self::decode(bytes, Some(Secret::Seed(seed)), all)
    }

    /// What these bytes hold, which omit their seed or key; see [`from_bytes`](Self::from_bytes).
    pub fn from_bytes_with(bytes: &[u8], secret: Secret) -> Result<Self, DecodeError> {
        Self::decode(bytes, Some(secret), all)
    }

    /// The filter, however its keys are hashed: for what does not depend on that, such as its size.
    ///
    /// **Do not ask it for keys** unless the file is [`Keys`](Self::Keys): it would hash them under
    /// its public seed and deny keys that are in. `match` the file; its [`Keyed`] filter hashes
    /// keys as it must, and its [`Prehashed`] one takes hashes.
    #[must_use]
    pub const fn filter(&self) -> &AnyFilter {
        match self {
            Self::Keys(filter, _) => filter,
            Self::Keyed(filter, _) => filter.get_ref(),
            Self::Hashes(filter) => filter.get_ref(),
        }
    }

    /// The filter, to be changed: by hashes, made as its keys are hashed.
    #[must_use]
    pub const fn filter_mut(&mut self) -> &mut AnyFilter {
        match self {
            Self::Keys(filter, _) => filter,
            Self::Keyed(filter, _) => filter.get_mut(),
            Self::Hashes(filter) => filter.get_mut(),
        }
    }

    /// How its keys were encoded; of hashes nothing is known.
    #[must_use]
    pub const fn encoding(&self) -> KeyEncoding {
        match self {
            Self::Keys(_, encoding) | Self::Keyed(_, encoding) => *encoding,
            Self::Hashes(_) => KeyEncoding::Unknown,
        }
    }

    /// Says how its keys are encoded: all that are in, and all that will be. Hashes have no
    /// encoding.
    pub const fn set_encoding(&mut self, to: KeyEncoding) {
        match self {
            Self::Keys(_, encoding) | Self::Keyed(_, encoding) => *encoding = to,
            Self::Hashes(_) => {}
        }
    }

    /// The seed or key that its keys are hashed under; of hashes nothing is known.
    #[must_use]
    pub fn secret(&self) -> Secret {
        match self {
            Self::Keys(filter, _) => Secret::Seed(filter.seed()),
            Self::Keyed(filter, _) => Secret::Key(filter.key()),
            Self::Hashes(_) => Secret::Unknown,
        }
    }

    /// The filter of keys; [`DecodeError::Prehashed`] if it is one of hashes, and
    /// [`DecodeError::Keyed`] if it hashes under a key of 128 bits.
    pub fn of_keys(self) -> Result<AnyFilter, DecodeError> {
        match self {
            Self::Keys(filter, _) => Ok(filter),
            Self::Keyed(..) => Err(DecodeError::Keyed),
            Self::Hashes(_) => Err(DecodeError::Prehashed),
        }
    }

    /// Adds every key of `other`. All or nothing.
    pub fn merge(&mut self, other: &Self) -> Result<(), AnyError> {
        let encoding = self.encoding().and(other.encoding());
        match (self, other) {
            (Self::Keys(ours, of_ours), Self::Keys(theirs, _)) => {
                ours.merge(theirs)?;
                *of_ours = encoding;
            }
            (Self::Keyed(ours, of_ours), Self::Keyed(theirs, _)) => {
                if ours.key() != theirs.key() {
                    return Err(MergeError::SipKeys.into());
                }
                ours.get_mut().merge(theirs.get_ref())?;
                *of_ours = encoding;
            }
            (Self::Hashes(ours), Self::Hashes(theirs)) => {
                ours.get_mut().merge(theirs.get_ref())?;
            }
            _ => return Err(MergeError::Hashing.into()),
        }
        Ok(())
    }

    amq_core::methods! { to_bytes; }

    fn of(filter: AnyFilter, opened: &Opened<'_>) -> Self {
        let encoding = opened.encoding();
        match (opened.hashed_by(), opened.secret()) {
            (HashedBy::Key, Some(Secret::Key(key))) => {
                Self::Keyed(Keyed::of(filter, key), encoding)
            }
            (HashedBy::Seed, _) => Self::Keys(filter, encoding),
            _ => Self::Hashes(Prehashed::of(filter)),
        }
    }

    fn decode(bytes: &[u8], secret: Option<Secret>, accept: Accept) -> Result<Self, DecodeError> {
        let (opened, payload) = Opened::in_bytes(bytes, secret)?;
        accept(&opened)?;
        let source = Copying::new(payload, &opened)?;
        Ok(Self::of(AnyFilter::copied(&opened, source)?, &opened))
    }
}

impl Written for AnyFile {
    fn contents(&self, hashing: Hashing) -> Result<Contents<'_>, BuildError> {
        let contents = match self {
            Self::Keys(filter, _) => filter.contents(hashing),
            Self::Keyed(filter, _) => filter.contents(hashing),
            Self::Hashes(filter) => filter.contents(hashing),
        };
        Ok(Contents { encoding: self.encoding(), ..contents? })
    }
}

#[cfg(feature = "std")]
impl AnyFile {
    /// Loads what is in a file, which must hold nothing else.
    pub fn load(path: impl AsRef<Path>) -> Result<Self, ReadError> {
        Self::loaded(path.as_ref(), None, all)
    }

    #[doc = amq_core::docs!(from_bytes_with_seed)]
    pub fn load_with_seed(path: impl AsRef<Path>, seed: u64) -> Result<Self, ReadError> {
        Self::loaded(path.as_ref(), Some(Secret::Seed(seed)), all)
    }

    /// Loads what is in a file that omits its seed or key; see [`load`](Self::load).
    pub fn load_with(path: impl AsRef<Path>, secret: Secret) -> Result<Self, ReadError> {
        Self::loaded(path.as_ref(), Some(secret), all)
    }

    /// Reads one filter, and no byte more.
    pub fn read_from(mut reader: impl io::Read) -> Result<Self, ReadError> {
        Self::read(&mut reader, None, u64::MAX, all)
    }

    #[doc = amq_core::docs!(from_bytes_with_seed)]
    pub fn read_from_with_seed(mut reader: impl io::Read, seed: u64) -> Result<Self, ReadError> {
        Self::read(&mut reader, Some(Secret::Seed(seed)), u64::MAX, all)
    }

    /// Reads one filter whose file omits its seed or key, and no byte more.
    pub fn read_from_with(mut reader: impl io::Read, secret: Secret) -> Result<Self, ReadError> {
        Self::read(&mut reader, Some(secret), u64::MAX, all)
    }

    // Not generic: compiled here once, and not for each type of path and reader.

    fn loaded(path: &Path, secret: Option<Secret>, accept: Accept) -> Result<Self, ReadError> {
        Streaming::load(path, secret, |opened, source| Self::streamed(opened, source, accept))
    }

    fn read(
        mut reader: &mut dyn io::Read,
        secret: Option<Secret>,
        max_bytes: u64,
        accept: Accept,
    ) -> Result<Self, ReadError> {
        let streamed =
            |opened: &Opened<'_>, source: Streaming<'_, _>| Self::streamed(opened, source, accept);
        Ok(Streaming::read(&mut reader, secret, max_bytes, streamed)?.0)
    }

    fn streamed<R: io::Read>(
        opened: &Opened<'_>,
        source: Streaming<'_, R>,
        accept: Accept,
    ) -> Result<Self, DecodeError> {
        accept(opened)?;
        Ok(Self::of(AnyFilter::streamed(opened, source)?, opened))
    }
}

impl<'a> AnyView<'a> {
    #[doc = amq_core::docs!(open)]
    pub fn open(bytes: &'a [u8]) -> Result<Self, DecodeError> {
        Self::over(bytes, true)
    }

    #[doc = amq_core::docs!(open_without_checking_payload)]
    pub fn open_without_checking_payload(bytes: &'a [u8]) -> Result<Self, DecodeError> {
        Self::over(bytes, false)
    }

    pub(super) fn over(bytes: &'a [u8], check: bool) -> Result<Self, DecodeError> {
        let (opened, payload) = Opened::in_bytes(bytes, None).map_err(for_keys)?;
        keys(&opened)?;
        let source = Borrowing::new(payload, &opened, check)?;
        kinds!(restored & opened, source)
    }
}
