//! Detects keys that are looked up in a different encoding than they were inserted in, for filters
//! whose files do not record the encoding. Such keys are all denied.

use crate::exit;
use crate::keys::{KeyType, Shape};
use crate::numbers::grouped;
use crate::work::Work;
use amq::{AnyFile, Filter, KeyEncoding};

/// Up to this many lines, all denied, are not taken as a sign.
const FEW: u64 = 100;

/// Watches the keys of a run, and warns if none seems to be in the filter and all would be valid in
/// another encoding.
pub(crate) struct Watch {
    shape: Shape,
    /// The filter's false-positive rate.
    rate: f64,
    lines: u64,
    found: u64,
    suspect: bool,
    /// Whether all lines so far are decimal digits; tracked if they are looked up as text.
    decimal: bool,
}

impl Watch {
    /// For keys of this shape, looked up in this filter.
    pub(crate) fn new(shape: Shape, file: &AnyFile) -> Self {
        let filter = file.filter().into_inner();
        let told = file.encoding() != KeyEncoding::Unknown;
        // A line says nothing about a key that is one of its fields.
        let suspect = !told && !filter.is_empty() && shape.split.is_none();
        Self { shape, rate: filter.expected_fpr(), lines: 0, found: 0, suspect, decimal: true }
    }

    /// Records a block of keys, `found` of which were found.
    pub(crate) fn see(&mut self, work: &Work, found: u64) {
        self.lines += work.hashes.len() as u64;
        self.found += found;
        self.suspect = self.suspect
            && self.found as f64 <= 5.0 + self.by_chance(5.0)
            && (self.shape.key_type != KeyType::Text || self.are_digits(work));
    }

    /// Whether the lines of a block are decimal or hexadecimal digits. Empty lines are allowed
    /// among others.
    fn are_digits(&mut self, work: &Work) -> bool {
        let end = self.shape.end;
        let ends = |byte: u8| (byte == end) | (byte == b'\r');
        let bytes = work.bytes();
        self.decimal = self.decimal && all(bytes, |byte| byte.is_ascii_digit() | ends(byte));
        work.used > work.hashes.len()
            && (self.decimal || all(bytes, |byte| byte.is_ascii_hexdigit() | ends(byte)))
    }

    /// The expected false positives among the lines plus `sigmas` standard deviations.
    fn by_chance(&self, sigmas: f64) -> f64 {
        let mean = self.lines as f64 * self.rate;
        mean + sigmas * mean.sqrt()
    }

    /// Warns if the encoding seems wrong. A quiet run warns, too, as `grep -q` does of its pattern:
    /// its exit status would be wrong.
    pub(crate) fn warn(&self, filter: &str) {
        if !self.suspect || self.lines <= FEW || self.found as f64 > self.by_chance(2.0) {
            return;
        }
        let lines = grouped(self.lines);
        let denies = match self.found {
            0 => format!("denies all {lines} keys"),
            found => format!(
                "denies {} of {lines} keys, and the rest are no more than its false positives",
                grouped(self.lines - found)
            ),
        };
        exit::note(&match self.shape.key_type {
            KeyType::U64 => format!(
                "warning: {filter} {denies}: if it was built from lines of text, ask without \
                 --key-type u64"
            ),
            KeyType::Hex => format!(
                "warning: {filter} {denies}: if it was built from lines of text, ask without \
                 --key-type hex"
            ),
            KeyType::Text if self.decimal => format!(
                "warning: {filter} {denies}; each is a decimal number: if it was built with \
                 --key-type u64, ask with it, too"
            ),
            KeyType::Text => format!(
                "warning: {filter} {denies}; each consists of hexadecimal digits: if it was built \
                 with --key-type hex, ask with it, too"
            ),
        });
    }
}

/// Whether all bytes are allowed. The compiler vectorises each piece, since it has no early exit.
fn all(bytes: &[u8], allowed: impl Fn(u8) -> bool) -> bool {
    bytes.chunks(4096).all(|piece| piece.iter().fold(true, |all, &byte| all & allowed(byte)))
}
