//! The filter that is attacked.

use super::goal;
use amq::{
    Abilities, AnyError, AnyFilter, DEFAULT_SEED, Filter, FilterKind, Inserted, Key, KeyHash,
    Keyed, SipKey,
};

/// What a filter hashes its keys under.
#[derive(Clone, Copy, Debug)]
pub(super) enum Under {
    /// XXH3 and a seed.
    Seed(u64),
    /// SipHash-1-3 and a key.
    Key([u8; 16]),
}

impl Under {
    pub(super) const PUBLIC: Self = Self::Seed(DEFAULT_SEED);
    pub(super) const SECRET: Self = Self::Seed(0x3C79_AC49_2BA7_B653);
    pub(super) const KEYED: Self =
        Self::Key(*b"\x8f\x1d\x35\xc2\x0b\xe4\x76\xa9\xd0\x5e\x12\x7f\x68\xb3\x94\x2c");
    pub(super) const ALL: [Self; 3] = [Self::PUBLIC, Self::SECRET, Self::KEYED];

    /// The same hash under another secret.
    pub(super) fn renewed(self) -> Self {
        match self {
            Self::Seed(seed) => Self::Seed(!seed),
            Self::Key(key) => Self::Key(key.map(|byte| !byte)),
        }
    }

    pub(super) fn hash(self, key: u64) -> KeyHash {
        match self {
            Self::Seed(seed) => key.key_hash(seed),
            Self::Key(bytes) => key.key_hash_under(&SipKey::new(bytes)),
        }
    }
}

/// A filter that is asked by key, through the type whose hash it is.
pub(super) enum Victim {
    Seeded(AnyFilter),
    Keyed(Keyed<AnyFilter>),
}

impl Victim {
    fn of(filter: AnyFilter, under: Under) -> Self {
        match under {
            Under::Seed(_) => Self::Seeded(filter),
            Under::Key(bytes) => Self::Keyed(Keyed::of(filter, SipKey::new(bytes))),
        }
    }

    /// An empty filter of this kind.
    pub(super) fn empty(kind: FilterKind, under: Under) -> Self {
        let seed = if let Under::Seed(seed) = under { seed } else { DEFAULT_SEED };
        Self::of(AnyFilter::with_seed(kind, goal(), seed).unwrap(), under)
    }

    /// A filter of these keys, put in one after the other where that is possible.
    pub(super) fn holding(kind: FilterKind, under: Under, keys: &[u64]) -> Result<Self, AnyError> {
        if Abilities::of(kind).build_only {
            let hashes: Vec<KeyHash> = keys.iter().map(|&key| under.hash(key)).collect();
            let seed = if let Under::Seed(seed) = under { seed } else { DEFAULT_SEED };
            return Ok(Self::of(AnyFilter::build_hashes(kind, goal(), seed, &hashes)?, under));
        }
        let mut victim = Self::empty(kind, under);
        for &key in keys {
            victim.insert(key)?;
        }
        Ok(victim)
    }

    pub(super) fn filter(&self) -> &AnyFilter {
        match self {
            Self::Seeded(filter) => filter,
            Self::Keyed(filter) => filter.get_ref(),
        }
    }

    pub(super) fn contains(&self, key: u64) -> bool {
        match self {
            Self::Seeded(filter) => filter.contains(&key),
            Self::Keyed(filter) => filter.contains(&key),
        }
    }

    pub(super) fn insert(&mut self, key: u64) -> Result<Inserted, AnyError> {
        match self {
            Self::Seeded(filter) => filter.insert(&key),
            Self::Keyed(filter) => {
                let hash = filter.key_hash(&key);
                filter.get_mut().insert_hash(hash)
            }
        }
    }

    pub(super) fn remove(&mut self, key: u64) -> bool {
        match self {
            Self::Seeded(filter) => filter.remove(&key).unwrap(),
            Self::Keyed(filter) => {
                let hash = filter.key_hash(&key);
                filter.get_mut().remove_hash(hash).unwrap()
            }
        }
    }

    pub(super) fn contains_hash(&self, hash: u64) -> bool {
        self.filter().contains_hash(KeyHash::new(hash))
    }
}
