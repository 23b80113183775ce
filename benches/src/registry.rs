//! The contenders, one line each. A new one is a file in `contenders/` and a line here.

use crate::construction;
use crate::contender::{Contender, Info};
use crate::contenders::*;
use crate::error::BenchError;

/// All contenders, in listed order. Names are distinct (tested).
pub static ALL: &[&dyn Contender] = &[
    &bloom::CLASSIC,
    &bloom::SPLIT_BLOCK,
    &bloom::ATOMIC,
    &bloom::ATOMIC_SPLIT_BLOCK,
    &counting::CLASSIC,
    &counting::BLOCKED,
    &scalable::CLASSIC,
    &scalable::BLOCKED,
    &scalable::BOUNDED,
    &cuckoo::BUCKETS,
    &cuckoo::WINDOWS,
    &quotient::QUOTIENT,
    &quotient::EXPANDABLE,
    &ribbon::BUMPED,
    &ribbon::STANDARD,
    &ribbon::NARROW,
    &ribbon::WIDE_BUMPED,
    #[cfg(feature = "peers")]
    &fastbloom::Fastbloom,
    #[cfg(feature = "peers")]
    &bloomfilter::Bloomfilter,
    #[cfg(feature = "peers")]
    &sbbf_rs::SbbfRs,
    #[cfg(feature = "peers")]
    &fastbloom_rs::FastbloomRs,
    #[cfg(feature = "peers")]
    &growable_bloom::SIZED,
    #[cfg(feature = "peers")]
    &growable_bloom::GROWN,
    #[cfg(feature = "peers")]
    &probabilistic::Probabilistic,
    #[cfg(feature = "peers")]
    &cuckoofilter::Cuckoofilter,
    #[cfg(feature = "peers")]
    &scalable_cuckoo::ScalableCuckoo,
    #[cfg(feature = "peers")]
    &qfilter::FILLED,
    #[cfg(feature = "peers")]
    &qfilter::SORTED,
    #[cfg(feature = "peers")]
    &probabilistic_quotient::ProbabilisticQuotient,
    #[cfg(feature = "peers")]
    &xorf::BINARY_FUSE_8,
    #[cfg(feature = "peers")]
    &xorf::BINARY_FUSE_16,
    #[cfg(feature = "peers")]
    &xorf::XOR_8,
    #[cfg(feature = "peers")]
    &sux::BYTES,
    #[cfg(feature = "peers")]
    &sux::PACKED,
    #[cfg(feature = "peers")]
    &pleat::STANDARD,
    #[cfg(feature = "peers")]
    &pleat::HOMOGENEOUS,
    #[cfg(feature = "peers")]
    &hash_set::HashSet,
    &hash_only::HashOnly,
    // The noise floor: the first one again.
    &bloom::NOISE,
];

/// The contender that [`bloom::NOISE`] repeats.
pub const TWIN_OF_NOISE: &str = "bloom";

/// All contenders, or only the named ones. `construction` is a valid name too, but not a
/// contender's.
pub fn choose(only: &[String]) -> Result<Vec<&'static dyn Contender>, BenchError> {
    for name in only {
        let known = || names().into_iter().chain([construction::NAME]);
        if !known().any(|known| known == name) {
            return Err(BenchError::UnknownContender {
                name: name.clone(),
                known: known().collect::<Vec<_>>().join(", "),
            });
        }
    }
    Ok(ALL
        .iter()
        .copied()
        .filter(|contender| {
            only.is_empty() || only.iter().any(|name| name == contender.info().name)
        })
        .collect())
}

/// Whether a contender is ours or the first peer of its family: these take part where not all do.
pub fn speaks_for_family(info: &Info) -> bool {
    let mut all = ALL.iter().map(|contender| contender.info());
    let first = all.find(|other| !other.ours && other.family == info.family);
    info.ours || first.is_some_and(|first| first.name == info.name)
}

/// The names of all contenders.
pub fn names() -> Vec<&'static str> {
    ALL.iter().map(|contender| contender.info().name).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn names_are_distinct_and_fit_for_files() {
        let names = names();
        assert_eq!(names.iter().collect::<HashSet<_>>().len(), names.len());
        assert!(
            !names.contains(&construction::NAME),
            "its record is another"
        );
        for name in names {
            assert!(
                name.bytes()
                    .all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-'),
                "{name}"
            );
        }
    }

    #[test]
    fn each_family_has_at_most_one_peer_that_speaks_for_it() {
        let infos = || ALL.iter().map(|contender| contender.info());
        for info in infos().filter(|info| !info.ours) {
            let of_family = infos().filter(|other| !other.ours && other.family == info.family);
            assert_eq!(
                of_family.filter(speaks_for_family).count(),
                1,
                "{:?}",
                info.family
            );
        }
        assert!(
            infos()
                .filter(|info| info.ours)
                .all(|info| speaks_for_family(&info))
        );
    }

    #[test]
    fn unknown_names_are_refused_with_the_known_ones() {
        let text = choose(&["blom".to_owned()]).err().unwrap().to_string();
        assert!(text.contains("blom") && text.contains("bloom, "), "{text}");
        assert_eq!(choose(&["bloom".to_owned()]).unwrap().len(), 1);
        assert_eq!(choose(&[]).unwrap().len(), ALL.len());
        assert!(choose(&[construction::NAME.to_owned()]).unwrap().is_empty());
    }
}
