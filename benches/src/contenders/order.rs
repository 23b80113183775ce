//! The order for a filter: number of keys, budget and seed.

use amq_core::{Budget, Goal};

/// The number of keys that a filter is planned for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Planned {
    /// The given keys. A growing filter is planned for a thousandth of them and grows.
    Keys,
    /// The given keys, also for a growing filter: more will follow.
    First,
    /// This many, of which the given keys are the first. A static filter refuses.
    Room(usize),
    /// As `Keys`, but a growing filter is planned for a thousandth of this many: so sizes at
    /// different numbers of keys show their jumps within an octave.
    Octave(usize),
}

#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Order {
    pub planned: Planned,
    /// The rate or the size asked for; `None` for a contender that takes neither.
    pub budget: Option<Budget>,
    pub seed: u64,
}

/// The factor by which a growing filter grows.
pub(super) const GROWN: usize = 1000;

impl Order {
    /// The number of keys to plan for, if `given` are given: at least one.
    pub fn room(&self, given: usize) -> usize {
        match self.planned {
            Planned::Room(room) => room.max(1),
            Planned::Keys | Planned::First | Planned::Octave(_) => given.max(1),
        }
    }

    /// The number of keys a growing filter starts with, if `given` are given: at least one.
    pub fn start(&self, given: usize) -> usize {
        match self.planned {
            Planned::Keys => (given / GROWN).max(1),
            Planned::Octave(keys) => (keys / GROWN).max(1),
            Planned::First | Planned::Room(_) => self.room(given),
        }
    }

    pub fn goal(&self, given: usize) -> Result<Goal, &'static str> {
        let budget = self.budget.ok_or("needs a target rate or a size")?;
        Ok(Goal::new(self.room(given) as u64, budget))
    }

    pub fn fpr(&self) -> Result<f64, String> {
        match self.budget {
            Some(Budget::Fpr(fpr)) => Ok(fpr),
            budget => Err(format!("takes a target rate, not {budget:?}")),
        }
    }

    /// The bits for all of `room` keys, if a size is asked for.
    pub fn bits(&self, room: usize) -> Option<usize> {
        match self.budget {
            Some(Budget::BitsPerKey(bits)) => Some((bits * room as f64) as usize),
            Some(Budget::Bytes(bytes)) => Some(bytes as usize * 8),
            Some(Budget::Fpr(_)) | None => None,
        }
    }
}
