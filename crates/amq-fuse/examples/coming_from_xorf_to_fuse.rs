//! Each call of xorf's BinaryFuse8, and its equivalent here.
//!
//! ```console
//! $ cargo run --example coming_from_xorf_to_fuse
//! ```

use amq_fuse::{
    Budget, BuildFilter, DEFAULT_SEED, Filter, FilterExt, FilterFile, FuseFilter, Goal, KeyHash,
};
use std::error::Error;

fn main() -> Result<(), Box<dyn Error>> {
    let keys: Vec<u64> = (0..100_000u64).map(|i| i * i).collect();

    // BinaryFuse8::try_from(&keys), BinaryFuse16, BinaryFuse32 There the type determines the bits;
    // here the rate does, from 1 to 32.
    let filter = FuseFilter::build(Budget::Fpr(1.0 / 256.0), &keys)?;
    let twelve = FuseFilter::build(Budget::Fpr(1.0 / 4096.0), &keys)?;
    assert_eq!(twelve.params().fingerprint_bits, 12);

    // filter.contains(&49)
    assert!(filter.contains(&49u64));

    // filter.len()
    // There it is the number of fingerprints; here it is the number of keys.
    assert_eq!(filter.len(), 100_000);
    println!("{} bytes: {:.2} bits per key", filter.size_in_bytes(), filter.stats().bits_per_key());

    // keys.sort(); keys.dedup(); BinaryFuse8::try_from(&keys) There the keys must be distinct, or
    // the build may fail. Here copies are allowed.
    let copies = FuseFilter::build(Budget::Fpr(0.01), keys.iter().chain(&keys))?;
    assert!(copies.contains(&49u64));

    // BinaryFuse8::try_from(hashes_of(&words)), and contains(&hash(word))
    // There `HashProxy` hashes only for filters without `try_from`, such as Xor8. Here a key is
    // anything with a portable encoding, and a `&str` finds a `String`.
    let words = ["ant", "bee", "cat"].map(String::from);
    let strings = FuseFilter::build(Budget::Fpr(0.01), &words)?;
    assert!(strings.contains("bee"));

    // BinaryFuse8::try_from(&hashes), where the keys were hashed before
    let hashes: Vec<KeyHash> = keys.iter().map(|key| KeyHash::of(key, 7)).collect();
    let hashed = FuseFilter::build_hashes(Budget::Fpr(0.01), DEFAULT_SEED, &hashes)?;
    assert!(hashed.contains_hash(KeyHash::of(&49u64, 7)));

    // BinaryFuse8Ref::from_dma(descriptor, fingerprints): a filter over borrowed fingerprints
    // Here over the bytes of a whole file, such as a memory map.
    let file = filter.to_bytes()?;
    let view = FuseFilter::view(&file)?;
    assert!(view.contains(&49u64));

    // Not in xorf: many keys at once, in less time on large filters.
    let mut answers = [false; 3];
    filter.contains_keys(&[49u64, 50, 64], &mut answers)?;
    assert!(answers[0] && answers[2]);

    // Not in xorf: size, rate and the memory for building, before the build.
    let plan = FuseFilter::plan(Goal::fpr(keys.len() as u64, 0.001))?;
    println!("{plan}; {} bytes while it is built", plan.build_bytes);
    let planned = FuseFilter::build(plan, &keys)?;
    assert_eq!(planned.size_in_bytes(), plan.bytes);
    Ok(())
}
