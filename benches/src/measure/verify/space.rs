//! Filters are built by orders, and the bytes that they hold counted.

use super::{Failure, Subject, guarded};
use crate::contenders::alloc::{Memory, counted, counted_everywhere};
use crate::contenders::{Built, Contender, Order, Planned};
use crate::keys::Keys;
use crate::record::Row;

/// Builds a filter; a panic is a failure like any other.
pub fn build(
    contender: &dyn Contender,
    keys: Keys<'_>,
    order: &Order,
) -> Result<Box<dyn Built>, Failure> {
    guarded(|| contender.build(keys, order))?.map_err(Failure::Build)
}

/// Builds a filter and counts the bytes it holds and its peak, without the harness's box: a user
/// has the struct on the stack.
pub fn build_counted(
    contender: &dyn Contender,
    keys: Keys<'_>,
    order: &Order,
) -> Result<(Box<dyn Built>, Memory), Failure> {
    let work = || build(contender, keys, order);
    let (built, Memory { held, peak }) =
        if contender.info().threads { counted_everywhere(work) } else { counted(work) };
    let filter = built?;
    let boxed = size_of_val(&*filter) as i64;
    Ok((filter, Memory { held: held - boxed, peak: peak - boxed }))
}

/// Builds a filter of one key and drops it: some hashers allocate a table of constants on first use
/// and keep it, which must not count as the filter's.
pub fn warm_up(contender: &dyn Contender, present: Keys<'_>, order: &Order) {
    let _ = build(contender, present.first(1), order);
}

/// The least and most bytes per key over numbers of keys from `keys` to twice as many, times
/// `keys`, for a contender whose size jumps. The keys are the first of `pool`.
pub fn octave(
    contender: &dyn Contender,
    pool: Keys<'_>,
    keys: usize,
    subject: &Subject<'_>,
) -> Result<(u64, u64), Failure> {
    const STEPS: i32 = 16;
    let order = Order { planned: Planned::Octave(keys), ..subject.order(subject.seed) };
    let (mut low, mut high) = (f64::INFINITY, 0.0f64);
    for step in 0..STEPS {
        let many = (keys as f64 * (f64::from(step) / f64::from(STEPS)).exp2()) as usize;
        let (_, memory) = build_counted(contender, pool.first(many), &order)?;
        let scaled = memory.held as f64 * keys as f64 / many as f64;
        (low, high) = (low.min(scaled), high.max(scaled));
    }
    Ok((low as u64, high as u64))
}

/// The most bytes of several filters; `None` before the first.
#[derive(Clone, Copy, Default, Debug)]
pub struct Space {
    held: Option<u64>,
    said: Option<u64>,
    peak: Option<u64>,
    /// The range over an octave.
    pub octave: Option<(u64, u64)>,
}

impl Space {
    /// Takes in a filter and the memory that it took, after comparison with what it reports.
    pub fn see(&mut self, filter: &dyn Built, memory: Memory, seed: u64) -> Result<(), Failure> {
        let (said, Memory { held, peak }) = (filter.said_bytes(), memory);
        Failure::unless(said.is_none_or(|said| i64::try_from(said) == Ok(held)), || {
            format!("reports {} bytes but holds {held} (seed {seed})", said.unwrap_or_default())
        })?;
        let bytes = |count: i64| Some(u64::try_from(count).unwrap_or(0));
        self.held = self.held.max(bytes(held));
        self.said = self.said.max(said);
        self.peak = self.peak.max(bytes(peak)).max(self.held);
        Ok(())
    }

    /// Writes the bytes into a row.
    pub fn write(&self, row: &mut Row) {
        (row.held_bytes, row.said_bytes, row.peak_build_bytes) = (self.held, self.said, self.peak);
        (row.held_bytes_octave_low, row.held_bytes_octave_high) = self.octave.unzip();
    }
}
