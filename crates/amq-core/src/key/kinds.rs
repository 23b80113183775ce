//! The types that are keys.

use super::{Encoder, Key, KeyHash, KeyHasher, SipKey};
use crate::KeyEncoding;
use alloc::{borrow::Cow, boxed::Box, string::String, vec::Vec};
use core::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, SocketAddrV4, SocketAddrV6};
use core::num::NonZero;
use core::time::Duration;

/// All other integers of up to 64 bits are encoded as a `u64`.
impl Key for u64 {
    #[inline]
    fn encode(&self, to: &mut Encoder) {
        to.bytes(&self.to_le_bytes());
    }

    #[inline]
    fn key_hash(&self, seed: u64) -> KeyHash {
        seed.of_bytes(&self.to_le_bytes())
    }

    #[inline]
    fn key_hash_under(&self, key: &SipKey) -> KeyHash {
        key.of_bytes(&self.to_le_bytes())
    }

    #[inline]
    fn encoding(&self) -> KeyEncoding {
        KeyEncoding::Integers
    }
}

impl Key for u128 {
    #[inline]
    fn encode(&self, to: &mut Encoder) {
        to.bytes(&self.to_le_bytes());
    }

    #[inline]
    fn key_hash(&self, seed: u64) -> KeyHash {
        seed.of_bytes(&self.to_le_bytes())
    }

    #[inline]
    fn key_hash_under(&self, key: &SipKey) -> KeyHash {
        key.of_bytes(&self.to_le_bytes())
    }
}

/// Slices of `u8` are byte strings; slices of other integers are lists of keys.
impl Key for u8 {
    #[inline]
    fn encode(&self, to: &mut Encoder) {
        u64::from(*self).encode(to);
    }

    #[inline]
    fn key_hash(&self, seed: u64) -> KeyHash {
        u64::from(*self).key_hash(seed)
    }

    #[inline]
    fn key_hash_under(&self, key: &SipKey) -> KeyHash {
        u64::from(*self).key_hash_under(key)
    }

    #[inline]
    fn encoding(&self) -> KeyEncoding {
        KeyEncoding::Integers
    }

    #[inline]
    fn byte_string(keys: &[Self]) -> Option<&[u8]> {
        Some(keys)
    }
}

/// The hash of a slice: of its bytes, or of its elements' encodings.
#[inline]
fn hash_slice<K: Key>(keys: &[K], under: &impl KeyHasher) -> KeyHash {
    match K::byte_string(keys) {
        Some(bytes) => under.of_bytes(bytes),
        None => {
            let mut encoder = Encoder::new(under);
            for key in keys {
                key.encode(&mut encoder);
            }
            encoder.finish()
        }
    }
}

impl<K: Key> Key for [K] {
    #[inline]
    fn encode(&self, to: &mut Encoder) {
        to.part(&self.len());
        match K::byte_string(self) {
            Some(bytes) => {
                to.bytes(bytes);
            }
            None => {
                for key in self {
                    key.encode(to);
                }
            }
        }
    }

    #[inline]
    fn key_hash(&self, seed: u64) -> KeyHash {
        hash_slice(self, &seed)
    }

    #[inline]
    fn key_hash_under(&self, key: &SipKey) -> KeyHash {
        hash_slice(self, key)
    }

    #[inline]
    fn encoding(&self) -> KeyEncoding {
        match K::byte_string(&[]) {
            Some(_) => KeyEncoding::Bytes,
            None => KeyEncoding::Unknown,
        }
    }
}

