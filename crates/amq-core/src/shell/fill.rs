//! The arms of `shell!` that insert.

/// - `fill [generics] Type: Params, never | Full { docs of insert }`: construction and inserts;
///   `never` if no key is ever refused.
/// - `fill_shared [generics] Type: Params { docs of insert }`: the same, through `&self`.
#[doc(hidden)]
#[macro_export]
macro_rules! shell_fill {
    (fill [$($g:tt)*] $t:ty: $params:ty, never { $(#[$insert:meta])* insert; }) => {
        $crate::shell_fill!(@made [$($g)*] $t: $params);

        impl<$($g)*> $t {
            /// Inserts `key`. If the [caller hashes its keys](Self::hashed_by_caller) the answer is
            /// [`Inserted::MaybePresent`]($crate::Inserted::MaybePresent), and nothing changes.
            ///
            $(#[$insert])*
            #[inline]
            pub fn insert<Q: $crate::Key + ?Sized>(&mut self, key: &Q) -> $crate::Inserted {
                match self.key_seed() {
                    Some(seed) => self.insert_hash(key.key_hash(seed)),
                    None => $crate::Inserted::MaybePresent,
                }
            }

            /// Inserts the key with this hash; see [`insert`](Self::insert).
            #[inline]
            pub fn insert_hash(&mut self, hash: $crate::KeyHash) -> $crate::Inserted {
                let Ok(inserted) = $crate::shell::Fill::put(self, hash);
                inserted
            }

            /// Inserts many hashes and returns how many were new.
            #[inline]
            pub fn insert_batch(&mut self, hashes: &[$crate::KeyHash]) -> u64 {
                match $crate::shell::Fill::put_each(self, hashes) {
                    Ok(new) => new,
                    Err((_, never)) => match never {},
                }
            }

            /// Inserts many keys and returns how many were new; see [`insert`](Self::insert).
            /// Allocates nothing.
            #[inline]
            pub fn insert_keys<Q: $crate::Key>(&mut self, keys: &[Q]) -> u64 {
                let Some(seed) = self.key_seed() else { return 0 };
                let mut new = 0;
                let Ok(()) = $crate::hash_blocks(keys, seed, |_, hashes| {
                    new += self.insert_batch(hashes);
                    Ok::<_, ::core::convert::Infallible>(())
                });
                new
            }

            /// Inserts `key` unless the filter answers `true` for it already; see
            /// [`InsertFilter::insert_unique_hash`]($crate::InsertFilter::insert_unique_hash).
            #[inline]
            pub fn insert_unique<Q: $crate::Key + ?Sized>(&mut self, key: &Q) -> $crate::Inserted {
                if self.contains(key) {
                    return $crate::Inserted::MaybePresent;
                }
                self.insert(key)
            }
        }

        impl<$($g)* Q: $crate::Key> Extend<Q> for $t {
            fn extend<I: IntoIterator<Item = Q>>(&mut self, keys: I) {
                for key in keys {
                    self.insert(&key);
                }
            }
        }
    };

    (fill_shared [$($g:tt)*] $t:ty: $params:ty { $(#[$insert:meta])* insert; }) => {
        $crate::shell_fill!(@made [$($g)*] $t: $params);

        impl<$($g)*> $t {
            /// Inserts `key`, from any thread. If the
            /// [caller hashes its keys](Self::hashed_by_caller) the answer is
            /// [`Inserted::MaybePresent`]($crate::Inserted::MaybePresent), and nothing changes.
            ///
            $(#[$insert])*
            #[inline]
            pub fn insert<Q: $crate::Key + ?Sized>(&self, key: &Q) -> $crate::Inserted {
                match self.key_seed() {
                    Some(seed) => self.put_shared(key.key_hash(seed)),
                    None => $crate::Inserted::MaybePresent,
                }
            }

            /// Inserts the key with this hash; see [`insert`](Self::insert).
            #[inline]
            pub fn insert_hash(&self, hash: $crate::KeyHash) -> $crate::Inserted {
                self.put_shared(hash)
            }

            /// Inserts many hashes, from any thread, and returns how many were new.
            #[inline]
            pub fn insert_batch(&self, hashes: &[$crate::KeyHash]) -> u64 {
                self.put_each_shared(hashes)
            }

            /// Inserts many keys, from any thread, and returns how many were new; see
            /// [`insert`](Self::insert).
            #[inline]
            pub fn insert_keys<Q: $crate::Key>(&self, keys: &[Q]) -> u64 {
                let Some(seed) = self.key_seed() else { return 0 };
                let mut new = 0;
                let Ok(()) = $crate::hash_blocks(keys, seed, |_, hashes| {
                    new += self.insert_batch(hashes);
                    Ok::<_, ::core::convert::Infallible>(())
                });
                new
            }
        }

        /// For code that is generic over filters: a shared reference takes keys, too.
        impl<$($g)*> $crate::InsertFilter for &$t {
            #[inline]
            fn insert_hash(
                &mut self,
                hash: $crate::KeyHash,
            ) -> Result<$crate::Inserted, $crate::Full> {
                Ok(self.put_shared(hash))
            }

            fn insert_batch(
                &mut self,
                hashes: &[$crate::KeyHash],
            ) -> Result<u64, $crate::BatchFull> {
                Ok(<$t>::insert_batch(self, hashes))
            }
        }

        impl<$($g)* Q: $crate::Key> Extend<Q> for &$t {
            fn extend<I: IntoIterator<Item = Q>>(&mut self, keys: I) {
                for key in keys {
                    self.insert(&key);
                }
            }
        }
    };

    (fill [$($g:tt)*] $t:ty: $params:ty, Full { $(#[$insert:meta])* insert; }) => {
        $crate::shell_fill!(@made [$($g)*] $t: $params);

        impl<$($g)*> $t {
            /// Inserts `key`. If it is refused, nothing changes.
            ///
            $(#[$insert])*
            #[inline]
            pub fn insert<Q: $crate::Key + ?Sized>(
                &mut self,
                key: &Q,
            ) -> Result<$crate::Inserted, $crate::Full> {
                let seed = self.key_seed().ok_or($crate::Full::HashedByCaller)?;
                $crate::shell::Fill::put(self, key.key_hash(seed))
            }

            /// Inserts the key with this hash; see [`insert`](Self::insert).
            #[inline]
            pub fn insert_hash(
                &mut self,
                hash: $crate::KeyHash,
            ) -> Result<$crate::Inserted, $crate::Full> {
                $crate::shell::Fill::put(self, hash)
            }

            /// Inserts many hashes and returns how many were new. On an error the hashes before the
            /// refused one are in, and the error says how many.
            #[inline]
            pub fn insert_batch(
                &mut self,
                hashes: &[$crate::KeyHash],
            ) -> Result<u64, $crate::BatchFull> {
                $crate::InsertFilter::insert_batch(self, hashes)
            }

            /// Inserts many keys; see [`insert_batch`](Self::insert_batch). Allocates nothing.
            #[inline]
            pub fn insert_keys<Q: $crate::Key>(
                &mut self,
                keys: &[Q],
            ) -> Result<u64, $crate::BatchFull> {
                $crate::InsertExt::insert_keys(self, keys)
            }

            /// Inserts all keys of an iterator and returns how many were new. On an error the keys
            /// before the refused one are in, and the error says how many.
            #[inline]
            pub fn try_extend<Q: $crate::Key>(
                &mut self,
                keys: impl IntoIterator<Item = Q>,
            ) -> Result<u64, $crate::BatchFull> {
                $crate::InsertExt::try_extend(self, keys)
            }

            /// Inserts `key` unless the filter answers `true` for it already; then nothing changes.
            /// Keeps a set from filling up with copies of keys that come again and again.
            ///
            /// **Remove only keys that were answered `New`**, each once for each time. A key that
            /// was answered `MaybePresent` was skipped: nothing is stored for it. Another key may
            /// stand for it, so it may be denied after any removal, and must not be removed itself.
            #[inline]
            pub fn insert_unique<Q: $crate::Key + ?Sized>(
                &mut self,
                key: &Q,
            ) -> Result<$crate::Inserted, $crate::Full> {
                let seed = self.key_seed().ok_or($crate::Full::HashedByCaller)?;
                self.insert_unique_hash(key.key_hash(seed))
            }

            /// The same for the key with this hash; see [`insert_unique`](Self::insert_unique).
            #[inline]
            pub fn insert_unique_hash(
                &mut self,
                hash: $crate::KeyHash,
            ) -> Result<$crate::Inserted, $crate::Full> {
                $crate::InsertFilter::insert_unique_hash(self, hash)
            }
        }
    };

    (@made [$($g:tt)*] $t:ty: $params:ty) => {
        impl<$($g)*> $t {
            /// An empty filter for a [`Goal`]($crate::Goal) or a [`Plan`]($crate::Plan), with the
            /// public [`DEFAULT_SEED`]($crate::DEFAULT_SEED).
            pub fn new(
                target: impl Into<$crate::Target<$params>>,
            ) -> Result<Self, $crate::BuildError> {
                Self::with_seed(target, $crate::DEFAULT_SEED)
            }

            /// The same with your own seed; see [`new`](Self::new).
            pub fn with_seed(
                target: impl Into<$crate::Target<$params>>,
                seed: u64,
            ) -> Result<Self, $crate::BuildError> {
                <Self as $crate::EmptyFilter>::empty(target, seed)
            }

            /// Removes every key. Seed and parameters stay, and so does the memory, unless the
            /// filter had grown.
            pub fn clear(&mut self) {
                $crate::shell::Fill::wipe(self);
            }
        }

        impl<$($g)*> $crate::InsertFilter for $t {
            #[inline]
            fn insert_hash(
                &mut self,
                hash: $crate::KeyHash,
            ) -> Result<$crate::Inserted, $crate::Full> {
                $crate::shell::Fill::put(self, hash).map_err(Into::into)
            }

            #[inline]
            fn insert_batch(
                &mut self,
                hashes: &[$crate::KeyHash],
            ) -> Result<u64, $crate::BatchFull> {
                $crate::shell::Fill::put_each(self, hashes).map_err(|(done, refusal)| {
                    $crate::BatchFull { done, full: refusal.into() }
                })
            }
        }

        impl<$($g)*> $crate::ClearFilter for $t {
            fn clear(&mut self) {
                $crate::shell::Fill::wipe(self);
            }
        }

        impl<$($g)*> $crate::EmptyFilter for $t {
            fn empty(
                target: impl Into<$crate::Target<$params>>,
                seed: u64,
            ) -> Result<Self, $crate::BuildError> {
                $crate::shell::Fill::empty(&target.into().plan::<Self>()?, seed)
            }
        }
    };

    ($($rest:tt)*) => { $crate::shell_build! { $($rest)* } };
}
