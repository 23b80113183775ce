//! How a sharded filter scales: inserts and queries from one, two ... threads, against one lock
//! around one filter. (No more threads than processors, or the numbers say nothing.)
//!
//! ```console
//! $ cargo bench -p amq --bench sharded_scaling -- 2 4000000
//! ```

use amq::sharded::Sharded;
use amq::{CuckooFilter, Goal};
use std::error::Error;
use std::time::{Duration, Instant};

fn main() -> Result<(), Box<dyn Error>> {
    // Cargo tells a bench that it is one.
    let mut arguments = std::env::args().skip(1).filter(|argument| argument != "--bench");
    let most: u64 = arguments.next().map_or(Ok(2), |most| most.parse())?;
    let keys: u64 = arguments.next().map_or(Ok(200_000), |keys| keys.parse())?;
    let goal = Goal::fpr(keys, 0.01);

    println!("million operations a second, {keys} keys:");
    println!("threads  shards  insert  contains  insert, contains and remove");
    for threads in (1..=most).filter(|threads| threads.is_power_of_two()) {
        for shards in [1, 8 * threads as usize] {
            let filter = Sharded::<CuckooFilter>::new(goal, shards)?;
            let share = keys / threads;
            let insert = timed(threads, |thread| {
                let mine = thread * share..(thread + 1) * share;
                let inserted = mine.into_iter().try_for_each(|key| filter.insert(&key).map(drop));
                inserted.is_ok()
            });
            let contains = timed(threads, |thread| {
                (thread * share..(thread + 1) * share).all(|key| filter.contains(&key))
            });
            let mixed = timed(threads, |thread| {
                (thread * share..(thread + 1) * share).all(|key| {
                    let new = keys + key;
                    filter.remove(&key) && filter.insert(&new).is_ok() && filter.contains(&new)
                })
            });
            let rate =
                |operations: u64, time: Duration| operations as f64 / time.as_secs_f64() / 1e6;
            let done = threads * share;
            println!(
                "{threads:7}  {shards:6}  {:6.1}  {:8.1}  {:6.1}",
                rate(done, insert.ok_or("a key was refused")?),
                rate(done, contains.ok_or("a key was lost")?),
                rate(3 * done, mixed.ok_or("a key was refused or lost")?),
            );
        }
    }
    Ok(())
}

/// The time in which all threads have done their work; `None` if one of them says it failed.
fn timed(threads: u64, work: impl Fn(u64) -> bool + Sync) -> Option<Duration> {
    let start = Instant::now();
    let done = std::thread::scope(|scope| {
        let work = &work;
        let all: Vec<_> = (0..threads).map(|thread| scope.spawn(move || work(thread))).collect();
        all.into_iter().all(|thread| thread.join().unwrap_or(false))
    });
    done.then(|| start.elapsed())
}
