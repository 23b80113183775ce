//! Which objects a cache should admit: those requested twice in the last hundred thousand requests.
//!
//! ```console
//! $ cargo run --release --example cache_admission
//! ```
//!
//! Most objects of a web cache are requested once and never again. Admitting an object on its
//! second request keeps them out. The filter holds one copy of a key for each request in the
//! window. When a request leaves the window its copy is removed, so the filter never needs to be
//! rebuilt. The queue stores the requests in the window, so only keys that were inserted are ever
//! removed.

use amq_counting::{CountingBloomFilter, Goal, KeyHash};
use std::collections::VecDeque;
use std::error::Error;

/// Number of requests in the window.
const WINDOW: usize = 100_000;
/// Number of requests in all.
const REQUESTS: u64 = 1_000_000;
/// Number of objects that are requested again and again.
const POPULAR: u64 = 25_000;

fn main() -> Result<(), Box<dyn Error>> {
    let mut recent = CountingBloomFilter::new(Goal::fpr(WINDOW as u64, 0.01))?;
    let mut window = VecDeque::with_capacity(WINDOW);
    let (mut admitted, mut once) = (0u64, 0u64);

    for request in 0..REQUESTS {
        let object = object(request);
        if recent.contains(&object) {
            admitted += 1;
            once += u64::from(object >= POPULAR);
        }
        if window.len() == WINDOW {
            let oldest: u64 = window.pop_front().ok_or("the window is never empty here")?;
            recent.remove(&oldest);
        }
        window.push_back(object);
        recent.insert(&object);

        if (request + 1) % (REQUESTS / 5) == 0 {
            println!("{} requests. {}", request + 1, recent.stats());
        }
    }
    println!("{admitted} of {REQUESTS} requests were for an object to be cached;");
    println!("{once} of those were false positives: objects requested only once");
    Ok(())
}

/// Half of all requests go to a few popular objects, the others to objects never asked for again.
fn object(request: u64) -> u64 {
    let random = KeyHash::of(&request, 1).get();
    if random.is_multiple_of(2) { random / 2 % POPULAR } else { POPULAR + request }
}
