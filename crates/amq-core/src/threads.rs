//! Threads that help the calling one.
//!
//! They are its own, and end with the work. A pool's would not do: they may be waiting for a lock
//! that the caller holds while it waits for them; and a caller that is one of them would be given
//! other tasks of the pool meanwhile, which may want that lock, too. The caller's
//! pool only says how many threads there may be.

use crate::cpu::Cpu;
use core::num::NonZero;
use core::sync::atomic::{AtomicUsize, Ordering};
use std::sync::OnceLock;
use std::thread::{Builder, Scope, available_parallelism};

impl Cpu {
    /// Number of threads that may work, the calling one included: those of the pool that it belongs
    /// to. Outside of a pool as many as rayon's global pool has by default: `RAYON_NUM_THREADS`, or
    /// one for each processor.
    ///
    /// The global pool itself is not asked for, which would build it. If the system then refuses it
    /// a thread, the program's own calls of rayon panic from then on.
    pub fn threads() -> usize {
        static DEFAULT: OnceLock<usize> = OnceLock::new();
        if rayon::current_thread_index().is_some() {
            return rayon::current_num_threads().max(1);
        }
        *DEFAULT.get_or_init(|| {
            let wanted = std::env::var("RAYON_NUM_THREADS").ok();
            let wanted = wanted.and_then(|wanted| wanted.parse::<NonZero<usize>>().ok());
            wanted.or_else(|| available_parallelism().ok()).map_or(1, NonZero::get)
        })
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

    /// Calls `work` in this thread and in others, one for each of `tasks` if there may be as many.
    /// Returns when all have returned.
    pub fn together(tasks: usize, work: impl Fn() + Sync) {
        share(if tasks > 1 { Self::threads() } else { 1 }, tasks, work);
    }
}

/// With so many threads at most.
fn share(threads: usize, tasks: usize, work: impl Fn() + Sync) {
    std::thread::scope(|scope| {
        let _ = (1..threads.min(tasks)).all(|_| Cpu::help(scope, threads - 1, &work));
        work();
    });
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

    /// The number of threads that worked.
    fn workers(threads: usize, tasks: usize) -> usize {
        let calls = AtomicUsize::new(0);
        share(threads, tasks, || {
            calls.fetch_add(1, Ordering::Relaxed);
        });
        calls.into_inner()
    }

    /// The program can still build it, as it likes.
    #[test]
    fn nothing_here_builds_the_global_pool() {
        assert!(Cpu::threads() > 0);
        let pool = rayon::ThreadPoolBuilder::new().num_threads(3);
        pool.build_global().unwrap();
        assert_eq!(rayon::current_num_threads(), 3);
        assert_eq!(rayon::join(Cpu::threads, || ()).0, 3);
    }

    /// One test alone: helpers are counted for the whole process.
    #[test]
    fn a_process_has_so_many_helpers_and_no_more() {
        let many = if cfg!(miri) { 20 } else { 100 };
        for (threads, tasks, wanted) in
            [(0, 0, 1), (1, many, 1), (many, 1, 1), (4, 2, 2), (2, 4, 2), (many, many, many)]
        {
            assert_eq!(workers(threads, tasks), wanted, "{threads} threads, {tasks} tasks");
        }
        let all = Barrier::new(4);
        let others = Mutex::new(std::vec::Vec::new());
        share(6, 4, || {
            all.wait();
            // Three are at work: there is none for four threads, and more for six.
            let mut others = others.lock().unwrap();
            others.push([workers(4, 4), workers(4, 2), workers(6, 2)]);
            drop(others);
            all.wait();
        });
        assert_eq!(others.into_inner().unwrap(), [[1, 1, 2]; 4]);
        assert_eq!(HELPERS.load(Ordering::Relaxed), 0);
        // One that panics is one no more.
        let panics = || std::panic::resume_unwind(std::boxed::Box::new("as planned"));
        assert!(std::panic::catch_unwind(|| share(4, 4, panics)).is_err());
        assert_eq!(HELPERS.load(Ordering::Relaxed), 0);
    }
}
