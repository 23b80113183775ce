//! Common claims, each settled by this workspace's own formulas or by the records.
//!
//! The right column is computed: a change in theory changes the page.

mod formulas;
mod records;

use super::data::Data;
use super::document::{Block, Spans, Table};
use crate::contender::Family;

/// A claim and its verdict.
struct Settled {
    claim: String,
    holds: bool,
    verdict: String,
    by: &'static str,
}

/// The table, and the claims that these records cannot settle.
pub(super) fn blocks(data: &Data) -> Vec<Block> {
    // A formula that rejects its textbook example leaves its row out; tests ensure that none does.
    let mut settled: Vec<Settled> = formulas::all().into_iter().flatten().collect();
    settled.extend(records::all(data));
    let row = |settled: Settled| {
        let verdict = if settled.holds { "true" } else { "false" };
        vec![
            Spans::from(settled.claim),
            Spans::default().strong(verdict),
            Spans::from(settled.verdict),
            Spans::from(settled.by),
        ]
    };
    let mut blocks = vec![Block::Table(Table {
        caption: "Common claims, checked".to_owned(),
        head: ["claim", "verdict", "the figure", "settled by"]
            .map(str::to_owned)
            .to_vec(),
        words: 4,
        rows: settled.into_iter().map(row).collect(),
    })];
    let filters = data.filters();
    let ours = |family: Family| {
        let mut ours = filters.iter().filter(|facts| facts.ours);
        ours.any(|facts| facts.family == family)
    };
    let absent: Vec<&str> = [
        (Family::Counting, "counting"),
        (Family::Scalable, "scalable"),
        (Family::Cuckoo, "cuckoo"),
        (Family::Quotient, "quotient"),
        (Family::Ribbon, "ribbon"),
    ]
    .into_iter()
    .filter(|(family, _)| !ours(*family))
    .map(|(_, name)| name)
    .collect();
    if !absent.is_empty() {
        blocks.push(Block::Para(Spans::from(format!(
            "Claims about {} filters are not settled by measurement here: these records have none of ours.",
            super::number::list(&absent)
        ))));
    }
    blocks
}
