//! Scenarios, and the contenders that take part.

use super::script::Script;
use crate::contenders::{Ability, Contender, Info, Order, Planned, Role};
use crate::record::Workload;
use crate::scenarios::dataset::ScenarioKeys;
use crate::scenarios::keys::Keys;
use crate::verify::{Failure, build};
use amq_core::Budget;

/// The reference of most scenarios and of removals: it never refuses a key.
pub const REMOVER: &str = "blocked-counting";
/// The rate asked for in most scenarios.
pub const RATE: f64 = 0.01;
/// The load of a power-of-two table with all planned keys, so that tables of any size are compared
/// at the same load.
pub const FULL: f64 = 0.95;

#[derive(Clone, Copy, Debug)]
pub struct ScenarioKind {
    /// Its name in records.
    pub workload: Workload,
    /// The rate that filters are made for.
    pub rate: f64,
    /// Whether a contender can take part, by its abilities.
    pub admits: fn(&Info) -> bool,
    /// Whether it is about slots: contenders without them do not take part.
    pub of_slots: bool,
    /// Whether a pass takes long: there are fewer rounds.
    pub is_long: bool,
    /// The keys that filters of this size are planned for, and those that the scenario needs.
    pub keys: fn(usize) -> [usize; 2],
    /// Writes the script for a filter with this many slots, if it has any.
    pub script: for<'a> fn(&Scenario, ScenarioKeys<'a>, Option<u64>) -> Result<Script<'a>, Failure>,
    /// The contender to compare times with, which reaches every stop.
    pub reference: &'static str,
}

/// A scenario at one size.
#[derive(Clone, Copy, Debug)]
pub struct Scenario {
    pub kind: ScenarioKind,
    pub planned: usize,
    /// The keys that it needs; a contender limited to fewer does not take part.
    pub keys: usize,
}

impl ScenarioKind {
    pub fn of_size(self, size: usize) -> Scenario {
        let [planned, keys] = (self.keys)(size);
        Scenario { kind: self, planned, keys }
    }
}

impl Scenario {
    pub const fn workload(&self) -> Workload {
        self.kind.workload
    }

    /// Whether a contender takes part with this budget.
    pub fn takes(&self, contender: &Contender, budget: Option<Budget>) -> bool {
        let (info, kind) = (contender.info, &self.kind);
        let is_filter = matches!(info.role, Role::Filter | Role::Twin);
        let skips = info.skips.contains(&kind.workload);
        // A failure while probing is left for the scenario to report.
        let has_slots = || !matches!(slots(contender, budget, 1), Ok(None));
        is_filter && !skips && (kind.admits)(info) && (!kind.of_slots || has_slots())
    }
}

impl ScenarioKeys<'_> {
    /// Fails if a table of these slots needs more keys.
    pub(super) fn suffices(&self, needed: usize, slots: u64) -> Result<(), Failure> {
        let keys = self.present.len();
        Failure::unless(needed <= keys, || {
            format!("has {slots} slots, too many for the {keys} keys of this scenario")
        })
    }
}

/// The slots of an empty filter for `room` keys; of a static one nobody asks.
pub fn slots(
    contender: &Contender,
    budget: Option<Budget>,
    room: usize,
) -> Result<Option<u64>, Failure> {
    if contender.info.can(Ability::Static) {
        return Ok(None);
    }
    let order = Order { planned: Planned::Room(room), budget, seed: 0 };
    Ok(build(contender, Keys::U64(&[]), &order)?.slots())
}
