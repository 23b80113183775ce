//! Laws of the surface: pointers to filters, `Debug` and `stats`, unique inserts, and construction.

mod construct;
mod pointer;

pub use construct::{
    ByPlan, a_build_refuses_more_keys_than_planned,
    a_filter_built_by_its_plan_is_the_one_by_its_goal,
    a_plan_that_was_changed_is_followed_or_refused,
    an_empty_filter_by_its_plan_is_the_one_by_its_goal, building_by_plan, inserting_by_plan,
    parameters_out_of_range_are_refused,
};
pub use pointer::{
    Takes, a_pointer_to_a_filter_answers_as_it_does, a_pointer_to_a_filter_removes_keys_as_it_does,
    a_pointer_to_a_filter_takes_keys_as_it_does, answers_as, removes_keys_as, takes_keys_as,
};

use crate::fill::{Fill, all_found, filled, present, present_hashes};
use crate::violation::{Verdict, Violation, ensure, same, unchanged};
use amq_core::{EmptyFilter, Filter, Goal, InsertExt, Inserted, PlanFilter};
use core::fmt;

/// `Debug` shows neither the seed, which may be secret, nor the table, which may be gigabytes.
pub fn debug_output_is_short_and_hides_the_seed<F>(fill: Fill<F>) -> Verdict
where
    F: PlanFilter + fmt::Debug,
{
    const SEED: u64 = 0x5EED_0F7E_11FE_ED5E;
    let filter = filled(fill, 20_000, 0.01, SEED)?;
    let behind: &dyn Filter = &filter;
    for text in [
        format!("{filter:?}"),
        format!("{filter:#?}"),
        format!("{behind:?}"),
        format!("{behind:#?}"),
    ] {
        let digits: String = text.to_lowercase().replace('_', "");
        let told = digits.contains(&SEED.to_string()) || digits.contains(&format!("{SEED:x}"));
        ensure(
            !told && !text.is_empty() && text.len() < 1000,
            "Debug output",
            &text,
            "short, and without the seed",
        )?;
    }
    Ok(())
}

/// `stats` agrees with the methods, the load factor lies in [0, 1], and the text is one line.
pub fn stats_agree_with_the_methods_and_print<F: PlanFilter>(fill: Fill<F>) -> Verdict {
    for held in [0, 1, 500, 1000] {
        let goal = Goal::fpr(1000, 0.01);
        let filter = match fill(goal, 3, &present_hashes(held, 3)) {
            Ok(filter) => filter,
            // A static filter may refuse to be built of no keys.
            Err(_) if held == 0 => continue,
            Err(error) => return Err(Violation::refused(format!("{held} keys"))(error)),
        };
        stats_agree(&filter, held)?;
    }
    Ok(())
}

fn stats_agree(filter: &dyn Filter, held: u64) -> Verdict {
    let stats = filter.stats();
    let of = |field: &str| format!("{field} in the stats of a filter of {held} keys");
    same(of("kind"), stats.kind, filter.kind())?;
    same(of("len"), stats.len, filter.len())?;
    same(of("capacity"), stats.capacity, filter.capacity())?;
    same(of("load_factor"), stats.load_factor, filter.load_factor())?;
    same(of("saturated"), stats.saturated, filter.saturated())?;
    same(of("bytes"), stats.bytes, filter.size_in_bytes())?;
    same(of("expected_fpr"), stats.expected_fpr, filter.expected_fpr())?;
    let share = if held == 0 { 0.0..=0.0 } else { 1e-9..=1.0 };
    ensure(
        share.contains(&stats.load_factor),
        of("load_factor"),
        stats.load_factor,
        format_args!("in {share:?}"),
    )?;
    let text = stats.to_string();
    let begins = format!("{}: {} keys of {} planned", stats.kind, stats.len, stats.capacity);
    let size = format!("{} bytes", stats.bytes);
    ensure(
        text.starts_with(&begins) && text.contains(&size) && text.lines().count() == 1,
        of("Display"),
        &text,
        format_args!("one line, \"{begins}\", with \"{size}\" in it"),
    )
}

/// `insert_unique` inserts a key that the filter answers `false`, and otherwise changes nothing:
/// however often keys repeat, the filter stays as it is and never fills up.
pub fn insert_unique_changes_nothing_when_present<F>() -> Verdict
where
    F: EmptyFilter + Clone + PartialEq,
{
    for (n, fpr) in [(1, 0.5), (100, 0.1), (3000, 0.01)] {
        let goal = Goal::fpr(n, fpr);
        let empty = || F::empty(goal, 6).map_err(Violation::refused("an empty filter"));
        let (mut filter, mut keyed) = (empty()?, empty()?);
        let mut new = 0;
        for (i, hash) in (0..n).zip(present_hashes(n, 6)) {
            let (there, len) = (filter.contains_hash(hash), filter.len());
            let wanted = Inserted::from_change(!there);
            let what = format!("insert_unique of key {i} of {n}");
            let refused = || Violation::refused(&what);
            same(&what, filter.insert_unique_hash(hash).map_err(refused())?, wanted)?;
            same(&what, keyed.insert_unique(&present(i)).map_err(refused())?, wanted)?;
            same(format_args!("len after {what}"), filter.len(), len + u64::from(!there))?;
            all_found(&filter, &[hash], &what)?;
            new += u64::from(!there);
        }
        same(format_args!("len of {n} keys, inserted once"), filter.len(), new)?;
        unchanged(&keyed, &filter, "inserting keys instead of hashes")?;
        let before = filter.clone();
        for round in 0..20 {
            for hash in present_hashes(n, 6) {
                let what = format!("insert_unique of {n} present keys, round {round}");
                let inserted = filter.insert_unique_hash(hash);
                let inserted = inserted.map_err(Violation::refused(&what))?;
                same(&what, inserted, Inserted::MaybePresent)?;
            }
        }
        unchanged(&filter, &before, "insert_unique of present keys")?;
    }
    Ok(())
}
