//! Times of a workload's operations in a structure: as measured, plus the costs of hashing, locks
//! and generations.

use super::Times;
use super::rows::{Figures, INSERT, QUERIES, REMOVE};
use crate::{Choice, KeysBy, Structure, Workload};
use amq::FilterKind;

/// The prefix of contenders that hash under a secret key, before the name of the plain contender.
const KEYED: &str = "keyed-";

/// The prefix of contenders that several threads insert into, before the name of the plain
/// contender.
const ATOMIC: &str = "atomic-";

/// The cost of an uncontended lock: two locked instructions. Estimated, not measured.
const LOCK_NS: f64 = 20.0;

/// Bytes of the keys that were measured.
const KEY_BYTES: u64 = 8;

/// The table: entries and bytes of all filters together, and the rate.
#[derive(Clone, Copy)]
pub(crate) struct Table {
    pub(crate) keys: u64,
    pub(crate) bytes: u64,
    pub(crate) fpr: f64,
}

impl Table {
    /// All filters of a choice together.
    pub(crate) fn of(choice: &Choice, workload: &Workload) -> Self {
        let keys = choice.goal.map_or(workload.keys.planned(), |goal| goal.keys);
        let [keys, bytes] = [keys, choice.bytes].map(|one| one.saturating_mul(workload.filters));
        Self { keys, bytes, fpr: choice.fpr }
    }
}

/// Nanoseconds per operation.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Spent {
    pub(crate) insert: f64,
    pub(crate) query: f64,
    pub(crate) remove: Option<f64>,
    /// The 99.9th percentile of insert times.
    pub(crate) tail: Option<f64>,
    /// Whether the times are extrapolated.
    pub(crate) reckoned: bool,
}

impl Times {
    /// The additional time to hash keys longer than those measured.
    fn long_key_ns(&self, workload: &Workload) -> f64 {
        let each = match workload.keys_by {
            KeysBy::Trusted => self.hash_ns_per_byte,
            KeysBy::Strangers => self.keyed_ns_per_byte,
        };
        workload.key_bytes.saturating_sub(KEY_BYTES) as f64 * each
    }

    /// The times of a structure; `None` if not measured.
    pub(crate) fn spent(
        &self,
        structure: Structure,
        table: Table,
        workload: &Workload,
    ) -> Option<Spent> {
        let name = &contender(structure, workload)?;
        let figures = self.of(name)?;
        // A map has value bits in place of a rate.
        let of_values = workload.value_bits().filter(|_| structure == Structure::Map);
        let bits = of_values.map_or_else(|| -libm::log2(table.fpr), f64::from);
        let bytes = table.bytes as f64;
        let hashing = |operation| {
            let is_keyed = workload.keys_by == KeysBy::Strangers;
            let keyed = if is_keyed { self.keyed(name, operation, bytes, bits) } else { 0.0 };
            keyed + self.long_key_ns(workload)
        };
        let at = |operation| self.atomic_at(figures, operation, bytes, bits) + hashing(operation);
        let absent = workload.absent;
        let ([none, half, all], insert, remove) = (QUERIES.map(at), at(INSERT), at(REMOVE));
        // Interpolates between the three measured shares.
        let query = if absent >= 0.5 {
            half + (none - half) * (absent - 0.5) * 2.0
        } else {
            all + (half - all) * absent * 2.0
        };
        // A set reads the bytes of a present key again, to compare them.
        let compared = match structure {
            Structure::ExactSet | Structure::ExactMap => {
                (1.0 - absent) * self.long_key_ns(workload)
            }
            _ => 0.0,
        };
        let tail = self.tails.iter().find(|(contender, _)| contender == name);
        let tail = tail.map(|(_, [ns, keys])| {
            // In a larger table the tail is longer by as much as the mean insert.
            let smaller = self.at(figures, INSERT, bytes * keys / table.keys as f64, bits);
            ns * (self.at(figures, INSERT, bytes, bits) / smaller).max(1.0) + hashing(INSERT)
        });
        let spent = Spent {
            insert,
            query: query + compared,
            remove: (!remove.is_nan()).then_some(remove),
            tail,
            reckoned: !figures.has_measured(bytes, bits),
        };
        (query.is_finite() && insert.is_finite()).then(|| match structure {
            Structure::Sharded(_) => spent.locked(),
            Structure::Periods(_) => spent.rolling(workload, 1.0),
            Structure::Rolling(_) => spent.rolling(workload, absent),
            Structure::ShardedRolling(_) => spent.rolling(workload, absent).locked(),
            Structure::ShardedPeriods(_) => spent.rolling(workload, 1.0).locked(),
            _ => spent,
        })
    }

    /// The additional time to hash under a secret key: from this filter's own measurements if it
    /// was measured both ways, otherwise the mean of those that were. In larger tables, that of the
    /// largest measured.
    fn keyed(&self, name: &str, operation: usize, bytes: f64, bits: f64) -> f64 {
        let operation = if operation == REMOVE { INSERT } else { operation };
        let added = |keyed: &Figures| {
            let plain = self.of(keyed.contender.strip_prefix(KEYED)?)?;
            let bytes = bytes.min(keyed.points(operation, bits).last()?.bytes);
            let [with, without] = [keyed, plain].map(|it| self.at(it, operation, bytes, bits));
            Some((with - without).max(0.0))
        };
        if let Some(own) = self.of(&(KEYED.to_string() + name)).and_then(added) {
            return own;
        }
        let all: Vec<f64> = self.figures.iter().filter_map(added).collect();
        all.iter().sum::<f64>() / all.len().max(1) as f64
    }

