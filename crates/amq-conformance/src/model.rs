//! The model: random sequences of operations, applied both to a filter and to a plain map of
//! copies.
//!
//! The generator's seed is fixed, so the sequences are always the same. A sequence that breaks a
//! law is shrunk before it is reported.

use crate::violation::{Verdict, Violation, ensure, same, unchanged};
use amq_core::{
    Budget, Count, CountFilter, EmptyFilter, Goal, Key, KeyHash, MergeError, MergeFilter,
    RemoveFilter, TruncateError, TruncateFilter,
};
use proptest::collection::vec;
use proptest::prelude::{BoxedStrategy, Just, Strategy, prop_oneof};
use proptest::sample::select;
use proptest::strategy::Union;
use proptest::test_runner::{Config, RngAlgorithm, TestCaseError, TestError, TestRng, TestRunner};
use std::collections::BTreeMap;

/// Keys are small numbers, so that they repeat often. Their number is odd, to cover the remainder
/// of a batch.
const KEYS: u8 = 47;

type Remove<F> = fn(&mut F, KeyHash) -> bool;
type Merge<F> = fn(&mut F, &F) -> Result<(), MergeError>;
type Truncate<F> = fn(&mut F, Budget) -> Result<(), TruncateError>;
type CountOf<F> = fn(&F, KeyHash) -> Count;

/// A filter's abilities, named as in [`suite!`](crate::suite):
/// `Abilities::empty().merge().remove()`.
#[derive(Clone, Copy, Debug)]
pub struct Abilities<F> {
    remove: Option<Remove<F>>,
    merge: Option<Merge<F>>,
    count: Option<CountOf<F>>,
    truncate: Option<Truncate<F>>,
}

impl<F: EmptyFilter> Abilities<F> {
    /// Starts empty and takes keys.
    pub const fn empty() -> Self {
        Self { remove: None, merge: None, count: None, truncate: None }
    }

    /// Can also be built at once, which is not a move in this game.
    #[must_use]
    pub const fn build(self) -> Self {
        self
    }

    /// Also grows, which no move asks for.
    #[must_use]
    pub const fn grow(self) -> Self {
        self
    }

    /// Can also be stored, which is no move either.
    pub const fn file(self) -> Self {
        self
    }
}

impl<F: RemoveFilter> Abilities<F> {
    /// Can also remove keys; it then holds every copy of a key, and `len` counts them.
    #[must_use]
    pub fn remove(self) -> Self {
        Self { remove: Some(F::remove_hash), ..self }
    }
}

impl<F: MergeFilter> Abilities<F> {
    /// Can also merge another filter.
    #[must_use]
    pub fn merge(self) -> Self {
        Self { merge: Some(F::merge), ..self }
    }
}

impl<F: CountFilter> Abilities<F> {
    /// Can also count copies.
    #[must_use]
    pub fn count(self) -> Self {
        Self { count: Some(F::count_hash), ..self }
    }
}

impl<F: TruncateFilter> Abilities<F> {
    /// Can also be truncated.
    #[must_use]
    pub fn truncate(self) -> Self {
        Self { truncate: Some(F::truncate), ..self }
    }
}

/// Inserts, batches, clears and every other ability, in any order, agree with the model.
pub fn any_sequence_agrees_with_the_model<F>(abilities: Abilities<F>) -> Verdict
where
    F: EmptyFilter + Clone + PartialEq,
{
    let Abilities { remove, merge, truncate, .. } = &abilities;
    let steps = steps(remove.is_some(), merge.is_some(), truncate.is_some());
    any_sequence(steps, &|goal, seed, steps| play(&abilities, goal, seed, steps))
}

/// Plays one sequence on a filter for this goal, with this seed.
type Play<'a> = dyn Fn(Goal, u64, &[Step]) -> Verdict + 'a;

