//! What watching a filter costs a query: the same filter asked bare and watched, in turn, in
//! chunks of some 2 ms, by one thread and by two.
//!
//! ```console
//! $ cargo bench -p amq --bench watching_cost
//! ```

use amq::monitored::Monitored;
use amq::{BlockedBloomFilter, BloomFilter, BuildError, Filter, Goal, KeyHash};
use std::error::Error;
use std::hint::black_box;
use std::num::NonZero;
use std::thread;
use std::time::Instant;

const KEYS: u64 = 1_000_000;
/// Queries in a chunk.
const CHUNK: u64 = 1 << 18;
const ROUNDS: u64 = 101;

/// Nanoseconds a query of a chunk; half of what is asked is in.
fn one_by_one<F: Filter>(filter: &F, round: u64) -> f64 {
    let start = Instant::now();
    let mut hits = 0;
    for i in 0..CHUNK {
        let key = (round * CHUNK + i) % (2 * KEYS);
        hits += u64::from(filter.contains_hash(KeyHash::of(&key, amq::DEFAULT_SEED)));
    }
    black_box(hits);
    start.elapsed().as_secs_f64() * 1e9 / CHUNK as f64
}

/// As above, in batches of 1,024.
fn in_batches<F: Filter>(filter: &F, round: u64) -> f64 {
    let mut answers = [false; 1024];
    let mut hashes = Vec::with_capacity(answers.len());
    let start = Instant::now();
    for batch in 0..CHUNK / answers.len() as u64 {
        let first = round * CHUNK + batch * answers.len() as u64;
        let keys = (first..first + answers.len() as u64).map(|key| key % (2 * KEYS));
        hashes.clear();
        hashes.extend(keys.map(|key| KeyHash::of(&key, amq::DEFAULT_SEED)));
        // Equally long, so this cannot fail.
        let _ = filter.contains_batch(&hashes, &mut answers);
        black_box(&answers);
    }
    start.elapsed().as_secs_f64() * 1e9 / CHUNK as f64
}

/// The least and the middle of some times.
fn least_and_middle(mut times: Vec<f64>) -> (f64, f64) {
    times.sort_by(f64::total_cmp);
    (times[0], times[times.len() / 2])
}

/// Asks the bare and the watched filter in turn.
fn compare<F: Filter>(
    bare: &F,
    watched: &Monitored<F>,
    bare_way: fn(&F, u64) -> f64,
    watched_way: fn(&Monitored<F>, u64) -> f64,
) -> [(f64, f64); 3] {
    let (mut of_bare, mut of_watched, mut between) = (Vec::new(), Vec::new(), Vec::new());
    for round in 0..ROUNDS {
        let (one, other);
        if round % 2 == 0 {
            one = bare_way(bare, round);
            other = watched_way(watched, round);
        } else {
            other = watched_way(watched, round);
            one = bare_way(bare, round);
        }
        of_bare.push(one);
        of_watched.push(other);
        between.push(other - one);
    }
    [of_bare, of_watched, between].map(least_and_middle)
}

fn show<F: Filter + Sync + Send>(
    name: &str,
    make: impl Fn() -> Result<F, BuildError>,
) -> Result<(), Box<dyn Error>> {
    let (bare, watched) = (make()?, Monitored::new(make()?, 0.01)?);
    let processors = thread::available_parallelism().map_or(1, NonZero::get).min(2);
    for threads in 1..=processors {
        type Way<F> = (&'static str, fn(&F, u64) -> f64, fn(&Monitored<F>, u64) -> f64);
        let ways: [Way<F>; 2] = [
            ("one by one", one_by_one::<F>, one_by_one::<Monitored<F>>),
            ("in batches", in_batches::<F>, in_batches::<Monitored<F>>),
        ];
        for (way, of_bare, of_watched) in ways {
            let all: Vec<_> = thread::scope(|scope| {
                let ask = || compare(&bare, &watched, of_bare, of_watched);
                let running: Vec<_> = (0..threads).map(|_| scope.spawn(ask)).collect();
                running.into_iter().filter_map(|one| one.join().ok()).collect()
            });
            for [(bare, bare_middle), (watched, watched_middle), (_, between)] in all {
                println!(
                    "{name:12} {threads} thread(s), {way}: bare {bare:.2} (median \
                     {bare_middle:.2}), watched {watched:.2} ({watched_middle:.2}), median \
                     difference {between:+.2} ns a query"
                );
            }
        }
    }
    println!("{name:12} {}", watched.report());
    Ok(())
}

fn main() -> Result<(), Box<dyn Error>> {
    let goal = || Goal::fpr(KEYS, 0.01);
    show("bloom", || {
        let mut filter = BloomFilter::new(goal())?;
        filter.extend(0..KEYS);
        Ok(filter)
    })?;
    show("split block", || {
        let mut filter = BlockedBloomFilter::new(goal())?;
        filter.extend(0..KEYS);
        Ok(filter)
    })?;
    Ok(())
}
