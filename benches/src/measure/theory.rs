//! `theory.csv`: what each contender's formula gives.

use crate::contenders::{Contender, Role};
use crate::record::Point;

/// The points of all theories, for these numbers of keys. A twin has its other's.
pub fn points(contenders: &[&'static dyn Contender], keys: &[u64]) -> Vec<Point> {
    let filters = contenders.iter().copied();
    let filters = filters.filter(|contender| contender.info().role == Role::Filter);
    let all = filters.flat_map(|filter| keys.iter().map(move |&keys| (filter, keys)));
    let points = all.flat_map(|(filter, keys)| {
        let of = move |point: crate::contenders::Point| Point {
            contender: filter.info().name.to_owned(),
            keys,
            asked_bits: None,
            step: point.step.map(u64::from),
            bits_per_key: point.bits_per_key,
            fpr: point.fpr,
        };
        filter.theory_points(keys).into_iter().map(of)
    });
    points.collect()
}
