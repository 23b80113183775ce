//! The methods that take keys, hashed as the file records.

use super::{AnyFile, AnyFilter};
use crate::AnyError;
#[cfg(doc)]
use amq_core::KeyEncoding;
use amq_core::format::HashedBy;
use amq_core::{Bytes, Count, DecodeError, FilterExt, Inserted, Key, KeyHash, Secret, hash_blocks};

/// The methods that take keys. They hash under the seed or secret key of the file. If the program
/// that wrote the file hashed the keys, each method returns [`DecodeError::Prehashed`]. If the file
/// was read without its seed or secret key, it returns [`DecodeError::SeedWithheld`] or
/// [`DecodeError::KeyWithheld`].
impl<B: Bytes> AnyFile<B> {
    /// The hash of a key, for the methods of the filter inside that take hashes.
    #[inline]
    pub fn key_hash<K: Key + ?Sized>(&self, key: &K) -> Result<KeyHash, DecodeError> {
        match self.secret() {
            Secret::Key(secret) => Ok(key.key_hash_under(&secret)),
            Secret::Seed(seed) => Ok(key.key_hash(seed)),
            Secret::Unknown => Err(self.refusal()),
        }
    }

    /// Whether `key` is probably in: `false` is certain.
    ///
    /// ```
    /// use amq::{AnyFile, Budget, CuckooFilter, FilterFile, Keyed, SipKey};
    ///
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// # let random = || [7; 16];
    /// let key = SipKey::new(random()); // 16 bytes from the operating system
    /// let seen = Keyed::<CuckooFilter>::build(Budget::Fpr(0.01), key, ["a key"])?;
    ///
    /// let file = AnyFile::from_bytes(&seen.to_bytes()?)?;
    /// assert!(file.contains("a key")?); // hashed under the secret key, which the file has
    /// # Ok(())
    /// # }
    /// ```
    #[inline]
    pub fn contains<K: Key + ?Sized>(&self, key: &K) -> Result<bool, AnyError> {
        let hash = self.key_hash(key)?;
        Ok(self.filter().contains_hash(hash))
    }

    /// Answers many keys at once, `answers[i]` for `keys[i]`. Allocates nothing.
    pub fn contains_keys<K: Key>(&self, keys: &[K], answers: &mut [bool]) -> Result<(), AnyError> {
        match self {
            Self::Keyed(filter, _) => Ok(filter.contains_keys(keys, answers)?),
            Self::Keys(filter, _) => Ok(filter.contains_keys(keys, answers)?),
            Self::Hashes(_) | Self::Withheld(..) => Err(self.refusal().into()),
        }
    }

    /// The number of copies of `key`; see [`CountFilter::count_hash`].
    ///
    /// [`CountFilter::count_hash`]: amq_core::CountFilter::count_hash
    #[inline]
    pub fn count<K: Key + ?Sized>(&self, key: &K) -> Result<Count, AnyError> {
        let hash = self.key_hash(key)?;
        Ok(self.filter().into_inner().count_hash(hash)?)
    }

    /// The error if keys cannot be hashed for this file.
    pub(super) const fn refusal(&self) -> DecodeError {
        match self {
            Self::Withheld(_, HashedBy::Key, _) => DecodeError::KeyWithheld,
            Self::Withheld(..) => DecodeError::SeedWithheld,
            _ => DecodeError::Prehashed,
        }
    }
}

impl AnyFile {
    /// Inserts `key`. On an error the filter is exactly as before.
    ///
    /// The recorded [`encoding`](Self::encoding) is combined with that of the key,
    /// [`Key::encoding`], by [`KeyEncoding::and`]. It becomes `Mixed` after an integer among texts,
    /// and `Unknown` after a key without a known encoding, such as a tuple. Byte strings may or may
    /// not be digests: if they are, and the encoding was `Hex`, set it again
    /// ([`set_encoding`](Self::set_encoding)).
    #[inline]
    pub fn insert<K: Key + ?Sized>(&mut self, key: &K) -> Result<Inserted, AnyError> {
        let hash = self.key_hash(key)?;
        let inserted = self.filter_mut().into_inner().insert_hash(hash)?;
        self.set_encoding(self.encoding().and(key.encoding()));
        Ok(inserted)
    }

    /// Inserts many keys and returns how many were new. On an error the keys before the refused one
    /// are in, and the error has their number. The encoding is combined as by
    /// [`insert`](Self::insert). Allocates nothing.
    pub fn insert_keys<K: Key>(&mut self, keys: &[K]) -> Result<u64, AnyError> {
        let mut new = 0u64;
        let (under, refusal) = (self.secret(), self.refusal());
        let filter = self.filter_mut().into_inner();
        let insert = |first, hashes: &[KeyHash]| -> Result<(), AnyError> {
            new = new.saturating_add(inserted(filter, first, hashes)?);
            Ok(())
        };
        let all = match under {
            Secret::Key(secret) => hash_blocks(keys, secret, insert),
            Secret::Seed(seed) => hash_blocks(keys, seed, insert),
            Secret::Unknown => Err(refusal.into()),
        };
        let done = match &all {
            Ok(()) => keys,
            Err(AnyError::Batch(batch)) => {
                let done = usize::try_from(batch.done).unwrap_or(usize::MAX);
                &keys[..done.min(keys.len())]
            }
            Err(_) => &[],
        };
        self.set_encoding(done.iter().fold(self.encoding(), |of, key| of.and(key.encoding())));
        all.map(|()| new)
    }

    /// Removes one copy of `key`. `false`: it was certainly not in, and nothing changed.
    ///
    /// **Only remove what you inserted**; see
    /// [`RemoveFilter::remove_hash`](amq_core::RemoveFilter::remove_hash).
    #[inline]
    pub fn remove<K: Key + ?Sized>(&mut self, key: &K) -> Result<bool, AnyError> {
        let hash = self.key_hash(key)?;
        Ok(self.filter_mut().into_inner().remove_hash(hash)?)
    }
}

/// Inserts these hashes, which follow `first` others of a batch.
fn inserted(filter: &mut AnyFilter, first: usize, hashes: &[KeyHash]) -> Result<u64, AnyError> {
    filter.insert_batch(hashes).map_err(|error| match error {
        AnyError::Batch(mut batch) => {
            batch.done = batch.done.saturating_add(first as u64);
            AnyError::Batch(batch)
        }
        other => other,
    })
}
