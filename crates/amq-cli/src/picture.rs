//! How full a table is, drawn: each character stands for a part of the table.
//!
//! Reads the filter as a file, whose layout the format defines: header, directory, sections.

use amq::{Abilities, AnyFilter, Filter, FilterKind};
use anyhow::Context;
use std::fmt::Write;

const COLUMNS: usize = 64;
const MOST_ROWS: usize = 8;

/// From empty to full, an eighth of the range each.
const SHADES: [char; 8] = [' ', '.', ':', '-', '=', '+', '*', '#'];

/// What the table consists of.
#[derive(Clone, Copy, Debug)]
enum Unit {
    /// Single bits.
    Bits,
    /// Fields of this many bits, in use if not zero.
    Fields(usize),
    /// Blocks of the quotient filter with remainders of this many bits.
    Quotients(usize),
}

/// A part of the payload.
struct Section<'a> {
    bytes: &'a [u8],
    /// Numbers of the directory's entry that belongs to it.
    entry: [u64; 8],
}

/// Draws the table of a filter.
pub(crate) fn draw(filter: &AnyFilter) -> anyhow::Result<String> {
    let file = filter.to_bytes()?;
    let sections = sections(&file).context("the file is not laid out as expected")?;
    let kind = filter.kind();
    let (what, unit) = match kind {
        FilterKind::Counting | FilterKind::BlockedCounting => {
            ("counters above zero", Unit::Fields(4))
        }
        FilterKind::Cuckoo | FilterKind::WindowedCuckoo => {
            let bits = sections.first().map_or(0, |section| section.entry[1]);
            ("slots in use", Unit::Fields(bits as usize))
        }
        FilterKind::Quotient => {
            let bits = sections.first().map_or(0, |section| section.entry[1]);
            ("quotients in use", Unit::Quotients(bits as usize))
        }
        FilterKind::ExpandableQuotient => {
            // A slot also marks the age of its fingerprint.
            let bits = sections.first().map_or(0, |section| section.entry[1] + 1);
            ("quotients in use", Unit::Quotients(bits as usize))
        }
        _ if Abilities::of(kind).build_only => {
            return Ok("  In a filter that is built at once half of the bits are ones, \
                       whatever it holds: there is nothing to see.\n"
                .into());
        }
        // Bloom filters.
        _ => ("bits set", Unit::Bits),
    };
    let mut text = format!("  {what}, from the table's start to its end:\n");
    for (number, section) in sections.iter().enumerate() {
        if sections.len() > 1 {
            writeln!(text, "  stage {}:", number + 1)?;
        }
        text += &rows(section.bytes, unit);
    }
    writeln!(text, "  {} is none and {} is all", quoted(SHADES[0]), quoted(SHADES[7]))?;
    Ok(text)
}

fn quoted(shade: char) -> String {
    format!("'{shade}'")
}

/// The sections with their entries. Tables of several sections have an entry for each.
fn sections(file: &[u8]) -> Option<Vec<Section<'_>>> {
    let word = |at: usize| {
        let bytes = file.get(at..at + 8)?;
        Some(u64::from_le_bytes(bytes.try_into().ok()?))
    };
    let directory = 192;
    let payload = directory + usize::try_from(word(136)?).ok()?;
    let count = usize::try_from(word(directory)?).ok()?;
    (0..count)
        .map(|index| {
            let row = directory + 64 * (1 + index);
            let (offset, length) = (word(row)? as usize, word(row + 8)? as usize);
            let entry = row + 64 * count;
            let mut numbers = [0; 8];
            for (i, number) in numbers.iter_mut().enumerate() {
                *number = word(entry + 8 * i)?;
            }
            Some(Section {
                bytes: file.get(payload + offset..payload + offset + length)?,
                entry: numbers,
            })
        })
        .collect()
}

