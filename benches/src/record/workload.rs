//! The timed workloads; see `reports/METHODOLOGY.md`.

use serde::{Deserialize, Serialize};

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Workload {
    #[default]
    Verify,
    Build,
    Query0,
    Query50,
    Query100,
    Batch50,
    Dependent50,
    Remove,
    // Scenarios: filters in many states.
    Grow,
    Overfill,
    LoadInsert,
    Churn,
    Merge,
    Truncate,
    ThreadsInsert,
    ThreadsQuery,
}

serde_plain::derive_display_from_serialize!(Workload);

impl Workload {
    pub fn is_scenario(self) -> bool {
        self >= Self::Grow
    }
}
