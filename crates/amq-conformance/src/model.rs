//! The model: random sequences of operations, applied both to a filter and to a plain map of
//! copies.
//!
//! The generator's seed is fixed, so the sequences are always the same. The shortest are first, so
//! that a failure that needs few operations is reported with few.

use crate::abilities::Abilities;
use crate::fail::OrFail;
use crate::fill::insert_singly;
use amq_core::index::{index, remix};
use amq_core::{Budget, EmptyFilter, Goal, Inserted, Key, KeyHash, MergeError};
use std::collections::BTreeMap;

/// Keys are small numbers, so that they repeat often. Their number is odd, to cover the remainder
/// of a batch.
const KEYS: u8 = 47;

/// How many sequences are tried, and how many operations the longest has.
const SEQUENCES: u64 = 400;
const LONGEST: u64 = 40;

/// Inserts, batches, clears and every other ability, in any order, agree with the model.
pub fn any_sequence_agrees_with_the_model<F>(abilities: &Abilities<F>)
where
    F: EmptyFilter + Clone + PartialEq,
{
    // From filters that soon overfill or refuse to roomy ones, at rates where false positives are
    // common.
    let small = [1, 5, 40].into_iter().flat_map(|keys| [(keys, 0.5), (keys, 0.1)]);
    let large = [300, 2000].into_iter().flat_map(|keys| [(keys, 0.1), (keys, 1e-3)]);
    let goals: Vec<(u64, f64)> = small.chain(large).collect();
    let mut dice = Dice(0);
    for sequence in 0..SEQUENCES {
        let (keys, fpr) = goals[dice.below(goals.len() as u64) as usize];
        let seed = [0, 1, u64::MAX][dice.below(3) as usize];
        let steps = dice.steps(sequence * LONGEST / SEQUENCES + 1, abilities);
        play(abilities, Goal::fpr(keys, fpr), seed, &steps);
    }
}

#[derive(Clone, PartialEq, Debug)]
enum Step {
    Insert(u8),
    InsertBatch(Vec<u8>),
    InsertUnique(u8),
    Clear,
    Remove(u8),
    Merge(Vec<u8>),
    Truncate,
}

/// A random sequence of numbers.
struct Dice(u64);

impl Dice {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 += 1;
        index(remix(self.0, 1), bound)
    }

    fn key(&mut self) -> u8 {
        self.below(KEYS.into()) as u8
    }

    fn keys(&mut self, fewer_than: u64) -> Vec<u8> {
        (0..self.below(fewer_than)).map(|_| self.key()).collect()
    }

    fn steps<F>(&mut self, number: u64, abilities: &Abilities<F>) -> Vec<Step> {
        let mut steps = Vec::new();
        while steps.len() < number as usize {
            steps.push(match self.below(31) {
                0..8 => Step::Insert(self.key()),
                8..11 => Step::InsertBatch(self.keys(70)),
                11..19 => Step::InsertUnique(self.key()),
                19 => Step::Clear,
                20..22 if abilities.merge.is_some() => Step::Merge(self.keys(20)),
                22..30 if abilities.remove.is_some() => Step::Remove(self.key()),
                30 if abilities.truncate.is_some() => Step::Truncate,
                _ => continue,
            });
        }
        steps
    }
}

/// The filter and its expected contents.
struct Game<'a, F> {
    abilities: &'a Abilities<F>,
    filter: F,
    /// Copies of each key.
    copies: BTreeMap<u8, u64>,
    /// The expected `len`.
    len: u64,
    seed: u64,
    /// Goal, seed and operations, for the text of a failure.
    played: (Goal, u64, &'a [Step]),
}

fn play<'a, F>(abilities: &'a Abilities<F>, goal: Goal, seed: u64, steps: &'a [Step])
where
    F: EmptyFilter + Clone + PartialEq,
{
    let empty = F::empty(goal, seed).or_fail(format_args!("an empty filter for {goal:?}"));
    let (filter, copies) = (empty.clone(), BTreeMap::new());
    let mut game = Game { abilities, filter, copies, len: 0, seed, played: (goal, seed, steps) };
    for (i, step) in steps.iter().enumerate() {
        game.played.2 = &steps[..=i];
        match step {
            Step::Insert(key) => game.insert(*key),
            Step::InsertBatch(keys) => game.insert_batch(keys),
            Step::InsertUnique(key) => game.insert_unique(*key),
            Step::Remove(key) => game.remove(*key),
            Step::Merge(keys) => game.merge(&empty, keys),
            Step::Truncate => game.truncate(),
            Step::Clear => {
                game.filter.clear();
                (game.copies, game.len) = (BTreeMap::new(), 0);
            }
        }
        game.check();
    }
}

