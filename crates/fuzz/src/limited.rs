//! The allocator of every target, which counts bytes and enforces a limit.

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

/// The most bytes held at a time. Beyond it, allocation fails: an error where that is handled,
/// otherwise an abort, which the fuzzer reports.
const LIMIT: usize = 64 << 20;

struct Limited;

#[global_allocator]
static LIMITED: Limited = Limited;

static HELD: AtomicUsize = AtomicUsize::new(0);
static PEAK: AtomicUsize = AtomicUsize::new(0);

// SAFETY: all calls go to the system allocator unchanged, or return null, which signals failure.
unsafe impl GlobalAlloc for Limited {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let held = HELD.fetch_add(layout.size(), Relaxed) + layout.size();
        if held > LIMIT {
            HELD.fetch_sub(layout.size(), Relaxed);
            return core::ptr::null_mut();
        }
        PEAK.fetch_max(held, Relaxed);
        // SAFETY: the caller upholds the same contract.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        HELD.fetch_sub(layout.size(), Relaxed);
        // SAFETY: as above.
        unsafe { System.dealloc(pointer, layout) }
    }
}

/// Runs `work`, and returns the peak of bytes held beyond those held before. Counts all threads,
/// but a target has only one.
pub(crate) fn peak<R>(work: impl FnOnce() -> R) -> (R, usize) {
    let before = HELD.load(Relaxed);
    PEAK.store(before, Relaxed);
    let result = work();
    (result, PEAK.load(Relaxed) - before)
}
