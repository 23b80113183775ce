//! The contents of a file of any kind, however its keys are hashed.

mod keys;

use super::{AnyError, AnyFilter};
use amq_core::format::HashedBy;
use amq_core::{
    Bytes, DecodeError, Filter, KeyEncoding, KeyInfo, Keyed, MergeError, Prehashed, Secret, Table,
};

/// The contents of a file: a filter of any kind, with the hash and the encoding of its keys.
///
/// [`contains`](Self::contains), [`insert`](Self::insert) and the other methods that take keys hash
/// as the file records. They return an error if the program that wrote the file hashed the keys, or
/// if the file was read without its seed or secret key. Everything that does not depend on the hash
/// is at [`filter`](Self::filter).
///
/// The encoding is recorded by `AnyFile` only: in the file of a filter that was saved directly it
/// is [`KeyEncoding::Unknown`].
///
/// [`save`](crate::FilterFile::save) and the like write the file as it was read: with its seed or
/// secret key if it had that, and otherwise without. Set [`KeyInfo::withheld`] to change this.
///
/// ```
/// use amq::{AnyFile, BloomFilter, FilterFile, Goal, KeyEncoding};
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
pub enum AnyFile<B: Bytes = Table> {
    /// A filter of keys, hashed under a seed.
    Keys(AnyFilter<B>, KeyInfo),
    /// A filter of keys, hashed under a 128-bit secret key.
    Keyed(Keyed<AnyFilter<B>>, KeyInfo),
    /// A filter of hashes.
    Hashes(Prehashed<AnyFilter<B>>),
    /// A filter of keys whose seed or secret key is neither in the file nor known; it was read with
    /// [`Secret::Unknown`]. It can be inspected, but not queried by key. It cannot be saved, since
    /// no seed or secret key would open the file.
    Withheld(Prehashed<AnyFilter<B>>, HashedBy, KeyInfo),
}

impl<B: Bytes> AnyFile<B> {
    /// The filter by hash, for everything that does not depend on how keys are hashed, such as its
    /// size. It has no method that takes a key.
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
    /// # let file: amq::AnyFile = amq::FilterFile::load("seen.amq").unwrap();
    /// file.filter().contains("a key"); // `file.contains("a key")` hashes as the file says
    /// ```
    #[must_use]
    pub const fn filter(&self) -> Prehashed<&AnyFilter<B>> {
        Prehashed::of(match self {
            Self::Keys(filter, _) => filter,
            Self::Keyed(filter, _) => filter.get_ref(),
            Self::Hashes(filter) | Self::Withheld(filter, ..) => filter.get_ref(),
        })
    }

    /// The filter by hash, mutably: insert hashes of [`key_hash`](Self::key_hash), or those of the
    /// program that wrote the file. For keys there are [`insert`](Self::insert) and the like.
    #[must_use]
    pub const fn filter_mut(&mut self) -> Prehashed<&mut AnyFilter<B>> {
        Prehashed::of(match self {
            Self::Keys(filter, _) => filter,
            Self::Keyed(filter, _) => filter.get_mut(),
            Self::Hashes(filter) | Self::Withheld(filter, ..) => filter.get_mut(),
        })
    }

    /// The encoding of its keys; `Unknown` for hashes.
    #[must_use]
    pub const fn encoding(&self) -> KeyEncoding {
        self.key_info().encoding
    }

    /// Sets the encoding of its keys, present and future. Has no effect on a filter of hashes.
    pub const fn set_encoding(&mut self, to: KeyEncoding) {
        match self {
            Self::Keys(_, info) | Self::Keyed(_, info) | Self::Withheld(_, _, info) => {
                info.encoding = to;
            }
            Self::Hashes(_) => {}
        }
    }

    /// What the file records of its keys besides their hash.
    #[must_use]
    pub const fn key_info(&self) -> KeyInfo {
        match self {
            Self::Keys(_, info) | Self::Keyed(_, info) | Self::Withheld(_, _, info) => *info,
            Self::Hashes(_) => KeyInfo { encoding: KeyEncoding::Unknown, withheld: false },
        }
    }

    /// The seed or secret key under which its keys are hashed; [`Secret::Unknown`] for hashes, and
    /// for a filter that was read without it.
    #[must_use]
    pub fn secret(&self) -> Secret {
        match self {
            Self::Keys(filter, _) => Secret::Seed(filter.seed()),
            Self::Keyed(filter, _) => Secret::Key(filter.key()),
            Self::Hashes(_) | Self::Withheld(..) => Secret::Unknown,
        }
    }

    /// The filter of keys hashed under a seed. The error is [`DecodeError::Keyed`] if they are
    /// hashed under a secret key, [`DecodeError::Prehashed`] if it is a filter of hashes, and
    /// [`DecodeError::SeedWithheld`] or [`DecodeError::KeyWithheld`] if it was read without its
    /// secret.
    pub fn of_keys(self) -> Result<AnyFilter<B>, DecodeError> {
        match self {
            Self::Keys(filter, _) => Ok(filter),
            Self::Keyed(..) => Err(DecodeError::Keyed),
            other => Err(other.refusal()),
        }
    }

    /// The filter of keys hashed under a secret key, as
    /// [`LoadOptions::key`](amq_core::LoadOptions::key) reads it if the kind is known. The errors
    /// are those of [`of_keys`](Self::of_keys), and [`DecodeError::NotKeyed`] if the keys are
    /// hashed under a seed.
    ///
    /// ```
    /// use amq::{AnyFile, Budget, CuckooFilter, Keyed, LoadOptions, SaveOptions, SipKey};
    ///
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// # let random = || [7; 16];
    /// let key = SipKey::new(random()); // 16 bytes from the operating system
    /// let seen = Keyed::<CuckooFilter>::build(Budget::Fpr(0.01), key, ["a key"])?;
    /// let bytes = SaveOptions::new().without_secret().to_bytes(&seen)?; // or `save`
    ///
    /// let seen = LoadOptions::new().key(key).from_bytes::<AnyFile>(&bytes)?.keyed()?; // or `load`
    /// assert!(seen.contains("a key"));
    /// # Ok(())
    /// # }
    /// ```
    pub fn keyed(self) -> Result<Keyed<AnyFilter<B>>, DecodeError> {
        match self {
            Self::Keyed(filter, _) => Ok(filter),
            Self::Keys(..) => Err(DecodeError::NotKeyed),
            other => Err(other.refusal()),
        }
    }
}

impl AnyFile {
    /// Adds every key of `other`. All or nothing. The merged file contains its seed or secret key
    /// only if both files did. The encodings are combined by [`KeyEncoding::and`]; that of an empty
    /// filter does not count.
    pub fn merge(&mut self, other: &Self) -> Result<(), AnyError> {
        let (ours, theirs) = (self.key_info(), other.key_info());
        let both = KeyInfo {
            // The encoding of an empty filter does not count.
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
            (Self::Withheld(..), _) | (_, Self::Withheld(..)) => {
                return Err(MergeError::Withheld.into());
            }
            _ => return Err(MergeError::Hashing.into()),
        }
        Ok(())
    }
}
