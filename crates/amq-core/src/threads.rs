//! Threads that help the calling one.
//!
//! They are its own, and end with the work. A pool's would not do: they may be waiting for a lock
//! that the caller holds while it waits for them; and a caller that is one of them would be given
//! other tasks of the pool meanwhile, which may want that lock, too.

use crate::cpu::Cpu;
use core::error::Error;
use core::sync::atomic::{AtomicUsize, Ordering};
use std::sync::OnceLock;
use std::thread::{Builder, Scope};

impl Cpu {
    /// Whether there are threads. `start` makes rayon's global pool, which tells how many may be
    /// used, and is called once in a program. A system can refuse threads, and rayon would panic
    /// later: that error has a source. Its only other error is that the pool exists already.
    pub fn has_threads<E: Error>(start: impl FnOnce() -> Result<(), E>) -> bool {
        static HAS: OnceLock<bool> = OnceLock::new();
        *HAS.get_or_init(|| !start().is_err_and(|error| error.source().is_some()))
    }

    /// Calls `work` in a thread of the scope. Returns whether it does: not if the process has
    /// `most` helpers already, whoever called them, or the system refuses a thread.
    pub fn help<'s>(
        scope: &'s Scope<'s, '_>,
        most: usize,
        work: impl FnOnce() + Send + 's,
    ) -> bool {
        let Some(helper) = Helper::one_more(most) else { return false };
        let work = move || {
            let _helper = helper;
            work();
        };
        Builder::new().spawn_scoped(scope, work).is_ok()
    }

    /// Calls `work` in this thread and in others, `threads` in all if there may be as many. Returns
    /// when all have returned.
    pub fn together(threads: usize, work: impl Fn() + Sync) {
        std::thread::scope(|scope| {
            let most = threads.saturating_sub(1);
            let _ = (0..most).all(|_| Self::help(scope, most, &work));
            work();
        });
    }
}

/// Number of helpers in the process.
static HELPERS: AtomicUsize = AtomicUsize::new(0);

/// One of [`HELPERS`], while it lives.
struct Helper;

impl Helper {
    /// `None` if there are `most` already.
    fn one_more(most: usize) -> Option<Self> {
        let more = |helpers| (helpers < most).then_some(helpers + 1);
        let counted = HELPERS.fetch_update(Ordering::Relaxed, Ordering::Relaxed, more);
        counted.ok().map(|_| Self)
    }
}

impl Drop for Helper {
    fn drop(&mut self) {
        HELPERS.fetch_sub(1, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::{Barrier, Mutex};

    /// The number of threads that there were.
    fn threads(threads: usize) -> usize {
        let calls = AtomicUsize::new(0);
        Cpu::together(threads, || {
            calls.fetch_add(1, Ordering::Relaxed);
        });
        calls.into_inner()
    }

    /// One test alone: helpers are counted for the whole process.
    #[test]
    fn a_process_has_so_many_helpers_and_no_more() {
        let all = Barrier::new(4);
        let others = Mutex::new(std::vec::Vec::new());
        Cpu::together(4, || {
            all.wait();
            // All three are at work, so there is none for this one.
            let other = (threads(4), threads(1), threads(0));
            others.lock().unwrap().push(other);
            all.wait();
        });
        assert_eq!(others.into_inner().unwrap(), [(1, 1, 1); 4]);
        assert_eq!(HELPERS.load(Ordering::Relaxed), 0);
        // One that panics is one no more.
        let panics = || std::panic::resume_unwind(std::boxed::Box::new("as planned"));
        assert!(std::panic::catch_unwind(|| Cpu::together(4, panics)).is_err());
        assert_eq!(HELPERS.load(Ordering::Relaxed), 0);
    }
}
