//! The demands of a workload, and conflicts between them.

use crate::numbers::{Bytes, Number, Rate};
use crate::rank::ranked;
use crate::{Choice, Conflict, Keys, KeysBy, Need, Structure, Workload};
use core::fmt;

/// One demand of a workload, which a structure can fail to meet.
#[derive(Clone, Copy, PartialEq, Debug)]
#[non_exhaustive]
pub enum Demand {
    /// This many keys.
    Keys(Keys),
    /// Keys are inserted one by one, not all at once.
    KeyByKey,
    /// An ability.
    Need(Need),
    /// A false-positive rate.
    Fpr(f64),
    /// Bits per key.
    BitsPerKey(f64),
    /// Total bytes of all filters.
    Bytes {
        /// Bytes.
        bytes: u64,
        /// The number of filters, 1 or more.
        filters: u64,
    },
    /// Keys chosen by strangers.
    Strangers,
}

impl fmt::Display for Demand {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Keys(Keys::AtMost(1)) => f.write_str("1 key"),
            Self::Keys(Keys::AtMost(keys)) => write!(f, "{} keys", Number(keys)),
            Self::Keys(Keys::Unknown { start }) => {
                write!(f, "{} keys at the start", Number(start))
            }
            Self::KeyByKey => f.write_str("keys that come one by one"),
            Self::Need(Need::Remove) => f.write_str("removing keys"),
            Self::Need(Need::Count { most }) => write!(f, "counting to {most}"),
            Self::Need(Need::List) => f.write_str("listing what is in"),
            Self::Need(Need::Merge) => f.write_str("merging filters"),
            Self::Need(Need::Grow) => f.write_str("growing at the same rate"),
            Self::Need(Need::Truncate) => f.write_str("truncating without the keys"),
            Self::Need(Need::SharedInsert) => f.write_str("inserts by several threads"),
            Self::Need(Need::Values { bits: 1 }) => f.write_str("a value of 1 bit per key"),
            Self::Need(Need::Values { bits }) => write!(f, "a value of {bits} bits per key"),
            Self::Need(Need::Files) => f.write_str("being saved to a file"),
            Self::Need(Need::Forget { generations }) => {
                write!(f, "forgetting by time, in {generations} generations")
            }
            Self::Need(Need::Exact) => f.write_str("never erring"),
            Self::Need(Need::Range) => f.write_str("queries for ranges"),
            Self::Need(Need::Reconcile) => f.write_str("reconciling sets"),
            Self::Need(Need::WhichSet) => f.write_str("telling many sets apart"),
            Self::Fpr(fpr) => write!(f, "a false-positive rate of {}", Rate(fpr)),
            Self::BitsPerKey(1.0) => f.write_str("at most 1 bit per key"),
            Self::BitsPerKey(bits) => write!(f, "at most {bits} bits per key"),
            Self::Bytes { bytes, filters: 1 } => write!(f, "at most {}", Bytes(bytes)),
            Self::Bytes { bytes, filters } => {
                write!(f, "at most {} in all {} filters", Bytes(bytes), Number(filters))
            }
            Self::Strangers => f.write_str("keys that strangers choose"),
        }
    }
}

impl Workload {
    /// All demands that a structure can fail to meet.
    pub(crate) fn demands(&self) -> Vec<Demand> {
        let by_key = Some(Demand::KeyByKey).filter(|_| !self.built_once);
        let mut demands: Vec<Demand> = by_key.into_iter().collect();
        demands.extend(self.needs.iter().map(|&need| Demand::Need(need)));
        if self.grows() && !self.has(Need::Grow) {
            demands.push(Demand::Need(Need::Grow));
        }
        demands.extend(self.fpr.map(Demand::Fpr));
        demands.extend(self.bits_per_key.map(Demand::BitsPerKey));
        demands.extend(self.limit());
        demands.extend(Some(Demand::Strangers).filter(|_| self.by_strangers()));
        demands
    }

    /// The limit on the bytes of all filters.
    pub(crate) fn limit(&self) -> Option<Demand> {
        self.bytes.map(|bytes| Demand::Bytes { bytes, filters: self.filters })
    }

    /// This workload without one of its demands; for an unknown number of keys, with a bound
    /// instead.
    pub(crate) fn without(&self, demand: &Demand) -> Self {
        let mut less = self.clone();
        match demand {
            Demand::KeyByKey => {
                // Having to grow is a separate demand, which stays.
                if self.grows() && !self.has(Need::Grow) {
                    less.needs.push(Need::Grow);
                }
                less.built_once = true;
            }
            Demand::Need(need) => {
                less.needs.retain(|kept| kept != need);
                if *need == Need::Grow {
                    less.keys = Keys::AtMost(self.keys.planned());
                }
            }
            Demand::Fpr(_) => less.fpr = None,
            Demand::BitsPerKey(_) => less.bits_per_key = None,
            Demand::Bytes { .. } => less.bytes = None,
            Demand::Strangers => less.keys_by = KeysBy::Trusted,
            Demand::Keys(keys) => {
                less.keys = Keys::AtMost(keys.planned());
                less = less.need(Need::Grow);
            }
        }
        less
    }
}

/// The conflict in a workload that no structure meets.
///
/// A demand that cannot be met alone conflicts with the number of keys. Otherwise demands are
/// dropped one by one, last first, while the rest still cannot be met: usually two remain. If none
/// remains, no filter holds that many keys.
pub(crate) fn conflict(workload: &Workload) -> Conflict {
    let demands = workload.demands();
    let keys = Demand::Keys(workload.keys);
    let fails = |kept: &[Demand]| {
        let dropped = demands.iter().filter(|demand| !kept.contains(demand));
        let less = dropped.fold(workload.clone(), |less, demand| less.without(demand));
        first_choice(&less).is_none()
    };
    let alone = demands.iter().find(|&&demand| fails(&[demand]));
    let mut core = alone.map_or_else(|| demands.clone(), |&demand| vec![demand]);
    // Inserting one by one is usually implicit, so name explicit demands first.
    let unsaid = demands.iter().filter(|&&demand| demand == Demand::KeyByKey);
    for demand in unsaid.chain(demands.iter().rev()) {
        let less: Vec<Demand> = core.iter().copied().filter(|kept| kept != demand).collect();
        core = if fails(&less) { less } else { core };
    }
    let mut core = core.into_iter();
    let [first, second] = [core.next(), core.next()].map(|demand| demand.unwrap_or(keys));
    let ways_out = ways_out(workload, &demands);
    Conflict { first, second, further: core.collect(), ways_out }
}

/// The first filter or counting sketch.
fn first_choice(workload: &Workload) -> Option<Choice> {
    let choices = ranked(workload).choices;
    let is_exact = workload.has(Need::Exact);
    let serves = |it: Structure| it.is_filter() || it == Structure::Sketch || is_exact;
    choices.into_iter().find(|choice| serves(choice.structure))
}

/// The first choice for the workload without each of these demands, or with a bound if it has none.
fn ways_out(workload: &Workload, demands: &[Demand]) -> Vec<(Demand, Choice)> {
    let open = Some(Demand::Keys(workload.keys)).filter(|_| workload.bound().is_none());
    let way = |demand: Demand| {
        let less = workload.without(&demand);
        less.check().ok()?;
        Some((demand, first_choice(&less)?))
    };
    open.into_iter().chain(demands.iter().copied()).filter_map(way).collect()
}
