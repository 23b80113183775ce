//! Keys encoded through [`core::hash::Hash`].

use super::{Encoder, Key};
use core::hash::{Hash, Hasher};

/// Makes a key of anything that implements [`Hash`], from the bytes it feeds to a [`Hasher`].
///
/// **Not portable**: those bytes may change with the compiler, the standard library, the machine's
/// word size and byte order, and the version of the type's crate. Use it only for filters that
/// never leave the process. For filters that are stored or sent, implement [`Key`].
///
/// ```
/// use amq_core::{ByHash, Key};
///
/// #[derive(Hash)]
/// enum Event { Login { user: u32 }, Logout }
///
/// assert_ne!(ByHash(Event::Login { user: 1 }).key_hash(0), ByHash(Event::Logout).key_hash(0));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
#[repr(transparent)]
pub struct ByHash<T: ?Sized>(pub T);

impl<T: Hash + ?Sized> Key for ByHash<T> {
    #[inline]
    fn encode(&self, to: &mut Encoder) {
        self.0.hash(&mut Bytes(to));
    }
}

/// Passes the bytes of every `write` to the encoder.
struct Bytes<'a>(&'a mut Encoder);

impl Hasher for Bytes<'_> {
    #[inline]
    fn write(&mut self, bytes: &[u8]) {
        self.0.bytes(bytes);
    }

    fn finish(&self) -> u64 {
        self.0.finish().get()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_that_differ_have_hashes_that_differ() {
        let keys = [("ab", "c"), ("a", "bc"), ("", "abc"), ("abc", "")];
        for (i, one) in keys.iter().enumerate() {
            for (j, other) in keys.iter().enumerate() {
                let same = ByHash(one).key_hash(3) == ByHash(other).key_hash(3);
                assert_eq!(same, i == j, "{one:?} {other:?}");
            }
        }
    }
}
