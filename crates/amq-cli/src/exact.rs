//! Exact deduplication of lines in bounded memory.
//!
//! New keys are kept in a table, which decides each line at once, until memory is full. From then
//! on, a line that is not in the table goes to one of 32 parts on disk, by bits of its hash: equal
//! lines share a part. When all lines have been read, the parts are processed one by one in the
//! same way: a part that does not fit into memory is split again. A last pass over the parts prints
//! the lines in order.
//!
//! The files on disk have no names: they vanish however the run ends.

use crate::keys::Shape;
use crate::memory::{reserve, spare};
use crate::pipeline::Sink;
use crate::work::Work;
use anyhow::Context;
use hashbrown::HashTable;
use std::collections::TryReserveError;
use std::fs::File;
use std::hint::black_box;
use std::io::{BufReader, BufWriter, Read, Seek, Write};
use std::path::Path;

/// Parts of a level, and the bits of a hash that choose one.
const PARTS: usize = 1 << BITS;
const BITS: u32 = 5;

/// The last level, whose lines share 55 bits of their hashes: its table may exceed the limit.
const LAST: u32 = 64 / BITS - 1;

/// The state of a line when it is read: new, repeated, or else the part that it went to.
type Known = u8;
const NEW: Known = 255;
const REPEATED: Known = 254;

/// The part of lines to be printed after others that are still undecided.
const PRINTED: usize = PARTS;

/// Finds the keys for comparison, unless each is its line.
pub(crate) struct Compared(pub(crate) Shape);

impl Sink for Compared {
    fn map(&self, work: &mut Work) -> Result<(), TryReserveError> {
        if self.0.plain(&[]).is_some() {
            return Ok(());
        }
        let block = &work.block[..work.used];
        self.0.keys(block, work.column, &mut work.keys, &mut work.key_ends)
    }
}

/// The memory and the folder of a level's lines.
#[derive(Clone, Copy)]
struct Room<'a> {
    folder: &'a Path,
    /// The most bytes of a table.
    table: usize,
    /// Bytes of a file's buffer.
    buffer: usize,
}

impl Room<'_> {
    fn what(&self) -> String {
        let folder = self.folder.display();
        format!("temporary files in {folder} (--temporary-folder names another folder)")
    }
}

/// The lines of a run.
pub(crate) struct Lines<'a> {
    level: Level<'a>,
    /// Once a line has gone to a part: the part of that and of each later line.
    order: Option<Written<'a>>,
    /// Whether repeated lines are printed, not new ones.
    repeated: bool,
    pub(crate) new: u64,
    pub(crate) printed: u64,
}

impl<'a> Lines<'a> {
    /// Uses up to `memory` bytes, and temporary files in `folder`.
    pub(crate) fn new(folder: &'a Path, memory: u64, repeated: bool) -> anyhow::Result<Self> {
        let memory = usize::try_from(memory).unwrap_or(usize::MAX);
        let buffer = (memory >> 11).clamp(4 << 10, 64 << 10);
        // The buffers of three levels: each has those of its parts, and of its line states.
        let table = memory.saturating_sub(3 * 2 * (PARTS + 1) * buffer).max(4 * PAGE);
        let room = Room { folder, table, buffer };
        // Refuses an unusable folder before lines are read.
        Written::new(room)?;
        Ok(Self { level: Level::new(room, 0), order: None, repeated, new: 0, printed: 0 })
    }

    /// Adds a block, and appends to `out` its lines that are printed at once.
    pub(crate) fn add(
        &mut self,
        work: &Work,
        shape: Shape,
        out: &mut Vec<u8>,
    ) -> anyhow::Result<()> {
        let mut start = 0;
        for (at, line) in work.lines().enumerate() {
            if at % AHEAD == 0 {
                let next = &work.hashes[at..work.hashes.len().min(at + AHEAD)];
                self.level.table.fetch(next.iter().map(|hash| hash.get()));
            }
            let key = match shape.plain(line) {
                Some(length) => &line[..length],
                None => &work.keys[start..work.key_ends[at]],
            };
            start = start.max(work.key_ends.get(at).copied().unwrap_or(0));
            let line = Line { hash: work.hashes[at].get(), key, line, end: shape.end };
            let known = self.level.see(line)?;
            self.new += u64::from(known == NEW);
            if known < REPEATED {
                if self.order.is_none() {
                    self.order = Some(Written::new(self.level.room)?);
                }
                if let Some(order) = &mut self.order {
                    order.byte(known)?;
                }
            } else if (known == REPEATED) == self.repeated {
                match &mut self.order {
                    None => {
                        line.append(out);
                        self.printed += 1;
                    }
                    Some(order) => {
                        self.level.parts[PRINTED].line(line)?;
                        order.byte(PRINTED as u8)?;
                    }
                }
            }
        }
        Ok(())
    }

