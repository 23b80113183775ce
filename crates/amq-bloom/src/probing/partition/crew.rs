//! Several threads that sort and insert together.
//!
//! The calling thread takes the keys piece by piece and hashes them if need be; whoever is free
//! sorts a piece. When the memory for sorted pieces is full, whoever is free inserts what they have
//! for a range, until all ranges have their keys.
//!
//! Helpers never wait for long: without work they end, and are called again. If there is none to be
//! had, the calling thread does all work itself.

use super::bulk::{MEMORY, News, PAGE, Partition};
use super::segment::Segment;
use alloc::borrow::Cow;
use alloc::collections::VecDeque;
use alloc::vec::Vec;
use amq_core::KeyHash;
use amq_core::internal::{Cpu, reserve};
use core::ops::Range;
use core::time::Duration;
use std::sync::{Mutex, MutexGuard, RwLock};
use std::thread::Scope;
use std::time::Instant;

/// Bytes of a table from which on several threads share the work.
const MANY_BYTES: u64 = if cfg!(test) { 1 } else { 4 << 20 };

/// More threads would only wait for memory.
const MOST: usize = 32;

/// Keys of a piece, at least, but for small tables.
const LEAST: u64 = if cfg!(test) { 1 } else { 1 << 14 };

/// Items that a piece has for each range, about.
const PER_RANGE: u64 = 256;

/// Pieces that are hashed while the ones before are inserted.
const AHEAD: u64 = 16;

/// How long a helper stays without work: longer than the caller needs between two kinds of work,
/// and about as long as it takes to wake a thread.
const PATIENCE: Duration = Duration::from_micros(200);

/// Where hashes come from.
pub(super) enum Source<'h, 'n> {
    /// They are there.
    Slice(&'h [KeyHash]),
    /// A function writes them; see
    /// [`InsertFilter::insert_from`](amq_core::InsertFilter::insert_from).
    Next(&'n mut dyn FnMut(&mut [KeyHash]) -> usize),
}

/// Hashes to come.
struct Input<'h, 'n> {
    source: Source<'h, 'n>,
    /// Those that are already written.
    ahead: VecDeque<Cow<'h, [KeyHash]>>,
}

/// Who inserts, and the memory for it.
pub(super) struct Plan<I> {
    /// Keys of a piece, at most.
    unit: usize,
    segments: Vec<Segment<I>>,
    /// For hashes, if they are not there.
    buffers: Vec<Vec<KeyHash>>,
    /// One for each thread.
    news: Vec<Mutex<News>>,
}

/// Some keys that are sorted together.
struct Piece<'h, I> {
    number: usize,
    hashes: Cow<'h, [KeyHash]>,
    /// Number of hashes that are in the segment, or were and are inserted.
    done: usize,
    segment: Segment<I>,
}

/// What the threads share.
struct Crew<'a, 'h, P: Partition> {
    partition: &'a P,
    unit: usize,
    parts: Vec<Mutex<&'a mut [P::Element]>>,
    news: &'a [Mutex<News>],
    work: Mutex<Work<'h, P::Item>>,
    /// Those whose keys are to be inserted.
    sorted: RwLock<Vec<Piece<'h, P::Item>>>,
}

/// What there is to do, and what was done.
struct Work<'h, I> {
    /// Pieces to sort.
    unsorted: VecDeque<Piece<'h, I>>,
    /// Pieces that were sorted, in any order.
    sorted: Vec<Piece<'h, I>>,
    /// Ranges to insert into.
    ranges: Range<usize>,
    /// Number of tasks that threads are busy with.
    busy: usize,
    /// Numbers of helpers that may be called.
    helpers: Vec<usize>,
    /// For hashes to come.
    buffers: Vec<Vec<KeyHash>>,
}

