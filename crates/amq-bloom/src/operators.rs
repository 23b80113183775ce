//! Operators of filters that are known to match.

/// Writes `|=` and `&=` of filters, which panic where `merge` and `intersect` return an error: if
/// the filters differ in what is named.
macro_rules! operators {
    ($filter:ident, $named:literal) => {
        operators! { $filter, $named: BitOrAssign, bitor_assign, merge }
        operators! { $filter, $named: BitAndAssign, bitand_assign, intersect }
    };
    ($filter:ident, $named:literal: $operator:ident, $method:ident, $does:ident) => {
        #[doc = concat!("[`", stringify!($does), "`](", stringify!($filter), "::", stringify!($does), ") for filters known to match.")]
        ///
        /// # Panics
        ///
        #[doc = concat!("If they differ in ", $named, ", where `", stringify!($does), "` returns an error.")]
        impl core::ops::$operator<&Self> for $filter {
            #[track_caller]
            #[allow(clippy::panic, reason = "documented: operators cannot return errors")]
            fn $method(&mut self, other: &Self) {
                if let Err(error) = self.$does(other) {
                    panic!("{error}");
                }
            }
        }
    };
}

pub(crate) use operators;
