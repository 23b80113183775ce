//! What a run tells, on standard error, before and after.

use crate::contenders;
use crate::keys::KeySet;
use crate::measure::{Found, Plan, construction, heat};
use crate::record::{Row, State};
use indicatif::HumanDuration;

/// What a run will do, and for how long.
pub(super) fn what_comes(plan: &Plan) {
    let (contenders, groups) = (plan.contenders.len(), plan.groups.len());
    let (suite, rounds) = (plan.options.suite, plan.options.rounds);
    let time = HumanDuration(plan.estimate());
    if contenders == 0 {
        eprintln!("{} alone, suite {suite}: about {time}.", construction::NAME);
    } else {
        eprintln!(
            "{contenders} contenders over {groups} sets of keys, suite {suite}, {rounds} rounds: \
             about {time}."
        );
    }
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
    let mut good = true;
    // A cell that fails verification is not timed: its own line is enough.
    for row in found.rows.iter().filter(|row| row.state == State::Failed) {
        eprintln!("ERROR {}: {}", row.subject(), row.why);
        good &= !is_ours(row);
    }
    for trial in found.trials.iter().filter(|trial| !trial.why.is_empty()) {
        eprintln!(
            "ERROR {}, {} keys in {} slots, rows of {} bits: {}",
            construction::NAME,
            trial.keys,
            trial.slots,
            trial.row_bits,
            trial.why
        );
        good = false;
    }
    good
}

fn is_ours(row: &Row) -> bool {
    let mut infos = contenders::ALL.iter().map(|contender| contender.info());
    infos.any(|info| info.ours && info.name == row.contender)
}
