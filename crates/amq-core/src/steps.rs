//! Counts loop iterations of the formulas, so that tests can bound the cost of planning.
//!
//! Wall-clock time is too noisy on a busy machine to find a search that is slow for one goal in a
//! million. With the feature `__steps`, sums and searches count their steps; without it, these
//! functions do nothing.

#[cfg(feature = "__steps")]
use core::cell::Cell;

#[cfg(feature = "__steps")]
std::thread_local! {
    static STEPS: Cell<u64> = const { Cell::new(0) };
}

/// Counts `count` steps. A step is some 30 ns: a term with an exponential, a logarithm or a power,
/// or some 32 terms of plain arithmetic.
#[inline(always)]
pub fn step(count: u64) {
    #[cfg(feature = "__steps")]
    STEPS.with(|steps| steps.set(steps.get().saturating_add(count)));
    #[cfg(not(feature = "__steps"))]
    let _ = count;
}

/// Runs `work`; returns its result and the number of steps it took on this thread.
#[cfg(feature = "__steps")]
pub fn steps_of<T>(work: impl FnOnce() -> T) -> (T, u64) {
    let before = STEPS.with(Cell::get);
    let result = work();
    (result, STEPS.with(Cell::get).saturating_sub(before))
}
