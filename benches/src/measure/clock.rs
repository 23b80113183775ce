//! The clock: a contender's pass is timed right beside the same pass of the reference.

use std::time::Instant;

/// A pass is timed again this often if the system took the processor away in it.
const TRIES: usize = 3;

/// Runs `work`; its answer, and the nanoseconds it took.
pub fn timed<T>(work: impl FnOnce() -> T) -> (T, f64) {
    let start = Instant::now();
    let answer = work();
    (answer, start.elapsed().as_secs_f64() * 1e9)
}

/// Times two passes that can be repeated, one right after the other, and both again if the system
/// interrupted either.
pub fn pair<R, C>(
    mut reference: impl FnMut() -> R,
    mut contender: impl FnMut() -> C,
) -> (R, C, [f64; 2]) {
    let mut tried = 1;
    loop {
        let before = interruptions();
        let (beside, reference_ns) = timed(&mut reference);
        let (answer, ns) = timed(&mut contender);
        if interruptions() == before || tried == TRIES {
            return (beside, answer, [reference_ns, ns]);
        }
        tried += 1;
    }
}

/// How often the system has taken the processor from this thread.
#[cfg(target_os = "linux")]
fn interruptions() -> i64 {
    use nix::sys::resource::{UsageWho, getrusage};
    getrusage(UsageWho::RUSAGE_THREAD).map_or(0, |usage| usage.involuntary_context_switches())
}

/// Unknown.
#[cfg(not(target_os = "linux"))]
const fn interruptions() -> i64 {
    0
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn both_passes_are_timed_apart() {
        let (slow, fast) = (Duration::from_millis(5), Duration::from_millis(1));
        let (a, b, [reference, contender]) = pair(
            || {
                std::thread::sleep(slow);
                'a'
            },
            || {
                std::thread::sleep(fast);
                'b'
            },
        );
        assert_eq!((a, b), ('a', 'b'));
        assert!(reference >= 5e6 && contender >= 1e6, "{reference} {contender}");
    }
}
