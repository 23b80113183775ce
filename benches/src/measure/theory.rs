//! The curves of theory: what each contender's formula gives for a budget.

use crate::contender::{Contender, Role, Theory};
use crate::record::Point;

/// The budgets, in bits per key: a curve's points, or where to look for steps.
const BUDGETS: (f64, f64) = (1.0, 24.0);
/// Between two budgets.
const APART: f64 = 0.25;
/// How exactly a step is found, in bits per key.
const EXACTLY: f64 = 1e-4;

/// The points of all curves, for these numbers of keys.
pub fn points(contenders: &[&'static dyn Contender], keys: &[u64]) -> Vec<Point> {
    let infos = contenders.iter().map(|contender| contender.info());
    let filters = infos.filter(|info| info.role == Role::Filter);
    let curves = filters.filter_map(|info| Some((info.name, info.theory?)));
    let all = curves.flat_map(|(name, theory)| keys.iter().map(move |&keys| (name, theory, keys)));
    all.flat_map(|(name, theory, keys)| curve(name, theory, keys))
        .collect()
}

/// A curve; if it is flat between budgets, the filter has steps, and these are its points.
fn curve(contender: &str, theory: Theory, keys: u64) -> Vec<Point> {
    let (first, last) = BUDGETS;
    let steps = ((last - first) / APART) as usize;
    let budgets = (0..=steps).map(|step| first + step as f64 * APART);
    let found: Vec<(f64, Option<f64>)> = budgets.map(|bits| (bits, theory(keys, bits))).collect();
    let flat = |pair: &[(f64, Option<f64>)]| pair[0].1.is_some() && pair[0].1 == pair[1].1;
    let point = |bits, fpr| Point {
        contender: contender.to_owned(),
        keys,
        asked_bits: None,
        step: None,
        bits_per_key: bits,
        fpr,
    };
    if !found.windows(2).any(flat) {
        let here = |(bits, fpr): (f64, Option<f64>)| {
            let asked_bits = Some(bits);
            Some(Point {
                asked_bits,
                ..point(bits, fpr?)
            })
        };
        return found.into_iter().filter_map(here).collect();
    }
    let jumps = found.windows(2).filter(|pair| pair[0].1 != pair[1].1);
    let steps = jumps.zip(1..).filter_map(|(pair, step)| {
        let (mut below, (mut bits, fpr)) = (pair[0].0, pair[1]);
        while bits - below > EXACTLY {
            let middle = f64::midpoint(below, bits);
            if theory(keys, middle) == fpr {
                bits = middle
            } else {
                below = middle
            }
        }
        Some(Point {
            step: Some(step),
            ..point(bits, fpr?)
        })
    });
    steps.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_curve_is_sampled_and_steps_are_found_where_they_are() {
        let smooth = curve("a", |_, bits| Some(0.5f64.powf(bits)), 1000);
        assert_eq!(smooth.len(), 93);
        assert!(smooth.iter().all(|point| point.step.is_none()));
        // Fingerprints of 3 bits and more in a table that takes 1.05 slots a key.
        let stepped = curve(
            "b",
            |_, bits| {
                Some((bits / 1.05).floor())
                    .filter(|&b| b > 2.0)
                    .map(|b| 0.5f64.powf(b))
            },
            1000,
        );
        assert_eq!(stepped.len(), 20);
        for (point, bits) in stepped.iter().zip(3..) {
            assert_eq!(
                (point.step, point.fpr),
                (Some(bits - 2), 0.5f64.powi(bits as i32))
            );
            assert!(
                (point.bits_per_key - bits as f64 * 1.05).abs() <= EXACTLY,
                "{point:?}"
            );
        }
        assert_eq!(curve("c", |_, _| None, 1000), []);
    }
}
