//! What a file holds, of any kind and however its keys are hashed.

mod keys;
mod withheld;

pub use withheld::Withheld;

use super::{AnyError, AnyFilter};
use amq_core::{
    Bytes, DecodeError, Filter, KeyEncoding, KeyInfo, Keyed, MergeError, Prehashed, Secret, Table,
};

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
/// [`save`](crate::FilterFile::save) and the like write the file as it was read: with its seed or
/// secret key if it had that, and without if not. Who wants it otherwise sets
/// [`KeyInfo::withheld`].
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
    /// A filter of keys, hashed under a secret key of 128 bits.
    Keyed(Keyed<AnyFilter<B>>, KeyInfo),
    /// A filter of hashes.
    Hashes(Prehashed<AnyFilter<B>>),
    /// A filter of keys whose seed or secret key is neither in the file nor known: to be looked at.
    Withheld(Withheld<B>),
}

impl<B: Bytes> AnyFile<B> {
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
    /// # let file: amq::AnyFile = amq::FilterFile::load("seen.amq").unwrap();
    /// file.filter().contains("a key"); // `file.contains("a key")` hashes as the file says
    /// ```
    #[must_use]
    pub const fn filter(&self) -> Prehashed<&AnyFilter<B>> {
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
    pub const fn filter_mut(&mut self) -> Prehashed<&mut AnyFilter<B>> {
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
    pub fn of_keys(self) -> Result<AnyFilter<B>, DecodeError> {
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
            Self::Hashes(_) => Err(DecodeError::Prehashed),
            Self::Withheld(withheld) => Err(withheld.refusal()),
        }
    }
}

impl AnyFile {
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
}
