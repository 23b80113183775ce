//! A service whose clients retry: tracks handled requests and open orders.
//!
//! Two filters, used in two ways. *Handled* is a set: requests repeat, and none is ever removed.
//! *Open* is a multiset: every removal matches an insert.
//!
//! ```console
//! $ cargo run --example service_with_retries
//! ```

use amq_cuckoo::{ClearFilter, CuckooFilter, Goal, InsertError};
use std::collections::HashMap;

struct Service {
    /// Requests handled today. Filled by `insert_unique`, which skips repeated requests. Nothing is
    /// removed, since that could make the filter deny a skipped request, which would then be
    /// handled again; it is cleared at midnight.
    handled: CuckooFilter,
    /// Open orders, queried before the database. Filled by `insert`.
    open: CuckooFilter,
    /// Stands for the database.
    database: HashMap<u64, &'static str>,
}

impl Service {
    /// Returns `false` for a retry, which only needs its reply (and, once in a thousand times, for
    /// a request mistaken for one).
    fn is_first(&mut self, request: u64) -> Result<bool, InsertError> {
        // `insert` would store a copy for each retry, and refuse the ninth.
        Ok(self.handled.insert_unique(&request)?.is_new())
    }

    fn open(&mut self, order: u64, item: &'static str) -> Result<(), InsertError> {
        // Only the database knows for certain whether the order is open already, so `insert_unique`
        // won't do here.
        if !self.database.contains_key(&order) {
            self.open.insert(&order)?;
            self.database.insert(order, item);
        }
        Ok(())
    }

    fn close(&mut self, order: u64) -> Option<&'static str> {
        // Most queried orders are not open, which saves the database access.
        if !self.open.contains(&order) {
            return None;
        }
        // Remove only what was inserted: a false positive has no entry in the database.
        let item = self.database.remove(&order)?;
        self.open.remove(&order);
        Some(item)
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    const ORDERS: u64 = 10_000;
    let mut service = Service {
        handled: CuckooFilter::new(Goal::fpr(2 * ORDERS, 0.001))?,
        open: CuckooFilter::new(Goal::fpr(ORDERS, 0.01))?,
        database: HashMap::new(),
    };
    let mut first = 0;
    for request in 0..2 * ORDERS {
        for _retry in 0..20 {
            first += u64::from(service.is_first(request)?);
        }
        service.open(request / 2, "a book")?;
    }
    println!("{first} first requests");
    println!("handled: {}", service.handled.stats());
    println!("open: {}", service.open.stats());

    // Close half of the orders; the others remain in the filter.
    for order in (0..ORDERS).step_by(2) {
        assert_eq!(service.close(order), Some("a book"));
    }
    assert!(service.database.keys().all(|order| service.open.contains(order)));
    println!("open: {}", service.open.stats());

    // Midnight.
    service.handled.clear();
    assert!(service.is_first(0)?);
    Ok(())
}
