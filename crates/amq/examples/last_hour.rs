//! "Have I seen this event within the last hour?", asked by four threads, and after a restart.
//!
//! ```console
//! $ cargo run -p amq --example last_hour
//! ```

use amq::rolling::{Generations, Rolling};
use amq::sharded::Sharded;
use amq::{BloomFilter, FilterFile, Goal, InsertError, ReadError};
use std::error::Error;
use std::io::ErrorKind;
use std::path::Path;
use std::time::{Duration, SystemTime};
use std::{fs, thread};

/// Seven generations of ten minutes remember an event for 60 to 70 minutes.
const PERIOD: Duration = Duration::from_secs(600);
const GENERATIONS: usize = 7;

type Seen = Sharded<Rolling<BloomFilter>>;

/// The number of the period that this time belongs to.
fn period(time: SystemTime) -> u64 {
    let since = time.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    since.as_secs() / PERIOD.as_secs()
}

/// Loads the filter, and forgets what has expired since it was saved.
fn open(path: &Path) -> Result<Seen, Box<dyn Error>> {
    let seen = match Seen::load(path) {
        Ok(seen) => seen,
        Err(ReadError::Io(error)) if error.kind() == ErrorKind::NotFound => {
            // 700,000 events in 70 minutes at one false positive in 1000; eight shards a thread.
            return Ok(Seen::rolling(Goal::fpr(700_000, 0.001), 32, Generations(GENERATIONS))?);
        }
        Err(error) => return Err(error.into()),
    };
    let saved = fs::metadata(path)?.modified()?;
    let missed = period(SystemTime::now()).saturating_sub(period(saved));
    for _ in 0..missed.min(GENERATIONS as u64) {
        seen.for_each_shard(Rolling::advance);
    }
    Ok(seen)
}

/// Four threads take the events; returns how many of them were new.
fn take(seen: &Seen, events: &[String]) -> Result<usize, InsertError> {
    thread::scope(|scope| {
        let threads: Vec<_> = events
            .chunks(events.len().div_ceil(4))
            .map(|events| {
                scope.spawn(move || {
                    let mut new = 0;
                    for event in events {
                        new += usize::from(seen.insert(event)?.is_new());
                    }
                    Ok(new)
                })
            })
            .collect();
        threads
            .into_iter()
            .map(|thread| thread.join().unwrap_or_else(|it| std::panic::resume_unwind(it)))
            .sum()
    })
}

fn main() -> Result<(), Box<dyn Error>> {
    let path = std::env::temp_dir().join(format!("last-hour-{}.amq", std::process::id()));
    let events: Vec<String> = (0..10_000).map(|number| format!("event {number}")).collect();

    let seen = open(&path)?;
    println!("first: {} of {} events are new", take(&seen, &events)?, events.len());
    seen.for_each_shard(Rolling::advance); // a timer does this every ten minutes
    seen.save(&path)?; // and this, while other threads insert

    let seen = open(&path)?; // after a restart
    println!("again: {} of {} events are new", take(&seen, &events)?, events.len());
    for _ in 0..GENERATIONS {
        seen.for_each_shard(Rolling::advance);
    }
    println!("70 minutes later: {} of {} events are new", take(&seen, &events)?, events.len());
    fs::remove_file(path)?;
    Ok(())
}
