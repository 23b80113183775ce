//! What changes with the number of keys.

use super::answer::{Need, Ranked, behind, rank};
use super::data::{Data, Target};
use super::doc::{Block, Found, Table, Text};
use super::number::{keys, list};
use crate::record::Workload;

pub(super) fn found(data: &Data) -> Found {
    let mut needs = data.texts.need.clone();
    needs.retain(Need::is_of_any_size);
    let (mut changes, mut groups) = (Vec::new(), Vec::new());
    for size in data.sizes(&data.set).into_iter().filter(|size| *size != data.keys) {
        let entries = data.entries(&data.set, size, Target::Rate(data.rate()));
        let timed = entries.iter().filter(|entry| entry.ns(Workload::Query50).is_some()).count();
        if timed == 0 {
            continue;
        }
        let both = |need| Some((need, rank(data, need, data.keys)?.0, rank(data, need, size)?));
        let both: Vec<_> = needs.iter().filter_map(both).collect();
        let changed = both
            .iter()
            .filter_map(|(need, main, (best, rest))| row(need, main.first()?.0.name(), best, rest));
        let (changed, with) = (changed.collect::<Vec<_>>(), format!("{} keys", keys(size)));
        let (some, all) = (changed.len(), both.len());
        changes.push(format!("{some} of {all} for {with} ({timed} contenders)"));
        groups.push((with, changed));
    }
    groups.retain(|(_, rows)| !rows.is_empty());
    let caption = Text::from(format!(
        "Needs whose answer is another than for {} keys, and how far the answer there is behind.",
        keys(data.keys)
    ));
    let table = Table { caption, head: vec!["", "take", "", "instead of"], words: 4, groups };
    let found = format!("Answers that change: {}.", list(&changes));
    (!changes.is_empty()).then(|| (found, vec![Block::Table(table)]))
}

/// A need's answer with other keys, unless it is still the one that was best or ties with it.
fn row(need: &Need, old: &str, best: &[Ranked<'_>], rest: &[Ranked<'_>]) -> Option<Vec<Text>> {
    let new = best.first().filter(|_| best.iter().all(|(entry, _)| entry.name() != old))?;
    let there = match rest.iter().find(|(entry, _)| entry.name() == old) {
        Some(other) => need.figure(other) + &behind(other.1, new.1),
        None => "not measured".to_owned(),
    };
    let take = Text::default().strong(new.0.name());
    let cells = [need.figure(new), format!("{old}: {there}")].map(Text::from);
    Some([Text::from(need.need.as_str()), take].into_iter().chain(cells).collect())
}
