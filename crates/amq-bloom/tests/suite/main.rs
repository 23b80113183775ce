//! All tests of the crate that use it from outside, in one binary: what they share is compiled
//! once.

mod combining;
mod conformance;
mod files;
mod laws;
mod layouts;
mod many;
mod memory;
mod rates;

/// The hashes of these keys under the seed 0.
fn hashes(keys: std::ops::Range<u64>) -> Vec<amq_bloom::KeyHash> {
    keys.map(|key| amq_bloom::KeyHash::of(&key, 0)).collect()
}
