//! Iterators with lookahead: keys are drawn and looked up or inserted in groups, so that cache
//! misses overlap.

use super::{Filter, InsertFilter};
use crate::prefetch::BLOCK;
use crate::{BatchInsertError, KeyHash};
use alloc::boxed::Box;
use core::iter::{Fuse, FusedIterator};
use core::ops::Range;

/// A group of an iterator's hashes that are looked up together, each with its item.
struct Group<'f, F: ?Sized, I, T> {
    filter: &'f F,
    source: Fuse<I>,
    /// Number of hashes drawn for the next group. They are kept if the iterator panics.
    drawn: usize,
    hashes: [KeyHash; BLOCK],
    items: [Option<T>; BLOCK],
    answers: [bool; BLOCK],
}

impl<'f, F: Filter + ?Sized, I: Iterator<Item = (KeyHash, T)>, T> Group<'f, F, I, T> {
    // On the heap, so that loops can keep their position in the group in a register.
    fn new(filter: &'f F, source: I) -> Box<Self> {
        let (hashes, answers) = ([KeyHash::new(0); BLOCK], [false; BLOCK]);
        let items = [const { None }; BLOCK];
        Box::new(Self { filter, source: source.fuse(), drawn: 0, hashes, items, answers })
    }

    /// Draws a group and looks it up; returns its size.
    fn ask(&mut self) -> usize {
        draw(&mut self.source, &mut self.drawn, &mut self.hashes, &mut self.items);
        let (hashes, answers) = (&self.hashes[..self.drawn], &mut self.answers[..self.drawn]);
        if self.filter.contains_batch(hashes, answers).is_err() {
            // A third-party filter may return any error.
            for (answer, &hash) in answers.iter_mut().zip(hashes) {
                *answer = self.filter.contains_hash(hash);
            }
        }
        core::mem::take(&mut self.drawn)
    }

    /// Draws groups until one has items that are probably in, and moves these to the front; returns
    /// their number, 0 at the end.
    fn find(&mut self) -> usize {
        loop {
            let (asked, mut found) = (self.ask(), 0);
            for (i, &answer) in self.answers[..asked].iter().enumerate() {
                self.items.swap(found, i);
                found += usize::from(answer);
            }
            if found > 0 || asked == 0 {
                return found;
            }
        }
    }

    /// Bounds on the number of remaining hashes.
    fn size_hint(&self) -> (usize, Option<usize>) {
        let (least, most) = self.source.size_hint();
        (least.saturating_add(self.drawn), most.and_then(|most| most.checked_add(self.drawn)))
    }
}

/// Fills a group.
// A separate function, so that the compiler knows that the buffers do not overlap.
#[inline(never)]
fn draw<T>(
    source: &mut impl Iterator<Item = (KeyHash, T)>,
    drawn: &mut usize,
    hashes: &mut [KeyHash; BLOCK],
    items: &mut [Option<T>; BLOCK],
) {
    while *drawn < BLOCK {
        let Some((hash, item)) = source.next() else { return };
        (hashes[*drawn], items[*drawn]) = (hash, Some(item));
        *drawn += 1;
    }
}

/// Looks up the hashes of an iterator.
pub(crate) struct Answers<'f, F: ?Sized, I> {
    /// Indices in the group that have not been returned yet.
    left: Range<usize>,
    group: Box<Group<'f, F, I, ()>>,
}

impl<'f, F: Filter + ?Sized, I: Iterator<Item = (KeyHash, ())>> Answers<'f, F, I> {
    pub(crate) fn new(filter: &'f F, hashes: I) -> Self {
        Self { left: 0..0, group: Group::new(filter, hashes) }
    }
}

impl<F: Filter + ?Sized, I: Iterator<Item = (KeyHash, ())>> Iterator for Answers<'_, F, I> {
    type Item = bool;

    #[inline]
    fn next(&mut self) -> Option<bool> {
        if self.left.is_empty() {
            self.left = 0..self.group.ask();
        }
        Some(self.group.answers[self.left.next()?])
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let (least, most) = self.group.size_hint();
        let left = self.left.len();
        (least.saturating_add(left), most.and_then(|most| most.checked_add(left)))
    }

    #[inline]
    fn fold<A, G: FnMut(A, bool) -> A>(mut self, start: A, mut fold: G) -> A {
        let mut folded = start;
        loop {
            folded = self.group.answers[self.left].iter().copied().fold(folded, &mut fold);
            self.left = 0..self.group.ask();
            if self.left.is_empty() {
                return folded;
            }
        }
    }
}

