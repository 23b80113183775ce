//! The baseline for the command's speed: one thread reads the same lines whole, hashes them, and
//! passes them to the library in batches.
//!
//! ```console
//! $ cargo run --release -p amq-cli --example in_memory -- KEYS ASKED
//! ```

use amq::{BlockedBloomFilter, DEFAULT_SEED, Filter, Goal, InsertFilter, KeyHash};
use std::error::Error;
use std::time::Instant;

/// Calls `act` with the hashes of up to 1,024 lines at a time.
fn batches(path: &str, mut act: impl FnMut(&[KeyHash])) -> std::io::Result<()> {
    let bytes = std::fs::read(path)?;
    let mut hashes = Vec::with_capacity(1024);
    let mut start = 0;
    for end in memchr::memchr_iter(b'\n', &bytes) {
        hashes.push(KeyHash::of(&bytes[start..end], DEFAULT_SEED));
        start = end + 1;
        if hashes.len() == 1024 {
            act(&hashes);
            hashes.clear();
        }
    }
    act(&hashes);
    Ok(())
}

fn main() -> Result<(), Box<dyn Error>> {
    let [keys, asked] = [1, 2].map(|i| std::env::args().nth(i).ok_or("two files: KEYS ASKED"));
    let (keys, asked) = (keys?, asked?);

    let start = Instant::now();
    let mut all = Vec::new();
    batches(&keys, |hashes| all.extend_from_slice(hashes))?;
    let mut filter = BlockedBloomFilter::new(Goal::fpr(all.len() as u64, 0.01))?;
    for hashes in all.chunks(1024) {
        filter.insert_batch(hashes)?;
    }
    println!("built of {} lines in {:.2?}", all.len(), start.elapsed());

    let start = Instant::now();
    let (mut found, mut answers) = (0, [false; 1024]);
    batches(&asked, |hashes| {
        let answers = &mut answers[..hashes.len()];
        if filter.contains_batch(hashes, answers).is_ok() {
            found += answers.iter().filter(|&&answer| answer).count();
        }
    })?;
    println!("asked in {:.2?}: {found} found", start.elapsed());
    Ok(())
}
