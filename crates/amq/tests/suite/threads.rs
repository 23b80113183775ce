//! The `par_` methods make what the plain ones make, and do to a rayon pool what rayon says.

use amq::sharded::Sharded;
use amq::{
    AnyFilter, BlockedBloomFilter, BloomFilter, Budget, BuildFilter, CuckooFilter, EmptyFilter,
    Encoder, FilterFile, FuseFilter, Goal, InsertExt, InsertFilter, Key, Keyed, ParBuildExt,
    ParInsertExt, RibbonFilter, RibbonMap, SipKey,
};
use amq_conformance::testing::hashes;
use rayon::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuilder};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::mpsc::channel;
use std::time::Duration;

fn pool(threads: usize) -> ThreadPool {
    ThreadPoolBuilder::new().num_threads(threads).build().unwrap()
}

/// Enough for several shards of a static filter, and to be shared by threads.
const MANY: u64 = 1_500_000;

#[test]
fn a_filter_of_any_kind_is_the_same_byte_for_byte() {
    for keys in [0, 1, 1000, 100_000, MANY] {
        let hashes = hashes(0..keys, 7);
        let goal = Goal::fpr(keys, 0.01);
        for &kind in AnyFilter::KINDS {
            let built = AnyFilter::build_hashes(kind, goal, 7, &hashes).unwrap();
            let inserted = AnyFilter::with_seed(kind, goal, 7).and_then(|mut filter| {
                let new = filter.insert_batch(&hashes)?;
                Ok((new, filter.to_bytes().unwrap()))
            });
            // The most keys take seconds.
            for &threads in if keys == MANY { &[5, 16][..] } else { &[1, 2, 5, 16] } {
                pool(threads).install(|| {
                    let shared = AnyFilter::par_build_hashes(kind, goal, 7, &hashes).unwrap();
                    assert!(
                        shared.to_bytes().unwrap() == built.to_bytes().unwrap(),
                        "{kind} of {keys} keys by {threads} threads"
                    );
                    let Ok((new, bytes)) = &inserted else { return };
                    let mut filter = AnyFilter::with_seed(kind, goal, 7).unwrap();
                    assert_eq!(filter.par_insert_batch(&hashes).unwrap(), *new);
                    assert!(filter.to_bytes().unwrap() == *bytes, "{kind} of {keys} keys");
                });
            }
        }
    }
}

#[test]
fn keys_are_hashed_as_by_one_thread() {
    let keys: Vec<String> = (0..300_000).map(|key| key.to_string()).collect();
    let secret = SipKey::new([3; 16]);
    let pairs: Vec<(&str, u32)> = keys.iter().map(|key| (&**key, key.len() as u32)).collect();
    pool(3).install(|| {
        let budget = Budget::Fpr(0.01);
        assert!(
            FuseFilter::par_build(budget, &keys).unwrap()
                == FuseFilter::build(budget, &keys).unwrap()
        );
        assert!(
            RibbonFilter::par_build_keys(budget, 9, &keys).unwrap()
                == RibbonFilter::build_keys(budget, 9, &keys).unwrap()
        );
        assert!(RibbonMap::par_build(3, &pairs).unwrap() == RibbonMap::build(3, pairs).unwrap());
        let keyed = Keyed::<FuseFilter>::par_build(budget, secret, &keys).unwrap();
        assert!(keyed == Keyed::build(budget, secret, &keys).unwrap());
        let goal = Goal::fpr(300_000, 0.01);
        let mut one = Keyed::<BlockedBloomFilter>::new(goal, secret).unwrap();
        let mut many = Keyed::<BlockedBloomFilter>::new(goal, secret).unwrap();
        assert_eq!(many.par_insert_keys(&keys), one.insert_keys(&keys));
        assert!(many == one);
        let (mut one, mut many) =
            (CuckooFilter::new(goal).unwrap(), CuckooFilter::new(goal).unwrap());
        assert_eq!(many.par_insert_keys(&keys), one.insert_keys(&keys));
        assert!(many == one);
        let mut extended = BloomFilter::new(goal).unwrap();
        extended.par_extend(keys.par_iter());
        let mut one = BloomFilter::new(goal).unwrap();
        one.insert_keys(&keys).unwrap();
        assert!(extended == one);
    });
}

/// As long as one thread is free, the others may wait for whatever they like.
#[test]
fn a_pool_with_one_free_thread_is_enough() {
    let keys = hashes(0..MANY, 7);
    let pool = pool(3);
    let (started, starts) = channel();
    let ends: Vec<_> = (0..2)
        .map(|_| {
            let (end, ended) = channel::<()>();
            let started = started.clone();
            pool.spawn(move || {
                started.send(()).unwrap();
                let _ = ended.recv_timeout(Duration::from_secs(60));
            });
            end
        })
        .collect();
    starts.iter().take(2).for_each(|()| ());
    pool.install(|| {
        let mut filter = BlockedBloomFilter::new(Goal::fpr(4_000_000, 0.01)).unwrap();
        assert!(filter.par_insert_batch(&keys).unwrap() > MANY * 9 / 10);
        assert_eq!(FuseFilter::par_build_hashes(Budget::Fpr(0.01), 7, &keys).unwrap().len(), MANY);
        assert_eq!(
            RibbonFilter::par_build_hashes(Budget::Fpr(0.01), 7, &keys).unwrap().len(),
            MANY
        );
    });
    // They waited all the while.
    assert!(ends.iter().all(|end| end.send(()).is_ok()));
}

