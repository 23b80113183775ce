//! Merges a set of visitors for each day of a week, to count the days of each visitor.
//!
//! The sets could be filled on seven machines. Merging does not need the keys and adds up copies,
//! so the merged filter counts the days of each visitor.
//!
//! `cargo run --release -p amq-quotient --example daily_sets`

use amq_quotient::{CountFilter, Goal, QuotientFilter};

const DAYS: u64 = 7;
const VISITORS: u64 = 20_000;

/// Visitor `n` comes every day if `n` is a multiple of ten, and one day in five if not.
fn comes(visitor: u64, day: u64) -> bool {
    visitor.is_multiple_of(10) || (visitor + day).is_multiple_of(5)
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    // One plan for all, since sets to be merged need sizes a power of two apart. Each day starts
    // small, and grows only as needed.
    let plan = QuotientFilter::plan_growing(Goal::fpr(DAYS * VISITORS, 0.001), 1_000)?;

    let mut week = QuotientFilter::new(plan)?;
    for day in 0..DAYS {
        let mut today = QuotientFilter::new(plan)?;
        for visitor in (0..VISITORS).filter(|&visitor| comes(visitor, day)) {
            // A visitor may come several times per day: one entry is enough.
            today.insert_unique(&("visitor", visitor))?;
            today.insert_unique(&("visitor", visitor))?;
        }
        println!("day {day}: {}", today.stats());
        week.merge(&today)?;
    }
    println!("week:  {}", week.stats());

    // A count is never too low. It is too high where visitors share a fingerprint, which is rare.
    let mut wrong = 0;
    for visitor in 0..VISITORS {
        let days = (0..DAYS).filter(|&day| comes(visitor, day)).count() as u64;
        wrong += u32::from(week.count(&("visitor", visitor)).estimate != days);
    }
    println!("{wrong} of {VISITORS} visitors are counted wrongly");

    // The entries can be listed without the keys: as hashes, in order, every copy.
    let every_day = week.iter().filter(|&hash| week.count_hash(hash).estimate == DAYS);
    println!("{} visitors came every day", every_day.count() as u64 / DAYS);
    Ok(())
}
