//! What a file holds, of any kind and however its keys are hashed.

mod keys;
mod read;
mod withheld;

pub use withheld::Withheld;

use super::{AnyError, AnyFilter};
use alloc::vec::Vec;
use amq_core::format::HashedBy;
use amq_core::internal::{Contents, Hashing, Opened, Written};
use amq_core::{
    BuildError, DecodeError, Filter, FilterFile, KeyEncoding, KeyInfo, Keyed, MergeError,
    Prehashed, Secret,
};

#[cfg(feature = "std")]
use std::{io, path::Path};

/// What a file can hold: a filter of any kind, with how its keys are hashed and were encoded.
///
/// It is asked and changed by key, whatever they are hashed under: [`contains`](Self::contains),
/// [`insert`](Self::insert) and the like hash as the file says. A file whose keys were hashed by
/// the program that made it, and one that was read without its seed or secret key, cannot be
/// asked for keys, and say so. What does not depend on the hash is at [`filter`](Self::filter).
///
/// The encoding is what somebody said who knew of all keys: the file of a filter that was saved by
/// itself says [`KeyEncoding::Unknown`].
///
/// [`save`](Self::save) and the like write the file as it was read: with its seed or secret key if
/// it had that, and without if not. Who wants it otherwise sets [`KeyInfo::withheld`].
///
/// ```
/// use amq::{AnyFile, BloomFilter, Goal, KeyEncoding};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let mut filter = BloomFilter::new(Goal::fpr(1000, 0.01))?;
/// filter.insert(&42u64);
/// let file = AnyFile::Keys(filter.into(), KeyEncoding::Integers.into());
/// let bytes = file.to_bytes()?; // or `save`
///
/// let file = AnyFile::from_bytes(&bytes)?; // or `load`
/// assert_eq!(file.encoding(), KeyEncoding::Integers);
/// assert!(file.contains(&42u64)?);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, PartialEq, Debug)]
pub enum AnyFile {
    /// A filter of keys, hashed under a seed.
    Keys(AnyFilter, KeyInfo),
    /// A filter of keys, hashed under a secret key of 128 bits.
    Keyed(Keyed<AnyFilter>, KeyInfo),
    /// A filter of hashes.
    Hashes(Prehashed<AnyFilter>),
    /// A filter of keys whose seed or secret key is neither in the file nor known: to be looked at.
    Withheld(Withheld),
}

impl AnyFile {
    /// The filter by hash, however its keys are hashed: for what does not depend on that, such as
    /// its size. It has no method that takes a key.
    ///
    /// ```
    /// # use amq::{AnyFile, BloomFilter, Goal, KeyEncoding};
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// # let filter = BloomFilter::new(Goal::fpr(1000, 0.01))?;
    /// # let file = AnyFile::Keys(filter.into(), KeyEncoding::Unknown.into());
    /// println!("{}", file.filter().stats());
    /// println!("{:?}", file.filter().into_inner().parameters());
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// ```compile_fail,E0599
    /// # let file = amq::AnyFile::load("seen.amq").unwrap();
    /// file.filter().contains("a key"); // `file.contains("a key")` hashes as the file says
    /// ```
    #[must_use]
    pub const fn filter(&self) -> Prehashed<&AnyFilter> {
        Prehashed::of(match self {
            Self::Keys(filter, _) => filter,
            Self::Keyed(filter, _) => filter.get_ref(),
            Self::Hashes(filter) => filter.get_ref(),
            Self::Withheld(withheld) => withheld.filter(),
        })
    }

    /// The filter by hash, to be changed: by the hashes of [`key_hash`](Self::key_hash), or those
    /// of the program that made the file. For keys there are [`insert`](Self::insert) and the like.
    #[must_use]
    pub const fn filter_mut(&mut self) -> Prehashed<&mut AnyFilter> {
        Prehashed::of(match self {
            Self::Keys(filter, _) => filter,
            Self::Keyed(filter, _) => filter.get_mut(),
            Self::Hashes(filter) => filter.get_mut(),
            Self::Withheld(withheld) => withheld.filter_mut(),
        })
    }

    /// How its keys were encoded; of hashes nothing is known.
    #[must_use]
    pub const fn encoding(&self) -> KeyEncoding {
        self.key_info().encoding
    }

    /// Says how its keys are encoded: all that are in, and all that will be. Hashes have no
    /// encoding.
    pub const fn set_encoding(&mut self, to: KeyEncoding) {
        match self {
            Self::Keys(_, info) | Self::Keyed(_, info) => info.encoding = to,
            Self::Withheld(withheld) => withheld.set_encoding(to),
            Self::Hashes(_) => {}
        }
    }

    /// What the file says of its keys besides what they are hashed by.
    #[must_use]
    pub const fn key_info(&self) -> KeyInfo {
        match self {
            Self::Keys(_, info) | Self::Keyed(_, info) => *info,
            Self::Withheld(withheld) => KeyInfo { encoding: withheld.encoding(), withheld: true },
            Self::Hashes(_) => KeyInfo { encoding: KeyEncoding::Unknown, withheld: false },
        }
    }

    /// The seed or secret key that its keys are hashed under; [`Secret::Unknown`] of hashes, and of
    /// a filter that was read without it.
    #[must_use]
    pub fn secret(&self) -> Secret {
        match self {
            Self::Keys(filter, _) => Secret::Seed(filter.seed()),
            Self::Keyed(filter, _) => Secret::Key(filter.key()),
            Self::Hashes(_) | Self::Withheld(_) => Secret::Unknown,
        }
    }

