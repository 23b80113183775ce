//! Signals that end a run leave no unfinished file. SIGHUP is left alone, since `nohup` ignores it.

use std::sync::atomic::{AtomicBool, AtomicI32, Ordering::Relaxed};

/// Whether the run is to be told of the first signal, and ends itself.
static WANTED: AtomicBool = AtomicBool::new(false);

/// The signal that has come, or 0.
static CAME: AtomicI32 = AtomicI32::new(0);

/// From now on the first signal does not end the process: the keys come to an end, as if there were
/// no more. A second one does.
pub(crate) fn end_keys() {
    WANTED.store(true, Relaxed);
}

/// The signal that the run is to end by.
pub(crate) fn came() -> Option<i32> {
    Some(CAME.load(Relaxed)).filter(|&signal| signal != 0)
}

/// Ends the process by the signal that has come, so that a shell sees what it was.
#[cfg(unix)]
pub(crate) fn end(signal: i32) {
    let _ = signal_hook::low_level::emulate_default_handler(signal);
}

#[cfg(not(unix))]
pub(crate) fn end(_: i32) {}

/// The stack of the thread that waits for a signal and removes a file.
#[cfg(unix)]
const STACK: usize = 128 << 10;

#[cfg(unix)]
pub(crate) fn remove_unfinished_output() {
    use signal_hook::consts::{SIGINT, SIGTERM};
    use signal_hook::iterator::Signals;
    // Without the handler a run still works, and an interrupted one leaves its temporary file. It
    // must not take the last of the memory: what follows could not even say that there is none.
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
