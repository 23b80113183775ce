//! Iterators that look ahead: keys are drawn and answered or inserted in groups, so that the waits
//! for memory overlap.

use super::{Filter, InsertFilter};
use crate::prefetch::BLOCK;
use crate::{BatchInsertError, KeyHash};
use alloc::collections::VecDeque;
use core::iter::{Fuse, FusedIterator};

/// Answers for the hashes of an iterator, each with what comes with it.
pub(crate) struct Lookahead<'f, F: ?Sized, I, T> {
    filter: &'f F,
    hashes: Fuse<I>,
    /// What came with the hashes that were drawn and are not yet given out.
    items: VecDeque<T>,
    /// The hashes drawn for the next group. They stay if the iterator panics.
    group: [KeyHash; BLOCK],
    drawn: usize,
    /// The answers for the group before, and which of them are not yet given out.
    answers: [bool; BLOCK],
    left: core::ops::Range<usize>,
}

impl<'f, F: Filter + ?Sized, I: Iterator<Item = (KeyHash, T)>, T> Lookahead<'f, F, I, T> {
    pub(crate) fn new(filter: &'f F, hashes: I) -> Self {
        let (group, answers) = ([KeyHash::new(0); BLOCK], [false; BLOCK]);
        let hashes = hashes.fuse();
        Self { filter, hashes, items: VecDeque::new(), group, drawn: 0, answers, left: 0..0 }
    }

    /// Draws a group and asks for it; false if there are no more hashes.
    fn ask(&mut self) -> bool {
        while self.drawn < BLOCK {
            let Some((hash, item)) = self.hashes.next() else { break };
            self.items.push_back(item);
            self.group[self.drawn] = hash;
            self.drawn += 1;
        }
        let group = &self.group[..self.drawn];
        let answers = &mut self.answers[..self.drawn];
        if self.filter.contains_batch(group, answers).is_err() {
            // A filter of a third party may refuse anything.
            for (answer, &hash) in answers.iter_mut().zip(group) {
                *answer = self.filter.contains_hash(hash);
            }
        }
        self.left = 0..core::mem::take(&mut self.drawn);
        !self.left.is_empty()
    }
}

impl<F: Filter + ?Sized, I: Iterator<Item = (KeyHash, T)>, T> Iterator for Lookahead<'_, F, I, T> {
    type Item = (bool, T);

    #[inline]
    fn next(&mut self) -> Option<(bool, T)> {
        if self.left.is_empty() && !self.ask() {
            return None;
        }
        let answer = self.answers[self.left.next()?];
        self.items.pop_front().map(|item| (answer, item))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let (least, most) = self.hashes.size_hint();
        let held = self.items.len();
        (least.saturating_add(held), most.and_then(|most| most.checked_add(held)))
    }
}

impl<F: Filter + ?Sized, I: Iterator<Item = (KeyHash, T)>, T> FusedIterator
    for Lookahead<'_, F, I, T>
{
}

/// Inserts all hashes of an iterator, and those that were drawn before it panics.
pub(crate) fn insert_all<F: InsertFilter + ?Sized>(
    filter: &mut F,
    hashes: impl Iterator<Item = KeyHash>,
) -> Result<u64, BatchInsertError> {
    let mut group = Group { filter, hashes: [KeyHash::new(0); BLOCK], drawn: 0, done: 0, new: 0 };
    for hash in hashes {
        group.hashes[group.drawn] = hash;
        group.drawn += 1;
        if group.drawn == BLOCK {
            group.insert()?;
        }
    }
    group.insert()?;
    Ok(group.new)
}

/// Hashes that were drawn and are to be inserted.
struct Group<'f, F: InsertFilter + ?Sized> {
    filter: &'f mut F,
    hashes: [KeyHash; BLOCK],
    drawn: usize,
    /// The number of hashes inserted, and of those that were new.
    done: u64,
    new: u64,
}

impl<F: InsertFilter + ?Sized> Group<'_, F> {
    fn insert(&mut self) -> Result<(), BatchInsertError> {
        let drawn = core::mem::take(&mut self.drawn);
        let inserted = self.filter.insert_batch(&self.hashes[..drawn]);
        // A filter of a third party may claim any number.
        let new = inserted.map_err(|refused| refused.after(self.done))?;
        self.new = self.new.saturating_add(new);
        self.done = self.done.saturating_add(drawn as u64);
        Ok(())
    }
}

