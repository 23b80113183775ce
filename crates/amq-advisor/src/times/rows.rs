//! What was measured of one contender.
//!
//! With a number of keys, time and bytes are linear in `log2(1 / rate)` between the rows; from one
//! number of keys to the next, time is linear in the logarithm of the bytes, as it rises from cache
//! to cache. In a smaller table than the smallest it stays.

/// The operations: insert or build; query with none, half and all of the keys present; remove.
pub(super) const OPERATIONS: usize = 5;
pub(super) const INSERT: usize = 0;
pub(super) const QUERIES: [usize; 3] = [1, 2, 3];
pub(super) const REMOVE: usize = 4;

/// Tables of so many keys lie in a cache at any rate.
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
    /// NaN where nothing was measured.
    pub(super) ns: [f64; OPERATIONS],
}

/// The time of an operation in a table of so many bytes.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Point {
    pub(super) bytes: f64,
    pub(super) ns: f64,
}

impl Point {
    /// On the line through two points, which is straight over the logarithm of the bytes.
    pub(super) fn on_line(low: Self, high: Self, bytes: f64) -> f64 {
        let log = |of: f64| libm::log2(of / low.bytes);
        low.ns + (high.ns - low.ns) * log(bytes) / log(high.bytes)
    }
}

impl Figures {
    /// Reads `contender,keys,rate,bytes` and the times; a contender and its row.
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

    /// The rows of each number of keys, which rises.
    fn columns(&self) -> impl DoubleEndedIterator<Item = &[Row]> {
        self.rows.chunk_by(|a, b| a.keys == b.keys)
    }

    /// Whether a table as large or larger was measured at about this rate.
    pub(super) fn has_measured(&self, bytes: f64, bits: f64) -> bool {
        // A set has no rate.
        let has_rates = self.rows.iter().any(|row| row.bits > 0.0);
        self.columns().any(|rows| {
            // Exact rates are a little off the round ones that were asked for, and so are bytes.
            let (low, high) = ends(rows);
            let inside = bits.clamp(low, high);
            let is_near = !has_rates || (bits - inside).abs() <= 0.5;
            is_near && bytes <= between(rows, inside).bytes * 1.01
        })
    }

    /// The times of an operation by bytes: a point for each number of keys that has it. Removals
    /// have none of the most keys.
    ///
    /// Beyond the rates of a number of keys time and bytes run as they do where such rates were
    /// measured; beyond those, on as between the first and the last.
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
            // Where less time was measured at a lower rate, that was noise.
            let rise = to.ns[operation] - from.ns[operation];
            let rise = if (rise > 0.0) == (bits > inside) { rise } else { 0.0 };
            // However few bits are asked for, hashing and the first line are left.
            Point {
                bytes: bytes * (to.bytes / from.bytes).max(0.1),
                ns: (time + rise).max(time / 4.0),
            }
        };
        measured.map(point).collect()
    }

    /// Of no more keys, or of few, the rows whose rates lie around this one; of several those of
    /// the most keys. Where there are none, those with most rates between them.
    fn lender(&self, keys: u64, bits: f64) -> &[Row] {
        let fewer = || self.columns().filter(|rows| rows[0].keys <= keys.max(FEW)).rev();
        let span = |rows: &[Row]| ends(rows).1 - ends(rows).0;
        let widest = fewer().max_by(|a, b| span(a).total_cmp(&span(b)));
        let is_around = |rows: &&[Row]| (ends(rows).0 - 1.0..ends(rows).1 + 1.0).contains(&bits);
        fewer().find(is_around).or(widest).unwrap_or(&self.rows)
    }
}

/// The fewest and the most bits of rate.
fn ends(rows: &[Row]) -> (f64, f64) {
    (rows[0].bits, rows[rows.len() - 1].bits)
}

/// Linear in the bits of rate, which lie within the rows'.
fn between(rows: &[Row], bits: f64) -> Row {
    let above = rows.partition_point(|row| row.bits < bits).min(rows.len() - 1);
    let (low, high) = (rows[above.saturating_sub(1)], rows[above]);
    let share = if high.bits > low.bits { (bits - low.bits) / (high.bits - low.bits) } else { 1.0 };
    low.plus(share, low, high)
}

/// At a rate; beyond the rows' on as between the first and the last.
fn on(rows: &[Row], bits: f64) -> Row {
    let (first, last) = (rows[0], rows[rows.len() - 1]);
    let inside = bits.clamp(first.bits, last.bits);
    let steps =
        if last.bits > first.bits { (bits - inside) / (last.bits - first.bits) } else { 0.0 };
    between(rows, inside).plus(steps, first, last)
}

impl Row {
    /// With so many times the difference of two rows.
    fn plus(self, times: f64, from: Self, to: Self) -> Self {
        let bytes = self.bytes + times * (to.bytes - from.bytes);
        let rise = |operation| times * (to.ns[operation] - from.ns[operation]);
        Self { bytes, ns: core::array::from_fn(|at| self.ns[at] + rise(at)), ..self }
    }
}