impl<I: Copy + Default + Send + Sync> Plan<I> {
    /// `None` if it does not pay, or there is no memory for it.
    pub(super) fn new<P>(
        partition: &P,
        table: &[P::Element],
        keys: u64,
        hashed: bool,
    ) -> Option<Self>
    where
        P: Partition<Item = I>,
    {
        let (threads, bytes) = (Cpu::threads().min(MOST) as u64, size_of_val(table) as u64);
        if threads == 1 || bytes < MANY_BYTES {
            return None;
        }
        let ranges = table.len().div_ceil(partition.range());
        let items = partition.items() as u64;
        let (per_key, per_hash) = (items * size_of::<I>() as u64, size_of::<KeyHash>() as u64);
        let buffers = if hashed { 0 } else { threads + AHEAD };
        let most = MEMORY / 4 / (threads * per_key + buffers * per_hash);
        let most = most.min(keys / threads / 2);
        let unit = (ranges as u64 * PER_RANGE / items).max(LEAST).min(most).max(1);
        // So that most pages of a range are full.
        let page = 1 << (unit * per_key / ranges as u64 / 4).clamp(PAGE / 8, PAGE).ilog2();
        // With as much memory as the table has, few of its lines are read for one key alone.
        let memory = bytes.min(MEMORY - buffers * unit * per_hash);
        let count = memory / Segment::<I>::bytes(ranges, unit * items, page);
        let count = count.max(2).min(keys.div_ceil(unit)).max(1);
        let segment = |_| partition.segment(ranges, unit, page);
        let news = |_| News::new::<P>(count * unit).map(Mutex::new);
        let buffer = |_| {
            let mut hashes = Vec::new();
            reserve(&mut hashes, unit).ok().map(|()| hashes)
        };
        Some(Self {
            unit: unit as usize,
            segments: (0..count).map(segment).collect::<Option<_>>()?,
            buffers: (0..buffers).map(buffer).collect::<Option<_>>()?,
            news: (0..threads).map(news).collect::<Option<_>>()?,
        })
    }

    /// Inserts hashes and returns how many were new. `len` is the filter's number of keys.
    pub(super) fn insert<P>(
        self,
        partition: &P,
        table: &mut [P::Element],
        len: &mut u64,
        source: Source<'_, '_>,
    ) -> u64
    where
        P: Partition<Item = I>,
    {
        let Self { unit, mut segments, buffers, news } = self;
        let helpers = (1..news.len()).collect();
        let crew = Crew {
            partition,
            unit,
            parts: table.chunks_mut(partition.range()).map(Mutex::new).collect(),
            news: &news,
            work: Mutex::new(Work {
                unsorted: VecDeque::new(),
                sorted: Vec::new(),
                ranges: 0..0,
                busy: 0,
                helpers,
                buffers,
            }),
            sorted: RwLock::new(Vec::new()),
        };
        std::thread::scope(|scope| {
            let mut new = 0;
            let mut input = Input { source, ahead: VecDeque::new() };
            while let Some(pieces) = crew.sort_all(scope, &mut input, &mut segments) {
                new += crew.insert_all(scope, pieces, &mut input, &mut segments, len);
            }
            new
        })
    }
}