impl<F: InsertFilter + ?Sized> Drop for Group<'_, F> {
    fn drop(&mut self) {
        if self.drawn > 0 {
            let _ = self.insert();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{FilterExt, FilterKind, InsertError, InsertExt, Inserted, Key, LengthMismatch};
    use alloc::vec::Vec;
    use std::boxed::Box;
    use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

    /// The keys below 1,000,000 that are even, or that were inserted; it takes 2,000.
    #[derive(Default)]
    struct Even(Vec<KeyHash>);

    impl Filter for Even {
        fn kind(&self) -> FilterKind {
            FilterKind::Other("even")
        }
        fn seed(&self) -> u64 {
            7
        }
        fn len(&self) -> u64 {
            self.0.len() as u64
        }
        fn capacity(&self) -> u64 {
            0
        }
        fn size_in_bytes(&self) -> u64 {
            0
        }
        fn expected_fpr(&self) -> f64 {
            0.0
        }
        fn load_factor(&self) -> f64 {
            0.0
        }
        fn contains_hash(&self, hash: KeyHash) -> bool {
            hash.get().is_multiple_of(2)
        }
        fn contains_batch(
            &self,
            hashes: &[KeyHash],
            to: &mut [bool],
        ) -> Result<(), LengthMismatch> {
            LengthMismatch::check(hashes.len(), to.len())?;
            assert!(hashes.len() <= BLOCK);
            to.iter_mut().zip(hashes).for_each(|(to, &hash)| *to = self.contains_hash(hash));
            Ok(())
        }
    }

    impl InsertFilter for Even {
        fn insert_hash(&mut self, hash: KeyHash) -> Result<Inserted, InsertError> {
            if self.0.len() == 2000 {
                return Err(InsertError::Visited);
            }
            self.0.push(hash);
            Ok(Inserted::New)
        }
    }

    fn is_in(key: u64) -> bool {
        key.key_hash(7).get().is_multiple_of(2)
    }

    /// Panics instead of giving the key 200, once, and ends before 300, once.
    fn odd_keys() -> impl Iterator<Item = u64> {
        let (mut next, mut panicked, mut ended) = (0, false, false);
        core::iter::from_fn(move || {
            if next == 200 && !core::mem::replace(&mut panicked, true) {
                resume_unwind(Box::new("as planned"));
            }
            if next == 300 && !core::mem::replace(&mut ended, true) {
                return None;
            }
            next += 1;
            Some(next - 1)
        })
    }

    #[test]
    fn answers_come_in_the_order_of_the_keys_whatever_their_number() {
        let filter = Even::default();
        for n in [0, 1, 127, 128, 129, 1000] {
            assert!(filter.contains_iter(0..n).eq((0..n).map(is_in)), "{n}");
            assert!(filter.filter_keys(0..n).eq((0..n).filter(|&key| is_in(key))), "{n}");
        }
        // Also of keys without end, and through an object.
        let filter: &dyn Filter = &filter;
        assert!(filter.contains_iter(0u64..).take(300).eq((0..300).map(is_in)));
    }

    #[test]
    fn sizes_are_those_of_the_keys_left() {
        let filter = Even::default();
        let mut answers = filter.contains_iter(0..300u64);
        for left in (0..=300).rev() {
            assert_eq!(answers.size_hint(), (left, Some(left)));
            assert_eq!(answers.next().is_some(), left > 0);
        }
        let mut found = filter.filter_keys(0..300u64);
        assert_eq!(found.size_hint(), (0, Some(300)));
        found.next();
        assert!(found.size_hint().1.is_some_and(|most| most < 300));
        assert_eq!(filter.contains_iter(0u64..).size_hint().1, None);
    }

    #[test]
    fn no_key_is_lost_by_a_panic_and_none_comes_after_the_end() {
        let filter = Even::default();
        let mut found = filter.filter_keys(odd_keys());
        let mut all = Vec::new();
        let mut panics = 0;
        loop {
            match catch_unwind(AssertUnwindSafe(|| found.next())) {
                Ok(Some(key)) => all.push(key),
                Ok(None) => break,
                Err(_) => panics += 1,
            }
        }
        assert_eq!((panics, found.next()), (1, None));
        assert!(all.into_iter().eq((0..300).filter(|&key| is_in(key))));
    }

    #[test]
    fn all_keys_that_were_drawn_are_inserted() {
        let mut filter = Even::default();
        let mut keys = odd_keys();
        let extended = catch_unwind(AssertUnwindSafe(|| filter.try_extend(&mut keys)));
        assert!(extended.is_err());
        assert!(filter.0.iter().copied().eq((0..200u64).map(|key| key.key_hash(7))));
        assert_eq!(filter.try_extend(keys), Ok(100));
        assert_eq!(filter.len(), 300);
        // A refusal is that of the first key refused.
        let refused = filter.try_extend(300..9000u64).unwrap_err();
        assert_eq!((refused.done, filter.len()), (1700, 2000));
    }
}
