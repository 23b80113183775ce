//! Measures lookups in many sets, and filling them, beside a loop over single filters.
//!
//! ```console
//! $ cargo run --release -p amq-interleaved --example many_sets -- 1000 10000
//! ```
//!
//! The arguments are the number of bins and of keys in each. Prints nanoseconds, the minimum of
//! several rounds, and checks that both give the same answers.

use amq_core::prefetch::prefetch;
use amq_core::{Filter, InsertExt};
use amq_interleaved::{Bins, BlockedBloomFilter, Goal, InterleavedBloomFilter, Key, KeyHash};
use std::error::Error;
use std::hint::black_box;
use std::time::Instant;

/// Lookups in a round.
const LOOKUPS: usize = 20_000;

/// Nanoseconds for each of `count` things, the least of three rounds.
fn least(count: usize, mut round: impl FnMut()) -> f64 {
    let mut least = f64::INFINITY;
    for _ in 0..3 {
        let start = Instant::now();
        round();
        least = least.min(start.elapsed().as_secs_f64());
    }
    least * 1e9 / count as f64
}

/// Reads as many rows as a batch of lookups does, at random, and adds up their words.
fn read_lines(table: &[u64], row: usize, hashes: &[KeyHash]) -> u64 {
    let rows = table.len() / row;
    let starts = |hash: KeyHash| {
        let place = |i| amq_core::index::index(amq_core::index::remix(hash.get(), i), rows as u64);
        [0, 1, 2, 3, 4, 5, 6, 7].map(|i| place(i) as usize * row)
    };
    let ahead = (256 / (8 * row.div_ceil(8))).clamp(2, 32);
    let mut sum = 0u64;
    for (index, &hash) in hashes.iter().enumerate() {
        if let Some(&later) = hashes.get(index + ahead) {
            for start in starts(later) {
                (0..row).step_by(8).for_each(|word| prefetch(table, start + word));
            }
        }
        for start in starts(hash) {
            sum = table[start..start + row].iter().fold(sum, |sum, word| sum.wrapping_add(*word));
        }
    }
    sum
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut numbers = std::env::args().skip(1).map(|number| number.parse::<usize>());
    let bins = numbers.next().unwrap_or(Ok(64))?;
    let keys = numbers.next().unwrap_or(Ok(1000))?;
    let goal = Goal::fpr(keys as u64, 0.01);
    let set = |bin: usize| -> Vec<u64> {
        (0..keys as u64).map(|key| ((bin as u64) << 32 | key).wrapping_mul(0x9E37_79B9)).collect()
    };
    let sets: Vec<Vec<u64>> = (0..bins).map(set).collect();
    let all = bins * keys;

    // Filling.
    let mut singles = vec![BlockedBloomFilter::new(goal)?; bins];
    let start = Instant::now();
    for (single, keys) in singles.iter_mut().zip(&sets) {
        single.insert_keys(keys)?;
    }
    let single_fill = start.elapsed().as_secs_f64() * 1e9 / all as f64;
    let start = Instant::now();
    let filter = InterleavedBloomFilter::build(goal, &sets)?;
    let built = start.elapsed().as_secs_f64() * 1e9 / all as f64;
    let mut filled = InterleavedBloomFilter::new(bins as u64, goal)?;
    let some = bins.min(1 + 4_000_000 / keys);
    let warm = some / 2;
    for (bin, keys) in sets.iter().enumerate().take(warm) {
        filled.insert_keys(bin, keys)?;
    }
    let start = Instant::now();
    for (bin, keys) in sets.iter().enumerate().take(some).skip(warm) {
        filled.insert_keys(bin, keys)?;
    }
    let by_bin = start.elapsed().as_secs_f64() * 1e9 / ((some - warm) * keys) as f64;
    let start = Instant::now();
    let one_by_one = some.min(bins - 1).saturating_sub(warm).min(1 + 1_000_000 / keys);
    for (bin, keys) in sets.iter().enumerate().take(warm + one_by_one).skip(warm) {
        for key in keys {
            filled.insert(bins - 1 - bin % bins, key)?;
        }
    }
    let by_key = start.elapsed().as_secs_f64() * 1e9 / (one_by_one * keys).max(1) as f64;

    // Looking up, half of the keys in one bin.
    let lookups: Vec<u64> = (0..LOOKUPS)
        .map(|i| if i % 2 == 0 { sets[i * 7919 % bins][i % keys] } else { (i as u64) << 20 | 1 })
        .collect();
    let hashes: Vec<KeyHash> = lookups.iter().map(|key| key.key_hash(0)).collect();
    // A loop takes long.
    let few = &lookups[..(20_000_000 / bins).clamp(20, LOOKUPS)];
    let looped = least(few.len(), || {
        for key in few {
            let hash = key.key_hash(0);
            let hits = singles.iter().filter(|single| single.contains_hash(hash)).count();
            black_box(hits);
        }
    });
    let one = least(LOOKUPS, || {
        for key in &lookups {
            black_box(&filter.bins(key));
        }
    });
    let mut again = Bins::default();
    let into = least(LOOKUPS, || {
        for key in &lookups {
            filter.bins_into(key, &mut again);
            black_box(&again);
        }
    });
    let mut answers = vec![0; filter.words() * LOOKUPS];
    let batch = least(LOOKUPS, || {
        // Some at a time, as a program would use the answers.
        for (hashes, answers) in hashes.chunks(512).zip(answers.chunks_mut(512 * filter.words())) {
            filter.bins_batch(hashes, answers).unwrap_or_default();
            black_box(answers);
        }
    });
    let row = filter.params().row_bytes() as usize / 8;
    let table: Vec<u64> = (0..filter.params().bytes() / 8).collect();
    let floor = least(LOOKUPS, || {
        black_box(read_lines(&table, row, &hashes));
    });
    for key in few.iter().take(200) {
        let hash = key.key_hash(0);
        let wanted = (0..bins).filter(|&bin| singles[bin].contains_hash(hash));
        assert!(filter.bins(key).iter().eq(wanted));
    }

    let bytes = singles.iter().map(Filter::size_in_bytes).sum::<u64>();
    println!("{bins} bins of {keys} keys, {} kB", filter.size_in_bytes() / 1000);
    println!(
        "bytes, times those of single filters {:>9.3}",
        filter.size_in_bytes() as f64 / bytes as f64
    );
    println!("a lookup by a loop                   {looped:>9.1} ns");
    println!(
        "a lookup                             {one:>9.1} ns   1/{:.1} of the loop",
        looped / one
    );
    println!(
        "into a set that is used again        {into:>9.1} ns   1/{:.1} of the loop",
        looped / into
    );
    println!(
        "in batches                           {batch:>9.1} ns   1/{:.1} of the loop",
        looped / batch
    );
    println!(
        "reading as many lines                {floor:>9.1} ns   batch: {:.2} times it",
        batch / floor
    );
    println!("a key into single filters            {single_fill:>9.1} ns");
    println!(
        "all bins at once, a key              {built:>9.1} ns   {:.2} times",
        built / single_fill
    );
    println!(
        "many keys of a bin, a key            {by_bin:>9.1} ns   {:.2} times",
        by_bin / single_fill
    );
    println!(
        "key by key                           {by_key:>9.1} ns   {:.2} times",
        by_key / single_fill
    );
    Ok(())
}
