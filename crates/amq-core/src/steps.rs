//! How much work a formula is: counted, for the tests that hold every plan to a bound.
//!
//! Time says little on a busy machine, and a search that takes seconds for one goal in a million is
//! not found by it. So the sums and searches of the family count their steps, with the feature
//! `__steps`; without it there is nothing here to execute.

#[cfg(feature = "__steps")]
use core::cell::Cell;

#[cfg(feature = "__steps")]
std::thread_local! {
    static STEPS: Cell<u64> = const { Cell::new(0) };
}

/// Counts `count` steps. One is some 30 ns: a term with an exponential, a logarithm or a power in
/// it, or some 32 of plain arithmetic.
#[inline(always)]
pub fn step(count: u64) {
    #[cfg(feature = "__steps")]
    STEPS.with(|steps| steps.set(steps.get().saturating_add(count)));
    #[cfg(not(feature = "__steps"))]
    let _ = count;
}

/// What `work` returns, and how many steps it took in this thread.
#[cfg(feature = "__steps")]
pub fn steps_of<T>(work: impl FnOnce() -> T) -> (T, u64) {
    let before = STEPS.with(Cell::get);
    let result = work();
    (result, STEPS.with(Cell::get).saturating_sub(before))
}