    /// Prints the other lines, once all have been read.
    pub(crate) fn finish(
        &mut self,
        mut print: impl FnMut(&[u8]) -> anyhow::Result<()>,
    ) -> anyhow::Result<()> {
        let Some(order) = self.order.take() else { return Ok(()) };
        let mut order = order.read()?;
        let mut parts = self.level.end()?;
        let mut known = Vec::new();
        for part in &mut parts[..PARTS] {
            known.push(decide(part, 1)?);
            part.rewind()?;
        }
        let mut record = Record::default();
        for _ in 0..order.count {
            let part = usize::from(order.byte()?);
            parts[part].record(&mut record)?;
            if let Some(known) = known.get_mut(part) {
                let is_new = known.byte()? == NEW;
                self.new += u64::from(is_new);
                if is_new == self.repeated {
                    continue;
                }
            }
            print(&record.line)?;
            self.printed += 1;
        }
        Ok(())
    }
}

/// The state of each line of a part, in order.
fn decide<'a>(part: &mut Reading<'a>, depth: u32) -> anyhow::Result<Reading<'a>> {
    let mut level = Level::new(part.room, depth);
    let mut known = Written::new(part.room)?;
    let mut records: Vec<Record> = Vec::new();
    records.resize_with(AHEAD, Record::default);
    let mut left = part.count;
    while left > 0 {
        let (mut read, mut bytes) = (0, 0);
        while read < AHEAD && left > 0 && bytes < PAGE {
            part.record(&mut records[read])?;
            bytes += records[read].line.len() + records[read].key.len();
            (read, left) = (read + 1, left - 1);
        }
        level.table.fetch(records[..read].iter().map(|record| record.hash));
        for record in &records[..read] {
            known.byte(level.see(record.get())?)?;
        }
    }
    let mut known = known.read()?;
    if level.parts.is_empty() {
        return Ok(known);
    }
    let parts = level.end()?.into_iter();
    let mut parts: Vec<Reading> =
        parts.map(|mut part| decide(&mut part, depth + 1)).collect::<Result<_, _>>()?;
    let mut all = Written::new(part.room)?;
    for _ in 0..known.count {
        let byte = known.byte()?;
        all.byte(parts.get_mut(usize::from(byte)).map_or(Ok(byte), Reading::byte)?)?;
    }
    all.read()
}

/// Lines whose hashes share their first bits, by which the levels above chose their part.
struct Level<'a> {
    room: Room<'a>,
    depth: u32,
    table: Table,
    /// Empty as long as the table holds all lines.
    parts: Vec<Written<'a>>,
}

impl<'a> Level<'a> {
    fn new(room: Room<'a>, depth: u32) -> Self {
        Self { room, depth, table: Table::default(), parts: Vec::new() }
    }

    fn see(&mut self, line: Line<'_>) -> anyhow::Result<Known> {
        if self.table.holds(line.hash, line.key) {
            return Ok(REPEATED);
        }
        if self.parts.is_empty() {
            let most = if self.depth < LAST { self.room.table } else { usize::MAX };
            if self.table.insert(line.hash, line.key, most)? {
                return Ok(NEW);
            }
            self.parts = (0..=PARTS).map(|_| Written::new(self.room)).collect::<Result<_, _>>()?;
        }
        let part = (line.hash >> (64 - BITS * (self.depth + 1))) as usize % PARTS;
        self.parts[part].line(line)?;
        Ok(part as Known)
    }

    /// The parts, once all lines have been read. Frees the table.
    fn end(&mut self) -> anyhow::Result<Vec<Reading<'a>>> {
        self.table = Table::default();
        std::mem::take(&mut self.parts).into_iter().map(Written::read).collect()
    }
}

