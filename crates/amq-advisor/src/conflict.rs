//! Why there is no answer: which two demands of a workload nothing can meet together.

use crate::numbers::Rate;
use crate::rank::ranked;
use crate::{Choice, Contradiction, Demand, Invalid, Need, Structure, Times, Unserved, Workload};
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
        if self.first == self.second {
            return write!(f, "no filter holds {}", self.first);
        }
        write!(f, "no filter offers both {} and {}", self.first, self.second)?;
        for demand in &self.further {
            write!(f, ", with {demand}")?;
        }
        if let (Demand::Fpr(fpr), Demand::Keys(keys)) = (self.first, self.second) {
            let floor = amq_core::numeric::hash_floor(keys.planned());
            if fpr < floor {
                let floor = Rate(floor);
                write!(
                    f,
                    ", since hashes of 64 bits of so many keys err at {floor} at least, and only the \
                     keys themselves never err"
                )?;
            }
        }
        if let (Demand::Need(Need::Values { bits }), Demand::Fpr(fpr)) = (self.first, self.second) {
            f.write_str(", since a map gives some value to any key: leave out the rate")?;
            // A float-to-integer cast saturates, as it should here.
            let check = libm::ceil(-libm::log2(fpr)) as u32;
            let both = bits.saturating_add(check);
            if both <= 32 {
                write!(
                    f,
                    ", or ask for values of {both} bits, {bits} for the value and {check} of a hash \
                     of the key, which {} of absent keys have by chance",
                    Rate(libm::exp2(-f64::from(check)))
                )?;
            }
        }
        for (index, (demand, choice)) in self.ways_out.iter().enumerate() {
            write!(
                f,
                "{} without {demand} there is {} ({:.1} bits per key",
                if index == 0 { ":" } else { ";" },
                choice.structure,
                choice.bits_per_key,
            )?;
            // A map gives some value to every key: it has no rate.
            match choice.structure {
                Structure::Map => f.write_str(")")?,
                _ => write!(f, ", rate {})", Rate(choice.fpr))?,
            }
        }
        Ok(())
    }
}

amq_core::impl_error!(Conflict);

amq_core::impl_error! {
    /// Why there is no answer.
    #[derive(Clone, PartialEq)]
    #[non_exhaustive]
    pub enum ChooseError {
        /// A number is impossible.
        Invalid from(invalid: Invalid) => "{invalid}";
        /// Two things that are said contradict each other.
        Contradiction from(contradiction: Contradiction) => "{contradiction}";
        /// No filter of this family does it.
        Unserved from(unserved: Unserved) => "{unserved}";
        /// Two demands conflict.
        Conflict (conflict: Box<Conflict>) => "{conflict}";
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
fn ways_out(workload: &Workload, demands: &[Demand], times: &Times) -> Vec<(Demand, Choice)> {
    let way = |demand: &Demand| {
        let less = workload.without(demand);
        less.check().ok()?;
        Some((*demand, first_choice(&less, times)?))
    };
    demands.iter().filter_map(way).collect()
}
