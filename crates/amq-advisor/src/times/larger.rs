//! Extrapolating times to larger tables than were measured.
//!
//! In larger tables only the waits for memory grow. A yardstick that reads one cache line per
//! operation gives the wait per line by table size, interpolated and extrapolated as a power of the
//! size. The number of lines that an operation waits for is the slope of its measured times over
//! the yardstick's, by least squares, and at least one; it is assumed to stay the same.

use super::rows::Point;

/// The most lines that an operation waits for.
const MOST_LINES: f64 = 100.0;

/// The wait per line grows at most by this factor beyond the largest measured table: a miss reads
/// memory, and at most four levels of page tables.
const MOST_WAIT: f64 = 5.0;

/// The time in a table larger than the last point; there must be a point.
pub(super) fn in_larger_table(points: &[Point], bytes: f64, yardstick: &[Point]) -> f64 {
    let Some((last, line)) = points.last().zip(line(yardstick)) else {
        return points.last().map_or(f64::NAN, |last| last.ns);
    };
    let lines: Vec<f64> = points.iter().map(|point| line(point.bytes)).collect();
    let count = points.len() as f64;
    let x = lines.iter().sum::<f64>() / count;
    let y = points.iter().map(|point| point.ns).sum::<f64>() / count;
    let both = points.iter().zip(&lines).map(|(point, line)| (line - x) * (point.ns - y));
    let square = lines.iter().map(|line| (line - x) * (line - x));
    let slope = both.sum::<f64>() / square.sum::<f64>();
    // A single point has no slope.
    let slope = if slope > 1.0 { slope.min(MOST_LINES) } else { 1.0 };
    last.ns + slope * (line(bytes) - line(last.bytes)).max(0.0)
}

/// The yardstick's time as a function of bytes; `None` if it was not measured at two sizes.
fn line(yardstick: &[Point]) -> Option<impl Fn(f64) -> f64> {
    let logs = yardstick.iter().map(|point| Point { ns: libm::log2(point.ns), ..*point });
    let logs: Vec<Point> = logs.collect();
    let (first, most) = (*logs.first()?, logs.len().checked_sub(2)?);
    let longest = yardstick.last()?.ns * MOST_WAIT;
    Some(move |bytes: f64| {
        let bytes = bytes.max(first.bytes);
        let from = logs.partition_point(|point| point.bytes < bytes).saturating_sub(1).min(most);
        libm::exp2(Point::on_line(logs[from], logs[from + 1], bytes)).min(longest)
    })
}
