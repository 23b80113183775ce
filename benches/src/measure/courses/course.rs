//! What a course is, and who takes part.

use super::script::Script;
use crate::contenders::{Contender, Info, Order, Planned, Role};
use crate::keys::Keys;
use crate::measure::field::Ground;
use crate::measure::verify::{Failure, build};
use crate::record::{Suite, Workload};
use amq_core::Budget;

/// The rate asked for on all courses.
pub const RATE: f64 = 0.01;
/// A table of a power of two has this load when it holds all planned keys, so that tables with and
/// without power-of-two sizes are compared at the same load.
pub(super) const FULL: f64 = 0.95;

#[derive(Clone, Copy, Debug)]
pub struct Course {
    /// Its name in records, in small letters and underscores.
    pub name: &'static str,
    /// Who can take part, as it describes itself.
    pub admits: fn(&Info) -> bool,
    /// Whether it is about the slots of tables: who has none takes no part.
    pub of_slots: bool,
    /// Whether a pass takes long: there are fewer rounds.
    pub is_long: bool,
    /// The number of keys or slots in the suites, from `smoke` to `full`.
    pub sizes: [usize; 3],
    /// The keys that filters of this size are planned for, and those that the course needs.
    pub keys: fn(usize) -> [usize; 2],
    /// Writes the script for a filter with this many slots, if it has any.
    pub script: for<'a> fn(&Track, Ground<'a>, Option<u64>) -> Result<Script<'a>, Failure>,
    /// Whose times its times are compared with: it goes all the way.
    pub reference: &'static str,
}

/// A course at one size.
#[derive(Clone, Copy, Debug)]
pub struct Track {
    pub course: Course,
    pub planned: usize,
    /// The keys that it needs; a contender limited to fewer takes no part.
    pub keys: usize,
}

impl Course {
    pub fn of(self, suite: Suite) -> Track {
        self.track(self.sizes[suite as usize])
    }

    pub fn track(self, size: usize) -> Track {
        let [planned, keys] = (self.keys)(size);
        Track { course: self, planned, keys }
    }
}

impl Track {
    pub const fn workload(&self) -> Workload {
        Workload::course(self.course.name)
    }

    /// Whether a contender that is asked for this takes part.
    pub fn takes(&self, contender: &Contender, budget: Option<Budget>) -> bool {
        let (info, course) = (contender.info, &self.course);
        let is_filter = matches!(info.role, Role::Filter | Role::Twin);
        let skips = info.skips.iter().any(|name| name == course.name);
        // A failure while probing is left for the course to report.
        let has_slots = || !matches!(slots(contender, budget, 1), Ok(None));
        is_filter && !skips && (course.admits)(info) && (!course.of_slots || has_slots())
    }
}

impl Ground<'_> {
    /// Fails if a table of these slots needs more keys.
    pub(super) fn suffices(&self, needed: usize, slots: u64) -> Result<(), Failure> {
        let keys = self.present.len();
        Failure::unless(needed <= keys, || {
            format!("has {slots} slots, too many for the {keys} keys of this course")
        })
    }
}

/// The slots of an empty filter for `room` keys.
pub(super) fn slots(
    contender: &Contender,
    budget: Option<Budget>,
    room: usize,
) -> Result<Option<u64>, Failure> {
    let order = Order { planned: Planned::Room(room), budget, seed: 0 };
    Ok(build(contender, Keys::U64(&[]), &order)?.slots())
}
