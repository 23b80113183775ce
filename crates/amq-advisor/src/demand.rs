//! What a workload asks for, and which two of its demands nothing can meet together.

use crate::numbers::{Bytes, Number, Rate};
use crate::{Answer, Choice, Keys, Need, Workload, answer};
use alloc::boxed::Box;
use alloc::vec::Vec;
use core::fmt;

/// One thing that a workload asks for, and that a variant can fail.
#[derive(Clone, Copy, PartialEq, Debug)]
#[non_exhaustive]
pub enum Demand {
    /// This many keys.
    Keys(Keys),
    /// Keys come one by one, not all at once.
    KeyByKey,
    /// An ability.
    Need(Need),
    /// A false-positive rate.
    Fpr(f64),
    /// Bits per key.
    BitsPerKey(f64),
    /// Bytes.
    Bytes(u64),
}

impl fmt::Display for Demand {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Keys(Keys::Exactly(keys)) => write!(f, "{} keys", Number(keys)),
            Self::Keys(Keys::AtMost(keys)) => write!(f, "up to {} keys", Number(keys)),
            Self::Keys(Keys::Unknown { start }) => {
                write!(f, "{} keys at the start", Number(start))
            }
            Self::KeyByKey => f.write_str("keys that come one by one"),
            Self::Need(Need::Remove) => f.write_str("removing keys"),
            Self::Need(Need::Count { most }) => write!(f, "counting to {most}"),
            Self::Need(Need::List) => f.write_str("listing what is in"),
            Self::Need(Need::Merge) => f.write_str("merging filters"),
            Self::Need(Need::Grow) => f.write_str("growing at the same rate"),
            Self::Need(Need::SharedInsert) => f.write_str("inserts by several threads"),
            Self::Need(Need::Values { bits }) => write!(f, "a value of {bits} bits per key"),
            Self::Need(Need::Files) => f.write_str("saving and mapping"),
            Self::Fpr(fpr) => write!(f, "a false-positive rate of {}", Rate(fpr)),
            Self::BitsPerKey(bits) => write!(f, "at most {bits} bits per key"),
            Self::Bytes(bytes) => write!(f, "at most {}", Bytes(bytes)),
        }
    }
}

/// A number in a workload that no workload can have.
#[derive(Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct Invalid {
    /// The name of the builder's method.
    pub name: &'static str,
    /// The number.
    pub value: f64,
    /// The least there can be.
    pub min: f64,
    /// The most.
    pub max: f64,
}

impl Invalid {
    /// `Ok` if the value is within the range, and `also` holds.
    pub(super) fn check(
        name: &'static str,
        value: f64,
        min: f64,
        max: f64,
        also: bool,
    ) -> Result<(), Self> {
        if also && (min..=max).contains(&value) {
            Ok(())
        } else {
            Err(Self { name, value, min, max })
        }
    }
}

impl fmt::Display for Invalid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { name, value, min, max } = self;
        write!(f, "{name} = {value} is not possible: it must be finite, ")?;
        match (*name, max.is_finite()) {
            ("fpr", _) => f.write_str("and strictly between 0 and 1 (1 % is written 0.01)"),
            (_, true) => write!(f, "from {min} to {max}"),
            ("bits_per_key" | "queries_per_key", false) => f.write_str("and more than 0"),
            (_, false) => write!(f, "and {min} or more"),
        }
    }
}

amq_core::impl_error!(Invalid);

/// Two demands that no variant meets together.
#[derive(Clone, PartialEq)]
#[non_exhaustive]
pub struct Conflict {
    /// One of the two.
    pub first: Demand,
    /// The other.
    pub second: Demand,
    /// Further demands without which the two could be met; mostly none.
    pub further: Vec<Demand>,
    /// What there is when one of them is given up: the demand, and the first choice then.
    pub ways_out: Vec<(Demand, Choice)>,
}

impl fmt::Display for Conflict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "no filter offers both {} and {}", self.first, self.second)?;
        for demand in &self.further {
            write!(f, ", with {demand}")?;
        }
        for (index, (demand, choice)) in self.ways_out.iter().enumerate() {
            write!(
                f,
                "{} without {demand} there is {} ({:.1} bits per key, rate {})",
                if index == 0 { ":" } else { ";" },
                choice.structure,
                choice.bits_per_key,
                Rate(choice.fpr),
            )?;
        }
        Ok(())
    }
}

amq_core::impl_error!(Conflict);

/// Why there is no answer.
#[derive(Clone, PartialEq)]
#[non_exhaustive]
pub enum ChooseError {
    /// A number is impossible.
    Invalid(Invalid),
    /// Two demands conflict.
    Conflict(Box<Conflict>),
}

impl fmt::Display for ChooseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Invalid(invalid) => invalid.fmt(f),
            Self::Conflict(conflict) => conflict.fmt(f),
        }
    }
}

amq_core::impl_error!(ChooseError);

impl From<Invalid> for ChooseError {
    fn from(invalid: Invalid) -> Self {
        Self::Invalid(invalid)
    }
}

fn is_met(workload: &Workload) -> bool {
    first_choice(workload).is_some()
}

fn first_choice(workload: &Workload) -> Option<Choice> {
    let Answer { choices, .. } = answer(workload);
    choices.into_iter().find(|choice| choice.structure.is_filter())
}

/// The workload with no other demands than these.
fn only(workload: &Workload, kept: &[Demand]) -> Workload {
    let demands = workload.demands();
    let dropped = demands.iter().filter(|demand| !kept.contains(demand));
    dropped.fold(workload.clone(), |less, demand| less.without(demand))
}

/// The conflict in a workload that nothing meets.
///
/// A demand that cannot be met alone conflicts with the number of keys. Otherwise it is the first
/// pair that cannot be met together; and if every pair can, the first two of a smallest set that
/// cannot: each of the others is dropped unless what is left can be met.
pub(super) fn conflict(workload: &Workload) -> Conflict {
    let demands = workload.demands();
    let fails = |kept: &[Demand]| !is_met(&only(workload, kept));
    let named = |first, second, further| Conflict {
        first,
        second,
        further,
        ways_out: ways_out(workload, &demands),
    };
    let alone = demands.iter().find(|&&demand| fails(&[demand]));
    if let Some(&demand) = alone {
        return named(demand, Demand::Keys(workload.keys), Vec::new());
    }
    for (index, &first) in demands.iter().enumerate() {
        let mut later = demands[index + 1..].iter();
        if let Some(&second) = later.find(|&&second| fails(&[first, second])) {
            return named(first, second, Vec::new());
        }
    }
    let mut core = demands.clone();
    for demand in &demands {
        let less: Vec<Demand> = core.iter().copied().filter(|kept| kept != demand).collect();
        if fails(&less) {
            core = less;
        }
    }
    let mut core = core.into_iter();
    let keys = Demand::Keys(workload.keys);
    named(core.next().unwrap_or(keys), core.next().unwrap_or(keys), core.collect())
}

/// What the whole workload comes to without one of its demands.
fn ways_out(workload: &Workload, demands: &[Demand]) -> Vec<(Demand, Choice)> {
    let way = |demand: &Demand| Some((*demand, first_choice(&workload.without(demand))?));
    demands.iter().filter_map(way).collect()
}
