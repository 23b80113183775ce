//! Our numbers beside tables that others have published, of their machines.

use super::prelude::*;
use crate::measure::suite::{MANY, MANY_BITS};
use serde::Deserialize;

/// A line of `published.csv`, or one of ours, without a source.
#[derive(Debug, Deserialize)]
struct Line {
    source: String,
    filter: String,
    bits_per_key: f64,
    rate_percent: f64,
    insert_ns: f64,
    absent_ns: f64,
    present_ns: f64,
}

impl Line {
    fn of(entry: &Entry<'_>) -> Option<Self> {
        Some(Self {
            source: String::new(),
            filter: entry.name().to_owned(),
            bits_per_key: entry.bits()?,
            rate_percent: entry.fpr()? * 100.0,
            insert_ns: entry.ns(Workload::Build)?,
            absent_ns: entry.ns(Workload::Query0)?,
            present_ns: entry.ns(Workload::Query100)?,
        })
    }
}

fn published() -> Vec<Line> {
    let text = include_str!("../../published.csv");
    // That all of it can be read, a test ensures.
    csv::Reader::from_reader(text.as_bytes()).into_deserialize().filter_map(Result::ok).collect()
}

/// A table for each budget: ours, then theirs of about that size.
pub(super) fn beside(data: &Data) -> Found {
    let theirs = published();
    let budget = |line: &Line| {
        let far = |budget: &f64| (line.bits_per_key - budget).abs();
        MANY_BITS.into_iter().min_by(|a, b| far(a).total_cmp(&far(b)))
    };
    let table = |bits: f64| {
        let mut ours = data.entries(Of::Bits(MANY as u64, bits));
        ours.retain(Entry::is_filter);
        let ours: Vec<Line> = ours.iter().filter_map(Line::of).collect();
        let theirs = theirs.iter().filter(|line| budget(line) == Some(bits));
        let lines: Vec<&Line> = ours.iter().chain(theirs).collect();
        let number = |of: fn(&Line) -> f64| move |line: &&Line| Some(two(of(line)));
        Table::of(&lines)
            .word(&format!("{} bits per key", plain(bits)), |line| {
                format!("{} {}", line.source, line.filter).trim().to_owned()
            })
            .number("bits", |line| Some(digits(line.bits_per_key, 3)))
            .number("rate, %", number(|line| line.rate_percent))
            .number("insert", number(|line| line.insert_ns))
            .number("absent", number(|line| line.absent_ns))
            .number("present", number(|line| line.present_ns))
            .table
    };
    let tables = MANY_BITS.map(table);
    let found = format!(
        "At {} keys and 8 to 20 bits per key, beside the tables of FastFilter and Boost.Bloom: \
         published, on their machines.",
        keys(MANY as u64)
    );
    let ours = if data.sizes(&data.set).contains(&(MANY as u64)) {
        "Lines without a source are ours, of this machine."
    } else {
        "This record has no run of so many keys: the suite full does."
    };
    let caption = Text::from(format!("{ours} {}", data.texts.published));
    Some((found, vec![Block::Tables(caption, tables.into())]))
}

#[test]
fn every_published_line_is_read_and_stands_in_one_table() {
    let lines = include_str!("../../published.csv").trim_end().lines().count() - 1;
    let (_, blocks) = beside(&Data::default()).unwrap();
    let [Block::Tables(_, tables)] = &blocks[..] else { panic!("{blocks:?}") };
    assert_eq!(tables.iter().map(|table| table.rows.len()).sum::<usize>(), lines);
    assert!(tables.iter().all(|table| table.rows.len() >= 4));
}