    /// The filter of keys under a seed. [`DecodeError::Keyed`] if they are hashed under a secret
    /// key, [`DecodeError::Prehashed`] if it is one of hashes, and [`DecodeError::SeedWithheld`] or
    /// [`DecodeError::KeyWithheld`] if it was read without its secret.
    pub fn of_keys(self) -> Result<AnyFilter, DecodeError> {
        match self {
            Self::Keys(filter, _) => Ok(filter),
            Self::Keyed(..) => Err(DecodeError::Keyed),
            Self::Hashes(_) => Err(DecodeError::Prehashed),
            Self::Withheld(withheld) => Err(withheld.refusal()),
        }
    }

    /// The filter of keys under a secret key, as [`LoadOptions::key`](amq_core::LoadOptions::key)
    /// gives it where the kind is known. The same refusals as of [`of_keys`](Self::of_keys), and
    /// [`DecodeError::NotKeyed`] if the keys are hashed under a seed.
    ///
    /// ```
    /// use amq::{AnyFile, Budget, CuckooFilter, Keyed, SaveOptions, SipKey};
    ///
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// # let random = || [7; 16];
    /// let key = SipKey::new(random()); // 16 bytes from the operating system
    /// let seen = Keyed::<CuckooFilter>::build(Budget::Fpr(0.01), key, ["a key"])?;
    /// let bytes = SaveOptions::new().without_secret().to_bytes(&seen)?; // or `save`
    ///
    /// let seen = AnyFile::from_bytes_with_key(&bytes, key)?.keyed()?; // or `load_with_key`
    /// assert!(seen.contains("a key"));
    /// # Ok(())
    /// # }
    /// ```
    pub fn keyed(self) -> Result<Keyed<AnyFilter>, DecodeError> {
        match self {
            Self::Keyed(filter, _) => Ok(filter),
            Self::Keys(..) => Err(DecodeError::NotKeyed),
            Self::Hashes(_) => Err(DecodeError::Prehashed),
            Self::Withheld(withheld) => Err(withheld.refusal()),
        }
    }

    /// Adds every key of `other`. All or nothing. The file then says its seed or secret key only if
    /// both did, and how keys were encoded as [`KeyEncoding::and`] has it; of an empty filter that
    /// does not count.
    pub fn merge(&mut self, other: &Self) -> Result<(), AnyError> {
        let (ours, theirs) = (self.key_info(), other.key_info());
        let both = KeyInfo {
            // What is said of no keys does not count.
            encoding: match (self.filter().is_empty(), other.filter().is_empty()) {
                (false, true) => ours.encoding,
                (true, false) => theirs.encoding,
                _ => ours.encoding.and(theirs.encoding),
            },
            withheld: ours.withheld || theirs.withheld,
        };
        match (self, other) {
            (Self::Keys(ours, info), Self::Keys(theirs, _)) => {
                ours.merge(theirs)?;
                *info = both;
            }
            (Self::Keyed(ours, info), Self::Keyed(theirs, _)) => {
                if ours.key() != theirs.key() {
                    return Err(MergeError::SipKeys.into());
                }
                ours.get_mut().merge(theirs.get_ref())?;
                *info = both;
            }
            (Self::Hashes(ours), Self::Hashes(theirs)) => {
                ours.get_mut().merge(theirs.get_ref())?;
            }
            (Self::Withheld(_), _) | (_, Self::Withheld(_)) => {
                return Err(MergeError::Withheld.into());
            }
            _ => return Err(MergeError::Hashing.into()),
        }
        Ok(())
    }

    /// The filter as a file, as it was read: without its seed or secret key if the file it comes
    /// from had none. One that was read without knowing it is refused ([`BuildError::Withheld`]).
    pub fn to_bytes(&self) -> Result<Vec<u8>, BuildError> {
        FilterFile::to_bytes(self)
    }

    /// Writes the filter as a file, likewise, and flushes the writer.
    #[cfg(feature = "std")]
    pub fn write_to(&self, writer: impl io::Write) -> io::Result<()> {
        FilterFile::write_to(self, writer)
    }

    /// Saves the filter as the file at `path`, whole or not at all; see [`FilterFile::save`].
    #[cfg(feature = "std")]
    pub fn save(&self, path: impl AsRef<Path>) -> io::Result<()> {
        FilterFile::save(self, path)
    }

    /// This filter, as the file says of it.
    fn of(filter: AnyFilter, opened: &Opened<'_>) -> Self {
        let encoding = opened.encoding();
        let info = KeyInfo { encoding, withheld: opened.withholds_secret() };
        match opened.secret() {
            Some(Secret::Key(key)) => Self::Keyed(Keyed::of(filter, key), info),
            Some(Secret::Seed(_)) => Self::Keys(filter, info),
            _ => match opened.hashed_by() {
                HashedBy::Caller => Self::Hashes(Prehashed::of(filter)),
                by => Self::Withheld(Withheld::new(filter, by, encoding)),
            },
        }
    }
}

impl Written for AnyFile {
    fn contents(&self, hashing: Hashing) -> Result<Contents<'_>, BuildError> {
        let KeyInfo { encoding, withheld } = self.key_info();
        let hashing = if withheld { Hashing::SeedWithheld } else { hashing };
        let contents = match self {
            Self::Keys(filter, _) => filter.contents(hashing),
            Self::Keyed(filter, _) => filter.contents(hashing),
            Self::Hashes(filter) => filter.contents(hashing),
            Self::Withheld(_) => Err(BuildError::Withheld),
        };
        Ok(Contents { encoding, ..contents? })
    }
}
