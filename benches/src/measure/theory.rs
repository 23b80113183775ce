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