impl<'h, P: Partition> Crew<'_, 'h, P> {
    /// Sorts keys as long as there are any, and memory. Returns them in the order they came; `None`
    /// if there were none.
    fn sort_all<'s>(
        &'s self,
        scope: &'s Scope<'s, '_>,
        input: &mut Input<'h, '_>,
        segments: &mut Vec<Segment<P::Item>>,
    ) -> Option<Vec<Piece<'h, P::Item>>> {
        let mut number = 0;
        while let Some(segment) = segments.pop() {
            let Some(hashes) = self.next(input) else {
                segments.push(segment);
                break;
            };
            self.work().unsorted.push_back(Piece { number, hashes, done: 0, segment });
            self.call(scope, 1);
            number += 1;
        }
        self.finish();
        let mut pieces = core::mem::take(&mut self.work().sorted);
        pieces.sort_unstable_by_key(|piece| piece.number);
        (number > 0).then_some(pieces)
    }

    /// Inserts the keys of these pieces; returns how many were new, and gives the segments back.
    fn insert_all<'s>(
        &'s self,
        scope: &'s Scope<'s, '_>,
        mut pieces: Vec<Piece<'h, P::Item>>,
        input: &mut Input<'h, '_>,
        segments: &mut Vec<Segment<P::Item>>,
        len: &mut u64,
    ) -> u64 {
        let mut all = 0;
        while !pieces.is_empty() {
            // Keys that had no room come before those of the next piece.
            let whole = pieces.iter().take_while(|piece| piece.left().is_empty()).count();
            let later = pieces.split_off(pieces.len().min(whole + 1));
            let keys = pieces.iter().map(|piece| piece.segment.keys() as u64).sum();
            *write(&self.sorted) = pieces;
            self.work().ranges = 0..self.parts.len();
            let inserting = Inserting { crew: self, keys, all: &mut all, len: &mut *len };
            self.call(scope, self.parts.len());
            self.hash_ahead(&mut input.source, &mut input.ahead);
            drop(inserting);
            pieces = later;
            for mut piece in core::mem::take(&mut *write(&self.sorted)) {
                if piece.left().is_empty() {
                    segments.push(piece.segment);
                } else {
                    self.sort(&mut piece);
                    pieces.insert(0, piece);
                }
            }
        }
        all
    }

    /// The next piece of keys, if there is one, and room for it.
    fn next(&self, input: &mut Input<'h, '_>) -> Option<Cow<'h, [KeyHash]>> {
        if let Some(hashes) = input.ahead.pop_front() {
            return Some(hashes);
        }
        if let Source::Slice(hashes) = &mut input.source {
            let (piece, rest) = hashes.split_at(self.unit.min(hashes.len()));
            *hashes = rest;
            return (!piece.is_empty()).then_some(Cow::Borrowed(piece));
        }
        self.hash(&mut input.source, self.buffer()?)
    }

    /// Hashes as many keys as there are buffers for.
    fn hash_ahead(&self, source: &mut Source<'h, '_>, ahead: &mut VecDeque<Cow<'h, [KeyHash]>>) {
        while let Source::Next(_) = source {
            let buffer = self.work().buffers.pop();
            let Some(buffer) = buffer else { return };
            ahead.extend(self.hash(source, buffer));
        }
    }

    /// Writes hashes into a buffer while there are any.
    fn hash(
        &self,
        source: &mut Source<'h, '_>,
        mut hashes: Vec<KeyHash>,
    ) -> Option<Cow<'h, [KeyHash]>> {
        let Source::Next(next) = source else { return None };
        hashes.resize(self.unit, KeyHash::new(0));
        let mut count = 0;
        while count < self.unit {
            match next(&mut hashes[count..]) {
                0 => {
                    hashes.truncate(count);
                    *source = Source::Slice(&[]);
                    break;
                }
                more => count = self.unit.min(count.saturating_add(more)),
            }
        }
        (count > 0).then_some(Cow::Owned(hashes))
    }

    /// Room for hashes, once there is some. `None` if keys without room have it all.
    fn buffer(&self) -> Option<Vec<KeyHash>> {
        loop {
            let buffer = self.work().buffers.pop();
            if buffer.is_some() {
                return buffer;
            }
            if !self.work_on(0) && !self.is_busy() {
                return self.work().buffers.pop();
            }
        }
    }

    fn sort(&self, piece: &mut Piece<'h, P::Item>) {
        piece.segment.clear();
        let (segment, left) = (&mut piece.segment, &piece.hashes[piece.done..]);
        piece.done += self.partition.sort_into(segment, self.unit, left);
        if piece.left().is_empty() {
            piece.done = 0;
            if let Cow::Owned(buffer) = core::mem::take(&mut piece.hashes) {
                self.work().buffers.push(buffer);
            }
        }
    }

    /// Does some of the work, with the notes of this number. Returns whether there was any.
    fn work_on(&self, notes: usize) -> bool {
        let mut work = self.work();
        // The calling thread has what it hashed last in its cache.
        let piece = match notes {
            0 => work.unsorted.pop_back(),
            _ => work.unsorted.pop_front(),
        };
        if let Some(mut piece) = piece {
            let _busy = Busy::new(self, work);
            self.sort(&mut piece);
            self.work().sorted.push(piece);
        } else if let Some(range) = work.ranges.next() {
            let _busy = Busy::new(self, work);
            let sorted = self.sorted.read().unwrap_or_else(|panicked| panicked.into_inner());
            let segments = sorted.iter().map(|piece| &piece.segment);
            let (mut part, mut news) = (lock(&self.parts[range]), lock(&self.news[notes]));
            self.partition.insert_range(range, &mut part, segments, &mut news);
        } else {
            return false;
        }
        true
    }

    /// Works until all work is done.
    fn finish(&self) {
        while self.work_on(0) || self.is_busy() {}
    }

    /// Whether others are at work. If so, it waits a little.
    fn is_busy(&self) -> bool {
        let busy = self.work().busy > 0;
        if busy {
            pause();
        }
        busy
    }

    /// Calls as many helpers, if there are any.
    fn call<'s>(&'s self, scope: &'s Scope<'s, '_>, most: usize) {
        let mut work = self.work();
        let first = work.helpers.len().saturating_sub(most);
        let mut called = work.helpers.split_off(first);
        drop(work);
        while let Some(&notes) = called.last() {
            if !Cpu::help(scope, self.news.len() - 1, move || self.help(notes)) {
                break;
            }
            called.pop();
        }
        self.work().helpers.append(&mut called);
    }

    /// What a helper does.
    fn help(&self, notes: usize) {
        let mut idle = Instant::now();
        loop {
            if self.work_on(notes) {
                idle = Instant::now();
            } else if idle.elapsed() < PATIENCE {
                pause();
            } else {
                let mut work = self.work();
                if work.unsorted.is_empty() && work.ranges.is_empty() {
                    return work.helpers.push(notes);
                }
            }
        }
    }

    /// The number of new keys that the threads noted since it was last asked for.
    fn new_keys(&self) -> u64 {
        let [own, others @ ..] = self.news else { return 0 };
        let mut own = lock(own);
        others.iter().for_each(|other| own.join(&mut lock(other)));
        own.take()
    }

    fn work(&self) -> MutexGuard<'_, Work<'h, P::Item>> {
        lock(&self.work)
    }
}