fn rows(bytes: &[u8], unit: Unit) -> String {
    let step = match unit {
        Unit::Bits => 1,
        // Whole bytes of whole fields.
        Unit::Fields(bits) => bits.max(1),
        Unit::Quotients(bits) => 8 * bits + 17,
    };
    let steps = (bytes.len() / step).max(1);
    let cells = steps.min(COLUMNS * MOST_ROWS);
    let mut text = String::new();
    for cell in 0..cells {
        if cell % COLUMNS == 0 {
            text += "  |";
        }
        let (start, end) = (cell * steps / cells, (cell + 1) * steps / cells);
        let part = bytes.get(start * step..end * step).unwrap_or(bytes);
        text.push(shade(share(part, unit)));
        if cell % COLUMNS == COLUMNS - 1 || cell == cells - 1 {
            text += "|\n";
        }
    }
    text
}

/// The share of a part of the table that is in use, 0 to 1.
fn share(part: &[u8], unit: Unit) -> f64 {
    let ones = |bytes: &[u8]| bytes.iter().map(|byte| u64::from(byte.count_ones())).sum::<u64>();
    let (used, all) = match unit {
        Unit::Bits => (ones(part), 8 * part.len() as u64),
        Unit::Fields(bits) => {
            let fields = 8 * part.len() / bits.max(1);
            let set = |field: &usize| {
                let mut bits = field * bits..(field + 1) * bits;
                bits.any(|bit| part[bit / 8] >> (bit % 8) & 1 == 1)
            };
            ((0..fields).filter(set).count() as u64, fields as u64)
        }
        Unit::Quotients(bits) => {
            let occupieds = |block: &[u8]| ones(&block[8 * bits..8 * bits + 8]);
            let blocks = part.chunks_exact(8 * bits + 17);
            let all = 64 * blocks.len() as u64;
            (blocks.map(occupieds).sum(), all)
        }
    };
    used as f64 / (all as f64).max(1.0)
}

fn shade(share: f64) -> char {
    // A share above nothing never looks like nothing.
    let index = (share * SHADES.len() as f64) as usize;
    let least = usize::from(share > 0.0);
    SHADES[index.max(least).min(SHADES.len() - 1)]
}

#[cfg(test)]
mod tests {
    use super::*;
    use amq::{Budget, Goal};

    #[test]
    fn an_empty_table_is_blank_and_shares_are_what_is_in_use() {
        for &kind in AnyFilter::KINDS {
            let goal = Goal::new(10_000, Budget::Fpr(0.01));
            let Ok(mut filter) = AnyFilter::with_seed(kind, goal, 0) else {
                continue;
            };
            let blank = draw(&filter).unwrap();
            let drawn = |text: &str| -> String {
                let rows = text.lines().filter_map(|line| line.strip_prefix("  |"));
                rows.map(|row| row.trim_end_matches('|')).collect()
            };
            assert!(drawn(&blank).chars().all(|shade| shade == ' '), "{kind}: {blank}");
            for key in 0..9_000u64 {
                filter.insert(&key).unwrap();
            }
            let file = filter.to_bytes().unwrap();
            let sections = sections(&file).unwrap();
            let unit = match kind {
                FilterKind::Counting | FilterKind::BlockedCounting => Unit::Fields(4),
                FilterKind::Cuckoo | FilterKind::WindowedCuckoo => {
                    Unit::Fields(sections[0].entry[1] as usize)
                }
                // Its load counts slots, of which there are as many as keys.
                FilterKind::Quotient | FilterKind::ExpandableQuotient => continue,
                _ => Unit::Bits,
            };
            let in_use = share(sections[0].bytes, unit);
            let load = filter.load_factor();
            assert!((in_use - load).abs() < 0.02, "{kind}: {in_use} of {load}");
            assert!(drawn(&draw(&filter).unwrap()).chars().any(|shade| shade != ' '));
        }
    }

    #[test]
    fn shades_go_from_none_to_all() {
        assert_eq!(shade(0.0), ' ');
        assert_eq!(shade(1e-9), '.');
        assert_eq!(shade(0.5), '=');
        assert_eq!(shade(1.0), '#');
    }
}
