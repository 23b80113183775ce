//! The elimination of shards, several at a time.
//!
//! Each step of an elimination waits for the one before, and most of the time nothing else can be done. So the shards are worked on several at
//! a time, in *lanes*, one step of each in turn: while one waits the others go on.
//!
//! The buckets of a shard are eliminated from left to right, and the keys of a bucket from right to left. In a layer that has fewer slots than keys,
//! and passes on those for which there is no room, the bucket's threshold is raised at the first such key above where it starts, and all keys below the threshold
//! are passed on. Those that had been put in are the last ones that were, so they can be taken out again. In the last layer such a key is the end of it: another
//! seed must be tried.

use crate::banding::{Banding, Equation};
use crate::entry::Entry;
use crate::shape::{Layer, Part};
use crate::shards::{Sorter, at_least, reserve};
use crate::system::{class_above, limit, next_layer};
use crate::width::{self, Row, seeded};
use alloc::vec::Vec;
use amq_core::BuildError;

/// Shards that are worked on at a time: as many as the processor can keep going. Measured: one at a time took half as long again for
/// each key, and eight were no quicker.
pub(crate) const LANES: usize = 4;

/// In place of a slot, for a key that has none.
const NOWHERE: u32 = u32::MAX;

/// What a shard passes on.
#[derive(Debug)]
pub(crate) struct PassedOn<E> {
    /// One for each bucket, from zero, which passes nothing on, to three.
    pub(crate) thresholds: Vec<u8>,
    /// The keys, as the next layer knows them.
    pub(crate) entries: Vec<E>,
    /// How many keys it kept.
    pub(crate) kept: u64,
}

/// Where an elimination is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum State {
    Working,
    Done,
    /// There was no room for a key, and none can be passed on.
    Failed,
}

/// The elimination of one shard.
#[derive(Debug)]
pub(crate) struct Lane<W, E> {
    pub(crate) banding: Banding<W>,
    sorter: Sorter<E>,
    thresholds: Vec<u8>,
    /// Of the sorted keys those that are passed on, range by range.
    bumped: Vec<(u32, u32)>,
    /// The slots to which the current bucket's keys went, [`NOWHERE`] for those that said nothing new.
    placed: Vec<u32>,
    /// Whether keys are passed on.
    bumps: bool,
    /// What hashes are scaled to, and the shard's share of that begins with.
    scale: u64,
    first: u64,
    /// How many buckets the shard has.
    buckets: usize,
    bucket: usize,
    /// The bucket's keys among the sorted ones, and the current one.
    begin: usize,
    end: usize,
    at: usize,
    /// What has become of the current key's equation.
    equation: Equation<W>,
    state: State,
}

impl<W: Row, E: Entry> Lane<W, E> {
    /// With no room for anything yet.
    pub(crate) fn new() -> Self {
        Self {
            banding: Banding::default(),
            sorter: Sorter::default(),
            thresholds: Vec::new(),
            bumped: Vec::new(),
            placed: Vec::new(),
            bumps: false,
            scale: 0,
            first: 0,
            buckets: 0,
            bucket: 0,
            begin: 0,
            end: 0,
            at: 0,
            equation: Equation::default(),
            state: State::Done,
        }
    }

    /// Sees to it that there is room for a shard with so many entries.
    pub(crate) fn make_room(&mut self, part: &Part, entries: usize) -> Result<(), BuildError> {
        let buckets = part.starts.div_ceil(W::BUCKET);
        self.banding.make_room(part.blocks * W::BITS)?;
        self.sorter.make_room(buckets * W::BUCKET, entries as u64)?;
        at_least(&mut self.thresholds, buckets)?;
        self.bumped.clear();
        reserve(&mut self.bumped, buckets)?;
        // A bucket may have all of them.
        self.placed.clear();
        reserve(&mut self.placed, entries as u64)
    }

    /// Where in the shard a key starts.
    #[inline(always)]
    fn start(&self, entry: E) -> u64 {
        width::start(entry.hash(), self.scale) - self.first
    }

