//! The arms of `shell!` that remove, count and merge.

/// - `remove`, `count`, `merge`: the inherent methods of a trait that the type implements.
/// - `merge_by_copy [generics] Type`: `MergeFilter` by the private method `merged`, which makes the
///   union.
/// - `operator [generics] Type, Trait::method, merge or intersect { docs }`: a method as operator.
#[doc(hidden)]
#[macro_export]
macro_rules! shell_change {
    (remove [$($g:tt)*] $t:ty { $(#[$remove:meta])* remove; }) => {
        impl<$($g)*> $t {
            /// Removes one copy of `key`. `false`: it was certainly not in, and nothing changed; or
            /// the [caller hashes its keys](Self::hashed_by_caller), and nothing can be told.
            ///
            $(#[$remove])*
            #[inline]
            pub fn remove<Q: $crate::Key + ?Sized>(&mut self, key: &Q) -> bool {
                $crate::InsertExt::remove(self, key)
            }

            /// Removes one copy of the key with this hash; see [`remove`](Self::remove).
            #[inline]
            pub fn remove_hash(&mut self, hash: $crate::KeyHash) -> bool {
                $crate::RemoveFilter::remove_hash(self, hash)
            }
        }
    };

    (count [$($g:tt)*] $t:ty { $(#[$count:meta])* count; }) => {
        impl<$($g)*> $t {
            $(#[$count])*
            #[inline]
            #[must_use]
            pub fn count<Q: $crate::Key + ?Sized>(&self, key: &Q) -> $crate::Count {
                $crate::FilterExt::count(self, key)
            }

            /// The number of copies of the key with this hash; see [`count`](Self::count).
            #[inline]
            #[must_use]
            pub fn count_hash(&self, hash: $crate::KeyHash) -> $crate::Count {
                $crate::CountFilter::count_hash(self, hash)
            }
        }
    };

    (merge [$($g:tt)*] $t:ty { $(#[$merge:meta])* merge; }) => {
        impl<$($g)*> $t {
            $(#[$merge])*
            pub fn merge(&mut self, other: &Self) -> Result<(), $crate::MergeError> {
                $crate::MergeFilter::merge(self, other)
            }

            /// `Ok` if [`merge`](Self::merge) would succeed, and why not otherwise.
            pub fn can_merge(&self, other: &Self) -> Result<(), $crate::MergeError> {
                $crate::MergeFilter::can_merge(self, other)
            }
        }
    };

    (merge_by_copy [$($g:tt)*] $t:ty) => {
        impl<$($g)*> $crate::MergeFilter for $t {
            fn can_merge(&self, other: &Self) -> Result<(), $crate::MergeError> {
                self.merged(other).map(drop)
            }

            fn merge(&mut self, other: &Self) -> Result<(), $crate::MergeError> {
                *self = self.merged(other)?;
                Ok(())
            }
        }
    };

    (operator [$($g:tt)*] $t:ty, $op:ident::$method:ident, $by:ident { $(#[$doc:meta])* }) => {
        $(#[$doc])*
        impl<'a, $($g)*> ::core::ops::$op<&'a $t> for $t {
            #[track_caller]
            fn $method(&mut self, other: &'a $t) {
                $crate::shell::agreed(self.$by(other));
            }
        }
    };

    ($($rest:tt)*) => { $crate::shell_file! { $($rest)* } };
}
