//! What changes with the number of keys.

use super::answer::{Need, Ranked, behind, needs, rank};
use super::data::{Data, Target};
use super::doc::{Block, Found, Section, Table, Text};
use super::number::{keys, list};
use crate::record::Workload;
use anyhow::Result;

/// The section.
pub(super) fn section(data: &Data) -> Result<Section> {
    Ok(Section::new("sizes", "Fewer keys, or more", found(data, &needs()?)))
}

fn found(data: &Data, needs: &[Need]) -> Found {
    let (mut changes, mut groups) = (Vec::new(), Vec::new());
    for size in data.sizes(&data.set).into_iter().filter(|size| *size != data.keys) {
        let entries = data.entries(&data.set, size, Target::Rate(data.rate()));
        let timed = entries.iter().filter(|entry| entry.ns(Workload::Query50).is_some()).count();
        if timed == 0 {
            continue;
        }
        let rows =
            |need: &Need| row(need, &rank(data, need, data.keys)?.0, rank(data, need, size)?);
        let of_any = needs.iter().filter(|need| need.is_of_any_size());
        let asked: Vec<Option<Vec<Text>>> = of_any.filter_map(rows).collect();
        let (all, rows) = (asked.len(), asked.into_iter().flatten().collect::<Vec<_>>());
        let with = format!("{} keys", keys(size));
        changes.push(format!("{} of {all} for {with} ({timed} contenders)", rows.len()));
        groups.push((with, rows));
    }
    if changes.is_empty() {
        return None;
    }
    groups.retain(|(_, rows)| !rows.is_empty());
    let caption = format!(
        "Needs whose answer is another than for {} keys, and how far the answer there is behind.",
        keys(data.keys)
    );
    let head = vec!["", "take", "", "instead of"];
    let table = Table { caption: Text::from(caption), head, words: 4, groups };
    Some((format!("Answers that change: {}.", list(&changes)), vec![Block::Table(table)]))
}

type Best<'a> = Vec<Ranked<'a>>;

/// A need's answer with another number of keys; empty if it is the main one's.
fn row(
    need: &Need,
    main: &Best<'_>,
    (best, rest): (Best<'_>, Best<'_>),
) -> Option<Option<Vec<Text>>> {
    let (old, new) = (main.first()?.0.name(), best.first()?);
    if best.iter().any(|(entry, _)| entry.name() == old) {
        return Some(None);
    }
    let there = rest.iter().find(|(entry, _)| entry.name() == old);
    let there = there.map_or_else(
        || "not measured".to_owned(),
        |other| need.figure(other) + &behind(other.1, new.1),
    );
    let take = Text::default().strong(new.0.name());
    let instead = Text::from(format!("{old}: {there}"));
    Some(Some(vec![Text::from(need.need.as_str()), take, Text::from(need.figure(new)), instead]))
}
