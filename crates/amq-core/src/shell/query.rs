//! The arms of `shell!` that ask.

/// - `read [generics] Type: Params { docs of len, size_in_bytes, expected_fpr }`: queries.
/// - `by_caller [generics] Type`: `hashed_by_caller`, for a type with a field `header`.
#[doc(hidden)]
#[macro_export]
macro_rules! shell_query {
    (read [$($g:tt)*] $t:ty: $params:ty {
        $(#[$len:meta])* len;
        $(#[$size:meta])* size_in_bytes;
        $(#[$rate:meta])* expected_fpr;
    }) => {
        impl<$($g)*> $t {
            /// Whether `key` is probably in the filter; `false` is certain. Always `true` if the
            /// [caller hashes its keys](Self::hashed_by_caller).
            #[inline]
            #[must_use]
            pub fn contains<Q: $crate::Key + ?Sized>(&self, key: &Q) -> bool {
                match $crate::shell::Shell::header(self).key_seed() {
                    Some(seed) => $crate::shell::Shell::has(self, key.key_hash(seed)),
                    None => true,
                }
            }

            /// Whether the key with this hash is probably in the filter; `false` is certain.
            #[inline]
            #[must_use]
            pub fn contains_hash(&self, hash: $crate::KeyHash) -> bool {
                $crate::shell::Shell::has(self, hash)
            }

            /// Answers many hashes at once, `answers[i]` for `hashes[i]`. Faster than one by one on
            /// large filters, because the waits for memory overlap.
            #[inline]
            pub fn contains_batch(
                &self,
                hashes: &[$crate::KeyHash],
                answers: &mut [bool],
            ) -> Result<(), $crate::LengthMismatch> {
                $crate::Filter::contains_batch(self, hashes, answers)
            }

            /// Answers many keys at once; see [`contains_batch`](Self::contains_batch). Allocates
            /// nothing.
            #[inline]
            pub fn contains_keys<Q: $crate::Key>(
                &self,
                keys: &[Q],
                answers: &mut [bool],
            ) -> Result<(), $crate::LengthMismatch> {
                $crate::FilterExt::contains_keys(self, keys, answers)
            }

            $(#[$len])*
            #[must_use]
            pub fn len(&self) -> u64 {
                $crate::shell::Shell::items(self)
            }

            /// Whether [`len`](Self::len) is zero.
            #[must_use]
            pub fn is_empty(&self) -> bool {
                $crate::shell::Shell::items(self) == 0
            }

            /// The number of keys it was planned for; of a filter that grows, the number it takes
            /// before it grows further.
            #[must_use]
            pub fn capacity(&self) -> u64 {
                $crate::shell::Shell::planned(self)
            }

            /// The seed its keys are hashed with; see also [`key_seed`](Self::key_seed).
            #[inline]
            #[must_use]
            pub fn seed(&self) -> u64 {
                $crate::shell::Shell::header(self).seed
            }

            /// The seed its keys are hashed with, or `None` if the
            /// [caller hashes them](Self::hashed_by_caller).
            #[inline]
            #[must_use]
            pub fn key_seed(&self) -> Option<u64> {
                $crate::shell::Shell::header(self).key_seed()
            }

            /// The parameters of its table.
            #[inline]
            #[must_use]
            pub fn params(&self) -> $params {
                $crate::shell::Shell::table_params(self)
            }

            $(#[$size])*
            #[must_use]
            pub fn size_in_bytes(&self) -> u64 {
                $crate::shell::Shell::bytes(self)
            }

            $(#[$rate])*
            #[must_use]
            pub fn expected_fpr(&self) -> f64 {
                $crate::shell::Shell::rate(self)
            }

            /// The share of the table in use, 0 to 1; see
            /// [`Filter::load_factor`]($crate::Filter::load_factor).
            #[must_use]
            pub fn load_factor(&self) -> f64 {
                $crate::shell::Shell::used(self)
            }

            /// The filter's state in one value that prints itself. Reads the whole table.
            #[must_use]
            pub fn stats(&self) -> $crate::Stats {
                $crate::Filter::stats(self)
            }
        }

        impl<$($g)*> $crate::Filter for $t {
            fn kind(&self) -> $crate::FilterKind {
                <Self as $crate::shell::Shell>::KIND
            }

            #[inline]
            fn seed(&self) -> u64 {
                $crate::shell::Shell::header(self).seed
            }

            #[inline]
            fn key_seed(&self) -> Option<u64> {
                $crate::shell::Shell::header(self).key_seed()
            }

            #[inline]
            fn len(&self) -> u64 {
                $crate::shell::Shell::items(self)
            }

            fn capacity(&self) -> u64 {
                $crate::shell::Shell::planned(self)
            }

            fn size_in_bytes(&self) -> u64 {
                $crate::shell::Shell::bytes(self)
            }

            fn expected_fpr(&self) -> f64 {
                $crate::shell::Shell::rate(self)
            }

            fn load_factor(&self) -> f64 {
                $crate::shell::Shell::used(self)
            }

            fn saturated(&self) -> u64 {
                $crate::shell::Shell::stuck(self)
            }

            #[inline]
            fn contains_hash(&self, hash: $crate::KeyHash) -> bool {
                $crate::shell::Shell::has(self, hash)
            }

            #[inline]
            fn contains_batch(
                &self,
                hashes: &[$crate::KeyHash],
                answers: &mut [bool],
            ) -> Result<(), $crate::LengthMismatch> {
                $crate::LengthMismatch::check(hashes.len(), answers.len())?;
                $crate::shell::Shell::has_each(self, hashes, answers);
                Ok(())
            }
        }

        impl<$($g)*> ::core::fmt::Debug for $t {
            fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
                $crate::shell::debug(self, f)
            }
        }
    };

    (by_caller [$($g:tt)*] $t:ty) => {
        impl<$($g)*> $t {
            /// The same filter, saying that its keys' hashes come from the caller: from a hash
            /// function of your own, or another program's. The filter's file says so, too.
            ///
            /// Ask and change it by the methods that take a [`KeyHash`]($crate::KeyHash). The
            /// methods that take keys hash them in another way, and would deny what is in; so
            /// [`contains`](Self::contains) then answers `true`, "maybe", to every key, and no key
            /// is inserted or removed. It merges with its like alone.
            #[must_use]
            pub fn hashed_by_caller(mut self) -> Self {
                self.header = self.header.by_caller();
                self
            }
        }
    };

    ($($rest:tt)*) => { $crate::shell_fill! { $($rest)* } };
}
