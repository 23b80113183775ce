//! Runs any sequence of operations on a filter of any kind, and compares with a map of copies.

use crate::extras::{inspect, rearrange};
use crate::subject::{can, encode, try_merge};
use amq::{
    Abilities, AnyError, AnyFilter, Budget, Filter, FilterFile, FilterKind, Goal, Key, KeyHash,
    QuotientFilter,
};
use arbitrary::Arbitrary;
use std::collections::BTreeMap;

/// A filter, and the operations to run on it.
#[derive(Arbitrary, Debug)]
pub struct Game {
    /// An index into the kinds that insert; after them, a quotient filter that may grow.
    kind: u8,
    /// The initial keys of the growing quotient filter.
    initial: u8,
    goal: Shape,
    /// The shape of filters to be merged.
    other: Shape,
    moves: Vec<Move>,
}

/// A goal and a seed; small, so that filters fill up.
#[derive(Arbitrary, Clone, Copy, Debug)]
struct Shape {
    keys: u8,
    budget: Within,
    seed: bool,
}

#[derive(Arbitrary, Clone, Copy, Debug)]
enum Within {
    /// A rate of 2^-n.
    Rate(u8),
    /// Quarters of a bit per key.
    Bits(u8),
    /// Bytes.
    Bytes(u16),
}

#[derive(Arbitrary, Clone, Debug)]
enum Move {
    Insert(u8),
    Batch(Vec<u8>),
    Remove(u8),
    /// Merges a filter of these keys, with the same plan or the other one.
    Merge(Vec<u8>, bool),
    MergeWithItself,
    Rearrange(u8),
    Reload,
    Clear,
}

impl Shape {
    fn goal(self) -> Goal {
        let budget = match self.budget {
            Within::Rate(n) => Budget::Fpr(0.5f64.powi(1 + i32::from(n % 40))),
            Within::Bits(quarters) => Budget::BitsPerKey(f64::from(quarters) / 4.0),
            Within::Bytes(bytes) => Budget::Bytes(bytes.into()),
        };
        Goal::new(self.keys.into(), budget)
    }

    fn seed(self) -> u64 {
        self.seed.into()
    }
}

/// Runs the operations.
pub fn play(game: &Game) {
    let kinds = AnyFilter::KINDS.iter().filter(|&&kind| Abilities::of(kind).insert);
    let kinds: Vec<FilterKind> = kinds.copied().collect();
    let kind = kinds.get(usize::from(game.kind) % (kinds.len() + 1));
    let make = |shape: Shape| match kind {
        Some(&kind) => AnyFilter::with_seed(kind, shape.goal(), shape.seed()).ok(),
        None => {
            let plan = QuotientFilter::plan_growing(shape.goal(), game.initial.into()).ok()?;
            QuotientFilter::with_seed(plan, shape.seed()).ok().map(AnyFilter::from)
        }
    };
    let Some(filter) = make(game.goal) else {
        return;
    };
    let mut table = Table { filter, copies: BTreeMap::new() };
    for next in &game.moves {
        table.next(next, game, &make);
        table.holds_its_keys();
    }
    crate::ask(&table.filter);
    inspect(&table.filter);
}

struct Table {
    filter: AnyFilter,
    /// The copies of each key.
    copies: BTreeMap<u8, u64>,
}

impl Table {
    fn next(&mut self, next: &Move, game: &Game, make: &impl Fn(Shape) -> Option<AnyFilter>) {
        match next {
            Move::Insert(key) => self.insert(*key),
            Move::Batch(keys) => self.batch(keys),
            Move::Remove(key) => self.remove(*key),
            Move::Merge(keys, alike) => {
                let shape = if *alike { game.goal } else { game.other };
                if let Some(other) = make(shape) {
                    self.merge(other, keys);
                }
            }
            Move::MergeWithItself => {
                let other = self.filter.clone();
                if try_merge(&mut self.filter, &other) {
                    self.copies.values_mut().for_each(|copies| *copies *= 2);
                }
            }
            Move::Rearrange(how) => {
                rearrange(&mut self.filter, *how);
                inspect(&self.filter);
            }
            Move::Reload => {
                let bytes = encode(&self.filter);
                let loaded =
                    AnyFilter::from_bytes(&bytes).unwrap_or_else(|error| panic!("{error}"));
                assert!(loaded == self.filter && encode(&loaded) == bytes);
                self.filter = loaded;
            }
            Move::Clear => {
                self.filter.clear().expect("what inserts is emptied");
                assert_eq!(self.filter.len(), 0);
                self.copies.clear();
            }
        }
    }

