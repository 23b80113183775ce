//! The arms of `shell!` that size and build.

/// - `build [generics] Type: Params`: construction from all keys at once; `build_by_filling ...`:
///   the same, one by one.
/// - `plan [generics] Type: Params, theory`: sizing by the functions `plan`, `plan_params` and
///   `fpr` of the module `theory`; `theory::<L>` if they are generic.
#[doc(hidden)]
#[macro_export]
macro_rules! shell_build {
    (build [$($g:tt)*] $t:ty: $params:ty) => {
        impl<$($g)*> $t {
            /// Builds a filter of all these keys, with the public
            /// [`DEFAULT_SEED`]($crate::DEFAULT_SEED).
            ///
            /// `target` is a [`Budget`]($crate::Budget), which sizes the filter to the number of
            /// keys; or a [`Goal`]($crate::Goal) or [`Plan`]($crate::Plan), and more keys than
            /// planned are an error. The keys are not kept; their hashes are, 8 bytes each, until
            /// the filter is made.
            pub fn build<Q: $crate::Key>(
                target: impl Into<$crate::BuildTarget<$params>>,
                keys: impl IntoIterator<Item = Q>,
            ) -> Result<Self, $crate::BuildError> {
                <Self as $crate::BuildFilter>::build_iter(target, $crate::DEFAULT_SEED, keys)
            }

            /// The same with your own seed; see [`build`](Self::build).
            pub fn build_with_seed<Q: $crate::Key>(
                target: impl Into<$crate::BuildTarget<$params>>,
                seed: u64,
                keys: impl IntoIterator<Item = Q>,
            ) -> Result<Self, $crate::BuildError> {
                <Self as $crate::BuildFilter>::build_iter(target, seed, keys)
            }
        }
    };

    // How a filter that is filled one by one is built at once.
    (build_by_filling [$($g:tt)*] $t:ty: $params:ty) => {
        $crate::shell_build!(build [$($g)*] $t: $params);

        impl<$($g)*> $crate::BuildFilter for $t {
            fn build_hashes(
                target: impl Into<$crate::BuildTarget<$params>>,
                seed: u64,
                hashes: &[$crate::KeyHash],
            ) -> Result<Self, $crate::BuildError> {
                <Self as $crate::EmptyFilter>::filled(target, seed, hashes)
            }

            fn build_keys<Q: $crate::Key>(
                target: impl Into<$crate::BuildTarget<$params>>,
                seed: u64,
                keys: &[Q],
            ) -> Result<Self, $crate::BuildError> {
                <Self as $crate::EmptyFilter>::filled_from_keys(target, seed, keys)
            }
        }
    };

    (plan [$($g:tt)*] $t:ty: $params:ty, $theory:ident $(::<$of:ident>)?) => {
        impl<$($g)*> $t {
            /// The best parameters for a goal, their cost and their rate. Allocates nothing.
            pub fn plan(goal: $crate::Goal) -> Result<$crate::Plan<$params>, $crate::PlanError> {
                Ok(<Self as $crate::PlanFilter>::plan(goal)?.within(goal.budget))
            }

            /// The plan for `items` keys with explicit parameters.
            pub fn plan_params(
                params: $params,
                items: u64,
            ) -> Result<$crate::Plan<$params>, $crate::PlanError> {
                <Self as $crate::PlanFilter>::plan_params(params, items)
            }
        }

        impl<$($g)*> $crate::PlanFilter for $t {
            type Params = $params;

            fn plan(goal: $crate::Goal) -> Result<$crate::Plan<$params>, $crate::PlanError> {
                let plan = $theory::plan $(::<$of>)?;
                plan(goal).map_err(|error| error.in_bits_per_key(goal, plan))
            }

            fn plan_params(
                params: $params,
                items: u64,
            ) -> Result<$crate::Plan<$params>, $crate::PlanError> {
                $theory::plan_params $(::<$of>)? (params, items)
            }

            fn predicted_fpr(params: &$params, items: u64) -> $crate::PredictedFpr {
                $theory::fpr $(::<$of>)? (params, items)
            }

            fn params(&self) -> $params {
                $crate::shell::Shell::table_params(self)
            }
        }
    };

    ($($rest:tt)*) => { $crate::shell_change! { $($rest)* } };
}
