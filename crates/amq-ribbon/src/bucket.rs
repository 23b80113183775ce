//! Eliminates the keys of a bucket together, slot by slot.
//!
//! One by one (see [`banding`](crate::banding)), each step of a key waits for the one before. Here
//! all keys take their steps together, from left to right:
//!
//! ```text
//!   slot 7 is taken    its equation is added to every key that has a coefficient there
//!   slot 7 is free     the first key in order that has a coefficient there takes it,
//!                      and is added to all others that have one
//! ```
//!
//! Either way, a key is only added to keys after it in order, so the same keys vanish, and the same
//! slots are taken, as one by one. But the keys of a step are independent: a vector holds several,
//! with no searches and no mispredicted branches.
//!
//! A bucket's order is from right to left. So the keys at a slot form a stack: those that start
//! there are first in order, and are pushed on top.

use crate::banding::Equation;
use crate::memory::at_least;
use crate::row::{BITS, BUCKET};
use alloc::vec::Vec;
use amq_core::BuildError;
use amq_core::internal::reserve;

/// Keys per vector step.
const EIGHT: usize = 8;
/// Keys pushed at once, whether or not they start at the slot: more than four start there at one
/// slot in two hundred.
const PUSHED: usize = 4;
/// Keys on top of the stack that are examined at once: enough for fifteen slots in sixteen.
const TOP: usize = 4;
/// In place of a start, if no key took the slot.
const NONE: u32 = u32::MAX;

/// Equations as a struct of arrays, for vectors.
#[derive(Default, Debug)]
struct Equations {
    /// The coefficients. The lowest is that of the current slot.
    rows: Vec<u64>,
    /// The result, with the start in the upper 32 bits.
    rest: Vec<u64>,
}

impl Equations {
    fn make_room(&mut self, equations: u64) -> Result<(), BuildError> {
        at_least(&mut self.rows, equations)?;
        at_least(&mut self.rest, equations)
    }
}

/// The keys of a bucket.
#[derive(Default, Debug)]
pub(crate) struct Bucket {
    /// All keys, sorted by start; and for each start, how many keys start there or before.
    waiting: Equations,
    started: Vec<u32>,
    /// The keys that have started and have no slot yet, above eight zero rows.
    stack: Equations,
    /// The end of the stack.
    end: usize,
    /// For each slot of the bucket's rows, the start of the key that took it.
    owners: Vec<u32>,
}

impl Bucket {
    /// Makes room for this many keys.
    pub(crate) fn make_room(&mut self, keys: usize) -> Result<(), BuildError> {
        // Pushes and steps of eight may run past the last key.
        let room = (keys + 3 * EIGHT) as u64;
        if room <= self.stack.rest.len() as u64 {
            return Ok(());
        }
        self.waiting.make_room(room)?;
        self.stack.make_room(room)?;
        self.started.clear();
        reserve(&mut self.started, BUCKET)?;
        self.owners.clear();
        reserve(&mut self.owners, BUCKET + BITS)
    }

    /// Eliminates keys. Their starts are counted from the bucket's first slot, where the rows and
    /// results of the banding begin; they end where the last key's row may end.
    #[inline(always)]
    pub(crate) fn eliminate(
        &mut self,
        keys: impl Iterator<Item = Equation> + Clone,
        (rows, results): (&mut [u64], &mut [u32]),
    ) {
        self.sort_by_start(keys);
        self.owners.clear();
        self.owners.resize(rows.len(), NONE);
        let mut slots = rows.iter_mut().zip(results).zip(&mut self.owners);
        let (waiting, stack) = (&self.waiting, &mut self.stack);
        let (mut next, mut end) = (0, EIGHT);
        // Keys start at the first slots only.
        for (&started, ((row, result), owner)) in self.started.iter().zip(&mut slots) {
            let starting = started as usize - next;
            stack.push(end, waiting, next, starting);
            (next, end) = (next + starting, end + starting);
            end = stack.slot(end, row, result, owner);
        }
        for ((row, result), owner) in slots {
            if end == EIGHT {
                break;
            }
            end = stack.slot(end, row, result, owner);
        }
        self.end = end;
    }