/// A line, and the key by which it is compared.
#[derive(Clone, Copy)]
struct Line<'a> {
    hash: u64,
    key: &'a [u8],
    line: &'a [u8],
    /// The byte that ends lines; the last line may lack it.
    end: u8,
}

impl Line<'_> {
    fn append(self, out: &mut Vec<u8>) {
        out.extend_from_slice(self.line);
        if self.line.last() != Some(&self.end) {
            out.push(self.end);
        }
    }
}

/// Bytes before each line in a file: its hash, its length, the length of its key, and the number of
/// key bytes that follow the line: none if the line begins with the key.
const HEAD: usize = 8 + 3 * 4;

/// A line of a file.
#[derive(Default)]
struct Record {
    hash: u64,
    line: Vec<u8>,
    key: Vec<u8>,
    /// The length of the key, if the line begins with it.
    begins: usize,
}

impl Record {
    fn get(&self) -> Line<'_> {
        let key = if self.key.is_empty() { &self.line[..self.begins] } else { &self.key };
        Line { hash: self.hash, key, line: &self.line, end: self.line.last().copied().unwrap_or(0) }
    }
}

/// A file that is being written.
struct Written<'a> {
    room: Room<'a>,
    file: BufWriter<File>,
    /// Lines, or bytes.
    count: u64,
}

impl<'a> Written<'a> {
    fn new(room: Room<'a>) -> anyhow::Result<Self> {
        let file = tempfile::tempfile_in(room.folder).with_context(|| room.what())?;
        Ok(Self { room, file: BufWriter::with_capacity(room.buffer, file), count: 0 })
    }

    fn byte(&mut self, byte: u8) -> anyhow::Result<()> {
        self.count += 1;
        self.file.write_all(&[byte]).with_context(|| self.room.what())
    }

    fn line(&mut self, it: Line<'_>) -> anyhow::Result<()> {
        self.count += 1;
        let after: &[u8] = if it.line.starts_with(it.key) { &[] } else { it.key };
        let end: &[u8] = if it.line.last() == Some(&it.end) { &[] } else { &[it.end] };
        let mut head = [0; HEAD];
        head[..8].copy_from_slice(&it.hash.to_le_bytes());
        let lengths = [it.line.len() + end.len(), it.key.len(), after.len()];
        for (to, length) in head[8..].chunks_exact_mut(4).zip(lengths) {
            // A line has at most 1 GiB, and its case-folded key at most three times that.
            to.copy_from_slice(&(length as u32).to_le_bytes());
        }
        let mut pieces = [&head[..], it.line, end, after].into_iter();
        pieces.try_for_each(|piece| self.file.write_all(piece)).with_context(|| self.room.what())
    }

    fn read(self) -> anyhow::Result<Reading<'a>> {
        let room = self.room;
        let file = self.file.into_inner().map_err(|failed| failed.into_error());
        let file = file.with_context(|| room.what())?;
        let file = BufReader::with_capacity(room.buffer, file);
        let mut reading = Reading { room, file, count: self.count };
        reading.rewind()?;
        Ok(reading)
    }
}

/// A complete file, to be read.
struct Reading<'a> {
    room: Room<'a>,
    file: BufReader<File>,
    count: u64,
}

impl Reading<'_> {
    fn rewind(&mut self) -> anyhow::Result<()> {
        self.file.rewind().with_context(|| self.room.what())
    }

    fn byte(&mut self) -> anyhow::Result<u8> {
        let mut byte = [0];
        self.file.read_exact(&mut byte).with_context(|| self.room.what())?;
        Ok(byte[0])
    }

    fn record(&mut self, to: &mut Record) -> anyhow::Result<()> {
        let mut head = [0; HEAD];
        self.file.read_exact(&mut head).with_context(|| self.room.what())?;
        let (hash, lengths) = head.split_at(8);
        to.hash = hash.iter().rev().fold(0, |word, &byte| word << 8 | u64::from(byte));
        let mut lengths = lengths.chunks_exact(4).map(|bytes| {
            bytes.iter().rev().fold(0, |length, &byte| length << 8 | usize::from(byte))
        });
        let mut length = || lengths.next().unwrap_or(0);
        let line = length();
        to.begins = length();
        for (bytes, length) in [(&mut to.line, line), (&mut to.key, length())] {
            bytes.clear();
            reserve(bytes, length).context("no memory for a line")?;
            bytes.resize(length, 0);
            self.file.read_exact(bytes).with_context(|| self.room.what())?;
        }
        Ok(())
    }
}

