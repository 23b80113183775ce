//! What a run tells, on standard error, before and after.

use crate::contenders;
use crate::keys::KeySet;
use crate::measure::{Found, Plan, heat};
use crate::record::{State, Trial};
use indicatif::HumanDuration;

/// What a run will do, and for how long.
pub(super) fn what_comes(plan: &Plan) {
    eprintln!(
        "{} contenders, {} sets of keys, {} courses, {} ribbon systems; suite {}, {} rounds: about \
         {}.",
        plan.contenders.len(),
        plan.groups.len(),
        plan.courses.len(),
        plan.lines.len(),
        plan.options.suite,
        plan.options.rounds,
        HumanDuration(plan.estimate())
    );
    what_is_left_out(plan);
}

/// What is left out: lines of a key file, courses with the user's keys, and contenders with some of
/// the keys.
pub(super) fn what_is_left_out(plan: &Plan) {
    for group in &plan.groups {
        let (keys, name) = (group.keys, group.key_set.name());
        if let KeySet::File(file) = &group.key_set {
            let distinct = file.source.distinct.unwrap_or(0);
            eprintln!(
                "{name}: {distinct} distinct keys (repeats left out: {}, empty lines: {}); {keys} \
                 of the shuffled first half are present, the other half is absent.",
                file.source.duplicates, file.source.empty_lines
            );
        }
        for (reason, names) in heat::left_out(group, &plan.contenders) {
            eprintln!("Left out with {keys} {name} keys: {} ({reason}).", names.join(", "));
        }
    }
    if plan.options.has_own_keys() {
        eprintln!("Left out: the courses and construction, which have keys of their own.");
    }
}

/// All failed rows. Whether our own filters are right: those of peers may fail.
pub(super) fn failures(found: &Found) -> bool {
    for skipped in &found.skipped {
        eprintln!("SKIPPED {skipped}");
    }
    let infos: Vec<_> = contenders::ALL.iter().map(|contender| contender.info()).collect();
    let mut good = true;
    // A cell that fails verification is not timed: its own line is enough.
    for row in found.rows.iter().filter(|row| row.state == State::Failed) {
        eprintln!("ERROR {}: {}", row.subject(), row.why);
        good &= !infos.iter().any(|info| info.ours && info.name == row.contender);
    }
    for trial in found.trials.iter().filter(|trial| !trial.why.is_empty()) {
        let Trial { row_bits, keys, slots, why, .. } = trial;
        eprintln!(
            "ERROR construction, {keys} keys in {slots} slots, rows of {row_bits} bits: {why}"
        );
        good = false;
    }
    good
}