    /// Sorts keys by their starts.
    #[inline(always)]
    fn sort_by_start(&mut self, keys: impl Iterator<Item = Equation> + Clone) {
        self.started.clear();
        self.started.resize(BUCKET as usize, 0);
        for key in keys.clone() {
            self.started[key.slot] += 1;
        }
        let mut sum = 0;
        for next in &mut self.started {
            sum += core::mem::replace(next, sum);
        }
        for key in keys {
            let next = &mut self.started[key.slot];
            let at = *next as usize;
            self.waiting.rows[at] = key.row;
            self.waiting.rest[at] = (key.slot as u64) << 32 | u64::from(key.result);
            *next += 1;
        }
    }

    /// The start of the first key in order that has no slot and is not redundant.
    #[inline(always)]
    pub(crate) fn last_without_room(&self) -> Option<u64> {
        let left = self.stack.rest[EIGHT..self.end].iter().rev();
        let contradicts = left.copied().find(|&rest| rest as u32 != 0);
        contradicts.map(|rest| rest >> 32)
    }

    /// The slots of keys that start below `limit`, counted from the bucket's first.
    pub(crate) fn slots_below(&self, limit: u64) -> impl Iterator<Item = usize> {
        let below = move |(_, start): &(usize, &u32)| u64::from(**start) < limit;
        let owners = self.owners.iter().enumerate();
        owners.filter(below).map(|(slot, _)| slot)
    }
}

/// A stack of equations.
impl Equations {
    /// Pushes waiting keys on the stack.
    #[inline(always)]
    fn push(&mut self, end: usize, waiting: &Self, next: usize, keys: usize) {
        let mut at = 0;
        loop {
            let push = |stack: &mut [u64], waiting: &[u64]| {
                let (to, from) = (end + at, next + at);
                copy::<PUSHED>(&mut stack[to..to + PUSHED], &waiting[from..from + PUSHED]);
            };
            push(&mut self.rows, &waiting.rows);
            push(&mut self.rest, &waiting.rest);
            at += PUSHED;
            if at >= keys {
                return;
            }
        }
    }

    /// Eliminates one slot. Returns the stack's end.
    #[inline(always)]
    fn slot(&mut self, mut end: usize, row: &mut u64, result: &mut u32, owner: &mut u32) -> usize {
        let is_free = *row == 0;
        if let Some((taken, rest)) = is_free.then(|| self.pop(end)).flatten() {
            end -= 1;
            *row = taken;
            *result = rest as u32;
            *owner = (rest >> 32) as u32;
        }
        self.step(end, *row, *result);
        end
    }

    /// Removes from a stack the first key in order that has a coefficient at the slot.
    #[inline(always)]
    fn pop(&mut self, end: usize) -> Option<(u64, u64)> {
        let bits = self.rows[end - TOP..end].iter().fold(0, |bits, row| bits << 1 | row & 1);
        // From the top, so the lowest bit is that of the first key in order.
        let depth = match bits {
            0 => search(&self.rows[EIGHT..end])?,
            _ => bits.trailing_zeros() as usize,
        };
        Some((remove(&mut self.rows[..end], depth), remove(&mut self.rest[..end], depth)))
    }

    /// Adds an equation to all keys of a stack that have a coefficient at the slot, and moves on to
    /// the next slot.
    #[inline(always)]
    fn step(&mut self, end: usize, row: u64, result: u32) {
        let result = u64::from(result);
        let eights = EIGHT..end.next_multiple_of(EIGHT);
        // The top first, since it decides the next slot. Reads everything before writing, so that
        // compilers use vectors.
        let rows = self.rows[eights.clone()].chunks_exact_mut(EIGHT).rev();
        let rest = self.rest[eights].chunks_exact_mut(EIGHT).rev();
        for (rows, rest) in rows.zip(rest) {
            let has = eight(|i| (rows[i] & 1).wrapping_neg());
            let next_rows = eight(|i| (rows[i] ^ row & has[i]) >> 1);
            let next_rest = eight(|i| rest[i] ^ result & has[i]);
            copy::<EIGHT>(rows, &next_rows);
            copy::<EIGHT>(rest, &next_rest);
        }
    }
}

// Like `array::from_fn` and `copy_from_slice`, but never a call: in profiles that do not inline
// between codegen units, those would be compiled without the enabled processor features, and builds
// would take several times the instructions.

