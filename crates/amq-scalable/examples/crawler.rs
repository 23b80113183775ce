//! A crawler's set of seen pages, whose number is not known beforehand.
//!
//! ```console
//! $ cargo run --release --example crawler
//! $ cargo run --release --example crawler -- 2000000
//! ```
//!
//! The argument limits the set to that many bytes; the crawl ends when they are used up. A false
//! positive is a page that is never visited, so the rate is what the crawl misses.

use amq_scalable::{BatchInsertError, Filter, PlanFilter, ScalableBloomFilter, ScalableParams};
use std::collections::VecDeque;
use std::error::Error;

/// Pages of the site.
const PAGES: u64 = 2_000_000;

fn main() -> Result<(), Box<dyn Error>> {
    let limit = std::env::args().nth(1);
    let limit = limit.map_or(Ok(u64::MAX), |bytes| bytes.parse())?;

    let params = ScalableParams::new(10_000, 0.001).with_max_bytes(limit);
    match ScalableBloomFilter::plan_params(params, PAGES) {
        Ok(plan) => println!("the whole site: {plan}"),
        Err(error) => println!("the whole site: {error}"),
    }
    let mut seen = ScalableBloomFilter::new(ScalableBloomFilter::plan_params(params, 10_000)?)?;
    match crawl(&mut seen) {
        Ok(visited) => println!("visited {visited} of {PAGES} pages"),
        Err(stopped) => println!("visited {} of {PAGES} pages: {}", stopped.done, stopped.error),
    }
    println!("{}", seen.stats());
    for (number, stage) in seen.stages().enumerate() {
        let (taken, capacity, rate) = (stage.taken, stage.capacity, stage.expected_fpr);
        println!("  stage {number}: {taken} of {capacity} keys, rate {rate:.2e}");
    }
    Ok(())
}

/// Visits every page that can be reached and is not in the set; returns how many.
fn crawl(seen: &mut ScalableBloomFilter) -> Result<u64, BatchInsertError> {
    let mut queue = VecDeque::from([0]);
    let (mut done, mut stages) = (0, 0);
    while let Some(page) = queue.pop_front() {
        let url = format!("https://example.org/{page}");
        let inserted = seen.insert(&url).map_err(|error| BatchInsertError { done, error })?;
        if !inserted.is_new() {
            continue;
        }
        done += 1;
        queue.extend(links(page));
        if seen.stage_count() > stages {
            stages = seen.stage_count();
            println!("{done} pages seen, {} bytes", seen.size_in_bytes());
        }
    }
    Ok(done)
}

/// The links of a page: two that lead on, and one back to a page seen before.
fn links(page: u64) -> impl Iterator<Item = u64> {
    [2 * page + 1, 2 * page + 2, page / 3].into_iter().filter(|&link| link < PAGES)
}