/// Implements `Key` for types that hash as a value that they contain or convert to.
macro_rules! key_as {
    ($($(#[$cfg:meta])* [$($generics:tt)*] $type:ty: $key:ident => $other:expr;)*) => {$(
        $(#[$cfg])*
        impl<$($generics)*> Key for $type {
            #[inline]
            fn encode(&self, to: &mut Encoder) {
                let $key = self;
                $other.encode(to);
            }

            #[inline]
            fn key_hash(&self, seed: u64) -> KeyHash {
                let $key = self;
                $other.key_hash(seed)
            }

            #[inline]
            fn key_hash_under(&self, under: &SipKey) -> KeyHash {
                let $key = self;
                $other.key_hash_under(under)
            }

            #[inline]
            fn encoding(&self) -> KeyEncoding {
                let $key = self;
                $other.encoding()
            }
        }
    )*};
}

key_as! {
    [] u16: key => u64::from(*key);
    [] u32: key => u64::from(*key);
    [] usize: key => (*key as u64);
    // Two's complement: a signed value and its unsigned image are the same eight bytes.
    [] i8: key => i64::from(*key);
    [] i16: key => i64::from(*key);
    [] i32: key => i64::from(*key);
    [] i64: key => (*key as u64);
    [] isize: key => (*key as i64);
    [] i128: key => (*key as u128);
    [] bool: key => u64::from(*key);
    [] char: key => u64::from(u32::from(*key));
    [] NonZero<u8>: key => key.get();
    [] NonZero<u16>: key => key.get();
    [] NonZero<u32>: key => key.get();
    [] NonZero<u64>: key => key.get();
    [] NonZero<usize>: key => key.get();
    [] NonZero<u128>: key => key.get();
    [] NonZero<i8>: key => key.get();
    [] NonZero<i16>: key => key.get();
    [] NonZero<i32>: key => key.get();
    [] NonZero<i64>: key => key.get();
    [] NonZero<isize>: key => key.get();
    [] NonZero<i128>: key => key.get();
    [] str: key => key.as_bytes();
    [] String: key => key.as_bytes();
    [K: Key] Vec<K>: key => key.as_slice();
    [K: Key, const N: usize] [K; N]: key => key.as_slice();
    [K: Key + ?Sized] &K: key => (**key);
    [K: Key + ?Sized] &mut K: key => (**key);
    [K: Key + ?Sized] Box<K>: key => (**key);
    [K: Key + ?Sized] alloc::rc::Rc<K>: key => (**key);
    #[cfg(target_has_atomic = "ptr")]
    [K: Key + ?Sized] alloc::sync::Arc<K>: key => (**key);
    [K: Key + ?Sized + alloc::borrow::ToOwned] Cow<'_, K>: key => (**key);
    [] Ipv4Addr: key => key.octets();
    [] Ipv6Addr: key => key.octets();
    [] SocketAddrV4: key => (key.ip(), key.port());
    [] SocketAddrV6: key => (key.ip(), key.port());
    [] Duration: key => (key.as_secs(), key.subsec_nanos());
    #[cfg(feature = "std")]
    [] std::ffi::OsStr: key => key.as_encoded_bytes();
    #[cfg(feature = "std")]
    [] std::ffi::OsString: key => key.as_encoded_bytes();
    #[cfg(feature = "std")]
    [] std::path::Path: key => key.as_os_str();
    #[cfg(feature = "std")]
    [] std::path::PathBuf: key => key.as_os_str();
}

// The encodings of the two variants differ in their length, so no tag is needed.

impl Key for IpAddr {
    #[inline]
    fn encode(&self, to: &mut Encoder) {
        match self {
            Self::V4(key) => key.encode(to),
            Self::V6(key) => key.encode(to),
        }
    }

    #[inline]
    fn key_hash(&self, seed: u64) -> KeyHash {
        match self {
            Self::V4(key) => key.key_hash(seed),
            Self::V6(key) => key.key_hash(seed),
        }
    }

    #[inline]
    fn key_hash_under(&self, under: &SipKey) -> KeyHash {
        match self {
            Self::V4(key) => key.key_hash_under(under),
            Self::V6(key) => key.key_hash_under(under),
        }
    }

    #[inline]
    fn encoding(&self) -> KeyEncoding {
        match self {
            Self::V4(key) => key.encoding(),
            Self::V6(key) => key.encoding(),
        }
    }
}

impl Key for SocketAddr {
    #[inline]
    fn encode(&self, to: &mut Encoder) {
        match self {
            Self::V4(key) => key.encode(to),
            Self::V6(key) => key.encode(to),
        }
    }

    #[inline]
    fn key_hash(&self, seed: u64) -> KeyHash {
        match self {
            Self::V4(key) => key.key_hash(seed),
            Self::V6(key) => key.key_hash(seed),
        }
    }

    #[inline]
    fn key_hash_under(&self, under: &SipKey) -> KeyHash {
        match self {
            Self::V4(key) => key.key_hash_under(under),
            Self::V6(key) => key.key_hash_under(under),
        }
    }

    #[inline]
    fn encoding(&self) -> KeyEncoding {
        match self {
            Self::V4(key) => key.encoding(),
            Self::V6(key) => key.encoding(),
        }
    }
}

impl<K: Key> Key for Option<K> {
    #[inline]
    fn encode(&self, to: &mut Encoder) {
        match self {
            None => to.bytes(&[0]),
            Some(key) => to.bytes(&[1]).part(key),
        };
    }
}

macro_rules! key_as_tuple {
    ($(($($name:ident $index:tt),+);)*) => {$(
        impl<$($name: Key),+> Key for ($($name,)+) {
            #[inline]
            fn encode(&self, to: &mut Encoder) {
                $(self.$index.encode(to);)+
            }
        }
    )*};
}

key_as_tuple! {
    (A 0);
    (A 0, B 1);
    (A 0, B 1, C 2);
    (A 0, B 1, C 2, D 3);
    (A 0, B 1, C 2, D 3, E 4);
    (A 0, B 1, C 2, D 3, E 4, F 5);
    (A 0, B 1, C 2, D 3, E 4, F 5, G 6);
    (A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7);
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::string::ToString;
    use std::vec;
    use xxhash_rust::xxh3::xxh3_64_with_seed;

    /// The hash of these bytes: what another language's XXH3-64 gives for the documented encoding.
    fn of(bytes: &[u8]) -> KeyHash {
        KeyHash(xxh3_64_with_seed(bytes, 9))
    }

    fn eight(number: u64) -> [u8; 8] {
        number.to_le_bytes()
    }

    #[test]
    fn composite_keys_hash_as_their_documented_bytes() {
        let counted = |bytes: &[u8]| [&eight(bytes.len() as u64), bytes].concat();
        for (what, got, want) in [
            ("a pair", (1u8, -1i32).key_hash(9), [eight(1), eight(u64::MAX)].concat()),
            ("a triple", (1u64, 2u64, 3u64).key_hash(9), [eight(1), eight(2), eight(3)].concat()),
            ("one", ("ab",).key_hash(9), counted(b"ab")),
            ("text", ("ab", "c").key_hash(9), [counted(b"ab"), counted(b"c")].concat()),
            ("u128", (1u128, 2u8).key_hash(9), [&1u128.to_le_bytes()[..], &eight(2)].concat()),
            ("numbers", [1u32, 2, 3][..].key_hash(9), [eight(1), eight(2), eight(3)].concat()),
            ("words", vec!["ab", ""].key_hash(9), [counted(b"ab"), counted(b"")].concat()),
            (
                "nested",
                (vec![1u16, 2], 7u8).key_hash(9),
                [eight(2), eight(1), eight(2), eight(7)].concat(),
            ),
            ("none", None::<u8>.key_hash(9), vec![0]),
            ("some", Some(5u8).key_hash(9), [&[1][..], &eight(5)].concat()),
            ("deep", Some(Some("x")).key_hash(9), [&[1, 1][..], &counted(b"x")].concat()),
            ("true", true.key_hash(9), eight(1).to_vec()),
            ("char", 'ß'.key_hash(9), eight(0xDF).to_vec()),
            ("nonzero", NonZero::new(-3i16).unwrap().key_hash(9), (-3i64).to_le_bytes().to_vec()),
            ("v4", Ipv4Addr::new(203, 0, 113, 7).key_hash(9), vec![203, 0, 113, 7]),
            ("v6", Ipv6Addr::LOCALHOST.key_hash(9), 1u128.to_be_bytes().to_vec()),
            (
                "socket",
                SocketAddr::from(([127, 0, 0, 1], 80)).key_hash(9),
                [counted(&[127, 0, 0, 1]), eight(80).to_vec()].concat(),
            ),
            ("duration", Duration::new(3, 4).key_hash(9), [eight(3), eight(4)].concat()),
        ] {
            assert_eq!(got, of(&want), "{what}");
        }
        let v4 = Ipv4Addr::new(203, 0, 113, 7);
        assert_eq!(IpAddr::V4(v4).key_hash(9), v4.key_hash(9));
        #[cfg(feature = "std")]
        assert_eq!(std::path::Path::new("a/b").key_hash(9), "a/b".key_hash(9));
    }

    /// Covers every type with a `key_hash` of its own.
    #[test]
    fn a_key_has_one_encoding_under_a_seed_and_under_a_key() {
        let under = SipKey::new(*b"0123456789abcdef");
        let v4 = Ipv4Addr::new(203, 0, 113, 7);
        for (what, got, want) in [
            ("u8", 5u8.key_hash_under(&under), eight(5).to_vec()),
            ("i16", (-2i16).key_hash_under(&under), eight(u64::MAX - 1).to_vec()),
            ("u128", 7u128.key_hash_under(&under), 7u128.to_le_bytes().to_vec()),
            ("text", "amq".key_hash_under(&under), b"amq".to_vec()),
            ("a string", "amq".to_string().key_hash_under(&under), b"amq".to_vec()),
            ("bytes", b"amq".key_hash_under(&under), b"amq".to_vec()),
            ("numbers", [1u32, 2].key_hash_under(&under), [eight(1), eight(2)].concat()),
            (
                "a pair",
                ("a", 2u8).key_hash_under(&under),
                [&eight(1), &b"a"[..], &eight(2)].concat(),
            ),
            ("v4", v4.key_hash_under(&under), v4.octets().to_vec()),
            ("either", IpAddr::V4(v4).key_hash_under(&under), v4.octets().to_vec()),
            ("nonzero", NonZero::new(3u8).unwrap().key_hash_under(&under), eight(3).to_vec()),
            ("some", Some(5u8).key_hash_under(&under), [&[1][..], &eight(5)].concat()),
        ] {
            assert_eq!(got.get(), under.hash(&want), "{what}");
            assert_ne!(got, of(&want), "{what}");
        }
        let long = vec!["seen".to_string(); 40];
        let part: Vec<u8> = [&eight(4)[..], b"seen"].concat();
        assert_eq!(long.key_hash_under(&under).get(), under.hash(&part.repeat(40)));
    }

    #[test]
    fn integers_and_byte_strings_say_how_they_are_encoded() {
        use KeyEncoding::{Bytes, Integers, Unknown};

        let v4 = Ipv4Addr::LOCALHOST;
        for (got, want) in [
            (7u8.encoding(), Integers),
            ((-7i64).encoding(), Integers),
            (usize::MAX.encoding(), Integers),
            (true.encoding(), Integers),
            (NonZero::new(3u32).unwrap().encoding(), Integers),
            ((&&7u16).encoding(), Integers),
            (7u128.encoding(), Unknown),
            (NonZero::new(7i128).unwrap().encoding(), Unknown),
            ("amq".encoding(), Bytes),
            ("amq".to_string().encoding(), Bytes),
            (b"amq".encoding(), Bytes),
            (vec![1u8].encoding(), Bytes),
            (IpAddr::V4(v4).encoding(), Bytes),
            ([1u32, 2].encoding(), Unknown),
            ((1u64,).encoding(), Unknown),
            (Some("amq").encoding(), Unknown),
            (SocketAddr::from((v4, 80)).encoding(), Unknown),
        ] {
            assert_eq!(got, want);
        }
    }

    /// Known answers, to catch a change of encoding or hash.
    #[test]
    fn composite_keys_have_known_hashes() {
        assert_eq!(("ab", "c").key_hash(0).get(), KNOWN[0]);
        assert_eq!((1u64, 2u64).key_hash(0).get(), KNOWN[1]);
        assert_eq!(Some("amq").key_hash(7).get(), KNOWN[2]);
        assert_eq!(vec!["seen".to_string(); 40].key_hash(0).get(), KNOWN[3]);
    }

    /// From the reference implementation, over hand-written bytes.
    const KNOWN: [u64; 4] = [
        0x642D_4DEB_FEBF_33AE,
        0x07EE_86C2_8144_6BEF,
        0xAE61_99EF_F655_8B65,
        0xAAD4_BF75_AD42_8588,
    ];

    #[test]
    fn keys_of_one_type_that_differ_have_encodings_that_differ() {
        let pairs = [("ab", "c"), ("a", "bc"), ("", "abc"), ("abc", ""), ("ab", "")];
        let lists: [&[&str]; 6] = [&[], &[""], &["", ""], &["ab"], &["a", "b"], &["", "ab"]];
        let nested: [&[&[u8]]; 4] = [&[&[1, 2], &[]], &[&[1], &[2]], &[&[], &[1, 2]], &[&[1, 2]]];
        let optional = [None, Some(None), Some(Some(0u8)), Some(Some(1))];
        different(&pairs);
        different(&lists);
        different(&nested);
        different(&optional);
        different(&[[1u8, 0], [0, 1]]);
        different(&[IpAddr::V4(Ipv4Addr::LOCALHOST), IpAddr::V6(Ipv6Addr::LOCALHOST)]);
    }

    #[test]
    fn socket_addresses_are_address_port_and_maybe_scope() {
        let all: [SocketAddrV6; 3] = [(0, 0), (1, 0), (0, 1)]
            .map(|(flow, scope)| SocketAddrV6::new(Ipv6Addr::LOCALHOST, 80, flow, scope));
        let whole = [&eight(16)[..], &Ipv6Addr::LOCALHOST.octets(), &eight(80)].concat();
        for address in all {
            assert_eq!(address.key_hash(9), of(&whole), "{address}");
            assert_eq!(SocketAddr::V6(address).key_hash(9), of(&whole), "{address}");
        }
        different(&all.map(|address| (address, address.scope_id(), address.flowinfo())));
    }

    #[cfg(all(feature = "std", unix))]
    #[test]
    fn paths_are_their_bytes_and_can_be_made_alike_first() {
        use std::path::{Path, PathBuf};

        let written = ["a/b", "a//b", "a/./b", "a/b/"].map(Path::new);
        assert!(written.iter().all(|path| *path == written[0]));
        different(&written);
        for path in written {
            let alike: PathBuf = path.components().collect();
            assert_eq!(alike.key_hash(9), written[0].key_hash(9), "{}", path.display());
        }
    }

    #[test]
    fn integers_of_the_machines_width_are_those_of_eight_bytes() {
        assert_eq!(usize::MAX.key_hash(9), (usize::MAX as u64).key_hash(9));
        assert_eq!((-1isize).key_hash(9), (-1i64).key_hash(9));
        let cast = -1i64 as usize;
        assert_eq!(cast.key_hash(9) == (-1i64).key_hash(9), cfg!(target_pointer_width = "64"));
    }

    fn different<K: Key>(keys: &[K]) {
        for (i, one) in keys.iter().enumerate() {
            for (j, other) in keys.iter().enumerate() {
                assert_eq!(one.key_hash(1) == other.key_hash(1), i == j, "{i} {j}");
                let [one, other] = [one, other].map(|key| (key, 1u8).key_hash(1));
                assert_eq!(one == other, i == j, "as parts: {i} {j}");
            }
        }
    }
}