/// The number of lines to prefetch ahead.
const AHEAD: usize = 64;

/// Keys in memory.
#[derive(Default)]
struct Table {
    places: HashTable<Place>,
    /// The keys, each after its length.
    pages: Vec<Vec<u8>>,
    /// Bytes of all pages.
    paged: usize,
}

/// The place of a key.
struct Place {
    hash: u64,
    page: u32,
    at: u32,
}

/// Bytes of a page, unless a key is longer.
const PAGE: usize = 64 << 10;

impl Table {
    /// Reads the table's entries of several hashes, so that their cache misses overlap.
    fn fetch(&self, hashes: impl Iterator<Item = u64>) {
        let seen = |hash| self.places.find(hash, |place| place.hash == hash).is_some();
        black_box(hashes.map(seen).filter(|&seen| seen).count());
    }

    fn holds(&self, hash: u64, key: &[u8]) -> bool {
        let is = |place: &Place| {
            let (length, rest) = self.pages[place.page as usize][place.at as usize..].split_at(4);
            let length_is = length == (key.len() as u32).to_le_bytes();
            place.hash == hash && length_is && rest.starts_with(key)
        };
        self.places.find(hash, is).is_some()
    }

    /// Adds a key that is not in the table. Returns false if the table would exceed `most` bytes,
    /// unless the key is its first.
    fn insert(&mut self, hash: u64, key: &[u8], most: usize) -> anyhow::Result<bool> {
        let length = 4 + key.len();
        let fits = self.pages.last().is_some_and(|page| page.capacity() - page.len() >= length);
        let page = if fits { 0 } else { length.max(PAGE) };
        let held = self.places.allocation_size();
        // The entries would move to a table of twice the size.
        let more = if self.places.len() < self.places.capacity() { 0 } else { 2 * held };
        if held + more + self.paged + page > most && !self.places.is_empty() {
            return Ok(false);
        }
        if more > 0 {
            spare(more).context(MEMORY)?;
        }
        if !fits {
            let mut new = Vec::new();
            reserve(&mut new, page).context(MEMORY)?;
            self.paged += page;
            self.pages.push(new);
        }
        let number = self.pages.len() - 1;
        let page = &mut self.pages[number];
        let place = Place { hash, page: number as u32, at: page.len() as u32 };
        page.extend_from_slice(&(key.len() as u32).to_le_bytes());
        page.extend_from_slice(key);
        self.places.insert_unique(hash, place, |place| place.hash);
        Ok(true)
    }
}

const MEMORY: &str = "no memory for the lines: give a smaller --memory";

#[cfg(test)]
mod tests {
    use super::*;

    /// Different keys with equal hashes, in one table and through all levels.
    #[test]
    fn equal_hashes_are_no_equal_keys() {
        let folder = std::env::temp_dir();
        for hash in [0, 7, u64::MAX] {
            let room = Room { folder: &folder, table: 9000, buffer: 4096 };
            let mut level = Level::new(room, 0);
            let keys: Vec<String> = (0..2000).map(|key| format!("{}\n", key % 1500)).collect();
            let mut order = Vec::new();
            for key in &keys {
                let line = Line { hash, key: key.as_bytes(), line: key.as_bytes(), end: b'\n' };
                order.push(level.see(line).unwrap());
            }
            assert!(order.contains(&NEW) && order.iter().any(|&known| known < REPEATED));
            let mut parts = level.end().unwrap();
            let mut known: Vec<Reading> =
                parts.iter_mut().map(|part| decide(part, 1).unwrap()).collect();
            for (at, known_first) in order.into_iter().enumerate() {
                let part = known.get_mut(usize::from(known_first));
                let is = part.map_or(known_first, |part| part.byte().unwrap());
                assert_eq!(is, if at < 1500 { NEW } else { REPEATED }, "{at}");
            }
        }
    }
}
