//! `theory.csv`: each contender's own points, so that drawing needs no code of the filters.

use crate::contenders::{Contender, Role};
use crate::record::Point;

/// The numbers of keys with curves: small, and many.
const KEYS: [u64; 2] = [1_000, 1_000_000];

/// The points of all curves; of twins none.
pub fn points(contenders: &[&'static dyn Contender]) -> Vec<Point> {
    let filters = contenders.iter().filter(|contender| contender.info().role == Role::Filter);
    filters.flat_map(|contender| KEYS.map(|keys| contender.theory_points(keys))).flatten().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contenders;

    #[test]
    fn fingerprints_have_steps_and_others_budgets() {
        let points = points(&contenders::ALL);
        for (name, steps) in [("bloom", false), ("cuckoo", true)] {
            let mut of = points.iter().filter(|point| point.contender == name);
            assert!(of.clone().count() > 20, "{name}");
            assert!(of.all(|point| point.step.is_some() == steps), "{name}");
        }
        assert!(!points.iter().any(|point| point.contender == "bloom-twin"));
    }
}
