//! Why there is no answer: which two demands of a workload nothing can meet together.

use crate::numbers::{Number, Rate};
use crate::rank::ranked;
use crate::{
    Choice, Contradiction, DEFAULT_FPR, Demand, Invalid, Need, Structure, Times, Unserved, Workload,
};
use alloc::boxed::Box;
use alloc::vec::Vec;
use core::fmt;

/// Two demands that no variant meets together.
#[derive(Clone, PartialEq)]
#[non_exhaustive]
pub struct Conflict {
    /// One of the two.
    pub first: Demand,
    /// The other.
    pub second: Demand,
    /// Further demands without which the two could be met; usually none.
    pub further: Vec<Demand>,
    /// What is possible when one of them is given up: the demand, and the first choice without it.
    pub ways_out: Vec<(Demand, Choice)>,
}

impl fmt::Display for Conflict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.first, self.second) {
            (first, second) if first == second => write!(f, "no filter holds {first}"),
            (first, keys @ Demand::Keys(_)) => write!(f, "no filter holds {keys} with {first}"),
            (first, second) => write!(f, "no filter offers both {first} and {second}"),
        }?;
        for demand in &self.further {
            write!(f, ", with {demand}")?;
        }
        let keys = match self.second {
            Demand::Keys(keys) => keys.planned(),
            _ => 0,
        };
        let asked = if let Demand::Fpr(fpr) = self.first { fpr } else { DEFAULT_FPR };
        let floor = amq_core::numeric::hash_floor(keys);
        if asked < floor {
            write!(
                f,
                ", since 64-bit hashes of so many keys collide at a rate of {} already: take a \
                 higher rate, several filters of fewer keys, or the keys themselves, which never err",
                Rate(-libm::expm1(-floor))
            )?;
        }
        for (index, (demand, choice)) in self.ways_out.iter().enumerate() {
            f.write_str(if index == 0 { ":" } else { ";" })?;
            let it = choice.structure;
            if let Demand::Keys(_) = demand {
                // How large it is depends on the bound.
                write!(f, " with a bound on the keys (`--at-most`) there is {it}")?;
                continue;
            }
            write!(f, " without {demand} there is {it} ({:.1} bits per key", choice.bits_per_key)?;
            match choice.rate() {
                Some(rate) => write!(f, ", rate {})", Rate(rate))?,
                None => f.write_str(")")?,
            }
            if let Demand::BuildBytes(most) = *demand {
                let parts = Number(choice.build_bytes.div_ceil(most.max(1)));
                write!(f, ", in {parts} parts by hash, built one by one (`KeyHash::shard`)")?;
            }
        }
        match [self.first, self.second].contains(&Demand::Need(Need::Exact)) {
            true => f.write_str("; if repeats may pass, less is enough (`--need fresh`)"),
            false => Ok(()),
        }
    }
}

impl fmt::Debug for Conflict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl core::error::Error for Conflict {}

/// Why there is no answer.
#[derive(Clone, PartialEq)]
#[non_exhaustive]
pub enum ChooseError {
    /// A number is impossible.
    Invalid(Invalid),

    /// Two things that are said contradict each other.
    Contradiction(Contradiction),

    /// No filter of this family does it.
    Unserved(Unserved),

    /// Two demands conflict.
    Conflict(Box<Conflict>),
}

impl fmt::Display for ChooseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Invalid(invalid) => write!(f, "{invalid}"),
            Self::Contradiction(contradiction) => write!(f, "{contradiction}"),
            Self::Unserved(unserved) => write!(f, "{unserved}"),
            Self::Conflict(conflict) => write!(f, "{conflict}"),
        }
    }
}

impl fmt::Debug for ChooseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl core::error::Error for ChooseError {}

impl From<Invalid> for ChooseError {
    fn from(invalid: Invalid) -> Self {
        Self::Invalid(invalid)
    }
}

impl From<Contradiction> for ChooseError {
    fn from(contradiction: Contradiction) -> Self {
        Self::Contradiction(contradiction)
    }
}

impl From<Unserved> for ChooseError {
    fn from(unserved: Unserved) -> Self {
        Self::Unserved(unserved)
    }
}

/// Whether there is a filter, or a sketch that counts; that does not depend on times.
fn is_met(workload: &Workload) -> bool {
    first_choice(workload, &Times::none()).is_some()
}

fn first_choice(workload: &Workload, times: &Times) -> Option<Choice> {
    let choices = ranked(workload, times).choices;
    let serves = |it: Structure| it.is_filter() || it == Structure::Sketch || workload.is_exact();
    choices.into_iter().find(|choice| serves(choice.structure))
}

/// The workload with these demands only.
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
pub(super) fn conflict(workload: &Workload, times: &Times) -> Conflict {
    let demands = workload.demands();
    let fails = |kept: &[Demand]| !is_met(&only(workload, kept));
    let named = |first, second, further| Conflict {
        first,
        second,
        further,
        ways_out: ways_out(workload, &demands, times),
    };
    let keys = Demand::Keys(workload.keys);
    if fails(&[]) {
        return named(keys, keys, Vec::new());
    }
    let alone = demands.iter().find(|&&demand| fails(&[demand]));
    if let Some(&demand) = alone {
        return named(demand, keys, Vec::new());
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
    named(core.next().unwrap_or(keys), core.next().unwrap_or(keys), core.collect())
}

/// What the whole workload comes to without one of its demands, or with a bound if it has none.
fn ways_out(workload: &Workload, demands: &[Demand], times: &Times) -> Vec<(Demand, Choice)> {
    let way = |demand: &Demand| {
        let less = workload.without(demand);
        less.check().ok()?;
        Some((*demand, first_choice(&less, times)?))
    };
    let open = Demand::Keys(workload.keys);
    let open = Some(&open).filter(|_| workload.bound().is_none());
    open.into_iter().chain(demands).filter_map(way).collect()
}
