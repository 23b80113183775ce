//! The counting allocator, which is the tests', too.

use amq_bench::contenders::alloc::{Memory, counted, counted_everywhere};

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
        let mut kept: Vec<u64> = Vec::with_capacity(100);
        drop(scratch);
        kept.reserve_exact(400);
        kept
    });
    assert_eq!(memory, Memory { held: 3200, peak: 5800 });
    assert_eq!(counted(|| drop(kept)).1, Memory { held: -3200, peak: 0 });
}
