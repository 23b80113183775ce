use amq::*;
use std::hint::black_box;
fn hashes(n: u64) -> Vec<KeyHash> {
    (0..n).map(|k| k.key_hash(0)).collect()
}
#[inline(never)]
fn direct(f: &BloomFilter, h: &[KeyHash]) -> u64 {
    h.iter().filter(|&&h| f.contains_hash(h)).count() as u64
}
#[inline(never)]
fn any(f: &AnyFilter, h: &[KeyHash]) -> u64 {
    h.iter().filter(|&&h| f.contains_hash(h)).count() as u64
}
#[inline(never)]
fn directb(f: &BlockedBloomFilter, h: &[KeyHash]) -> u64 {
    h.iter().filter(|&&h| f.contains_hash(h)).count() as u64
}
#[inline(never)]
fn dinsert(f: &mut CuckooFilter, h: &[KeyHash]) {
    for &h in h {
        f.insert_hash(h).unwrap();
    }
}
#[inline(never)]
fn ainsert(f: &mut AnyFilter, h: &[KeyHash]) {
    for &h in h {
        f.insert_hash(h).unwrap();
    }
}
fn main() {
    let h = hashes(200_000);
    let goal = Goal::fpr(100_000, 0.01);
    let f = BloomFilter::build_hashes(goal, 0, &h[..100_000]).unwrap();
    black_box(direct(&f, &h));
    black_box(any(&AnyFilter::from(f), &h));
    let f = BlockedBloomFilter::build_hashes(goal, 0, &h[..100_000]).unwrap();
    black_box(directb(&f, &h));
    let mut f = CuckooFilter::new(goal).unwrap();
    dinsert(&mut f, &h[..90_000]);
    let mut f = AnyFilter::new(FilterKind::Cuckoo, goal).unwrap();
    ainsert(&mut f, &h[..90_000]);
}
