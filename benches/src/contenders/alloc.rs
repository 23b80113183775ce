//! The counting allocator, which measures the bytes held by a filter and the peak of its build.
//!
//! Every allocation of the program goes through it. The counts are per thread, so that parallel
//! tests, or a progress bar's thread, do not disturb a measurement. Only for work that spawns
//! threads are all threads counted.

#![allow(unsafe_code)]

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::sync::atomic::{AtomicBool, AtomicI64, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};

#[global_allocator]
static COUNTING: Counting = Counting;

thread_local! {
    // No destructor, so usable from the allocator until the very end of a thread.
    static HELD: Cell<i64> = const { Cell::new(0) };
    static PEAK: Cell<i64> = const { Cell::new(0) };
}

static EVERYWHERE: AtomicBool = AtomicBool::new(false);
static ALL_HELD: AtomicI64 = AtomicI64::new(0);
static ALL_PEAK: AtomicI64 = AtomicI64::new(0);
/// Held while all threads are counted.
static ALONE: Mutex<()> = Mutex::new(());

struct Counting;

// SAFETY: every method passes its arguments to the system allocator unchanged and returns its
// answer unchanged; the tally touches only integers and allocates nothing.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller upholds the contract of `System.alloc`.
        count(unsafe { System.alloc(layout) }, layout.size() as i64)
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller upholds the contract of `System.alloc_zeroed`.
        count(unsafe { System.alloc_zeroed(layout) }, layout.size() as i64)
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        count(pointer, -(layout.size() as i64));
        // SAFETY: the pointer came from `System` through another method, with this layout.
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, new_size: usize) -> *mut u8 {
        // SAFETY: the pointer came from `System` with this layout; the caller guarantees the size.
        let new = unsafe { System.realloc(pointer, layout, new_size) };
        count(new, new_size as i64 - layout.size() as i64)
    }
}

/// Counts bytes allocated or freed, unless the allocation failed.
fn count(pointer: *mut u8, bytes: i64) -> *mut u8 {
    if !pointer.is_null() {
        let held = HELD.get() + bytes;
        HELD.set(held);
        PEAK.set(PEAK.get().max(held));
        if EVERYWHERE.load(Relaxed) {
            let held = ALL_HELD.fetch_add(bytes, Relaxed) + bytes;
            ALL_PEAK.fetch_max(held, Relaxed);
        }
    }
    pointer
}

/// The change in the bytes held over a piece of work, at its end and at its peak.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Memory {
    pub held: i64,
    pub peak: i64,
}

/// Runs `work` and returns the change in this thread's memory.
pub fn counted<T>(work: impl FnOnce() -> T) -> (T, Memory) {
    let before = HELD.get();
    PEAK.set(before);
    let result = work();
    (result, Memory { held: HELD.get() - before, peak: PEAK.get() - before })
}

/// Runs `work` and returns the change in all threads' memory, unrelated threads included.
pub fn counted_everywhere<T>(work: impl FnOnce() -> T) -> (T, Memory) {
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    ALL_HELD.store(0, Relaxed);
    ALL_PEAK.store(0, Relaxed);
    EVERYWHERE.store(true, Relaxed);
    let result = work();
    EVERYWHERE.store(false, Relaxed);
    (result, Memory { held: ALL_HELD.load(Relaxed), peak: ALL_PEAK.load(Relaxed) })
}