/// A thread that waits for the pool may be given a task that uses the same filter.
#[test]
fn tasks_of_the_pool_may_use_a_sharded_filter_meanwhile() {
    let goal = Goal::fpr(4_000_000, 0.01);
    let filter = Sharded::<CuckooFilter>::with_seed(goal, 8, 7).unwrap();
    let keys: Vec<u64> = (0..1_000_000).collect();
    let pool = pool(2);
    std::thread::scope(|scope| {
        let inserting = scope.spawn(|| pool.install(|| filter.par_insert_keys(&keys).unwrap()));
        let mut others = 2_000_000u64..;
        while !inserting.is_finished() {
            let other = others.next().unwrap();
            pool.scope(|tasks| tasks.spawn(|_| assert!(filter.insert(&other).is_ok())));
        }
        assert!(filter.contains(&2_000_000u64));
    });
    assert!(keys.iter().all(|key| filter.contains(key)));
}

/// Each shard takes its keys in order, in one thread.
#[test]
fn a_sharded_filter_is_the_same_byte_for_byte() {
    let keys: Vec<u64> = (0..300_000).collect();
    for room in [400_000, 100_000] {
        let empty = || Sharded::<CuckooFilter>::with_seed(Goal::fpr(room, 0.01), 8, 7).unwrap();
        let one = empty();
        let inserted = one.insert_keys(&keys);
        for threads in [1, 2, 16] {
            let many = empty();
            let shared = pool(threads).install(|| many.par_insert_keys(&keys));
            match (&inserted, shared) {
                (Ok(new), Ok(shared)) => assert_eq!(*new, shared),
                (Err(refused), Err(mut shared)) => {
                    let mut refused = refused.hashes.clone();
                    refused.sort_unstable();
                    shared.hashes.sort_unstable();
                    assert!(refused == shared.hashes);
                }
                (one, many) => panic!("{one:?}, but {many:?} by {threads} threads"),
            }
            assert!(many.to_bytes().unwrap() == one.to_bytes().unwrap(), "{threads} threads");
        }
    }
}

/// The threads of the pool would wait for the visitor, and the visitor for them.
#[test]
fn who_visits_a_shard_inserts_alone() {
    let filter = Sharded::<BloomFilter>::with_seed(Goal::fpr(100_000, 0.01), 2, 7).unwrap();
    let keys: Vec<u64> = (0..50_000).collect();
    let mut visits = 0;
    filter.for_each_shard(|_| {
        visits += 1;
        assert!(filter.par_insert_keys(&keys).is_err());
    });
    assert!(visits == 2 && filter.par_insert_keys(&keys).is_ok());
    assert!(keys.iter().all(|key| filter.contains(key)));
}

/// A number, whose hash is a panic for one of them.
struct Fragile(u64);

/// The number that panics.
const BROKEN: u64 = 900_000;

impl Key for Fragile {
    fn encode(&self, to: &mut Encoder) {
        if self.0 == BROKEN {
            resume_unwind(Box::new("as planned"));
        }
        self.0.encode(to);
    }
}

/// Of those before it, some are in, and each of them whole.
#[test]
fn a_key_that_panics_leaves_a_filter_of_keys_before_it() {
    fn check<F: EmptyFilter + PartialEq + Send>(planned: u64) {
        let keys: Vec<Fragile> = (0..1_000_000).map(Fragile).collect();
        let mut filter = F::empty(Goal::fpr(planned, 0.01), 7).unwrap();
        let inserting = AssertUnwindSafe(|| pool(2).install(|| filter.par_insert_keys(&keys)));
        assert!(catch_unwind(inserting).is_err());
        let mut one = F::empty(Goal::fpr(planned, 0.01), 7).unwrap();
        let before: Vec<_> = keys[..BROKEN as usize].iter().map(|key| key.key_hash(7)).collect();
        let mut before = before.chunks(1024).peekable();
        while one != filter {
            // A round ends wherever its memory did.
            let some = before.next().expect("a filter of other keys than those before");
            if before.peek().is_some() && one.len() + 1024 < filter.len() {
                one.insert_batch(some).unwrap();
                continue;
            }
            for &hash in some {
                if one == filter {
                    return;
                }
                one.insert_hash(hash).unwrap();
            }
        }
    }
    check::<BlockedBloomFilter>(4_000_000);
    check::<CuckooFilter>(4_000_000);
}

/// Plain methods use no thread, so nothing that a system or a pool does can hold them up.
#[cfg(all(target_os = "linux", target_pointer_width = "64"))]
#[test]
fn plain_methods_need_no_thread() {
    // Tells this program, started as another process, to try.
    const TRY: &str = "AMQ_TRY_WITHOUT_THREADS";
    if std::env::var_os(TRY).is_some() {
        assert!(std::thread::Builder::new().spawn(|| ()).is_err());
        let mut filter = BlockedBloomFilter::new(Goal::fpr(100_000_000, 0.01)).unwrap();
        filter.insert_batch(&hashes(0..MANY, 7)).unwrap();
        RibbonFilter::build(Budget::Fpr(0.01), 0..MANY).unwrap();
        FuseFilter::build(Budget::Fpr(0.01), 0..MANY).unwrap();
        return;
    }
    let name = concat!(module_path!(), "::plain_methods_need_no_thread");
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