#[inline(always)]
fn eight(number: impl Fn(usize) -> u64) -> [u64; EIGHT] {
    let mut all = [0; EIGHT];
    for (i, place) in all.iter_mut().enumerate() {
        *place = number(i);
    }
    all
}

/// Copies `N` elements; both slices have this length.
#[inline(always)]
fn copy<const N: usize>(to: &mut [u64], from: &[u64]) {
    match (to.first_chunk_mut::<N>(), from.first_chunk()) {
        (Some(to), Some(from)) => *to = *from,
        _ => unreachable!("both have {N} numbers"),
    }
}

/// The depth of the first key in order that has a coefficient at the slot.
#[inline(never)]
fn search(stack: &[u64]) -> Option<usize> {
    stack.iter().rev().position(|row| row & 1 == 1)
}

/// Removes the element `depth` below the last, and moves down those above it.
#[inline(always)]
fn remove(stack: &mut [u64], depth: usize) -> u64 {
    let at = stack.len() - 1 - depth;
    if depth >= TOP {
        let taken = stack[at];
        stack.copy_within(at + 1.., at);
        return taken;
    }
    // Branch-free: the depth cannot be predicted.
    let from = stack.len() - TOP;
    let top = &mut stack[from..];
    let taken = top[TOP - 1 - depth];
    for i in 0..TOP - 1 {
        top[i] = if i + depth < TOP - 1 { top[i] } else { top[i + 1] };
    }
    taken
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::banding::Banding;
    use crate::banding::tests::Added;
    use crate::row;
    use amq_core::KeyHash;
    use std::vec;

    /// Eliminates a bucket of `n` keys, some of them copies, next to slots taken by `before` keys:
    /// together, and one by one from right to left.
    fn same_as_one_by_one(before: u64, n: u64) {
        let equation = |key: u64| {
            let hash = KeyHash::of(&key, n).get();
            Equation {
                slot: row::start(hash, BUCKET) as usize,
                row: row::of(hash),
                result: row::result(hash),
            }
        };
        let blocks = BUCKET / BITS + 1;
        let taken = || {
            let mut banding = Banding::new(blocks * BITS);
            for key in 0..before {
                let start = equation(key).slot % 64;
                banding.add(Equation { slot: start, ..equation(key) });
            }
            banding
        };
        let solution = |banding: &Banding| {
            let mut solution = vec![];
            banding.solve(blocks, 32, |_, _, words| solution.extend_from_slice(words));
            solution
        };
        let mut keys: Vec<_> = (0..n).map(|key| equation(1000 + key - key % 9 / 8)).collect();
        let mut together = taken();
        let slots = together.slots(0, (BUCKET + BITS - 1) as usize);
        let mut bucket = Bucket::default();
        bucket.make_room(keys.len()).unwrap();
        bucket.eliminate(keys.iter().copied(), slots);

        keys.sort_by_key(|key| core::cmp::Reverse(key.slot));
        let (mut one_by_one, mut refused) = (taken(), vec![]);
        for key in &keys {
            if one_by_one.add(*key) == Added::Contradiction {
                refused.push(key.slot as u64);
            }
        }
        assert_eq!(bucket.last_without_room(), refused.first().copied());
        match n {
            _ if n <= BUCKET / 2 => assert!(refused.is_empty(), "{n} keys"),
            _ if n >= BUCKET * 2 => assert!(refused.len() > 10, "{n} keys"),
            _ => {}
        }
        let least = match refused.first() {
            // Of two keys with equal starts, either may be refused.
            Some(start) => start + 1,
            None => {
                assert!(solution(&together) == solution(&one_by_one), "{n} keys");
                0
            }
        };
        // Again without the keys of the first starts.
        for limit in [least, least + BUCKET / 8, least + BUCKET / 4] {
            for slot in bucket.slots_below(limit) {
                together.take(slot);
            }
            let mut fewer = taken();
            for key in keys.iter().filter(|key| key.slot as u64 >= limit) {
                fewer.add(*key);
            }
            assert!(solution(&together) == solution(&fewer), "{n} keys, limit {limit}");
        }
    }

    #[test]
    fn keys_together_find_the_same_room_as_one_by_one() {
        for before in [0, 20, 60] {
            for n in [0, 1, 30, 60, 180, 300] {
                same_as_one_by_one(before, n);
            }
        }
    }
}
