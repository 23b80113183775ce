//! The counting allocator: the bytes that a filter holds, and the peak while it was built.
//!
//! Every allocation of the program goes through it. The counts are per thread, so that parallel
//! tests, or a progress bar with its own thread, do not disturb a measurement. Counting is two
//! additions to thread-local integers, cheap next to the allocation itself. Only for work that
//! spawns threads are all threads counted together.

#![allow(unsafe_code)]

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};
use std::sync::{Mutex, PoisonError};

#[global_allocator]
static COUNTING: Counting = Counting;

thread_local! {
    // No destructor, so usable from the allocator until the very end of a thread.
    static CURRENT: Cell<i64> = const { Cell::new(0) };
    static PEAK: Cell<i64> = const { Cell::new(0) };
}

/// Whether all threads are counted.
static ALL_COUNT: AtomicBool = AtomicBool::new(false);
static ALL_CURRENT: AtomicI64 = AtomicI64::new(0);
static ALL_PEAK: AtomicI64 = AtomicI64::new(0);
/// Held while all threads are counted.
static ALL: Mutex<()> = Mutex::new(());

/// The system allocator, with a tally.
#[derive(Debug)]
struct Counting;

// SAFETY: every method passes its arguments to the system allocator unchanged and returns its
// answer unchanged; the tally touches only integers and allocates nothing.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller upholds the contract of `System.alloc`.
        let pointer = unsafe { System.alloc(layout) };
        if !pointer.is_null() {
            add(layout.size());
        }
        pointer
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller upholds the contract of `System.alloc_zeroed`.
        let pointer = unsafe { System.alloc_zeroed(layout) };
        if !pointer.is_null() {
            add(layout.size());
        }
        pointer
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        subtract(layout.size());
        // SAFETY: the pointer came from `System` through one of the other methods, with this
        // layout.
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, new_size: usize) -> *mut u8 {
        // SAFETY: the pointer came from `System` with this layout, and the caller vouches for the
        // size.
        let new = unsafe { System.realloc(pointer, layout, new_size) };
        if !new.is_null() {
            subtract(layout.size());
            add(new_size);
        }
        new
    }
}

fn add(bytes: usize) {
    CURRENT.with(|current| {
        let now = current.get() + bytes as i64;
        current.set(now);
        PEAK.with(|peak| peak.set(peak.get().max(now)));
    });
    if ALL_COUNT.load(Ordering::Relaxed) {
        let bytes = bytes as i64;
        let now = ALL_CURRENT.fetch_add(bytes, Ordering::Relaxed) + bytes;
        ALL_PEAK.fetch_max(now, Ordering::Relaxed);
    }
}

fn subtract(bytes: usize) {
    CURRENT.with(|current| current.set(current.get() - bytes as i64));
    if ALL_COUNT.load(Ordering::Relaxed) {
        ALL_CURRENT.fetch_sub(bytes as i64, Ordering::Relaxed);
    }
}

/// The change in memory held over a piece of work.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Memory {
    /// Additional bytes held at the end.
    pub held: i64,
    /// Additional bytes held at the peak.
    pub peak: i64,
}

/// Runs `work` and returns the change in this thread's memory.
pub fn counted<T>(work: impl FnOnce() -> T) -> (T, Memory) {
    let before = CURRENT.with(Cell::get);
    PEAK.with(|peak| peak.set(before));
    let result = work();
    let memory =
        Memory { held: CURRENT.with(Cell::get) - before, peak: PEAK.with(Cell::get) - before };
    (result, memory)
}

/// Runs `work` and returns the change in all threads' memory, unrelated threads included.
pub fn counted_everywhere<T>(work: impl FnOnce() -> T) -> (T, Memory) {
    let _alone = ALL.lock().unwrap_or_else(PoisonError::into_inner);
    for count in [&ALL_CURRENT, &ALL_PEAK] {
        count.store(0, Ordering::Relaxed);
    }
    ALL_COUNT.store(true, Ordering::Relaxed);
    let result = work();
    ALL_COUNT.store(false, Ordering::Relaxed);
    let memory = Memory {
        held: ALL_CURRENT.load(Ordering::Relaxed),
        peak: ALL_PEAK.load(Ordering::Relaxed),
    };
    (result, memory)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_other_threads_hold_is_counted_if_it_is_asked_for() {
        const BIG: usize = 1 << 28;
        let work = || std::thread::spawn(|| vec![0u8; BIG]).join().unwrap();
        let (kept, alone) = counted(work);
        assert!(alone.held < 1 << 20, "{alone:?}");
        // Other tests run at the same time, but none holds this much.
        let (both, all) = counted_everywhere(|| (work(), kept));
        assert!(all.held > BIG as i64 / 2 && all.peak >= all.held, "{all:?}");
        drop(both);
    }

    #[test]
    fn held_and_peak_bytes_are_counted_to_the_byte() {
        let (kept, memory) = counted(|| {
            let scratch = vec![1u8; 5000];
            let kept = vec![0u64; 100];
            drop(scratch);
            kept
        });
        assert_eq!(memory, Memory { held: 800, peak: 5800 });
        let ((), memory) = counted(|| drop(kept));
        assert_eq!(memory, Memory { held: -800, peak: 0 });
    }

    #[test]
    fn growing_in_steps_ends_at_the_last_size() {
        let (kept, memory) = counted(|| {
            let mut bytes: Vec<u8> = Vec::with_capacity(10);
            bytes.reserve_exact(1000);
            bytes
        });
        assert_eq!(memory.held, kept.capacity() as i64);
    }
}
