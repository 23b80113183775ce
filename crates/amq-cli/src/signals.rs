//! Removes unfinished files when a signal ends the run. SIGHUP is left alone, since `nohup` ignores
//! it.

use std::sync::atomic::{AtomicBool, AtomicI32, Ordering::Relaxed};

/// Whether the run handles the first signal itself.
static WANTED: AtomicBool = AtomicBool::new(false);

/// The signal received, or 0.
static CAME: AtomicI32 = AtomicI32::new(0);

/// From now on, the first signal does not end the process but the keys, as if the input had ended.
/// A second signal ends the process.
pub(crate) fn end_keys() {
    WANTED.store(true, Relaxed);
}

/// The signal received, if any.
pub(crate) fn came() -> Option<i32> {
    Some(CAME.load(Relaxed)).filter(|&signal| signal != 0)
}

/// Ends the process by the signal received, so that the shell sees it.
#[cfg(unix)]
pub(crate) fn end(signal: i32) {
    let _ = signal_hook::low_level::emulate_default_handler(signal);
}

#[cfg(not(unix))]
pub(crate) fn end(_: i32) {}

/// The stack size of the thread that waits for a signal and removes a file.
#[cfg(unix)]
const STACK: usize = 128 << 10;

#[cfg(unix)]
pub(crate) fn remove_unfinished_output() {
    use signal_hook::consts::{SIGINT, SIGTERM};
    use signal_hook::iterator::Signals;
    // Without the handler, a run still works; if interrupted, it leaves its temporary file. The
    // handler must not take the last memory, which is needed to report that there is none.
    if crate::memory::spare(STACK).is_err() {
        return;
    }
    let Ok(mut signals) = Signals::new([SIGINT, SIGTERM]) else {
        return;
    };
    let _ = std::thread::Builder::new().stack_size(STACK).spawn(move || {
        for signal in signals.forever() {
            if WANTED.load(Relaxed) && CAME.swap(signal, Relaxed) == 0 {
                continue;
            }
            crate::temporary::remove_unfinished();
            end(signal);
        }
    });
}

#[cfg(not(unix))]
pub(crate) fn remove_unfinished_output() {}
