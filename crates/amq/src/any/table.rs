//! The table of kinds, and the matches that are written from it.
//!
//! A row names a kind's feature, its variant of [`AnyFilter`](crate::AnyFilter), its type, and what
//! it can do. The last serves two masters: [`Abilities::of`](crate::Abilities::of) reads it, and so
//! does every method that forwards an operation, so that the two cannot disagree. An ability
//! claimed wrongly does not compile; one left out is found by a test.

/// `kinds!(then args)` calls the macro `then` with its arguments and all rows; so can other crates
/// of the workspace. (For users there are [`AnyFilter::KINDS`](crate::AnyFilter::KINDS) and
/// [`Abilities`](crate::Abilities).)
///
/// Besides the fields of `Abilities` there is `bulk`: built from all keys at once by a path of its
/// own, or as fast as by filling.
///
/// `kinds!(can insert in [insert remove] { yes } else { no })` is the first block if the list has
/// the ability.
#[doc(hidden)]
#[macro_export]
macro_rules! kinds {
    (can $ability:ident in [] $yes:block else $no:block) => { $no };
    (can insert in [insert $($rest:ident)*] $yes:block else $no:block) => { $yes };
    (can remove in [remove $($rest:ident)*] $yes:block else $no:block) => { $yes };
    (can count in [count $($rest:ident)*] $yes:block else $no:block) => { $yes };
    (can list in [list $($rest:ident)*] $yes:block else $no:block) => { $yes };
    (can merge in [merge $($rest:ident)*] $yes:block else $no:block) => { $yes };
    (can grow in [grow $($rest:ident)*] $yes:block else $no:block) => { $yes };
    (can never_full in [never_full $($rest:ident)*] $yes:block else $no:block) => { $yes };
    (can build_only in [build_only $($rest:ident)*] $yes:block else $no:block) => { $yes };
    (can shared_insert in [shared_insert $($rest:ident)*] $yes:block else $no:block) => { $yes };
    (can bulk in [bulk $($rest:ident)*] $yes:block else $no:block) => { $yes };
    (can $ability:ident in [$other:ident $($rest:ident)*] $yes:block else $no:block) => {
        $crate::kinds!(can $ability in [$($rest)*] $yes else $no)
    };
    ($then:ident $($args:tt)*) => { $then! { $($args)*;
        "bloom" Bloom: amq_bloom::BloomFilter
            [insert merge never_full shared_insert bulk];
        "bloom" BlockedBloom: amq_bloom::BlockedBloomFilter
            [insert merge never_full shared_insert bulk];
        "bloom" WideBlockedBloom: amq_bloom::WideBlockedBloomFilter
            [insert merge never_full bulk];
        "counting" Counting: amq_counting::CountingBloomFilter
            [insert remove count merge never_full bulk];
        "counting" BlockedCounting: amq_counting::BlockedCountingBloomFilter
            [insert remove count merge never_full bulk];
        "scalable" Scalable: amq_scalable::ScalableBloomFilter
            [insert merge grow];
        "scalable" ScalableBlocked: amq_scalable::ScalableBlockedBloomFilter
            [insert merge grow];
        "cuckoo" Cuckoo: amq_cuckoo::CuckooFilter
            [insert remove count merge bulk];
        "cuckoo" WindowedCuckoo: amq_cuckoo::WindowedCuckooFilter
            [insert remove count merge bulk];
        "quotient" Quotient: amq_quotient::QuotientFilter
            [insert remove count list merge grow bulk];
        "quotient" ExpandableQuotient: amq_quotient::ExpandableQuotientFilter
            [insert remove count grow bulk];
        "ribbon" Ribbon: amq_ribbon::RibbonFilter [build_only bulk];
        "fuse" Fuse: amq_fuse::FuseFilter [build_only bulk];
    } };
}

/// `kinds!(each self, filter => body)`: one match over the filter inside.
macro_rules! each {
    (
        $any:expr, $filter:ident => $body:expr;
        $($feature:literal $name:ident: $module:ident::$type:ident [$($can:ident)*];)*
    ) => {
        match $any {$(
            #[cfg(feature = $feature)]
            Self::$name($filter) => $body,
        )*}
    };
}

/// `kinds!(able remove self, filter => body, else other)`: as `each`, with `other` for the kinds
/// that cannot.
macro_rules! able {
    (
        $ability:ident $any:expr, $filter:ident => $body:expr, else $other:expr;
        $($feature:literal $name:ident: $module:ident::$type:ident [$($can:ident)*];)*
    ) => {
        match $any {$(
            #[cfg(feature = $feature)]
            Self::$name($filter) => {
                kinds!(can $ability in [$($can)*] { $body } else { let _ = $filter; $other })
            }
        )*}
    };
}

/// `kinds!(by_kind insert kind, F => body, else other, absent none)`: one match over the kind, with
/// `F` as its type; `none` if the program was built without it.
macro_rules! by_kind {
    (
        $ability:ident $kind:expr, $f:ident => $body:expr, else $other:expr, absent $none:expr;
        $($feature:literal $name:ident: $module:ident::$type:ident [$($can:ident)*];)*
    ) => {
        match $kind {
            $(
                #[cfg(feature = $feature)]
                amq_core::FilterKind::$name => {
                    #[allow(dead_code, reason = "unused where the kind cannot")]
                    type $f = $module::$type;
                    kinds!(can $ability in [$($can)*] { $body } else { $other })
                }
            )*
            _ => $none,
        }
    };
}

pub(crate) use {able, by_kind, each};

/// The variant crates, whole: parameters, views, theory.
pub(crate) mod variants {
    #[cfg(feature = "bloom")]
    pub use amq_bloom as bloom;
    #[cfg(feature = "counting")]
    pub use amq_counting as counting;
    #[cfg(feature = "cuckoo")]
    pub use amq_cuckoo as cuckoo;
    #[cfg(feature = "fuse")]
    pub use amq_fuse as fuse;
    #[cfg(feature = "quotient")]
    pub use amq_quotient as quotient;
    #[cfg(feature = "ribbon")]
    pub use amq_ribbon as ribbon;
    #[cfg(feature = "scalable")]
    pub use amq_scalable as scalable;
}
