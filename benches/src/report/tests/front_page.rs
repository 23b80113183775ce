//! The numbers of the first page, from the committed quick record and from formulas.

use super::committed::newest;
use crate::record::{Ability, Family, Workload};
use crate::report::data::{Data, Entry, Of};
use crate::report::number::{percent, two};
use amq_bloom::{BloomFilter, Goal};
use std::path::Path;

/// A row of the first page's table: the type, its names in records (the newest first), and the
/// peers that meet the same need.
struct Need {
    of_type: &'static str,
    names: &'static [&'static str],
    is_met_by: fn(&Entry<'_>, &Entry<'_>) -> bool,
}

const NEEDS: [Need; 8] = [
    Need {
        of_type: "BloomFilter",
        names: &["bloom"],
        // In as few bits.
        is_met_by: |peer, ours| {
            peer.can(Ability::Insert) && peer.bits() <= ours.bits().map(|bits| bits * 1.03)
        },
    },
    Need {
        of_type: "BlockedBloomFilter",
        names: &["blocked-bloom"],
        is_met_by: |peer, _| peer.can(Ability::Insert),
    },
    Need {
        of_type: "RibbonFilter",
        names: &["ribbon", "bumped-ribbon"],
        is_met_by: |peer, _| peer.can(Ability::Static),
    },
    Need {
        of_type: "CuckooFilter",
        names: &["cuckoo"],
        is_met_by: |peer, _| peer.can(Ability::Remove),
    },
    Need {
        of_type: "QuotientFilter",
        names: &["quotient"],
        is_met_by: |peer, _| peer.can(Ability::Remove) && peer.can(Ability::Merge),
    },
    Need {
        of_type: "ExpandableQuotientFilter",
        names: &["expandable-quotient"],
        // The others that grow were told the number of keys.
        is_met_by: |peer, _| peer.name() == "growable-bloom-grown",
    },
    Need {
        of_type: "CountingBloomFilter",
        names: &["counting"],
        // In the same memory for any number of copies.
        is_met_by: |peer, _| peer.info.family == Family::Counting,
    },
    Need {
        of_type: "AtomicBlockedBloomFilter",
        names: &["atomic-blocked-bloom"],
        is_met_by: |peer, _| peer.can(Ability::ConcurrentInsert),
    },
];

fn page() -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../README.md");
    std::fs::read_to_string(path).unwrap()
}

/// The times of a query and of an insert: by two threads where the need is one of threads.
fn times(data: &Data, need: &Need, name: &str) -> Option<[f64; 2]> {
    if need.of_type.starts_with("Atomic") {
        let times = [Workload::ThreadsQuery, Workload::ThreadsInsert].map(|scenario| {
            let entry = data.entry(name, Of::Scenario(scenario))?;
            entry.rows.iter().find(|row| row.threads == Some(2) && row.keys == data.keys)?.ns
        });
        return Some([times[0]?, times[1]?]);
    }
    let entry = data.entry(name, data.main())?;
    Some([entry.ns(Workload::Query50)?, entry.ns(Workload::Build)?])
}

/// What stands behind the type in its row: bits, times, and their ratios to those of the peer that
/// answers fastest.
fn cells(data: &Data, need: &Need) -> String {
    let mut ours = need.names.iter().filter_map(|name| data.entry(name, data.main()));
    let ours = ours.next().unwrap();
    let [query, insert] = times(data, need, ours.name()).unwrap();
    let peers = data.run.contender.iter().filter(|info| !info.ours);
    let peers = peers.filter_map(|info| {
        let whole = data.entry(&info.name, data.main());
        let threads = || data.entry(&info.name, Of::Scenario(Workload::ThreadsQuery));
        let entry = whole.or_else(threads)?;
        let is_in = entry.is_filter() && !entry.is_wrong && (need.is_met_by)(&entry, &ours);
        Some((times(data, need, entry.name()).filter(|_| is_in)?, entry))
    });
    let (times, peer) = peers.min_by(|a, b| a.0[0].total_cmp(&b.0[0])).unwrap();
    let size = |bits: f64| if bits < 30.0 { format!("{bits:.1}") } else { format!("{bits:.0}") };
    let mut of_peer = peer.info.packages[0].clone();
    // Filters of the scenarios of threads alone have no size in the record.
    if let Some(bits) = peer.bits() {
        of_peer += &format!(", {} bits", size(bits));
    }
    if let Some(rate) = peer.fpr().filter(|_| !peer.keeps(data.rate())) {
        of_peer += &format!(" at {}", percent(rate));
    }
    format!(
        " | {} | {} / {} | {:.2} / {:.2} {of_peer} |",
        size(ours.bits().unwrap()),
        two(query),
        two(insert),
        query / times[0],
        insert / times[1],
    )
}

#[test]
fn the_table_of_the_first_page_has_the_numbers_of_the_record() {
    let data = newest();
    assert_eq!((data.keys, data.rate()), (1_000_000, 0.01));
    let page = page();
    let rows: Vec<&str> = page.lines().filter(|line| line.contains("](crates/amq-")).collect();
    let rows: Vec<&str> = rows.into_iter().filter(|line| line.starts_with("| ")).collect();
    assert_eq!(rows.len(), NEEDS.len(), "{rows:#?}");
    let wanted = rows.iter().zip(&NEEDS).map(|(row, need)| {
        let (type_and_before, _) = row.split_once(')').unwrap();
        assert!(type_and_before.contains(&format!(" | [`{}`](", need.of_type)), "{row}");
        format!("{type_and_before}){}", cells(&data, need))
    });
    assert_eq!(rows, wanted.collect::<Vec<_>>());
    let mut cells = rows.iter().flat_map(|row| row.split('|'));
    assert!(cells.all(|cell| cell.split_whitespace().count() <= 12), "{rows:#?}");
}

#[test]
fn what_a_filter_is_worth_is_what_the_first_page_says() {
    let (lookup, misses, rate) = (10.0, 0.5, 0.01);
    let mean = lookup * ((1.0 - misses) + misses * rate);
    let plan = BloomFilter::plan(Goal::fpr(1_000_000, rate)).unwrap();
    let megabytes = plan.bytes as f64 / 1e6;
    let page = page();
    for said in [
        format!("A lookup takes {lookup} ms, and half of the lookups miss."),
        format!("A filter at {} % cuts the average to {mean:.2} ms.", rate * 100.0),
        format!("It needs {megabytes:.1} MB for a million keys."),
    ] {
        assert!(page.contains(&said), "{said}");
    }
}

#[test]
fn the_first_page_is_read_to_its_end() {
    let words = page().split_whitespace().count();
    assert!(words <= 900, "README.md has {words} words");
}
