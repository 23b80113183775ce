//! What building takes of memory, counted: never more than the plan says, and not much less.

use amq_ribbon::{Budget, Bumped, Bumped128, Goal, Kind, PlanFilter, Ribbon, Standard, Standard64};
use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};

/// The system's allocator, counting the bytes that are held and the most that were.
struct Counting;

static HELD: AtomicUsize = AtomicUsize::new(0);
static PEAK: AtomicUsize = AtomicUsize::new(0);

// SAFETY: all calls go to the system's allocator as they came.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let held = HELD.fetch_add(layout.size(), SeqCst) + layout.size();
        PEAK.fetch_max(held, SeqCst);
        // SAFETY: the caller's promises are those that are asked for.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        HELD.fetch_sub(layout.size(), SeqCst);
        // SAFETY: as above.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static COUNTING: Counting = Counting;

/// The only test here: another one beside it would be counted, too.
#[test]
fn building_takes_no_more_memory_than_the_plan_says_and_not_much_less() {
    static ALONE: Mutex<()> = Mutex::new(());
    let _alone = ALONE.lock();
    fn peak<K: Kind>() {
        for n in [
            1u64, 2, 100, 1300, 10_000, 15_500, 16_000, 32_000, 35_000, 50_000, 69_200, 200_000,
            275_000, 277_000, 1_500_000,
        ] {
            let keys: Vec<u64> = (0..n).collect();
            let planned = Ribbon::<K>::plan(Goal::fpr(n, 0.01)).unwrap().build_bytes;
            let before = HELD.load(SeqCst);
            PEAK.store(before, SeqCst);
            let filter = Ribbon::<K>::new(Budget::Fpr(0.01), &keys).unwrap();
            let took = (PEAK.load(SeqCst) - before) as u64;
            assert!(
                took <= planned,
                "{n} keys: {took} bytes, {planned} planned, {filter:?}"
            );
            assert!(
                n < 1000 || took * 3 > planned,
                "{n} keys: {took} bytes, {planned} planned"
            );
        }
    }
    peak::<Bumped>();
    peak::<Bumped128>();
    peak::<Standard>();
    peak::<Standard64>();
}
