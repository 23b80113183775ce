//! The contenders and their abilities.

use super::data::Data;
use super::document::{Block, Spans, Table};
use super::style::look;
use crate::contender::{Ability, Role};

/// The columns.
const ABILITIES: [(Ability, &str); 8] = [
    (Ability::Insert, "insert"),
    (Ability::ConcurrentInsert, "threads"),
    (Ability::Remove, "remove"),
    (Ability::Count, "count"),
    (Ability::Merge, "merge"),
    (Ability::Grow, "grow"),
    (Ability::Batch, "batch query"),
    (Ability::Static, "static"),
];

/// The capability table, and what each contender is.
pub(super) fn blocks(data: &Data) -> Vec<Block> {
    let mut head = vec!["contender".to_owned(), "family".to_owned()];
    head.extend(ABILITIES.map(|(_, name)| name.to_owned()));
    head.push("choice of rate".to_owned());
    let rows = data.filters().into_iter().map(|facts| {
        let (family, ..) = look(facts.family);
        let yes = |yes: bool| Spans::from(if yes { "yes" } else { "–" });
        let mut cells = vec![Spans::default().code(&facts.name), Spans::from(family)];
        cells.extend(ABILITIES.map(|(ability, _)| yes(facts.abilities.contains(&ability))));
        cells.push(yes(facts.takes_rate));
        cells
    });
    let table = Table {
        caption: "Capabilities (threads: inserts from several threads at once; static: built from \
                  all keys at once, then immutable)"
            .to_owned(),
        words: head.len(),
        head,
        rows: rows.collect(),
    };
    let about = data.contenders().map(|facts| {
        let whose = match (facts.role, facts.ours) {
            (Role::Filter, true) => "of this workspace",
            (Role::Filter, false) => "peer",
            (Role::Twin, _) => "the noise floor",
            (Role::Floor, _) => "a floor, not a filter",
        };
        let words = Spans::default().code(&facts.name);
        words
            .text(format!(" ({whose}; {}): ", facts.version))
            .prose(&facts.analysis)
    });
    vec![
        Block::Table(table),
        Block::Details {
            summary: "Each contender: what it is, its version, and what to expect".to_owned(),
            blocks: vec![Block::List(about.collect())],
        },
    ]
}
