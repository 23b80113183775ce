//! Builds static filters and maps of arbitrary keys.

use crate::{Aligned, ask, later};
use amq::{Abilities, AnyFilter, Budget, Filter, FilterFile, FilterKind, Key, KeyHash, RibbonMap};
use arbitrary::Arbitrary;

/// A filter or map to build, and its keys.
#[derive(Arbitrary, Debug)]
pub struct Building {
    /// An index into the static kinds; after them, a map.
    kind: u8,
    seed: u64,
    /// A rate of 2^-n, or bits of a value.
    bits: u8,
    /// Additional sixteenths of a bit per key.
    more: u8,
    /// The number of consecutive integer keys, which are hashed.
    run: u16,
    /// Chosen hashes.
    chosen: Vec<u64>,
}

/// Builds it, and checks every answer.
pub fn built(building: &Building) {
    let run = (0..u64::from(building.run % 4096)).map(|key| key.key_hash(building.seed));
    let chosen = building.chosen.iter().copied().map(KeyHash::new);
    let hashes: Vec<KeyHash> = run.chain(chosen).collect();
    let kinds = AnyFilter::KINDS.iter().filter(|&&kind| Abilities::of(kind).build_only);
    let kinds: Vec<FilterKind> = kinds.copied().collect();
    match kinds.get(usize::from(building.kind) % (kinds.len() + 1)) {
        Some(&kind) => filter(kind, building, &hashes),
        None => map(building, &hashes),
    }
}

fn filter(kind: FilterKind, building: &Building, hashes: &[KeyHash]) {
    let bits = f64::from(building.bits) + f64::from(building.more) / 16.0;
    let budget = Budget::BitsPerKey(bits);
    // Chosen hashes may have no solution, and few bits may have no plan.
    let Ok(filter) = AnyFilter::build_hashes(kind, budget, building.seed, hashes) else {
        return;
    };
    assert!(hashes.iter().all(|&hash| filter.contains_hash(hash)), "a key is lost");
    assert_eq!(filter.len(), hashes.len() as u64);
    let bytes = filter.to_bytes().expect("memory for the file");
    assert!(AnyFilter::from_bytes(&bytes).is_ok_and(|again| again == filter));
    let aligned = Aligned::new(&bytes);
    let view = AnyFilter::view(aligned.get()).expect("a view of what was written");
    assert_eq!(ask(&view), ask(&filter));
}

fn map(building: &Building, hashes: &[KeyHash]) {
    let bits = u32::from(building.bits);
    let value = |hash: KeyHash| {
        hash.get().rotate_left(11) as u32 & (1u64 << bits.min(32)).wrapping_sub(1) as u32
    };
    let pairs = hashes.iter().map(|&hash| (hash, value(hash)));
    let Ok(map) = RibbonMap::build_hashes(bits, building.seed, pairs) else {
        return;
    };
    assert!(hashes.iter().all(|&hash| map.get_hash(hash) == value(hash)), "a value is wrong");
    let file = map.to_bytes().expect("memory for the file");
    later::on_map(&map, &file);
    assert!(RibbonMap::from_bytes(&file).is_ok_and(|again| again == map));
}
