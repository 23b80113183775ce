//! The counting allocator: how many bytes a filter really holds, and how many were held while it was built.
//!
//! Every allocation of the program goes through it. The counts are per thread, so that tests running beside each other, or
//! a progress bar with a thread of its own, do not disturb a measurement; a contender that builds with threads of
//! its own would have to be counted otherwise. A count is two additions to thread-local integers, little beside the
//! allocation itself.

#![allow(unsafe_code)]

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

#[global_allocator]
static COUNTING: Counting = Counting;

thread_local! {
    // Without a destructor, so usable from the allocator until the very end of a thread.
    static CURRENT: Cell<i64> = const { Cell::new(0) };
    static PEAK: Cell<i64> = const { Cell::new(0) };
}

/// The system's allocator, with a tally.
#[derive(Debug)]
struct Counting;

// SAFETY: every method hands its arguments on to the system's allocator unchanged and returns its answer
// unchanged; the tally beside it touches only this thread's integers and allocates nothing.
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
        // SAFETY: the pointer came from `System` through one of the other methods, with this layout.
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, new_size: usize) -> *mut u8 {
        // SAFETY: the pointer came from `System` with this layout, and the caller vouches for the size.
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
}

fn subtract(bytes: usize) {
    CURRENT.with(|current| current.set(current.get() - bytes as i64));
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

#[cfg(test)]
mod tests {
    use super::*;

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