    /// Begins with a shard of a layer that passes keys on.
    #[inline(always)]
    pub(crate) fn begin_bumping(&mut self, layer: &Layer, part: &Part, entries: &[E]) {
        (self.bumps, self.scale, self.first) = (true, layer.starts, part.first);
        self.begin(part, entries.iter().copied());
    }

    /// Begins with a shard of the last layer, and a seed.
    #[inline(always)]
    pub(crate) fn begin_last(&mut self, part: &Part, entries: &[E], seed: u8) {
        (self.bumps, self.scale, self.first) = (false, part.starts, 0);
        let seeded = |entry: &E| entry.with_hash(seeded(entry.hash(), seed));
        self.begin(part, entries.iter().map(seeded));
    }

    /// Sorts, and takes up the first key.
    #[inline(always)]
    fn begin(&mut self, part: &Part, entries: impl Iterator<Item = E> + Clone) {
        let (scale, first) = (self.scale, self.first);
        let start = |entry: E| width::start(entry.hash(), scale) - first;
        // Buckets from left to right, the keys of each from right to left.
        self.sorter
            .sort(entries, |entry| start(entry) ^ (W::BUCKET - 1));
        self.banding.clear();
        self.thresholds.fill(0);
        self.bumped.clear();
        self.placed.clear();
        self.buckets = part.starts.div_ceil(W::BUCKET) as usize;
        (self.bucket, self.begin, self.at) = (0, 0, 0);
        self.end = self.sorter.end(0, W::BUCKET);
        self.state = State::Working;
        self.equation = self.next();
    }

    /// What the shard that it worked on last passes on to the layer after this one.
    pub(crate) fn passed_on(&mut self, layer: usize) -> Result<PassedOn<E>, BuildError> {
        let mut thresholds = room(self.buckets as u64)?;
        thresholds.extend_from_slice(&self.thresholds[..self.buckets]);
        let keys = self
            .bumped
            .iter()
            .map(|(begin, end)| u64::from(end - begin));
        let mut entries = room(keys.sum())?;
        for &(begin, end) in &self.bumped {
            let keys = &self.sorter.sorted()[begin as usize..end as usize];
            let next = |entry: &E| entry.with_hash(next_layer(entry.hash(), layer));
            entries.extend(keys.iter().map(next));
        }
        let kept = (self.sorter.sorted().len() - entries.len()) as u64;
        Ok(PassedOn {
            thresholds,
            entries,
            kept,
        })
    }

    /// The equation of the current key, or of the first one of the next bucket that has any.
    fn next(&mut self) -> Equation<W> {
        while self.at == self.end {
            self.bucket += 1;
            if self.bucket == self.buckets {
                self.state = State::Done;
                return Equation::default();
            }
            self.placed.clear();
            self.begin = self.end;
            self.end = self.sorter.end(self.bucket, W::BUCKET);
        }
        self.take_up()
    }

    /// The equation of the current key.
    #[inline(always)]
    fn take_up(&self) -> Equation<W> {
        let entry = self.sorter.sorted()[self.at];
        Equation {
            slot: self.start(entry) as usize,
            row: W::of(entry.hash()),
            result: entry.result(),
        }
    }

    #[inline(always)]
    fn is_working(&self) -> bool {
        self.state == State::Working
    }

    /// One step of the current key's elimination, and the next key if that was its last one: whether there is one.
    #[inline(always)]
    fn turn(&mut self, equation: &mut Equation<W>) -> bool {
        if self.banding.reduce(equation) {
            return true;
        }
        *equation = self.settle(*equation);
        self.is_working()
    }

    /// The current key's elimination has come to an end, with this equation: goes on to the next one, if there is any.
    #[inline(always)]
    fn settle(&mut self, equation: Equation<W>) -> Equation<W> {
        // Mostly: it is put in, and the bucket has more keys.
        if equation.row == W::ZERO || self.at + 1 == self.end {
            return self.settle_otherwise(equation);
        }
        self.put(equation);
        self.take_up()
    }

