//! Fills filters beyond their plan.
//!
//! `grow` plans the filter for a hundredth of the keys and goes up to all of them; `overfill`
//! starts from the planned number of keys and goes up to five times that. One that grows must keep
//! its target rate. One that does not must have its formula's rate for the keys it holds, or
//! refuse, and then still find every key it took.

use super::{Act, Check, Ground, Leg, Script, Track};
use crate::contenders::{Course, Planned};
use crate::measure::verify::Failure;
use crate::record::Workload;
use std::borrow::Cow;

/// Stops in each doubling of the keys, over the last two doublings: where a filter grows by
/// doubling, their mean is its size for a number of keys not known before.
const PER_DOUBLING: i32 = 8;

/// Numbers of keys at which a filter is checked while it is filled.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Filling {
    course: Course,
    workload: Workload,
    /// The numbers, rising; the filter is planned for the first and built from as many.
    stops: Vec<usize>,
}

/// Growing a hundredfold: in steps of about three, then finely over two doublings.
pub fn grow(keys: usize) -> Filling {
    let part = |share: f64| ((keys as f64 / share).round() as usize).max(1);
    let coarse = [100.0, 32.0, 10.0];
    let fine = (0..=2 * PER_DOUBLING).rev();
    let fine = fine.map(|step| (f64::from(step) / f64::from(PER_DOUBLING)).exp2());
    Filling {
        course: Course::Grow,
        workload: Workload::Grow,
        stops: coarse.into_iter().chain(fine).map(part).collect(),
    }
}

/// Up to five times the planned keys.
pub fn overfill(keys: usize) -> Filling {
    Filling {
        course: Course::Overfill,
        workload: Workload::Overfill,
        stops: vec![keys, keys * 3 / 2, keys * 2, keys * 3, keys * 5],
    }
}

impl Track for Filling {
    fn course(&self) -> Course {
        self.course
    }

    fn workloads(&self) -> &'static [Workload] {
        match self.workload {
            Workload::Grow => &[Workload::Grow],
            _ => &[Workload::Overfill],
        }
    }

    fn title(&self) -> String {
        format!("{} from {} to {} keys", self.workload, self.planned(), self.keys())
    }

    fn planned(&self) -> usize {
        self.stops.first().copied().unwrap_or(1)
    }

    fn keys(&self) -> usize {
        self.stops.last().copied().unwrap_or(1)
    }

    fn script<'a>(&self, ground: &'a Ground, _slots: Option<u64>) -> Result<Script<'a>, Failure> {
        let keys = &ground.present;
        let mut held = 0;
        let leg = |&stop: &usize| {
            let before = std::mem::replace(&mut held, stop);
            Leg {
                act: match before {
                    0 => Act::Begin,
                    _ => Act::Insert(&keys[before..stop]),
                },
                holds: Cow::Borrowed(&keys[..stop]),
                check: match self.workload {
                    Workload::Grow => Check::Target,
                    _ => Check::Rate,
                },
                workload: self.workload,
                keys: stop,
                load: None,
            }
        };
        Ok(Script {
            planned: Planned::First,
            first: &keys[..self.planned()],
            legs: self.stops.iter().map(leg).collect(),
            grows: true,
            weighs: true,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn courses_rise_from_the_plan_to_a_hundred_and_five_times_as_many() {
        for keys in [1_000, 100_000, 1_000_000] {
            let (grow, over) = (grow(keys), overfill(keys));
            assert_eq!((grow.planned() * 100, grow.keys()), (keys, keys));
            assert_eq!((over.planned(), over.keys()), (keys, 5 * keys));
            for course in [grow, over] {
                assert!(course.stops.is_sorted_by(|a, b| a < b), "{course:?}");
            }
        }
    }
}
