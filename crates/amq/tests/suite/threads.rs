//! What several threads share does not depend on what else the caller's threads do.

use amq::{BlockedBloomFilter, Budget, Filter, FuseFilter, Goal, InsertExt, RibbonFilter};
use std::cell::Cell;
use std::sync::mpsc::channel;
use std::time::Duration;

/// What several threads share.
const SHARED: [(&str, fn()); 3] = [
    ("insertion", || {
        let mut filter = BlockedBloomFilter::new(Goal::fpr(4_000_000, 0.01)).unwrap();
        filter.insert_keys(&(0..70_000).collect::<Vec<u64>>()).unwrap();
        assert_eq!(filter.capacity(), 4_000_000);
    }),
    ("a ribbon filter", || {
        let filter = RibbonFilter::build(Budget::Fpr(0.01), 0..40_000u64).unwrap();
        assert_eq!(filter.len(), 40_000);
    }),
    ("a fuse filter", || {
        let filter = FuseFilter::build(Budget::Fpr(0.01), 0..600_000u64).unwrap();
        assert_eq!(filter.len(), 600_000);
    }),
];

/// They may wait for a lock that the caller holds.
#[test]
fn a_pool_whose_threads_all_wait_holds_nobody_up() {
    for (name, share) in SHARED {
        let (started, starts) = channel();
        let (waited, waits) = channel();
        let threads = rayon::current_num_threads();
        let ends: Vec<_> = (0..threads)
            .map(|_| {
                let (end, ended) = channel();
                let (started, waited) = (started.clone(), waited.clone());
                rayon::spawn(move || {
                    started.send(()).unwrap();
                    waited.send(ended.recv_timeout(Duration::from_secs(20)).is_ok()).unwrap();
                });
                end
            })
            .collect();
        starts.iter().take(threads).for_each(|()| ());
        share();
        // Who waited in vain is gone.
        ends.iter().for_each(|end| end.send(()).unwrap_or(()));
        assert!(waits.iter().take(threads).all(|ended| ended), "{name} waited for the pool");
    }
}

/// It would want the lock that this thread holds, or a value that it is about to initialise.
#[test]
fn a_thread_of_a_pool_is_given_no_other_task_meanwhile() {
    thread_local! {
        static BUSY: Cell<bool> = const { Cell::new(false) };
    }
    let pool = rayon::ThreadPoolBuilder::new().num_threads(2).build().unwrap();
    let share_often = |share: fn()| {
        pool.install(|| {
            for _ in 0..10 {
                BUSY.set(true);
                share();
                BUSY.set(false);
            }
        });
    };
    for (name, share) in SHARED {
        let (told, tells) = channel();
        std::thread::scope(|scope| {
            let sharing = scope.spawn(|| share_often(share));
            while !sharing.is_finished() {
                let told = told.clone();
                pool.spawn(move || told.send(BUSY.get()).unwrap());
                std::thread::sleep(Duration::from_micros(20));
            }
        });
        drop(told);
        assert!(!tells.iter().any(|busy| busy), "{name} was interrupted");
    }
}

/// The calling thread does all of it then.
#[cfg(all(target_os = "linux", target_pointer_width = "64"))]
#[test]
fn a_system_that_refuses_every_thread_is_no_error() {
    // Tells this program, started as another process, to try.
    const TRY: &str = "AMQ_TRY_WITHOUT_THREADS";
    if std::env::var_os(TRY).is_some() {
        assert!(std::thread::Builder::new().spawn(|| ()).is_err());
        SHARED.iter().for_each(|(_, share)| share());
        return;
    }
    let name = concat!(module_path!(), "::a_system_that_refuses_every_thread_is_no_error");
    let (_, name) = name.split_once("::").unwrap();
    let said = std::process::Command::new(std::env::current_exe().unwrap())
        .args(["--exact", name, "--test-threads=1"])
        // A stack of so many bytes fits into no address space.
        .envs([(TRY, "1"), ("RUST_MIN_STACK", "4611686018427387904")])
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&said.stdout);
    assert!(said.status.success() && text.contains("1 passed"), "{said:?}");
}