impl<F: EmptyFilter + Clone + PartialEq> Game<'_, F> {
    fn hash(&self, key: u8) -> KeyHash {
        key.key_hash(self.seed)
    }

    /// Filters that remove hold every copy; the others count new keys only.
    fn took(&mut self, key: u8, new: bool) {
        *self.copies.entry(key).or_default() += 1;
        self.len += u64::from(new || self.abilities.remove.is_some());
    }

    fn unchanged(&self, before: &F, by: &str) {
        assert!(self.filter == *before, "changed by {by}: {:?}", self.played);
    }

    fn insert(&mut self, key: u8) {
        let (hash, before) = (self.hash(key), self.filter.clone());
        match insert_singly(&mut self.filter, &[hash], &mut [false], &self.played) {
            Ok(new) => self.took(key, new == 1),
            Err(_) => self.unchanged(&before, "an insert that was refused"),
        }
    }

    /// A skipped key is not a copy in the model: it is never removed, and may be denied later. A
    /// `New` one is a copy like any other, and found until it is removed.
    fn insert_unique(&mut self, key: u8) {
        let (hash, before) = (self.hash(key), self.filter.clone());
        let wanted = Inserted::from_change(!before.contains_hash(hash));
        let inserted = self.filter.insert_unique_hash(hash);
        if inserted == Ok(Inserted::New) {
            self.took(key, true);
        } else {
            self.unchanged(&before, "an insert_unique of what is there, or that was refused");
        }
        let right = inserted.is_err() || inserted == Ok(wanted);
        assert!(right, "insert_unique: {inserted:?}, not {wanted:?}: {:?}", self.played);
    }

    /// A batch equals single inserts.
    fn insert_batch(&mut self, keys: &[u8]) {
        let hashes: Vec<KeyHash> = keys.iter().map(|&key| self.hash(key)).collect();
        let (mut singly, mut new) = (self.filter.clone(), vec![false; keys.len()]);
        let wanted = insert_singly(&mut singly, &hashes, &mut new, &self.played);
        let done = wanted.map_or_else(|full| full.done as usize, |_| keys.len());
        for (&key, new) in keys[..done].iter().zip(new) {
            self.took(key, new);
        }
        assert_eq!(self.filter.insert_batch(&hashes), wanted, "a batch: {:?}", self.played);
        self.unchanged(&singly, "a batch instead of single inserts");
    }

    fn remove(&mut self, key: u8) {
        let Some(remove) = self.abilities.remove else { return };
        let hash = self.hash(key);
        if let Some(copies) = self.copies.get_mut(&key) {
            *copies -= 1;
            if *copies == 0 {
                self.copies.remove(&key);
            }
            self.len -= 1;
            assert!(remove(&mut self.filter, hash), "a present key stays: {:?}", self.played);
        } else if !self.filter.contains_hash(hash) {
            let before = self.filter.clone();
            assert!(!remove(&mut self.filter, hash), "an absent key goes: {:?}", self.played);
            self.unchanged(&before, "removing an absent key");
        }
        // A false positive must not be removed: that would take another key's fingerprint.
    }

    fn merge(&mut self, empty: &F, keys: &[u8]) {
        let Some(merge) = self.abilities.merge else { return };
        let mut other = empty.clone();
        let taken = |&&key: &&u8| other.insert_hash(self.hash(key)).is_ok();
        let taken: Vec<u8> = keys.iter().filter(taken).copied().collect();
        let before = self.filter.clone();
        match merge(&mut self.filter, &other) {
            Ok(()) => {
                self.len += other.len();
                for key in taken {
                    *self.copies.entry(key).or_default() += 1;
                }
            }
            Err(MergeError::Insert(_) | MergeError::Keys { .. } | MergeError::Rate { .. }) => {
                self.unchanged(&before, "a merge that was refused");
            }
            Err(error) => panic!("a merge of filters made alike: {error}: {:?}", self.played),
        }
    }

    /// To a somewhat higher rate, if there is one.
    fn truncate(&mut self) {
        let Some(truncate) = self.abilities.truncate else { return };
        let before = self.filter.clone();
        if truncate(&mut self.filter, Budget::Fpr(1.5 * before.expected_fpr())).is_err() {
            self.unchanged(&before, "a truncation that was refused");
        }
    }

    fn check(&self) {
        let hashes: Vec<KeyHash> = (0..KEYS).map(|key| self.hash(key)).collect();
        let mut answers = vec![false; hashes.len()];
        self.filter.contains_batch(&hashes, &mut answers).or_fail("a batch of queries");
        for ((key, &hash), answer) in (0..KEYS).zip(&hashes).zip(answers) {
            let alone = self.filter.contains_hash(hash);
            assert_eq!(answer, alone, "answer for key {key} in a batch: {:?}", self.played);
            let copies = self.copies.get(&key).copied().unwrap_or(0);
            assert!(copies == 0 || alone, "false negative, key {key}: {:?}", self.played);
            if let Some(count) = self.abilities.count.map(|count| count(&self.filter, hash)) {
                let enough = count.estimate >= copies || count.saturated;
                assert!(enough, "{count:?} of {copies} copies of key {key}: {:?}", self.played);
            }
        }
        let held = (self.filter.len(), self.filter.is_empty());
        assert_eq!(held, (self.len, self.len == 0), "len: {:?}", self.played);
    }
}
