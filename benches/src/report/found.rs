//! The results in three sentences.

use super::data::Data;
use super::needs::{Needs, Row, Verdict};
use super::number::{digits, list, two};
use super::time_by_space::LINE_READS;
use crate::record::State;
use std::collections::BTreeSet;

/// The names of our best filter and of those that tie with it.
fn names(row: &Row) -> String {
    let all: Vec<&str> =
        [row.ours.name.as_str()].into_iter().chain(row.also.iter().map(String::as_str)).collect();
    match &all[..] {
        [first, second] => format!("{first} or {second}"),
        all => all.first().map_or_else(String::new, ToString::to_string),
    }
}

pub(super) fn found(data: &Data, needs: &Needs) -> [String; 3] {
    let row = |need: &str| needs.rows.iter().find(|row| row.need == need);
    let small = [
        ("Fewest bits, all keys known", "if all keys are known"),
        ("Fewest bits, keys inserted one by one", "if they come one by one"),
        ("Fewest bits, keys inserted and removed", "if they are also removed"),
    ];
    let small: Vec<String> = small
        .iter()
        .filter_map(|(need, when)| {
            let row = row(need)?;
            Some(format!("{} ({}) {when}", names(row), digits(row.ours.number, 2)))
        })
        .collect();
    let bound = digits(-data.rate().log2(), 2);
    let space = match small.is_empty() {
        true => format!("{}: nothing was measured.", data.what()),
        false => format!(
            "{}: our smallest, in bits per key, are {}; no filter can use fewer than {bound}.",
            data.what(),
            list(&small)
        ),
    };
    let read = data.floor_ns(LINE_READS, data.keys);
    let read = read.map(|ns| format!("; hashing and one memory read take {} ns", two(ns)));
    let fast = row("Fastest query, keys inserted one by one").map(|row| {
        let bits = row.ours.bits.map(|bits| format!(" in {} bits per key", digits(bits, 3)));
        format!(
            "The fastest query of ours is {}'s: {} ns{}{}.",
            row.ours.name,
            two(row.ours.number),
            bits.unwrap_or_default(),
            read.unwrap_or_default()
        )
    });
    [space, fast.unwrap_or_else(|| "No query was timed.".to_owned()), losses(data, needs)]
}

/// The needs in which other crates are better, and the crates that failed.
fn losses(data: &Data, needs: &Needs) -> String {
    let lost = needs.rows.iter().filter(|row| row.result == Verdict::Theirs);
    let lost = lost.filter_map(|row| {
        let ratio = row.ratio().map(|ratio| format!("{ratio:.2}"))?;
        Some(format!("{} ({}, {ratio})", row.other.as_ref()?.name, row.need.to_lowercase()))
    });
    let lost: Vec<String> = lost.collect();
    let compared = needs.rows.iter().filter(|row| row.other.is_some()).count();
    let lost = match &lost[..] {
        [] => format!("No other crate is better in any of {compared} needs"),
        lost => {
            format!("Other crates are better in {} of {compared} needs: {}", lost.len(), list(lost))
        }
    };
    let failed = data.all().filter(|row| row.state == State::Failed);
    let failed: BTreeSet<&str> = failed.map(|row| row.contender.as_str()).collect();
    let failed: Vec<&str> = failed.into_iter().collect();
    match &failed[..] {
        [] => format!("{lost}; every filter passed its checks."),
        failed => format!("{lost}; failed a check: {}.", list(failed)),
    }
}
