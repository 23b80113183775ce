//! Signals that end a run leave no unfinished file. SIGHUP is left alone, since `nohup` ignores it.

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
        if let Some(signal) = signals.forever().next() {
            crate::temporary::remove_unfinished();
            // Ends the process by the signal, so that a shell sees what it was.
            let _ = signal_hook::low_level::emulate_default_handler(signal);
        }
    });
}

#[cfg(not(unix))]
pub(crate) fn remove_unfinished_output() {}