impl<F: Filter + ?Sized, I: Iterator<Item = (KeyHash, ())>> FusedIterator for Answers<'_, F, I> {}

/// Returns the items of hashes that are probably in the filter.
pub(crate) struct Found<'f, F: ?Sized, I, T> {
    /// Indices in the group that have not been returned yet.
    left: Range<usize>,
    group: Box<Group<'f, F, I, T>>,
}

impl<'f, F: Filter + ?Sized, I: Iterator<Item = (KeyHash, T)>, T> Found<'f, F, I, T> {
    pub(crate) fn new(filter: &'f F, hashes: I) -> Self {
        Self { left: 0..0, group: Group::new(filter, hashes) }
    }
}

impl<F: Filter + ?Sized, I: Iterator<Item = (KeyHash, T)>, T> Iterator for Found<'_, F, I, T> {
    type Item = T;

    #[inline]
    fn next(&mut self) -> Option<T> {
        if self.left.is_empty() {
            self.left = 0..self.group.find();
        }
        self.group.items[self.left.next()?].take()
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let (left, most) = (self.left.len(), self.group.size_hint().1);
        (left, most.and_then(|most| most.checked_add(left)))
    }
}

impl<F: Filter + ?Sized, I: Iterator<Item = (KeyHash, T)>, T> FusedIterator for Found<'_, F, I, T> {}

/// Inserts all hashes of an iterator; if it panics, those already drawn.
pub(crate) fn insert_all<F: InsertFilter + ?Sized>(
    filter: &mut F,
    hashes: impl Iterator<Item = KeyHash>,
) -> Result<u64, BatchInsertError> {
    let (room, mut items) = ([KeyHash::new(0); BLOCK], [None; BLOCK]);
    let mut group = Inserting { filter, hashes: room, drawn: 0, done: 0, new: 0 };
    let mut source = hashes.map(|hash| (hash, ())).fuse();
    loop {
        draw(&mut source, &mut group.drawn, &mut group.hashes, &mut items);
        if group.drawn == 0 {
            return Ok(group.new);
        }
        group.insert()?;
    }
}

/// Hashes that have been drawn and not inserted yet.
struct Inserting<'f, F: InsertFilter + ?Sized> {
    filter: &'f mut F,
    hashes: [KeyHash; BLOCK],
    drawn: usize,
    /// The number of hashes inserted, and how many of them were new.
    done: u64,
    new: u64,
}

impl<F: InsertFilter + ?Sized> Inserting<'_, F> {
    fn insert(&mut self) -> Result<(), BatchInsertError> {
        let drawn = core::mem::take(&mut self.drawn);
        let inserted = self.filter.insert_batch(&self.hashes[..drawn]);
        // A third-party filter may return any number.
        let new = inserted.map_err(|refused| refused.after(self.done))?;
        self.new = self.new.saturating_add(new);
        self.done = self.done.saturating_add(drawn as u64);
        Ok(())
    }
}

impl<F: InsertFilter + ?Sized> Drop for Inserting<'_, F> {
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

    /// Contains the even keys below 1,000,000, and inserted keys, at most 2,000.
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

    /// Panics once instead of returning key 200, and ends once before 300.
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
            // `fold` processes whole groups.
            let mut answers = filter.contains_iter(0..n);
            let mut all: Vec<bool> = answers.by_ref().take(5).collect();
            answers.for_each(|answer| all.push(answer));
            assert!(all.into_iter().eq((0..n).map(is_in)), "{n}");
        }
        // Also with infinitely many keys, and through a trait object.
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
        while found.next().is_some() {
            let (least, most) = found.size_hint();
            assert!(most.is_some_and(|most| least <= most && most < 300));
        }
        assert_eq!(found.size_hint(), (0, Some(0)));
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
        // The error is that of the first refused key.
        let refused = filter.try_extend(300..9000u64).unwrap_err();
        assert_eq!((refused.done, filter.len()), (1700, 2000));
    }
}
