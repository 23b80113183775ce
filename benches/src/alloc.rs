//! The counting allocator: how many bytes a filter really holds, and how many were held while it
//! was built.
//!
//! Every allocation of the program goes through it. The counts are per thread, so that tests
//! running beside each other, or a progress bar with a thread of its own, do not disturb a
//! measurement. A count is two additions to thread-local integers, little beside the allocation
//! itself. Only for work that is known to have threads of its own, all threads are counted
//! together.

#![allow(unsafe_code)]

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};
use std::sync::{Mutex, PoisonError};

#[global_allocator]
static COUNTING: Counting = Counting;

thread_local! {
    // Without a destructor, so usable from the allocator until the very end of a thread.
    static CURRENT: Cell<i64> = const { Cell::new(0) };
    static PEAK: Cell<i64> = const { Cell::new(0) };
}

/// Whether all threads are counted.
static ALL_COUNT: AtomicBool = AtomicBool::new(false);
static ALL_CURRENT: AtomicI64 = AtomicI64::new(0);
static ALL_PEAK: AtomicI64 = AtomicI64::new(0);
/// Held by who has all threads counted.
static ALL: Mutex<()> = Mutex::new(());

/// The system's allocator, with a tally.
#[derive(Debug)]
struct Counting;

// SAFETY: every method hands its arguments on to the system's allocator unchanged and returns its
// answer unchanged; the tally beside it touches only this thread's integers and allocates nothing.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller's promises are those of `System.alloc`.
        let pointer = unsafe { System.alloc(layout) };
        if !pointer.is_null() {
            add(layout.size());
        }
        pointer
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller's promises are those of `System.alloc_zeroed`.
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

/// What a piece of work did to this thread's memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Memory {
    /// Bytes more than before once it was done.
    pub held: i64,
    /// Bytes more than before at the worst moment.
    pub peak: i64,
}

/// Does a piece of work and says what it did to this thread's memory.
pub fn counted<T>(work: impl FnOnce() -> T) -> (T, Memory) {
    let before = CURRENT.with(Cell::get);
    PEAK.with(|peak| peak.set(before));
    let result = work();
    let memory = Memory {
        held: CURRENT.with(Cell::get) - before,
        peak: PEAK.with(Cell::get) - before,
    };
    (result, memory)
}

/// Does a piece of work and says what it did to the memory of all threads. Whatever other threads
/// do meanwhile counts too.
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
        // Other tests run meanwhile, but none of them holds so much.
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
        assert_eq!(
            memory,
            Memory {
                held: 800,
                peak: 5800
            }
        );
        let ((), memory) = counted(|| drop(kept));
        assert_eq!(
            memory,
            Memory {
                held: -800,
                peak: 0
            }
        );
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
