//! What some kinds can do and others cannot.

use super::table::able;
use super::{AnyError, AnyFilter, Unsupported};
use crate::{Ability, kinds};
use alloc::boxed::Box;
use amq_core::{
    Bytes, ClearFilter, Count, CountFilter, Filter, FilterExt, InsertExt, InsertFilter, Inserted,
    Key, KeyHash, MergeError, MergeFilter, RemoveFilter,
};

/// `merged!(self, other, |ours, theirs| body)`: for two filters of one kind that can merge.
macro_rules! merged {
    (
        $ours:ident, $theirs:ident => $body:expr, $left:expr, $right:expr;
        $($feature:literal $name:ident: $module:ident::$type:ident [$($can:ident)*];)*
    ) => {
        match ($left, $right) {
            $(
                #[cfg(feature = $feature)]
                (Self::$name($ours), Self::$name($theirs)) => kinds!(can merge in [$($can)*] {
                    $body
                } else {
                    let _ = $theirs;
                    return Err(Unsupported::new(Ability::Merge, Filter::kind($ours)).into())
                }),
            )*
            #[allow(unreachable_patterns, reason = "with a single kind, both are of it")]
            ($ours, $theirs) => Err(MergeError::Kinds {
                ours: $ours.kind(),
                theirs: $theirs.kind(),
            }),
        }
    };
}

impl<B: Bytes> AnyFilter<B> {
    fn cannot(&self, operation: Ability) -> Unsupported {
        Unsupported::new(operation, self.kind())
    }

    /// The number of copies of `key`; see [`FilterExt::count`].
    #[inline]
    pub fn count<K: Key + ?Sized>(&self, key: &K) -> Result<Count, Unsupported> {
        kinds!(able count self,
            filter => Ok(FilterExt::count(filter, key)),
            else Err(self.cannot(Ability::Count)))
    }

    /// The number of copies of the key with this hash; see [`count`](Self::count).
    #[inline]
    pub fn count_hash(&self, hash: KeyHash) -> Result<Count, Unsupported> {
        kinds!(able count self,
            filter => Ok(CountFilter::count_hash(filter, hash)),
            else Err(self.cannot(Ability::Count)))
    }

    /// The stored hashes, every copy, in rising order. A filter stores the leading bits of a hash;
    /// each comes as the least hash with these bits.
    pub fn hashes(&self) -> Result<Box<dyn Iterator<Item = KeyHash> + '_>, Unsupported> {
        kinds!(able list self,
            filter => Ok(Box::new(filter.iter())),
            else Err(self.cannot(Ability::List)))
    }
}

impl AnyFilter {
    /// Inserts `key`. On an error the filter is exactly as before.
    #[inline]
    pub fn insert<K: Key + ?Sized>(&mut self, key: &K) -> Result<Inserted, AnyError> {
        self.insert_hash(key.key_hash(self.seed()))
    }

    /// Inserts the key with this hash; see [`insert`](Self::insert).
    #[inline]
    pub fn insert_hash(&mut self, hash: KeyHash) -> Result<Inserted, AnyError> {
        kinds!(able insert self,
            filter => Ok(InsertFilter::insert_hash(filter, hash)?),
            else Err(self.cannot(Ability::Insert).into()))
    }

    /// Inserts the key with this hash unless the filter answers `true` for it already; see
    /// [`InsertFilter::insert_unique_hash`], and its warning.
    #[inline]
    pub fn insert_unique_hash(&mut self, hash: KeyHash) -> Result<Inserted, AnyError> {
        kinds!(able insert self,
            filter => Ok(InsertFilter::insert_unique_hash(filter, hash)?),
            else Err(self.cannot(Ability::Insert).into()))
    }

    /// Inserts many hashes and returns how many were new. On an error the hashes before the refused
    /// one are in, and the error says how many.
    pub fn insert_batch(&mut self, hashes: &[KeyHash]) -> Result<u64, AnyError> {
        kinds!(able insert self,
            filter => Ok(InsertFilter::insert_batch(filter, hashes)?),
            else Err(self.cannot(Ability::Insert).into()))
    }

    /// Inserts many hashes, says of each whether it was new, and returns how many were; see
    /// [`InsertFilter::insert_batch_new`].
    pub fn insert_batch_new(
        &mut self,
        hashes: &[KeyHash],
        new: &mut [bool],
    ) -> Result<u64, AnyError> {
        kinds!(able insert self,
            filter => Ok(InsertFilter::insert_batch_new(filter, hashes, new)?),
            else Err(self.cannot(Ability::Insert).into()))
    }

    /// Removes every key. Seed and parameters stay, and so does the memory, unless the filter had
    /// grown. Only for kinds that insert.
    pub fn clear(&mut self) -> Result<(), Unsupported> {
        kinds!(able insert self,
            filter => { ClearFilter::clear(filter); Ok(()) },
            else Err(self.cannot(Ability::Insert)))
    }

    /// Removes one copy of `key`. `false`: it was certainly not in, and nothing changed.
    ///
    /// **Only remove what you inserted**; see [`RemoveFilter::remove_hash`].
    #[inline]
    pub fn remove<K: Key + ?Sized>(&mut self, key: &K) -> Result<bool, Unsupported> {
        kinds!(able remove self,
            filter => Ok(InsertExt::remove(filter, key)),
            else Err(self.cannot(Ability::Remove)))
    }

    /// Removes one copy of the key with this hash; see [`remove`](Self::remove).
    #[inline]
    pub fn remove_hash(&mut self, hash: KeyHash) -> Result<bool, Unsupported> {
        kinds!(able remove self,
            filter => Ok(RemoveFilter::remove_hash(filter, hash)),
            else Err(self.cannot(Ability::Remove)))
    }

    /// Adds every key of `other`. All or nothing.
    pub fn merge(&mut self, other: &Self) -> Result<(), AnyError> {
        let merged = kinds!(merged ours, theirs => MergeFilter::merge(ours, theirs), self, other);
        Ok(merged?)
    }

    /// `Ok` if [`merge`](Self::merge) would succeed, and why not otherwise.
    pub fn can_merge(&self, other: &Self) -> Result<(), AnyError> {
        let can = kinds!(merged ours, theirs => MergeFilter::can_merge(ours, theirs), self, other);
        Ok(can?)
    }
}
