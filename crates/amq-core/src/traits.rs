//! The traits that are the same for many types, written once.

/// Writes the traits that are the same for many types, clause by clause:
/// `traits!([generics] Type, owned [generics] Owned: Params; clauses)`.
///
/// | clause | writes | of a type that has |
/// | --- | --- | --- |
/// | `debug "Name";` | `Debug`: name, parameters, number of keys. Neither the table, which may be gigabytes, nor the seed, which may be secret | the method `params` |
/// | `serde;` | with that feature `Serialize` and `Deserialize` | a file |
/// | `plan theory;` | `PlanFilter` | functions `plan`, `plan_params` and `fpr` in the module `theory`; in `theory::<L>` if they are generic |
/// | `empty: table;` | `EmptyFilter` and `ClearFilter` | `OneTable` with the same parameters, a vector `table`, and `len` |
/// | `merge: table, \|ours, theirs\| of both;` | `MergeFilter` | parameters with `check_same`, and the same fields |
/// | `insert infallible;` | `InsertFilter` and `Extend` | `insert_hash`, `insert_batch` and `insert_from` of its own |
/// | `build by filling;` | `BuildFilter` | `EmptyFilter`, and nothing faster |
#[doc(hidden)]
#[macro_export]
macro_rules! traits {
    ([$($g:tt)*] $t:ty, owned [$($o:tt)*] $owned:ty: $params:ty;) => {};

    (
        [$($g:tt)*] $t:ty, owned [$($o:tt)*] $owned:ty: $params:ty;
        debug $name:expr; $($rest:tt)*
    ) => {
        impl<$($g)*> ::core::fmt::Debug for $t {
            fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
                f.debug_struct($name)
                    .field("params", &self.params())
                    .field("len", &self.len())
                    .field("capacity", &self.capacity())
                    .finish_non_exhaustive()
            }
        }

        $crate::traits! { [$($g)*] $t, owned [$($o)*] $owned: $params; $($rest)* }
    };

    (
        [$($g:tt)*] $t:ty, owned [$($o:tt)*] $owned:ty: $params:ty;
        serde; $($rest:tt)*
    ) => {
        /// The bytes of the filter's file.
        #[cfg(feature = "serde")]
        impl<$($g)*> $crate::internal::serde::Serialize for $t {
            fn serialize<Z: $crate::internal::serde::Serializer>(
                &self,
                serializer: Z,
            ) -> Result<Z::Ok, Z::Error> {
                $crate::internal::Written::serialize_file(self, serializer)
            }
        }

        /// The bytes of the filter's file, with all the checks of `from_bytes`.
        #[cfg(feature = "serde")]
        impl<'de, $($o)*> $crate::internal::serde::Deserialize<'de> for $owned {
            fn deserialize<Z: $crate::internal::serde::Deserializer<'de>>(
                deserializer: Z,
            ) -> Result<Self, Z::Error> {
                $crate::internal::deserialize(deserializer)
            }
        }

        $crate::traits! { [$($g)*] $t, owned [$($o)*] $owned: $params; $($rest)* }
    };

    (
        [$($g:tt)*] $t:ty, owned [$($o:tt)*] $owned:ty: $params:ty;
        plan $theory:ident $(::<$of:ident>)?; $($rest:tt)*
    ) => {
        impl<$($o)*> $crate::PlanFilter for $owned {
            type Params = $params;

            fn plan(goal: $crate::Goal) -> Result<$crate::Plan<$params>, $crate::PlanError> {
                Ok(goal.plan_by($theory::plan $(::<$of>)?)?.with_budget(goal.budget))
            }

            fn plan_params(
                params: $params,
                keys: u64,
            ) -> Result<$crate::Plan<$params>, $crate::PlanError> {
                $theory::plan_params $(::<$of>)? (params, keys)
            }

            fn predicted_fpr(params: &$params, keys: u64) -> $crate::PredictedFpr {
                $theory::fpr $(::<$of>)? (params, keys)
            }

            fn params(&self) -> $params {
                self.params()
            }
        }

        $crate::traits! { [$($g)*] $t, owned [$($o)*] $owned: $params; $($rest)* }
    };

    (
        [$($g:tt)*] $t:ty, owned [$($o:tt)*] $owned:ty: $params:ty;
        empty: $table:ident; $($rest:tt)*
    ) => {
        impl<$($o)*> $crate::EmptyFilter for $owned {
            fn empty(
                target: impl Into<$crate::Target<$params>>,
                seed: u64,
            ) -> Result<Self, $crate::BuildError> {
                use $crate::internal::{Header, OneTable, zeroed};
                let plan = target.into().plan::<Self>()?;
                plan.params.check()?;
                let table = zeroed(Self::elements_for(&plan.params))?;
                Ok(Self::over(Header::new(&plan, seed), plan.params, 0, table))
            }
        }

        impl<$($o)*> $crate::ClearFilter for $owned {
            fn clear(&mut self) {
                self.$table.fill(Default::default());
                self.len = 0;
            }
        }

        $crate::traits! { [$($g)*] $t, owned [$($o)*] $owned: $params; $($rest)* }
    };

    (
        [$($g:tt)*] $t:ty, owned [$($o:tt)*] $owned:ty: $params:ty;
        merge: $table:ident, |$ours:ident, $theirs:ident| $of_both:expr; $($rest:tt)*
    ) => {
        impl<$($o)*> $crate::MergeFilter for $owned {
            fn can_merge(&self, other: &Self) -> Result<(), $crate::MergeError> {
                self.params().check_same(&other.params())?;
                self.header.check_seeds(&other.header)
            }

            fn merge(&mut self, other: &Self) -> Result<(), $crate::MergeError> {
                $crate::MergeFilter::can_merge(self, other)?;
                for ($ours, $theirs) in self.$table.iter_mut().zip(&other.$table) {
                    *$ours = $of_both;
                }
                self.len = self.len.saturating_add(other.len);
                Ok(())
            }
        }

        $crate::traits! { [$($g)*] $t, owned [$($o)*] $owned: $params; $($rest)* }
    };

    (
        [$($g:tt)*] $t:ty, owned [$($o:tt)*] $owned:ty: $params:ty;
        insert infallible; $($rest:tt)*
    ) => {
        impl<$($o)*> $crate::InsertFilter for $owned {
            #[inline(always)]
            fn insert_hash(
                &mut self,
                hash: $crate::KeyHash,
            ) -> Result<$crate::Inserted, $crate::InsertError> {
                Ok(<$owned>::insert_hash(self, hash))
            }

            #[inline]
            fn insert_batch(
                &mut self,
                hashes: &[$crate::KeyHash],
            ) -> Result<u64, $crate::BatchInsertError> {
                Ok(<$owned>::insert_batch(self, hashes))
            }

            fn insert_from(
                &mut self,
                about: u64,
                next: &mut dyn FnMut(&mut [$crate::KeyHash]) -> usize,
            ) -> Result<u64, $crate::BatchInsertError> {
                Ok(<$owned>::insert_from(self, about, next))
            }
        }

        impl<$($o)* Q: $crate::Key> Extend<Q> for $owned {
            fn extend<I: IntoIterator<Item = Q>>(&mut self, keys: I) {
                for key in keys {
                    self.insert(&key);
                }
            }
        }

        $crate::traits! { [$($g)*] $t, owned [$($o)*] $owned: $params; $($rest)* }
    };

    (
        [$($g:tt)*] $t:ty, owned [$($o:tt)*] $owned:ty: $params:ty;
        build by filling; $($rest:tt)*
    ) => {
        impl<$($o)*> $crate::BuildFilter for $owned {
            fn build_hashes(
                target: impl Into<$crate::BuildTarget<$params>>,
                seed: u64,
                hashes: &[$crate::KeyHash],
            ) -> Result<Self, $crate::BuildError> {
                $crate::internal::fill_from_hashes(target, seed, hashes)
            }

            fn build_keys<Q: $crate::Key>(
                target: impl Into<$crate::BuildTarget<$params>>,
                seed: u64,
                keys: &[Q],
            ) -> Result<Self, $crate::BuildError> {
                // Without a vector of all hashes.
                let count = keys.len() as u64;
                let plan = target.into().plan::<Self>(count)?;
                let mut filter = <Self as $crate::EmptyFilter>::empty(plan, seed)?;
                let mut next = $crate::hashes_from(keys, seed);
                $crate::InsertFilter::insert_from(&mut filter, count, &mut next)?;
                Ok(filter)
            }
        }

        $crate::traits! { [$($g)*] $t, owned [$($o)*] $owned: $params; $($rest)* }
    };
}