impl<I: Copy + Default> Piece<'_, I> {
    /// Keys that are not sorted, for want of room.
    fn left(&self) -> &[KeyHash] {
        &self.hashes[self.done..]
    }
}

/// While it lives, keys are inserted. Then they all are, and counted, even if the caller's function
/// panicked meanwhile.
struct Inserting<'c, 'a, 'h, 'l, P: Partition> {
    crew: &'c Crew<'a, 'h, P>,
    keys: u64,
    /// Number of new keys.
    all: &'l mut u64,
    /// The filter's number of keys.
    len: &'l mut u64,
}

impl<P: Partition> Drop for Inserting<'_, '_, '_, '_, P> {
    fn drop(&mut self) {
        self.crew.finish();
        let new = self.crew.new_keys();
        *self.all += new;
        *self.len = self.len.saturating_add(self.crew.partition.counted(self.keys, new));
    }
}

/// While it lives, a thread is busy.
struct Busy<'c, 'a, 'h, P: Partition>(&'c Crew<'a, 'h, P>);

impl<'c, 'a, 'h, P: Partition> Busy<'c, 'a, 'h, P> {
    fn new(crew: &'c Crew<'a, 'h, P>, mut work: MutexGuard<'_, Work<'h, P::Item>>) -> Self {
        work.busy += 1;
        Self(crew)
    }
}

impl<P: Partition> Drop for Busy<'_, '_, '_, P> {
    fn drop(&mut self) {
        self.0.work().busy -= 1;
    }
}

/// Whatever a thread did before it panicked is complete.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(|panicked| panicked.into_inner())
}

fn write<T>(lock: &RwLock<T>) -> std::sync::RwLockWriteGuard<'_, T> {
    lock.write().unwrap_or_else(|panicked| panicked.into_inner())
}

/// Lets others go on.
fn pause() {
    for _ in 0..32 {
        core::hint::spin_loop();
    }
    std::thread::yield_now();
}
