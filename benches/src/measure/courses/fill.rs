//! Fills filters beyond their plan.
//!
//! `grow` plans the filter for a hundredth of the keys and goes up to all of them; `overfill`
//! starts from the planned number of keys and goes up to five times that. One that grows must keep
//! its target rate. One that does not must have its formula's rate for the keys it holds, or
//! refuse, and then still find every key it took.

use super::{Act, Check, Ground, Leg, Outline, Script, Track};
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
    workload: &'static [Workload; 1],
    check: Check,
    /// The numbers, rising; the filter is planned for the first and built from as many.
    stops: Vec<usize>,
}

/// Growing a hundredfold: in steps of about three, then finely over two doublings.
pub fn grow(keys: usize) -> Filling {
    let part = |share: f64| ((keys as f64 / share).round() as usize).max(1);
    let fine = (0..=2 * PER_DOUBLING).rev();
    let fine = fine.map(|step| (f64::from(step) / f64::from(PER_DOUBLING)).exp2());
    Filling {
        course: Course::Grow,
        workload: &[Workload::Grow],
        check: Check::Target,
        stops: [100.0, 32.0, 10.0].into_iter().chain(fine).map(part).collect(),
    }
}

/// Up to five times the planned keys.
pub fn overfill(keys: usize) -> Filling {
    Filling {
        course: Course::Overfill,
        workload: &[Workload::Overfill],
        check: Check::Rate,
        stops: vec![keys, keys * 3 / 2, keys * 2, keys * 3, keys * 5],
    }
}

impl Track for Filling {
    fn outline(&self) -> Outline {
        Outline {
            course: self.course,
            ability: None,
            needs_slots: false,
            workloads: self.workload,
            planned: self.stops[0],
            keys: self.stops[self.stops.len() - 1],
            is_long: false,
        }
    }

    fn script<'a>(&self, ground: &'a Ground, _slots: Option<u64>) -> Result<Script<'a>, Failure> {
        let keys = &ground.present;
        let leg = |(place, &stop): (usize, &usize)| Leg {
            act: match place {
                0 => Act::Begin,
                _ => Act::Insert(&keys[self.stops[place - 1]..stop]),
            },
            holds: Cow::Borrowed(&keys[..stop]),
            check: self.check,
            workload: self.workload[0],
        };
        let legs = self.stops.iter().enumerate().map(leg).collect();
        let first = &keys[..self.stops[0]];
        Ok(Script { planned: Planned::First, slots: None, first, legs })
    }
}
