//! The times of Rust's own batches, as JSON: what `benchmarks/compare.py` compares with.
//!
//! Arguments: the number of keys, rounds, and keys of a ribbon filter.

use amq::{Abilities, AnyFilter, Budget, Filter, FilterExt, FilterKind, Goal, KeyHash};
use std::error::Error;
use std::time::Instant;

const FPR: f64 = 0.01;

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1).map(|argument| argument.parse::<u64>());
    let mut next = || arguments.next().ok_or("three numbers")?.map_err(Box::<dyn Error>::from);
    let (count, rounds, ribbon) = (next()?, next()?, next()?);
    let keys = keys(count);
    let mut kinds = Vec::new();
    for &kind in AnyFilter::KINDS {
        let (mut insert, mut ask) = (f64::INFINITY, f64::INFINITY);
        for _ in 0..rounds {
            let (inserted, asked) = round(kind, &keys)?;
            (insert, ask) = (insert.min(inserted), ask.min(asked));
        }
        kinds.push(format!("{:?}: {{\"insert\": {insert:.2}, \"ask\": {ask:.2}}}", kind.id()));
    }
    let keys = self::keys(ribbon);
    let start = Instant::now();
    let filter = AnyFilter::build(FilterKind::Ribbon, Budget::Fpr(FPR), &keys)?;
    let seconds = start.elapsed().as_secs_f64();
    assert!(filter.contains(&keys[0]));
    println!("{{{}, \"ribbon_seconds\": {seconds:.3}}}", kinds.join(", "));
    Ok(())
}

/// Those of `u64s` in compare.py.
fn keys(count: u64) -> Vec<u64> {
    (0..count).map(|number| number.wrapping_mul(0x9E37_79B9_7F4A_7C15)).collect()
}

/// Nanoseconds a key to insert, or build, and to ask.
fn round(kind: FilterKind, keys: &[u64]) -> Result<(f64, f64), Box<dyn Error>> {
    let each = 1e9 / keys.len() as f64;
    let start = Instant::now();
    let (inserted, filter) = if Abilities::of(kind).insert {
        let mut filter = AnyFilter::new(kind, Goal::fpr(keys.len() as u64, FPR))?;
        let start = Instant::now();
        insert(&mut filter, keys)?;
        (start.elapsed(), filter)
    } else {
        let filter = AnyFilter::build(kind, Budget::Fpr(FPR), keys)?;
        (start.elapsed(), filter)
    };
    let mut answers = vec![false; keys.len()];
    let start = Instant::now();
    filter.contains_keys(keys, &mut answers)?;
    let asked = start.elapsed();
    assert!(answers.iter().all(|&answer| answer));
    Ok((inserted.as_secs_f64() * each, asked.as_secs_f64() * each))
}

fn insert(filter: &mut AnyFilter, keys: &[u64]) -> Result<(), Box<dyn Error>> {
    let seed = filter.seed();
    let mut hashes = [KeyHash::new(0); 512];
    for keys in keys.chunks(hashes.len()) {
        let hashes = &mut hashes[..keys.len()];
        for (hash, key) in hashes.iter_mut().zip(keys) {
            *hash = KeyHash::of(key, seed);
        }
        filter.insert_batch(hashes)?;
    }
    Ok(())
}
