//! Structs as keys.

/// Implements [`Key`](crate::Key) for a struct, which is encoded as the tuple of the named fields.
///
/// So the key is the same on every machine, and no two values of the struct share an encoding:
/// `("ab", "c")` and `("a", "bc")` differ. The order and types of the fields determine the
/// encoding; names do not. Leaving a field out is a compile error, unless the list ends in `..`.
///
/// Every filter crate exports the macro, and so does `amq`.
///
/// ```
/// # use amq_core as amq_bloom;
/// use amq_bloom::{Key, key};
///
/// struct Edge<'a> { from: u32, to: u32, label: &'a str }
/// key!(Edge<'_> { from, to, label });
///
/// struct Point(i32, i32);
/// key!(Point(x, y));
///
/// struct Page { id: u64, cached: Option<String> }
/// key!(Page { id, .. });
///
/// struct Pair<T> { one: T, other: T }
/// key!([T: Key] Pair<T> { one, other });
///
/// struct Tagged<'a, T>(&'a str, T);
/// key!([T: Key] Tagged<'_, T>(tag, value));
///
/// let edge = Edge { from: 1, to: 2, label: "knows" };
/// assert_eq!(edge.key_hash(0), (1u32, 2u32, "knows").key_hash(0));
/// assert_ne!(Point(1, 2).key_hash(0), Point(2, 1).key_hash(0));
/// # let page = Page { id: 7, cached: None };
/// # assert_eq!((page.key_hash(0), page.cached), ((7u64,).key_hash(0), None));
/// # assert_eq!(Tagged("a", 1u8).key_hash(0), ("a", 1u8).key_hash(0));
/// # assert_eq!(Pair { one: "a", other: "b" }.key_hash(0), ("a", "b").key_hash(0));
/// ```
///
/// A forgotten field does not compile:
///
/// ```compile_fail,E0027
/// struct Edge { from: u32, to: u32 }
/// # use amq_core as amq_bloom;
/// amq_bloom::key!(Edge { from });
/// ```
///
/// For an enum, implement [`Key`](crate::Key) by hand, and encode the number of the variant first.
/// A tuple struct with generic arguments that are not plain names, such as `Both<Vec<T>, T>(a, b)`,
/// also needs an implementation by hand.
#[macro_export]
macro_rules! key {
    ([$($generics:tt)*] $struct:ty { $($field:ident),+ $(,)? }) => {
        $crate::key!(@impl [$($generics)*] $struct, Self { $($field),+ }, $($field)+);
    };
    ([$($generics:tt)*] $struct:ty { $($field:ident),+, .. }) => {
        $crate::key!(@impl [$($generics)*] $struct, Self { $($field),+, .. }, $($field)+);
    };
    ($([$($generics:tt)*])? $($path:ident)::+ $(< $($argument:tt),+ >)? (
        $($field:ident),+ $(,)?
    )) => {
        $crate::key!(
            @impl [$($($generics)*)?] $($path)::+ $(< $($argument),+ >)?,
            Self($($field),+), $($field)+
        );
    };
    (@impl [$($generics:tt)*] $struct:ty, $fields:pat, $($field:ident)+) => {
        impl<$($generics)*> $crate::Key for $struct {
            #[inline]
            fn encode(&self, to: &mut $crate::Encoder) {
                let $fields = self;
                $(to.part($field);)+
            }
        }
    };
    ($struct:ty { $($fields:tt)+ }) => { $crate::key!([] $struct { $($fields)+ }); };
}

#[cfg(test)]
mod tests {
    use crate::Key;
    use std::string::String;
    use std::vec::Vec;

    struct Names {
        first: String,
        last: String,
    }
    key!(Names { first, last });

    struct Nested(Names, Option<u8>, [u16; 2]);
    key!(Nested(names, age, marks));

    struct One {
        only: &'static str,
        #[allow(dead_code, reason = "left out of the key")]
        note: Vec<u8>,
    }
    key!(One { only, .. });

    mod inner {
        pub(super) struct Point(pub(super) i32, pub(super) i32);
        pub(super) struct Named<T> {
            pub(super) name: T,
        }
        pub(super) mod deep {
            pub(in crate::key::structs::tests) struct Both<'a, T, const N: usize>(
                pub(in crate::key::structs::tests) &'a str,
                pub(in crate::key::structs::tests) [T; N],
            );
        }
    }
    key!(inner::Point(x, y));
    key!([T: Key] inner::Named<T> { name });
    key!([T: Key, const N: usize] inner::deep::Both<'_, T, N>(tag, values));

    struct Borrowed<'a>(&'a str);
    key!(Borrowed<'_>(text));

    struct Absolute(u8);
    key!(self::Absolute(only,));

    #[test]
    fn paths_and_tuple_structs_with_generics_are_keys() {
        assert_eq!(inner::Point(1, -2).key_hash(3), (1i32, -2i32).key_hash(3));
        assert_eq!(inner::Named { name: "a" }.key_hash(3), ("a",).key_hash(3));
        let both = inner::deep::Both("tag", [1u16, 2]);
        assert_eq!(both.key_hash(3), ("tag", [1u16, 2]).key_hash(3));
        assert_eq!(Borrowed("a").key_hash(3), ("a",).key_hash(3));
        assert_eq!(Absolute(9).key_hash(3), (9u8,).key_hash(3));
    }

    fn names(first: &str, last: &str) -> Names {
        Names { first: first.into(), last: last.into() }
    }

    #[test]
    fn a_struct_is_the_tuple_of_its_fields() {
        for seed in [0, 7, u64::MAX] {
            assert_eq!(names("ab", "c").key_hash(seed), ("ab", "c").key_hash(seed));
            let nested = Nested(names("ab", "c"), Some(9), [1, 2]);
            let tuple = (("ab", "c"), Some(9u8), [1u16, 2]);
            assert_eq!(nested.key_hash(seed), tuple.key_hash(seed));
            // Also as part of a larger key.
            assert_eq!((&nested, 1u8).key_hash(seed), (tuple, 1u8).key_hash(seed));
            let one = One { only: "x", note: Vec::from([1]) };
            assert_eq!(one.key_hash(seed), ("x",).key_hash(seed));
            assert_ne!(one.key_hash(seed), "x".key_hash(seed), "as tuples of one");
        }
    }

    /// The same known answer as the tuple's in `kinds.rs`; files depend on it.
    #[test]
    fn a_struct_has_a_known_hash() {
        assert_eq!(names("ab", "c").key_hash(0).get(), 0x642D_4DEB_FEBF_33AE);
    }

    #[test]
    fn structs_that_differ_have_encodings_that_differ() {
        let all = [("ab", "c"), ("a", "bc"), ("", "abc"), ("abc", ""), ("c", "ab")];
        for (i, one) in all.iter().enumerate() {
            for (j, other) in all.iter().enumerate() {
                let [one, other] = [one, other].map(|(first, last)| names(first, last).key_hash(1));
                assert_eq!(one == other, i == j, "{i} {j}");
            }
        }
    }
}
