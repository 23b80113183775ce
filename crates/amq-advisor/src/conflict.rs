//! Which demands of a workload nothing can meet together.

use crate::rank::ranked;
use crate::{Choice, Conflict, Demand, Need, Structure, Times, Workload};
use alloc::vec::Vec;

/// The conflict in a workload that nothing meets.
///
/// A demand that cannot be met alone conflicts with the number of keys. Otherwise demands are
/// dropped one by one, the last ones first, as long as what is left cannot be met: usually two
/// stay.
pub(crate) fn conflict(workload: &Workload, times: &Times) -> Conflict {
    let demands = workload.demands();
    let keys = Demand::Keys(workload.keys);
    let fails = |kept: &[Demand]| {
        let dropped = demands.iter().filter(|demand| !kept.contains(demand));
        let less = dropped.fold(workload.clone(), |less, demand| less.without(demand));
        first_choice(&less, &Times::none()).is_none()
    };
    let pairs = demands
        .iter()
        .enumerate()
        .flat_map(|(index, &first)| demands[index..].iter().map(move |&second| [first, second]));
    let mut alone = demands.iter().map(|&demand| [demand, keys]);
    let mut pairs = pairs.filter(|[first, second]| first != second);
    let found = if fails(&[]) {
        Some([keys, keys])
    } else {
        alone.find(|it| fails(&it[..1])).or_else(|| pairs.find(|pair| fails(pair)))
    };
    let mut core = found.map_or_else(|| demands.clone(), Vec::from);
    if found.is_none() {
        for demand in &demands {
            let less: Vec<Demand> = core.iter().copied().filter(|kept| kept != demand).collect();
            core = if fails(&less) { less } else { core };
        }
    }
    let mut core = core.into_iter();
    let [first, second] = [core.next(), core.next()].map(|demand| demand.unwrap_or(keys));
    let ways_out = ways_out(workload, &demands, times);
    Conflict { first, second, further: core.collect(), ways_out }
}

/// The first filter, or sketch that counts.
fn first_choice(workload: &Workload, times: &Times) -> Option<Choice> {
    let choices = ranked(workload, times).choices;
    let is_exact = workload.has(Need::Exact);
    let serves = |it: Structure| it.is_filter() || it == Structure::Sketch || is_exact;
    choices.into_iter().find(|choice| serves(choice.structure))
}

/// What the whole workload comes to without one of its demands, or with a bound if it has none.
fn ways_out(workload: &Workload, demands: &[Demand], times: &Times) -> Vec<(Demand, Choice)> {
    let open = Some(Demand::Keys(workload.keys)).filter(|_| workload.bound().is_none());
    let way = |demand: Demand| {
        let less = workload.without(&demand);
        less.check().ok()?;
        Some((demand, first_choice(&less, times)?))
    };
    open.into_iter().chain(demands.iter().copied()).filter_map(way).collect()
}
