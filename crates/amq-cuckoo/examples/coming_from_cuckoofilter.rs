//! Migrating from the crate cuckoofilter: each of its calls, and the equivalent here.
//!
//! ```console
//! $ cargo run --example coming_from_cuckoofilter
//! ```

use amq_cuckoo::{
    Budget, ByHash, ClearFilter, CuckooFilter, DEFAULT_SEED, Filter, FilterFile, Goal, InsertError,
    Inserted,
};
use std::error::Error;

fn main() -> Result<(), Box<dyn Error>> {
    // CuckooFilter::with_capacity(1000)
    // There every filter has fingerprints of 8 bits (a rate of up to 3 %), and room for the next
    // power of two. Here you choose the rate, and all 1000 keys go in.
    let mut filter = CuckooFilter::new(Goal::fpr(1000, 0.03))?;

    // CuckooFilter::new(): there is no default size here; plan one.
    let plan = CuckooFilter::plan(Goal::fpr(1_000_000, 0.03))?;
    println!("{plan}"); // what it would take; nothing is allocated yet
    let large = CuckooFilter::new(plan)?;
    assert_eq!(large.size_in_bytes(), plan.bytes);

    // CuckooFilter::<MyHasher>::with_capacity(1000)
    // The hash is always XXH3. What varies is its seed: public by default, or your own.
    let seeded = CuckooFilter::with_seed(Goal::fpr(1000, 0.03), 7)?;
    assert!(seeded.seed() == 7 && filter.seed() == DEFAULT_SEED);

    // filter.add("ant")? There, an insert that fails drops some other key. Here it changes nothing,
    // and the error tells why: `InsertError::Table`, or `InsertError::Copies` when all slots of
    // this key hold copies of it.
    filter.insert("ant")?;
    while filter.insert("ant").is_ok() {}
    assert_eq!(filter.insert("ant"), Err(InsertError::Copies { copies: 8 }));
    assert_eq!(filter.count("ant").estimate, 8);

    // filter.test_and_add("bee")?     There `true` says that it was added.
    assert_eq!(filter.insert_unique("bee")?, Inserted::New);
    assert!(!filter.insert_unique("bee")?.is_new());

    // filter.contains("ant")
    assert!(filter.contains("ant"));

    // filter.add(&visit)?, where `Visit` derives Hash
    #[derive(Hash)]
    struct Visit {
        user: u64,
        page: &'static str,
    }
    let visit = ByHash(Visit { user: 1, page: "/" });
    filter.insert(&visit)?;
    // Portable, for filters that other machines load: a tuple, or `impl Key`.
    filter.insert(&(visit.0.user, visit.0.page))?;
    // There, 4711i64 and 4711u64 are different keys; here integers of up to 64 bits are one key
    // whatever their type.
    filter.insert(&4711i64)?;
    assert!(filter.contains(&4711u64));

    // filter.delete("ant")
    assert!(filter.remove("ant"));
    assert_eq!(filter.count("ant").estimate, 7);

    // filter.len(), filter.is_empty(), filter.memory_usage()
    println!(
        "{} copies of keys in {} bytes, empty: {}",
        filter.len(),
        filter.size_in_bytes(),
        filter.is_empty()
    );

    // let stored = filter.export();  CuckooFilter::from(stored)
    // There, what was stored is taken as it comes. Here damaged bytes are an error, never a filter
    // that denies keys. `save` and `load` do the same with a path.
    let stored = filter.to_bytes()?;
    let restored = CuckooFilter::from_bytes(&stored)?;
    assert!(restored == filter);

    // filter.clear()
    filter.clear();
    assert!(filter.is_empty());

    // Not in cuckoofilter: building from all keys at once, each stored once, and the current rate.
    let built = CuckooFilter::build(Budget::Fpr(0.001), ["ant", "bee", "cat", "ant"])?;
    assert_eq!(built.len(), 3);
    println!("{}", built.stats());
    Ok(())
}
