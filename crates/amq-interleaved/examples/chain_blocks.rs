//! Which blocks of a chain have an event of a contract? One filter for 8,192 blocks, 2 KiB each,
//! the shape in which the node pathfinder keeps them.
//!
//! ```console
//! $ cargo run --release -p amq-interleaved --example chain_blocks
//! ```

use amq_interleaved::{Budget, FilterFile, Goal, InterleavedBloomFilter, Key};
use std::error::Error;
use std::time::Instant;

const BLOCKS: usize = 8192;
const BYTES: u64 = 2048;
/// Events of a block; each has two keys, its contract and its topic.
const EVENTS: usize = 500;
const CONTRACTS: u64 = 100_000;

/// A contract, or one with a topic of its events.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Event {
    Contract(u64),
    Topic(u64, u64),
}

impl Event {
    fn key(self) -> u64 {
        match self {
            Self::Contract(contract) => contract << 8,
            Self::Topic(contract, topic) => contract << 8 | (topic + 1),
        }
    }
}

/// The keys of a block. Contract c has the more events, the lower c is.
fn block(number: usize) -> Vec<u64> {
    let random = |i: usize| amq_core::index::remix((number * EVENTS + i) as u64, 0);
    let event = |i: usize| {
        let share = random(i) as f64 / 2f64.powi(64);
        let contract = (share.powi(8) * CONTRACTS as f64) as u64;
        let topic = amq_core::index::remix(random(i), 1) % 10;
        [Event::Contract(contract).key(), Event::Topic(contract, topic).key()]
    };
    let mut keys: Vec<u64> = (0..EVENTS).flat_map(event).collect();
    keys.sort_unstable();
    keys.dedup();
    keys
}

fn main() -> Result<(), Box<dyn Error>> {
    let blocks: Vec<Vec<u64>> = (0..BLOCKS).map(block).collect();
    let most = blocks.iter().map(Vec::len).max().unwrap_or(1);
    let start = Instant::now();
    let goal = Goal::new(most as u64, Budget::Bytes(BYTES));
    let filter = InterleavedBloomFilter::build(goal, &blocks)?;
    println!(
        "{} keys of {BLOCKS} blocks, at most {most} each, in {} kB, built in {:.2} s",
        filter.len(),
        filter.size_in_bytes() / 1000,
        start.elapsed().as_secs_f64()
    );
    assert_eq!(filter.size_in_bytes() / 1024 / 1024, 16);

    let queries: [(&str, Vec<Event>); 4] = [
        ("a busy contract", vec![Event::Contract(20)]),
        ("one topic of it", vec![Event::Contract(20), Event::Topic(20, 3)]),
        ("a rare contract", vec![Event::Contract(90_000)]),
        ("one without events", vec![Event::Contract(CONTRACTS)]),
    ];
    for (what, events) in queries {
        let keys: Vec<u64> = events.iter().map(|event| event.key()).collect();
        let start = Instant::now();
        let answer = filter.bins_of_all(&keys);
        let micros = start.elapsed().as_secs_f64() * 1e6;
        let has = |&block: &usize| keys.iter().all(|key| blocks[block].binary_search(key).is_ok());
        let truth: Vec<usize> = (0..BLOCKS).filter(has).collect();
        assert!(truth.iter().all(|&block| answer.contains(block)));
        println!(
            "{what}: {} blocks have it, {} are to be read, {micros:.1} us",
            truth.len(),
            answer.count()
        );
    }

    // A node that keeps the filter in a file reads the rows of one key.
    let file = filter.to_bytes()?;
    let (params, hash) = (filter.params(), Event::Contract(90_000).key().key_hash(filter.seed()));
    let range = params.row_range(hash);
    let rows = &file[usize::try_from(range.start)?..usize::try_from(range.end)?];
    assert_eq!(params.bins_in_row(rows, hash)?, filter.bins_hash(hash));
    println!("in a file: one read of {} kB of {} kB", rows.len() / 1000, file.len() / 1000);
    Ok(())
}
