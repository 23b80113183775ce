//! The prelude is enough for code that is generic over filters.

use amq::prelude::*;

fn at_once<F: BuildFilter>(words: &[&str]) -> F {
    F::build_keys(Budget::Fpr(0.01), 0, words).unwrap()
}

fn one_by_one<F: EmptyFilter>(words: &[&str]) -> F {
    let mut filter = F::empty(Goal::fpr(words.len() as u64, 0.01), 0).unwrap();
    for word in words {
        filter.insert(word).unwrap();
    }
    filter
}

fn bytes<F: PlanFilter>(keys: u64) -> u64 {
    F::plan(Goal::fpr(keys, 0.01)).unwrap().bytes
}

fn holds<F: Filter>(filter: &F, words: &[impl Key]) -> bool {
    words.iter().all(|word| filter.contains(word))
}

fn emptied<F: RemoveFilter>(mut filter: F, words: &[&str]) -> bool {
    words.iter().all(|word| filter.remove(word)) && filter.is_empty()
}

#[test]
fn generic_code_needs_no_other_import() {
    let words = ["one", "two", "three"];
    let static_one: amq::RibbonFilter = at_once(&words);
    let cuckoo: amq::CuckooFilter = one_by_one(&words);
    assert!(holds(&static_one, &words) && holds(&cuckoo, &words));
    assert_eq!(bytes::<amq::CuckooFilter>(words.len() as u64), cuckoo.size_in_bytes());
    assert!(emptied(cuckoo, &words));
}
