//! The curves of theory, as points.

use crate::contenders::{Contender, Role};
use crate::record::Point;

/// The points of all filters' curves, for these numbers of keys.
pub fn points(contenders: &[&'static dyn Contender], keys: &[u64]) -> Vec<Point> {
    let is_filter = |contender: &&&dyn Contender| contender.info().role == Role::Filter;
    let filters = contenders.iter().filter(is_filter);
    let curves = filters.flat_map(|filter| keys.iter().map(move |&keys| (*filter, keys)));
    let points = curves.flat_map(|(filter, keys)| {
        let info = filter.info();
        let of = move |(step, (bits_per_key, fpr))| Point {
            contender: info.name.to_owned(),
            keys,
            step: info.steps.then_some(step),
            bits_per_key,
            fpr,
        };
        (1..).zip(filter.theory_points(keys)).map(of)
    });
    points.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contenders;

    #[test]
    fn fingerprints_have_steps_others_have_none_and_twins_have_no_curve() {
        let points = points(&contenders::ALL, &[1_000_000]);
        for (name, steps) in [("bloom", false), ("cuckoo", true)] {
            let mut of = points.iter().filter(|point| point.contender == name);
            assert!(of.clone().count() > 10, "{name}");
            assert!(of.all(|point| point.step.is_some() == steps), "{name}");
        }
        assert!(!points.iter().any(|point| point.contender == "bloom-twin"));
    }
}
