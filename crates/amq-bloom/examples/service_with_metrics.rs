//! The set of requests that a service has seen, shared by its threads, with metrics for a
//! dashboard.
//!
//! ```console
//! $ cargo run --example service_with_metrics
//! ```

use amq_bloom::{AtomicBloomFilter, Goal};
use std::error::Error;
use std::hash::{BuildHasher, RandomState};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::thread;

/// The state that threads share.
struct Service {
    seen: AtomicBloomFilter,
    repeats: AtomicU64,
}

impl Service {
    fn new() -> Result<Self, Box<dyn Error>> {
        // Strangers choose the identifiers, so the seed is secret: they cannot prepare collisions.
        let secret = RandomState::new().hash_one("a secret of this process");
        Ok(Self {
            seen: AtomicBloomFilter::with_seed(Goal::fpr(50_000, 0.001), secret)?,
            repeats: AtomicU64::new(0),
        })
    }

    /// `false`: this request was handled before, or is mistaken for one that was (one in a
    /// thousand).
    fn is_first(&self, client: u32, request: u64) -> bool {
        let first = self.seen.insert(&(client, request)).is_new();
        self.repeats.fetch_add(u64::from(!first), Relaxed);
        first
    }

    fn print_metrics(&self) {
        let stats = self.seen.stats();
        println!("# {stats}");
        println!("seen_requests {}", stats.len);
        println!("seen_repeats {}", self.repeats.load(Relaxed));
        println!("seen_bytes {}", stats.bytes);
        println!("seen_load {:.4}", stats.load_factor);
        println!("seen_fpr {:.2e}", stats.expected_fpr);
        // What to alert on: the filter is never full, it only errs more and more often.
        if stats.expected_fpr > 0.002 {
            println!("# more requests than planned: start a new filter");
        }
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let service = Service::new()?;
    thread::scope(|threads| {
        for client in 0..4 {
            let service = &service;
            // Each client sends 10,000 requests, and every tenth of them again.
            threads.spawn(move || {
                for request in 0..10_000 {
                    service.is_first(client, request);
                    if request % 10 == 0 {
                        assert!(!service.is_first(client, request));
                    }
                }
            });
        }
    });
    service.print_metrics();
    Ok(())
}
