//! Migrating from the crate fastbloom: each of its calls, and the equivalent here.
//!
//! ```console
//! $ cargo run --example coming_from_fastbloom
//! ```

use amq_bloom::{
    AtomicBloomFilter, BloomFilter, BloomParams, Budget, ByHash, ClearFilter, Filter, FilterFile,
    Goal, Inserted, PlanFilter,
};
use std::error::Error;

fn main() -> Result<(), Box<dyn Error>> {
    // BloomFilter::with_false_pos(0.001).expected_items(1000)
    let mut filter = BloomFilter::new(Goal::fpr(1000, 0.001))?;

    // BloomFilter::with_num_bits(8192).expected_items(1000)
    let sized = BloomFilter::new(Goal::bytes(1000, 8192 / 8))?;
    assert_eq!(sized.params().bits, 8192);

    // BloomFilter::with_num_bits(8192).hashes(4)
    let plan = BloomFilter::plan_params(BloomParams::new(8192, 4), 1000)?;
    let mut explicit = BloomFilter::new(plan)?;

    // BloomFilter::with_false_pos(0.001).items(words.iter())
    let words = ["ant", "bee", "cat"];
    let built = BloomFilter::build(Budget::Fpr(0.001), words)?;
    assert!(words.iter().all(|word| built.contains(word)));

    // BloomFilter::with_false_pos(0.001).seed(&7).expected_items(1000)
    // There a filter has a random seed unless it is given one; here it has a public one.
    let seeded = BloomFilter::with_seed(Goal::fpr(1000, 0.001), 7)?;
    assert_eq!(seeded.seed(), 7);

    // filter.insert("ant")     There `true` says that it was in already.
    let inserted = filter.insert("ant");
    assert_eq!(inserted, Inserted::New);
    assert!(inserted.is_new());

    // filter.contains("ant")
    assert!(filter.contains("ant"));

    // filter.insert_all(words.iter()), filter.extend(words.iter())
    filter.extend(words);

    // filter.insert(&visit), where `Visit` derives Hash
    #[derive(Hash)]
    struct Visit {
        user: u64,
        page: &'static str,
    }
    let visit = ByHash(Visit { user: 1, page: "/" });
    filter.insert(&visit);
    // Portable, so that another machine finds it in the stored filter: a tuple, or `impl Key`.
    filter.insert(&(visit.0.user, visit.0.page));

    // filter.union(&other), filter.intersect(&other): here filters that do not match are an error.
    let mut other = BloomFilter::new(Goal::fpr(1000, 0.001))?;
    other.insert("dog");
    filter.merge(&other)?;
    filter.intersect(&other)?;
    assert!(filter.contains("dog"));
    // Or as operators, which panic instead.
    filter |= &other;

    // filter.num_bits(), filter.num_hashes()
    let BloomParams { bits, probes, .. } = filter.params();
    println!("{bits} bits, {probes} probes");

    // filter.as_slice(), BloomFilter::from_vec(words).hashes(4): here with seed, size and checksums
    explicit.insert("ant");
    let stored = explicit.to_bytes()?;
    let restored = BloomFilter::from_bytes(&stored)?;
    assert!(restored.contains("ant"));

    // filter.clear()
    filter.clear();
    assert!(filter.is_empty());

    // AtomicBloomFilter::with_false_pos(0.001).expected_items(1000), and insert(&self)
    let shared = AtomicBloomFilter::new(Goal::fpr(1000, 0.001))?;
    std::thread::scope(|threads| {
        threads.spawn(|| shared.insert("ant"));
        threads.spawn(|| shared.insert("bee"));
    });
    assert!(shared.contains("ant") && shared.contains("bee"));

    // Not in fastbloom: the current rate, a copy while other threads insert, and the plain filter
    // once they have finished.
    println!("{}", shared.stats());
    let copy = shared.snapshot()?;
    let plain: BloomFilter = shared.into_inner();
    assert_eq!(copy, plain);
    Ok(())
}
