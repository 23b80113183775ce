//! What is done to filters while their time is taken: `reports/METHODOLOGY.md` says how.

use serde::{Deserialize, Deserializer, Serialize};
use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError};

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
    #[serde(untagged)]
    Course(CourseName),
}

serde_plain::derive_display_from_serialize!(Workload);

/// The name of a course. Any: a record may outlive the course.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize)]
pub struct CourseName(pub(crate) &'static str);

impl Workload {
    pub const fn course(name: &'static str) -> Self {
        Self::Course(CourseName(name))
    }
}

impl<'de> Deserialize<'de> for CourseName {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        // Few names, each in many rows: each is kept once.
        static KNOWN: Mutex<BTreeSet<&str>> = Mutex::new(BTreeSet::new());
        let name = String::deserialize(from)?;
        let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
        let name = known.get(name.as_str()).copied().unwrap_or_else(|| name.leak());
        known.insert(name);
        Ok(Self(name))
    }
}