/// Any sequence of such steps ends well. (Not generic, since what makes, runs and shrinks sequences
/// is large.)
fn any_sequence(steps: BoxedStrategy<Vec<Step>>, play: &Play<'_>) -> Verdict {
    let config = Config { cases: 400, failure_persistence: None, ..Config::default() };
    let rng = TestRng::deterministic_rng(RngAlgorithm::ChaCha);
    let mut runner = TestRunner::new_with_rng(config, rng);
    // From filters that soon overfill or refuse to roomy ones, at rates where false positives are
    // common.
    let goals = prop_oneof![
        (select(vec![1u64, 5, 40]), select(vec![0.5, 0.1])),
        (select(vec![300u64, 2000]), select(vec![0.1, 1e-3])),
    ];
    let cases = (goals, select(vec![0u64, 1, u64::MAX]), steps);
    runner
        .run(&cases, |((keys, fpr), seed, steps)| {
            play(Goal::fpr(keys, fpr), seed, &steps)
                .map_err(|violation| TestCaseError::fail(violation.to_string()))
        })
        .map_err(|error| match error {
            TestError::Fail(reason, ((keys, fpr), seed, steps)) => Violation::Sequence {
                steps: format!("{steps:?} on a filter for {keys} keys at {fpr}, seed {seed}"),
                violation: reason.message().to_owned(),
            },
            TestError::Abort(reason) => Violation::Sequence {
                steps: "no sequence".to_owned(),
                violation: reason.message().to_owned(),
            },
        })
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

fn steps(remove: bool, merge: bool, truncate: bool) -> BoxedStrategy<Vec<Step>> {
    let mut steps: Vec<(u32, _)> = vec![
        (8, (0..KEYS).prop_map(Step::Insert).boxed()),
        (3, vec(0..KEYS, 0..70).prop_map(Step::InsertBatch).boxed()),
        (8, (0..KEYS).prop_map(Step::InsertUnique).boxed()),
        (1, Just(Step::Clear).boxed()),
    ];
    if remove {
        steps.push((8, (0..KEYS).prop_map(Step::Remove).boxed()));
    }
    if merge {
        steps.push((2, vec(0..KEYS, 0..20).prop_map(Step::Merge).boxed()));
    }
    if truncate {
        steps.push((1, Just(Step::Truncate).boxed()));
    }
    vec(Union::new_weighted(steps), 0..40).boxed()
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
}

fn play<F>(abilities: &Abilities<F>, goal: Goal, seed: u64, steps: &[Step]) -> Verdict
where
    F: EmptyFilter + Clone + PartialEq,
{
    let empty = F::empty(goal, seed)
        .map_err(Violation::refused(format!("an empty filter for {goal:?}")))?;
    let mut game = Game { abilities, filter: empty.clone(), copies: BTreeMap::new(), len: 0, seed };
    for step in steps {
        match step {
            Step::Insert(key) => game.insert(*key)?,
            Step::InsertBatch(keys) => game.insert_batch(keys)?,
            Step::InsertUnique(key) => game.insert_unique(*key)?,
            Step::Remove(key) => game.remove(*key)?,
            Step::Merge(keys) => game.merge(&empty, keys)?,
            Step::Truncate => game.truncate()?,
            Step::Clear => {
                game.filter.clear();
                game.copies.clear();
                game.len = 0;
            }
        }
        game.check()?;
    }
    Ok(())
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

    fn insert(&mut self, key: u8) -> Verdict {
        let hash = self.hash(key);
        let there = self.filter.contains_hash(hash);
        let before = self.filter.clone();
        match self.filter.insert_hash(hash) {
            Ok(inserted) => {
                same("New from an insert", inserted.is_new(), !there)?;
                self.took(key, inserted.is_new());
                Ok(())
            }
            Err(_) => unchanged(&self.filter, &before, "an insert that was refused"),
        }
    }

    /// A key that is skipped is no copy of the model's, so it is never removed, and may be denied
    /// later. One that is `New` is a copy as any other: it is found until it is removed.
    fn insert_unique(&mut self, key: u8) -> Verdict {
        let hash = self.hash(key);
        let there = self.filter.contains_hash(hash);
        let before = self.filter.clone();
        match self.filter.insert_unique_hash(hash) {
            Ok(inserted) => {
                same("New from insert_unique", inserted.is_new(), !there)?;
                if there {
                    return unchanged(&self.filter, &before, "insert_unique of what is there");
                }
                self.took(key, true);
                Ok(())
            }
            Err(_) => unchanged(&self.filter, &before, "an insert_unique that was refused"),
        }
    }

    /// A batch equals its inserts, one after another.
    fn insert_batch(&mut self, keys: &[u8]) -> Verdict {
        let hashes: Vec<KeyHash> = keys.iter().map(|&key| self.hash(key)).collect();
        let mut singly = self.filter.clone();
        let result = self.filter.insert_batch(&hashes);
        let mut counted = 0;
        for (i, (&key, &hash)) in keys.iter().zip(&hashes).enumerate() {
            match (singly.insert_hash(hash), result) {
                (Ok(inserted), _) => {
                    counted += u64::from(inserted.is_new());
                    self.took(key, inserted.is_new());
                }
                (Err(full), Err(batch)) => {
                    same("keys of a batch before its refusal", batch.done, i as u64)?;
                    same("why a batch was refused", batch.error, full)?;
                    break;
                }
                (Err(full), Ok(_)) => {
                    return Err(Violation::Accepted {
                        what: format!("a batch whose key {i} alone is refused: {full}"),
                    });
                }
            }
        }
        if let Ok(new) = result {
            same("New in a batch", new, counted)?;
        }
        ensure(
            self.filter == singly,
            "the filter after a batch",
            "differs",
            "as after single inserts",
        )
    }

    fn remove(&mut self, key: u8) -> Verdict {
        let Some(remove) = self.abilities.remove else {
            return Ok(());
        };
        let hash = self.hash(key);
        match self.copies.get_mut(&key) {
            Some(copies) => {
                *copies -= 1;
                if *copies == 0 {
                    self.copies.remove(&key);
                }
                self.len -= 1;
                same("removing a present key", remove(&mut self.filter, hash), true)
            }
            // A false positive must not be removed: that would take another key's fingerprint.
            None if self.filter.contains_hash(hash) => Ok(()),
            None => {
                let before = self.filter.clone();
                same("removing an absent key", remove(&mut self.filter, hash), false)?;
                unchanged(&self.filter, &before, "removing an absent key")
            }
        }
    }

    fn merge(&mut self, empty: &F, keys: &[u8]) -> Verdict {
        let Some(merge) = self.abilities.merge else {
            return Ok(());
        };
        let mut other = empty.clone();
        let mut put_in = Vec::new();
        for &key in keys {
            if other.insert_hash(self.hash(key)).is_ok() {
                put_in.push(key);
            }
        }
        let before = self.filter.clone();
        match merge(&mut self.filter, &other) {
            Ok(()) => {
                self.len += other.len();
                for key in put_in {
                    *self.copies.entry(key).or_default() += 1;
                }
                Ok(())
            }
            Err(MergeError::Insert(_) | MergeError::Keys { .. } | MergeError::Rate { .. }) => {
                unchanged(&self.filter, &before, "a merge that was refused")
            }
            Err(error) => Err(Violation::refused("a merge of filters made alike")(error)),
        }
    }

    /// To a somewhat higher rate, if there is one.
    fn truncate(&mut self) -> Verdict {
        let Some(truncate) = self.abilities.truncate else {
            return Ok(());
        };
        let before = self.filter.clone();
        match truncate(&mut self.filter, Budget::Fpr(1.5 * before.expected_fpr())) {
            Ok(()) => Ok(()),
            Err(_) => unchanged(&self.filter, &before, "a truncation that was refused"),
        }
    }

    fn check(&self) -> Verdict {
        let hashes: Vec<KeyHash> = (0..KEYS).map(|key| self.hash(key)).collect();
        let mut answers = vec![false; hashes.len()];
        self.filter
            .contains_batch(&hashes, &mut answers)
            .map_err(Violation::refused("a batch of queries"))?;
        for ((key, &hash), answer) in (0..KEYS).zip(&hashes).zip(answers) {
            let alone = self.filter.contains_hash(hash);
            let copies = self.copies.get(&key).copied().unwrap_or(0);
            if copies > 0 && !alone {
                return Err(Violation::Lost {
                    what: format!("key {key}, present in {copies} copies"),
                });
            }
            if let Some(count) = self.abilities.count.map(|count| count(&self.filter, hash)) {
                let enough = count.estimate >= copies || count.saturated;
                ensure(
                    enough,
                    format_args!("count of key {key}"),
                    count,
                    format_args!("{copies} or more"),
                )?;
            }
            same(format_args!("answer for key {key} in a batch"), answer, alone)?;
        }
        same("len", self.filter.len(), self.len)?;
        same("is_empty", self.filter.is_empty(), self.len == 0)
    }
}
