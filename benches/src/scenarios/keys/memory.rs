//! Keys in memory: integers or byte strings, laid out so that reading them costs every contender
//! the same. Byte strings are stored end to end in one block, in reading order, so that no
//! contender waits for a key.

use amq_core::Key;
use std::borrow::Borrow;
use std::collections::HashMap;
use std::hash::Hash;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Either<U, B> {
    U64(U),
    Bytes(B),
}

/// Keys that own their memory.
pub type Store = Either<Vec<u64>, Arena>;

/// The slices that [`Keys`] borrows: byte strings need one pointer each.
pub type View<'a> = Either<&'a [u64], Vec<&'a [u8]>>;

/// Keys as contenders see them.
pub type Keys<'a> = Either<&'a [u64], &'a [&'a [u8]]>;

impl Keys<'_> {
    pub(crate) const fn len(&self) -> usize {
        match self {
            Self::U64(keys) => keys.len(),
            Self::Bytes(keys) => keys.len(),
        }
    }

    /// The keys in `start..end`, cut to the existing ones.
    pub fn between(&self, start: usize, end: usize) -> Self {
        let end = end.min(self.len());
        let start = start.min(end);
        match self {
            Self::U64(keys) => Self::U64(&keys[start..end]),
            Self::Bytes(keys) => Self::Bytes(&keys[start..end]),
        }
    }
}

impl View<'_> {
    pub fn keys(&self) -> Keys<'_> {
        match self {
            Self::U64(keys) => Keys::U64(keys),
            Self::Bytes(keys) => Keys::Bytes(keys),
        }
    }
}

impl Store {
    pub(crate) const fn len(&self) -> usize {
        match self {
            Self::U64(keys) => keys.len(),
            Self::Bytes(keys) => keys.len(),
        }
    }

    pub fn view(&self) -> View<'_> {
        match self {
            Self::U64(keys) => View::U64(keys),
            Self::Bytes(keys) => View::Bytes(keys.iter().collect()),
        }
    }

    /// Copies of the keys at these indices; those of `behind` follow this store's.
    pub fn pick(&self, behind: &Self, places: &[usize]) -> Self {
        match (self, behind) {
            (Self::U64(keys), Self::U64(more)) => {
                let key = |&at: &usize| *keys.get(at).unwrap_or_else(|| &more[at - keys.len()]);
                Self::U64(places.iter().map(key).collect())
            }
            (Self::Bytes(keys), Self::Bytes(more)) => Self::Bytes(keys.pick(more, places)),
            // Keys of different types are never mixed in one key set.
            _ => Self::U64(Vec::new()),
        }
    }

    /// Whether no key occurs twice, here and in `other` together. Sorts a copy: checked, not
    /// assumed.
    pub fn distinct_from(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::U64(a), Self::U64(b)) => all_distinct(a.iter().chain(b)),
            (Self::Bytes(a), Self::Bytes(b)) => all_distinct(a.iter().chain(b.iter())),
            _ => false,
        }
    }
}

fn all_distinct<T: Ord>(keys: impl Iterator<Item = T>) -> bool {
    let mut sorted: Vec<T> = keys.collect();
    sorted.sort_unstable();
    sorted.is_sorted_by(|a, b| a < b)
}

/// Byte strings in one block.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Arena {
    bytes: Vec<u8>,
    /// The start and end of each string.
    spans: Vec<(usize, usize)>,
}

impl Arena {
    /// A key of at most this many bytes is copied each time it is picked, so that keys are read
    /// sequentially. A longer one is stored once; otherwise a stream would take many times the
    /// memory of its keys.
    const SHORT: usize = 64;

    pub fn push(&mut self, key: &[u8]) {
        let span = self.store(key);
        self.spans.push(span);
    }

    pub(crate) const fn len(&self) -> usize {
        self.spans.len()
    }

    pub fn iter(&self) -> impl Iterator<Item = &[u8]> {
        self.spans.iter().map(|&(start, end)| &self.bytes[start..end])
    }

    fn store(&mut self, key: &[u8]) -> (usize, usize) {
        let start = self.bytes.len();
        self.bytes.extend_from_slice(key);
        (start, self.bytes.len())
    }

    fn pick(&self, behind: &Self, places: &[usize]) -> Self {
        let keys: Vec<&[u8]> = self.iter().chain(behind.iter()).collect();
        let (mut picked, mut long) = (Self::default(), HashMap::new());
        for place in places {
            let key = keys[*place];
            let span = long.get(place).copied().unwrap_or_else(|| picked.store(key));
            if key.len() > Self::SHORT {
                long.insert(place, span);
            }
            picked.spans.push(span);
        }
        picked
    }
}

impl<K: AsRef<[u8]>> FromIterator<K> for Arena {
    fn from_iter<I: IntoIterator<Item = K>>(keys: I) -> Self {
        let mut arena = Self::default();
        keys.into_iter().for_each(|key| arena.push(key.as_ref()));
        arena
    }
}

/// A type of key that contenders are measured with: `u64` or `[u8]`.
///
/// A contender generic over this trait is compiled once per type, so there is no dispatch per key.
pub trait BenchKey: Key + Hash + Eq + ToOwned<Owned: Hash + Eq + Borrow<Self>> + 'static {
    type Item<'a>: Key + Copy + Borrow<Self> + Sync;

    /// The keys; none if they are of the other type.
    fn slice(keys: Keys<'_>) -> &[Self::Item<'_>];

    /// The key's XXH3 digest, as our filters compute it, for peers that take a digest.
    #[inline]
    fn digest(&self, seed: u64) -> u64 {
        self.key_hash(seed).get()
    }
}

impl BenchKey for u64 {
    type Item<'a> = Self;

    fn slice(keys: Keys<'_>) -> &[Self] {
        if let Keys::U64(keys) = keys { keys } else { &[] }
    }
}

impl BenchKey for [u8] {
    type Item<'a> = &'a [u8];

    fn slice(keys: Keys<'_>) -> &[Self::Item<'_>] {
        if let Keys::Bytes(keys) = keys { keys } else { &[] }
    }
}
