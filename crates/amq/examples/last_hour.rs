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
use std::sync::Mutex;
use std::time::{Duration, SystemTime};
use std::{fs, thread};

/// Seven generations of ten minutes remember an event for 60 to 70 minutes.
const PERIOD: Duration = Duration::from_secs(600);
const GENERATIONS: usize = 7;

/// The number of the period that this time belongs to.
fn period(time: SystemTime) -> u64 {
    let since = time.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    since.as_secs() / PERIOD.as_secs()
}

/// The filter, and the period that its newest generation is for.
struct Seen {
    filter: Sharded<Rolling<BloomFilter>>,
    period: Mutex<u64>,
}

impl Seen {
    /// Loads the filter, and forgets what has expired since it was saved.
    fn open(path: &Path, now: SystemTime) -> Result<Self, Box<dyn Error>> {
        let (filter, saved) = match Sharded::load(path) {
            Ok(filter) => (filter, fs::metadata(path)?.modified()?),
            Err(ReadError::Io(error)) if error.kind() == ErrorKind::NotFound => {
                // 600,000 events an hour are 700,000 in 70 minutes. Eight shards a thread.
                let goal = Goal::fpr(700_000, 0.001);
                (Sharded::rolling(goal, 32, Generations(GENERATIONS))?, now)
            }
            Err(error) => return Err(error.into()),
        };
        let seen = Self { filter, period: Mutex::new(period(saved)) };
        seen.advance_to(now);
        Ok(seen)
    }

    /// Advances once for each period that has begun since. To be called by a timer, any number of
    /// times a period.
    fn advance_to(&self, now: SystemTime) {
        let mut at = self.period.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        let begun = period(now).saturating_sub(*at);
        for _ in 0..begun.min(GENERATIONS as u64) {
            self.filter.for_each_shard(Rolling::advance);
        }
        *at += begun;
    }

    /// Saves the filter while other threads insert. The time of the file says how far it was
    /// advanced, so it is advanced first.
    fn save(&self, path: &Path, now: SystemTime) -> Result<(), Box<dyn Error>> {
        self.advance_to(now);
        Ok(self.filter.save(path)?)
    }

    /// Four threads insert the events; returns how many of them were new.
    fn insert(&self, events: &[String]) -> Result<usize, InsertError> {
        let insert = |events: &[String]| {
            let mut new = 0;
            for event in events {
                new += usize::from(self.filter.insert(event)?.is_new());
            }
            Ok(new)
        };
        thread::scope(|scope| {
            let pieces = events.chunks(events.len().div_ceil(4).max(1));
            let threads: Vec<_> = pieces.map(|piece| scope.spawn(move || insert(piece))).collect();
            let results = threads.into_iter().map(|thread| match thread.join() {
                Ok(result) => result,
                Err(panic) => std::panic::resume_unwind(panic),
            });
            results.sum()
        })
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let path = std::env::temp_dir().join(format!("last-hour-{}.amq", std::process::id()));
    let events: Vec<String> = (0..10_000).map(|number| format!("event {number}")).collect();
    let now = SystemTime::now();

    let seen = Seen::open(&path, now)?;
    println!("first: {} of {} events are new", seen.insert(&events)?, events.len());
    seen.save(&path, now)?;

    // After restarts: 20 minutes later, and 70.
    for minutes in [20, 70] {
        let seen = Seen::open(&path, now + Duration::from_secs(60 * minutes))?;
        let new = events.iter().filter(|event| !seen.filter.contains(*event)).count();
        println!("{minutes} minutes later: {new} of {} events are new", events.len());
    }
    fs::remove_file(path)?;
    Ok(())
}