    fn hash(&self, key: u8) -> KeyHash {
        key.key_hash(self.filter.seed())
    }

    /// Asserts that the filter is still the one of these bytes.
    fn unchanged(&self, bytes: &[u8], what: &str) {
        assert!(encode(&self.filter) == bytes, "{what} changed the filter");
    }

    fn insert(&mut self, key: u8) {
        let hash = self.hash(key);
        let (there, len) = (self.filter.contains_hash(hash), self.filter.len());
        let before = encode(&self.filter);
        match self.filter.insert_hash(hash) {
            Ok(inserted) => {
                assert_eq!(inserted.is_new(), !there);
                let more = u64::from(can(&self.filter).remove || !there);
                assert_eq!(self.filter.len(), len + more);
                *self.copies.entry(key).or_default() += 1;
            }
            Err(_) => self.unchanged(&before, "a refused insert"),
        }
    }

    fn batch(&mut self, keys: &[u8]) {
        let hashes: Vec<KeyHash> = keys.iter().map(|&key| self.hash(key)).collect();
        let (mut singly, mut answered) = (self.filter.clone(), self.filter.clone());
        let inserted = self.filter.insert_batch(&hashes);
        let done = inserted.map_or_else(|error| done(&error), |_| hashes.len());
        let mut new = vec![true; hashes.len()];
        assert_eq!(answered.insert_batch_new(&hashes, &mut new), inserted);
        for (&hash, &new) in hashes[..done].iter().zip(&new) {
            assert!(singly.insert_hash(hash).is_ok_and(|single| single.is_new() == new));
        }
        assert!(answered == singly, "a batch that says what is new is not its inserts");
        if let Some(&refused) = hashes.get(done) {
            assert!(singly.insert_hash(refused).is_err());
        }
        assert!(self.filter == singly, "a batch is not its inserts");
        for &key in &keys[..done] {
            *self.copies.entry(key).or_default() += 1;
        }
    }

    fn remove(&mut self, key: u8) {
        if !can(&self.filter).remove {
            return;
        }
        let (hash, len) = (self.hash(key), self.filter.len());
        if let Some(copies) = self.copies.get_mut(&key) {
            assert_eq!(self.filter.remove_hash(hash), Ok(true), "a present key is not removed");
            assert_eq!(self.filter.len(), len - 1);
            *copies -= 1;
            if *copies == 0 {
                self.copies.remove(&key);
            }
        } else if !self.filter.contains_hash(hash) {
            // Does not remove false positives, which would remove another key's entry.
            let before = encode(&self.filter);
            assert_eq!(self.filter.remove_hash(hash), Ok(false));
            self.unchanged(&before, "removing an absent key");
        }
    }

    fn merge(&mut self, mut other: AnyFilter, keys: &[u8]) {
        let seed = other.seed();
        let mut taken = keys.to_vec();
        taken.retain(|key| other.insert_hash(key.key_hash(seed)).is_ok());
        if try_merge(&mut self.filter, &other) {
            for key in taken {
                *self.copies.entry(key).or_default() += 1;
            }
        }
    }

    fn holds_its_keys(&self) {
        for (&key, &copies) in &self.copies {
            let hash = self.hash(key);
            assert!(self.filter.contains_hash(hash), "key {key} is lost");
            if let Ok(count) = self.filter.count_hash(hash) {
                assert!(count.estimate >= copies || count.saturated, "{key}: {count:?}");
            }
        }
        // Filters that remove count every copy.
        if can(&self.filter).remove {
            assert_eq!(self.filter.len(), self.copies.values().sum());
        }
    }
}

/// Hashes that were inserted before one was refused.
fn done(error: &AnyError) -> usize {
    match error {
        AnyError::Batch(batch) => batch.done as usize,
        other => panic!("{other}"),
    }
}