    /// As [`at`](Times::at). In larger tables than an atomic filter was measured in, the time of
    /// the plain filter, which reads the same lines, plus the difference in the largest measured
    /// table.
    fn atomic_at(&self, figures: &Figures, operation: usize, bytes: f64, bits: f64) -> f64 {
        let own = |bytes| self.at(figures, operation, bytes, bits);
        let plain = figures.contender.strip_prefix(ATOMIC).and_then(|name| self.of(name));
        let largest = figures.points(operation, bits).last().map(|point| point.bytes);
        match plain.zip(largest).filter(|(_, largest)| bytes > *largest) {
            Some((plain, largest)) => {
                let plain = |bytes| self.at(plain, operation, bytes, bits);
                plain(bytes) + (own(largest) - plain(largest)).max(0.0)
            }
            None => own(bytes),
        }
    }
}

/// The harness's name of a structure: the id of its kind.
fn contender(structure: Structure, workload: &Workload) -> Option<String> {
    Some(match structure {
        Structure::Atomic(_) | Structure::Map => structure.id(),
        Structure::ExactSet | Structure::ExactMap => "std-hashset".into(),
        Structure::Filter(FilterKind::Scalable) if workload.grows_to_bound() => {
            "scalable-bounded".into()
        }
        _ => structure.kind()?.id().into(),
    })
}

impl Spent {
    /// The times with each operation behind a lock.
    fn locked(self) -> Self {
        Self {
            insert: self.insert + LOCK_NS,
            query: self.query + LOCK_NS,
            remove: self.remove.map(|ns| ns + LOCK_NS),
            tail: self.tail.map(|ns| ns + LOCK_NS),
            reckoned: true,
        }
    }

    /// The times over all generations. A share `of_all` of the queries reads all generations:
    /// absent keys, or all keys if they are counted. The others read half of them on average.
    fn rolling(self, workload: &Workload, of_all: f64) -> Self {
        let generations = f64::from(workload.generations().unwrap_or(1));
        let asked = generations * (1.0 + of_all) / 2.0;
        Self { query: self.query * asked, reckoned: true, ..self }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Keys;

    /// With a secret key every operation takes longer, and with long keys longer still, in filters
    /// and in exact sets.
    #[test]
    fn what_hashing_takes_is_in_all_times() {
        let times = Times::committed();
        let table = Table { keys: 1_000_000, bytes: 1_316_160, fpr: 0.01 };
        let plain = Workload::new(Keys::AtMost(table.keys));
        let keyed = plain.clone().with_keys_by(KeysBy::Strangers);
        let kinds = [FilterKind::BlockedBloom, FilterKind::Cuckoo, FilterKind::Ribbon];
        for structure in kinds.map(Structure::Filter).into_iter().chain([Structure::ExactSet]) {
            let of = |workload: &Workload| times.spent(structure, table, workload).unwrap();
            let long = [&plain, &keyed].map(|it| of(&it.clone().with_key_bytes(208)));
            for (short, long, each) in [(of(&plain), long[0], 0.11), (of(&keyed), long[1], 0.27)] {
                let more = 200.0 * each;
                assert!((long.insert - short.insert - more).abs() < 0.01, "{structure}");
                let compared = if structure == Structure::ExactSet { 1.5 } else { 1.0 };
                assert!((long.query - short.query - more * compared).abs() < 0.01, "{structure}");
            }
            assert!(of(&keyed).insert > of(&plain).insert + 2.0, "{structure}");
            assert!(of(&keyed).query > of(&plain).query + 3.0, "{structure}");
        }
        // For filters measured both ways, the measured time is used.
        let blocked = times.of("keyed-blocked-bloom").unwrap();
        let half = blocked.rows.iter().find(|row| row.bytes == table.bytes as f64).unwrap().ns[2];
        let spent =
            times.spent(Structure::Filter(FilterKind::BlockedBloom), table, &keyed).unwrap();
        assert!((spent.query - half).abs() < 0.1, "{} {half}", spent.query);
    }

    /// At most two threads were measured, so times are those of one thread, whatever the workload.
    #[test]
    fn locks_take_time_and_threads_do_not_change_it() {
        let times = Times::committed();
        let table = Table { keys: 1_000_000, bytes: 1_316_160, fpr: 0.01 };
        let by = |structure, threads| {
            let workload = Workload::new(Keys::AtMost(table.keys)).with_threads(threads);
            times.spent(structure, table, &workload).unwrap()
        };
        let cuckoo = FilterKind::Cuckoo;
        let [alone, sharded] =
            [Structure::Filter(cuckoo), Structure::Sharded(cuckoo)].map(|it| by(it, 8));
        assert_eq!(sharded.insert, alone.insert + LOCK_NS);
        assert_eq!(
            by(Structure::Atomic(FilterKind::Bloom), 1),
            by(Structure::Atomic(FilterKind::Bloom), 8)
        );
    }
}