    #[inline(never)]
    fn settle_otherwise(&mut self, equation: Equation<W>) -> Equation<W> {
        if equation.row != W::ZERO {
            self.put(equation);
        } else if equation.result == 0 {
            // It follows from others.
            self.placed.push(NOWHERE);
            self.at += 1;
        } else if self.bumps {
            self.pass_on();
        } else {
            self.state = State::Failed;
            return equation;
        }
        self.next()
    }

    /// Puts the current key's equation into its slot.
    #[inline(always)]
    fn put(&mut self, equation: Equation<W>) {
        self.placed.push(equation.slot as u32);
        self.banding.put(equation);
        self.at += 1;
    }

    /// Passes on the current key and those of its bucket that start no later, or in its class. The bucket is done, then.
    fn pass_on(&mut self) {
        let keys = &self.sorter.sorted()[self.begin..self.end];
        let (scale, first) = (self.scale, self.first);
        let offset = |entry: E| (width::start(entry.hash(), scale) - first) % W::BUCKET;
        let threshold = class_above(offset(keys[self.at - self.begin]), W::BUCKET);
        let limit = limit(threshold, W::BUCKET);
        let stay = keys.partition_point(|&entry| offset(entry) >= limit);
        for slot in self.placed.drain(stay..) {
            if slot != NOWHERE {
                self.banding.take(slot as usize);
            }
        }
        // One range a bucket at most: there is room for it.
        self.bumped
            .push(((self.begin + stay) as u32, self.end as u32));
        self.thresholds[self.bucket] = threshold;
        self.at = self.end;
    }
}

/// An empty list with room for so many.
fn room<T>(items: u64) -> Result<Vec<T>, BuildError> {
    let mut list = Vec::new();
    reserve(&mut list, items)?;
    Ok(list)
}

/// Goes on with all lanes in turn until the last one is done. One that has failed is handed to `retry`, with its number, which begins again, or says `false`: then
/// the others are not gone on with. Whether all are done in the end.
#[inline(always)]
pub(crate) fn eliminate<W: Row, E: Entry>(
    lanes: &mut [Lane<W, E>],
    mut retry: impl FnMut(usize, &mut Lane<W, E>) -> bool,
) -> bool {
    while until_one_stops(lanes) {
        for (i, lane) in lanes.iter_mut().enumerate() {
            if lane.state == State::Failed && !retry(i, lane) {
                return false;
            }
        }
    }
    true
}

/// One step of each lane that works, in turn, until one of them is done or has failed. Whether any worked.
#[inline(always)]
fn until_one_stops<W: Row, E: Entry>(lanes: &mut [Lane<W, E>]) -> bool {
    let mut working = lanes.iter_mut().filter(|lane| lane.is_working());
    // Written out, so that the equations are in registers.
    match [(); LANES].map(|()| working.next()) {
        [Some(a), Some(b), Some(c), Some(d)] => {
            let (mut of_a, mut of_b) = (a.equation, b.equation);
            let (mut of_c, mut of_d) = (c.equation, d.equation);
            while a.turn(&mut of_a) & b.turn(&mut of_b) & c.turn(&mut of_c) & d.turn(&mut of_d) {}
            (a.equation, b.equation) = (of_a, of_b);
            (c.equation, d.equation) = (of_c, of_d);
        }
        [Some(a), Some(b), Some(c), None] => {
            let (mut of_a, mut of_b, mut of_c) = (a.equation, b.equation, c.equation);
            while a.turn(&mut of_a) & b.turn(&mut of_b) & c.turn(&mut of_c) {}
            (a.equation, b.equation, c.equation) = (of_a, of_b, of_c);
        }
        [Some(a), Some(b), None, None] => {
            let (mut of_a, mut of_b) = (a.equation, b.equation);
            while a.turn(&mut of_a) & b.turn(&mut of_b) {}
            (a.equation, b.equation) = (of_a, of_b);
        }
        [Some(a), None, None, None] => {
            let mut of_a = a.equation;
            while a.turn(&mut of_a) {}
            a.equation = of_a;
        }
        _ => return false,
    }
    true
}
