//! Each call of xorf's BinaryFuse8, and its equivalent here.
//!
//! ```console
//! $ cargo run --example coming_from_xorf_to_ribbon
//! ```

use amq_ribbon::{
    Budget, BuildFilter, ByHash, DEFAULT_SEED, Filter, FilterFile, Goal, KeyHash, RibbonFilter,
};
use std::error::Error;

fn main() -> Result<(), Box<dyn Error>> {
    let keys: Vec<u64> = (0..100_000u64).map(|i| i * i).collect();

    // BinaryFuse8::try_from(&keys)
    // There the 8 is the rate, 2^-8; here you choose the rate, or the size.
    let filter = RibbonFilter::build(Budget::Fpr(1.0 / 256.0), &keys)?;
    let small = RibbonFilter::build(Budget::BitsPerKey(6.0), &keys)?;
    assert!(small.size_in_bytes() * 8 <= 6 * keys.len() as u64);

    // filter.contains(&49)
    assert!(filter.contains(&49u64));

    // filter.len()
    // There it is the number of fingerprints; here it is the number of keys.
    assert_eq!(filter.len(), 100_000);
    println!(
        "{} bytes: {:.2} bits per key, where BinaryFuse8 takes about 9",
        filter.size_in_bytes(),
        filter.stats().bits_per_key()
    );

    // BinaryFuse8::try_from_iterator((0..1000).map(|i| i * i))
    // There the iterator must be `Clone` and know its length, and runs several times. Here any
    // iterator will do, and it runs once.
    let odd = (0..1000u64).filter(|i| i % 2 == 1);
    let from_iterator = RibbonFilter::build(Budget::Fpr(0.01), odd)?;
    assert!(from_iterator.contains(&77u64));
    // A slice can be built from without a list of hashes, by hashing each key twice.
    let thrifty = RibbonFilter::build_keys(Budget::Fpr(1.0 / 256.0), DEFAULT_SEED, &keys)?;
    assert!(thrifty == filter);

    // keys.sort(); keys.dedup(); BinaryFuse8::try_from(&keys)
    // There the keys must be distinct, or the build fails. Here copies do no harm.
    let copies = RibbonFilter::build(Budget::Fpr(0.01), keys.iter().chain(&keys))?;
    assert!(copies.contains(&49u64));

    // HashProxy::<String, DefaultHasher, Xor8>::from(&words)
    // There a filter of strings is another type. Here a key is anything with a portable encoding,
    // and a `&str` finds a `String`.
    let words = ["ant", "bee", "cat"].map(String::from);
    let strings = RibbonFilter::build(Budget::Fpr(0.01), &words)?;
    assert!(strings.contains("bee"));

    // HashProxy::<Visit, DefaultHasher, Xor8>::from(&visits), where `Visit` derives Hash
    #[derive(Hash)]
    struct Visit {
        user: u64,
        page: &'static str,
    }
    let visits = [Visit { user: 1, page: "/" }];
    let proxied = RibbonFilter::build(Budget::Fpr(0.01), visits.iter().map(ByHash))?;
    assert!(proxied.contains(&ByHash(&visits[0])));
    // Portable, so that another machine finds it in the stored filter: a tuple, or `impl Key`.
    let pairs = visits.iter().map(|visit| (visit.user, visit.page));
    let portable = RibbonFilter::build(Budget::Fpr(0.01), pairs)?;
    assert!(portable.contains(&(1u64, "/")));

    // BinaryFuse8::try_from(&hashes), where the keys were hashed before
    let hashes: Vec<KeyHash> = keys.iter().map(|&key| my_hash(key)).collect();
    let hashed = RibbonFilter::build_hashes(Budget::Fpr(0.01), DEFAULT_SEED, &hashes)?;
    assert!(hashed.contains_hash(my_hash(49)));

    // BinaryFuse8Ref::from_dma(descriptor, fingerprints): a filter over borrowed fingerprints
    // Here over the bytes of a whole file, such as a memory map.
    let file = filter.to_bytes()?;
    let view = RibbonFilter::view(&file)?;
    assert!(view.contains(&49u64));

    // Not in xorf: size, rate and the memory for building, before anything is built.
    let plan = RibbonFilter::plan(Goal::fpr(keys.len() as u64, 0.001))?;
    println!("{plan}; {} bytes while it is built", plan.build_bytes);
    let planned = RibbonFilter::build(plan, &keys)?;
    assert!(planned.size_in_bytes() <= plan.bytes);
    println!("{}", planned.stats());
    Ok(())
}

/// Someone's own hash function: 64 bits, all of them well mixed.
fn my_hash(key: u64) -> KeyHash {
    let hash = (key ^ key >> 31).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    KeyHash::new((hash ^ hash >> 29).wrapping_mul(0xBF58_476D_1CE4_E5B9))
}
