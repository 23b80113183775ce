//! Refuses what no workload can be.

use crate::numbers::{Bytes, Number};
use crate::{ChooseError, Contradiction, First, Invalid, Keys, Need, Workload};
use alloc::format;

/// The most keys of all filters together: sizes have 64 bits.
const MOST_KEYS: u64 = 1 << 60;

/// What several things contradict.
const BUILT_ONCE: &str = "keys that are all known when the filter is built (static)";

impl Workload {
    /// Refuses what no workload can be, as [`choose`](crate::choose) does before it plans.
    pub fn check(&self) -> Result<(), ChooseError> {
        self.check_numbers()?;
        too_many(self)?;
        let is_unknown = matches!(self.keys, Keys::Unknown { .. });
        let pairs = [
            (self.built_once && is_unknown, BUILT_ONCE, "a number of keys that is not known"),
            (self.built_once && self.has(Need::Grow), BUILT_ONCE, "growing"),
            (self.built_once && self.generations().is_some(), BUILT_ONCE, "forgetting by time"),
            (
                self.bit_ns.is_some() && self.first == Some(First::Memory),
                "memory first",
                "a price of memory, which weighs it against time",
            ),
        ];
        match pairs.into_iter().find(|(is_so, ..)| *is_so) {
            Some((_, first, second)) => Err(Contradiction::of(first, second).into()),
            None => Ok(()),
        }
    }

    fn check_numbers(&self) -> Result<(), Invalid> {
        let least = |least| ([least, f64::INFINITY], false);
        let (more, share) = (([0.0, f64::INFINITY], true), ([0.0, 1.0], false));
        let filters = (MOST_KEYS / self.keys.planned().max(1)).max(1);
        let numbers = [
            ("keys", self.keys.planned() as f64, least(1.0)),
            ("fpr", self.fpr.unwrap_or(0.5), ([0.0, 1.0], true)),
            ("bytes", self.bytes.unwrap_or(1) as f64, least(1.0)),
            ("build_bytes", self.build_bytes.unwrap_or(1) as f64, least(1.0)),
            ("bits_per_key", self.bits_per_key.unwrap_or(1.0), more),
            ("queries_per_key", self.queries_per_key, more),
            ("absent", self.absent, share),
            ("copies", self.copies.unwrap_or(1.0), least(1.0)),
            ("bit_ns", self.bit_ns.unwrap_or(0.0), least(0.0)),
            ("threads", f64::from(self.threads), least(1.0)),
            ("key_bytes", self.key_bytes as f64, least(1.0)),
            ("filters", self.filters as f64, ([1.0, filters as f64], false)),
            ("false_positive_ns", self.false_positive_ns.unwrap_or(0.0), least(0.0)),
            ("lookup_ns", self.lookup_ns, least(0.0)),
            ("bits", self.value_bits().unwrap_or(1).into(), ([1.0, 32.0], false)),
            ("generations", self.generations().unwrap_or(2).into(), ([2.0, 4096.0], false)),
            ("most", self.most_copies().unwrap_or(1).into(), least(1.0)),
        ];
        let check = |(name, value, (ends, open))| Invalid::check(name, value, ends, open);
        numbers.into_iter().try_for_each(check)
    }
}

/// Refuses more keys, or more changed ones, than there can be.
fn too_many(workload: &Workload) -> Result<(), Contradiction> {
    let keys = workload.keys.planned();
    if let Some(most) = workload.universe().filter(|&most| keys > most) {
        let many = Number(most);
        let (second, way) = match workload.below {
            Some(below) if below == most => {
                (format!("integers below {many}"), "raise that bound, or name fewer keys")
            }
            _ => (
                format!("the {many} of {}", Bytes(workload.key_bytes)),
                "name fewer keys, or longer ones",
            ),
        };
        let first = format!("{} different keys", Number(keys));
        return Err(Contradiction { first, second, way });
    }
    match workload.changes {
        Some(changes) if workload.bound().is_some() && changes / 2 > keys => {
            let most = Number(keys.saturating_mul(2));
            let second = format!("sets of {} keys, which differ in {most} at most", Number(keys));
            let first = format!("{} changed keys", Number(changes));
            Err(Contradiction { first, second, way: "name fewer changes, or more keys" })
        }
        _ => Ok(()),
    }
}
