//! The measurements of one contender.
//!
//! For one number of keys, time and bytes are linear in `log2(1 / rate)` between the rows. Between
//! numbers of keys, time is linear in the logarithm of the bytes, as it rises from cache to cache.
//! Below the smallest table it is constant.

/// The operations: insert or build; query with none, half and all of the keys present; remove.
pub(super) const OPERATIONS: usize = 5;
pub(super) const INSERT: usize = 0;
pub(super) const QUERIES: [usize; 3] = [1, 2, 3];
pub(super) const REMOVE: usize = 4;

/// Tables for at most this many keys fit a cache at any rate.
const FEW: u64 = 100_000;

/// The rows of one contender, by keys and then by bits of rate.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Figures {
    pub(super) contender: String,
    pub(super) rows: Vec<Row>,
}

#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Row {
    pub(super) keys: u64,
    /// `log2(1 / rate)`.
    pub(super) bits: f64,
    pub(super) bytes: f64,
    /// NaN if not measured.
    pub(super) ns: [f64; OPERATIONS],
}

/// The time of an operation in a table of `bytes` bytes.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Point {
    pub(super) bytes: f64,
    pub(super) ns: f64,
}

impl Point {
    /// Interpolates between two points, linearly in the logarithm of the bytes.
    pub(super) fn on_line(low: Self, high: Self, bytes: f64) -> f64 {
        let log = |of: f64| libm::log2(of / low.bytes);
        low.ns + (high.ns - low.ns) * log(bytes) / log(high.bytes)
    }
}

impl Figures {
    /// Parses `contender,keys,rate,bytes` and the times into a contender and its row.
    pub(super) fn row(line: &str) -> Option<(&str, Row)> {
        let mut cells = line.split(',');
        let contender = cells.next().filter(|name| !name.is_empty())?;
        let keys = cells.next()?.parse().ok().filter(|&keys| keys > 0)?;
        let rate: f64 = cells.next()?.parse().ok()?;
        let bytes = cells.next()?.parse().ok().filter(|&bytes| bytes >= 1.0)?;
        let mut ns = [f64::NAN; OPERATIONS];
        for time in &mut ns {
            let cell = cells.next()?;
            *time = if cell.is_empty() { f64::NAN } else { cell.parse().ok()? };
        }
        let bits = if rate > 0.0 { -libm::log2(rate) } else { 0.0 };
        cells.next().is_none().then_some((contender, Row { keys, bits, bytes, ns }))
    }

    /// The rows of each number of keys, in ascending order.
    fn columns(&self) -> impl DoubleEndedIterator<Item = &[Row]> {
        self.rows.chunk_by(|a, b| a.keys == b.keys)
    }

    /// Whether a table as large or larger was measured at about this rate.
    pub(super) fn has_measured(&self, bytes: f64, bits: f64) -> bool {
        // A set has no rate.
        let has_rates = self.rows.iter().any(|row| row.bits > 0.0);
        self.columns().any(|rows| {
            // Exact rates and bytes differ slightly from the round numbers that were requested.
            let (low, high) = ends(rows);
            let inside = bits.clamp(low, high);
            let is_near = !has_rates || (bits - inside).abs() <= 0.5;
            is_near && bytes <= between(rows, inside).bytes * 1.01
        })
    }

    /// The times of an operation by bytes: a point for each number of keys at which it was
    /// measured. Removals were not measured at the largest.
    ///
    /// Outside the rates measured for a number of keys, time and bytes change as for a number of
    /// keys where such rates were measured; outside those, linearly as between the first and the
    /// last.
    pub(super) fn points(&self, operation: usize, bits: f64) -> Vec<Point> {
        let measured = self.columns().filter(|rows| !rows[0].ns[operation].is_nan());
        let point = |rows: &[Row]| {
            let (low, high) = ends(rows);
            let inside = bits.clamp(low, high);
            let Row { bytes, ns, .. } = between(rows, inside);
            let time = ns[operation];
            if bits == inside {
                return Point { bytes, ns: time };
            }
            let wide = self.lender(rows[0].keys, bits);
            let [from, to] = [inside, bits].map(|bits| on(wide, bits));
            // If a lower rate measured faster, that was noise.
            let rise = to.ns[operation] - from.ns[operation];
            let rise = if (rise > 0.0) == (bits > inside) { rise } else { 0.0 };
            // Hashing and the first cache line remain at any rate.
            Point {
                bytes: bytes * (to.bytes / from.bytes).max(0.1),
                ns: (time + rise).max(time / 4.0),
            }
        };
        measured.map(point).collect()
    }

    /// Rows for at most `keys` keys (or for few) whose rates enclose this one; if several do, those
    /// for the most keys. If none do, the rows with the widest range of rates.
    fn lender(&self, keys: u64, bits: f64) -> &[Row] {
        let fewer = || self.columns().filter(|rows| rows[0].keys <= keys.max(FEW)).rev();
        let span = |rows: &[Row]| ends(rows).1 - ends(rows).0;
        let widest = fewer().max_by(|a, b| span(a).total_cmp(&span(b)));
        let is_around = |rows: &&[Row]| (ends(rows).0 - 1.0..ends(rows).1 + 1.0).contains(&bits);
        fewer().find(is_around).or(widest).unwrap_or(&self.rows)
    }
}

/// The lowest and the highest bits of rate.
fn ends(rows: &[Row]) -> (f64, f64) {
    (rows[0].bits, rows[rows.len() - 1].bits)
}

/// Interpolates linearly in the bits of rate, which must be within the rows' range.
fn between(rows: &[Row], bits: f64) -> Row {
    let above = rows.partition_point(|row| row.bits < bits).min(rows.len() - 1);
    let (low, high) = (rows[above.saturating_sub(1)], rows[above]);
    let share = if high.bits > low.bits { (bits - low.bits) / (high.bits - low.bits) } else { 1.0 };
    low.plus(share, low, high)
}

/// The row at a rate; outside the rows' range, extrapolated linearly as between the first and the
/// last.
fn on(rows: &[Row], bits: f64) -> Row {
    let (first, last) = (rows[0], rows[rows.len() - 1]);
    let inside = bits.clamp(first.bits, last.bits);
    let steps =
        if last.bits > first.bits { (bits - inside) / (last.bits - first.bits) } else { 0.0 };
    between(rows, inside).plus(steps, first, last)
}

impl Row {
    /// Adds `times` times the difference of two rows.
    fn plus(self, times: f64, from: Self, to: Self) -> Self {
        let bytes = self.bytes + times * (to.bytes - from.bytes);
        let rise = |operation| times * (to.ns[operation] - from.ns[operation]);
        Self { bytes, ns: core::array::from_fn(|at| self.ns[at] + rise(at)), ..self }
    }
}
