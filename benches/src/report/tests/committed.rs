//! What the pages of the two committed records say: in the order and length that a visitor reads,
//! with names that can be read, and as the advisor answers.

use super::shown;
use crate::record::{Records, Workload};
use crate::report::data::Data;
use crate::report::needs::Verdict;
use crate::report::{html, page, readme};
use std::path::{Path, PathBuf};
use std::process::Command;

pub(super) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().to_owned()
}

/// The committed records of each machine.
fn machines() -> Vec<Vec<Data>> {
    let folders = ["reports/records", "reports/full/records"].map(|path| root().join(path));
    let read = |records: &Vec<Records>| records.iter().map(|of| Data::read(of).unwrap()).collect();
    Records::of_machines(&folders).iter().map(read).collect()
}

/// The first machine's records: of the quick and the full suite.
pub(super) fn committed() -> [Data; 2] {
    machines().swap_remove(0).try_into().unwrap()
}

/// The newest record of the quick suite, which the first page quotes.
pub(super) fn newest() -> Data {
    let quick = machines().into_iter().map(|mut records| records.swap_remove(0));
    quick.max_by(|one, other| one.run.date.cmp(&other.run.date)).unwrap()
}

#[test]
fn a_visitor_reads_few_words_and_in_order() {
    for data in committed().into_iter().chain([newest()]) {
        let page = page(&data, &[]);
        let readme = readme::readme(&page, "latest/", Some("METHODOLOGY.md"));
        let words = readme.split_whitespace().count();
        assert!(words <= 700, "README.md has {words} words");
        let html = html::page(&page).unwrap().into_string();
        let words = shown(&html).split_whitespace().count();
        assert!(words <= 3500, "the page has {words} words without its tables");
        let heads = ["Time against space", "Ours beside", "for your keys", "Family by", "All else"];
        let places = heads.map(|head| html.find(head).unwrap());
        assert!(places.is_sorted(), "{places:?}");
        assert_eq!(page.families.len(), 8);
        // Plots beside each other are of one size.
        assert_eq!(page.plots.len(), 4);
        assert!(page.plots.iter().all(|plot| plot.size == page.plots[0].size));
    }
}

#[test]
fn the_table_of_needs_has_eight_rows_and_marks_every_loss() {
    for data in committed() {
        let needs = page(&data, &[]).needs;
        assert_eq!(needs.rows.len(), 8);
        for row in &needs.rows {
            let (ratio, result) = (row.ratio().unwrap(), row.result);
            assert_eq!(result == Verdict::Theirs, ratio > 1.0 && result != Verdict::Tie);
        }
        let lost = needs.rows.iter().filter(|row| row.result == Verdict::Theirs).count();
        assert!(lost > 0, "other crates ask faster in these records");
    }
}

/// Another machine's ratios stand beside the first's.
#[test]
fn two_records_stand_beside_each_other() {
    let [quick, full] = committed();
    let page = page(&quick, &[full]);
    let lost = page.needs.rows.iter().filter(|row| row.result == Verdict::Theirs).count();
    let html = html::page(&page).unwrap().into_string();
    assert_eq!(html.matches(">ratio, ").count(), 1);
    assert_eq!(html.matches("<tr class=\"loss\">").count(), lost);
}

/// Names as they are drawn cover neither each other nor a mark, stay in the picture, and of the
/// first plot there are at most twelve.
#[test]
fn names_in_plots_can_be_read_at_both_widths() {
    let mut names = 0;
    for data in committed() {
        let page = page(&data, &[]);
        let best = page.best.as_ref().unwrap();
        let named = best.series.iter().filter(|series| !series.marks.is_empty()).count();
        assert!((10..=12).contains(&named), "{named}");
        for plot in [best].into_iter().chain(&page.all).chain(&page.plots) {
            for size in [plot.size, plot.narrow] {
                let [labels, ground] = plot.boxes(size);
                let apart = |a: &[i32; 4], b: &[i32; 4]| {
                    a[2] <= b[0] || b[2] <= a[0] || a[3] <= b[1] || b[3] <= a[1]
                };
                for (index, label) in labels.iter().enumerate() {
                    assert!(label[0] >= 0 && label[2] <= size.0 as i32, "{} {label:?}", plot.slug);
                    let others = labels[..index].iter().chain(&ground);
                    let covered = others.filter(|other| !apart(label, other)).count();
                    assert_eq!(covered, 0, "{} {label:?} {size:?}", plot.slug);
                    names += 1;
                }
            }
        }
    }
    assert!(names > 100, "{names}");
}

/// A record that is measured from now on names a commit of this repository.
#[test]
fn records_name_a_commit_that_exists() {
    let git = |arguments: &[&str]| {
        let output = Command::new("git").args(arguments).current_dir(root()).output();
        output.is_ok_and(|output| output.status.success())
    };
    if !git(&["rev-parse", "--is-inside-work-tree"]) {
        return;
    }
    for data in machines().concat().iter().filter(|data| data.run.date.as_str() > "2026-11-23") {
        let commit = data.run.options.git.clone().unwrap_or_default();
        assert!(git(&["cat-file", "-e", &format!("{commit}^{{commit}}")]), "{commit}");
    }
}

/// The pages of `amq-cuckoo` say how much longer overlapping buckets take to fill.
#[test]
fn a_windowed_cuckoo_filter_fills_as_fast_as_documented() {
    let mut compared = 0;
    for data in committed() {
        for keys in data.sizes(&data.set).into_iter().filter(|&keys| keys >= 100_000) {
            let time = |name| data.entry(name, data.with(keys))?.ns(Workload::Build);
            let Some((windowed, plain)) = time("windowed-cuckoo").zip(time("cuckoo")) else {
                continue;
            };
            let times = windowed / plain;
            assert!((1.95..2.75).contains(&times), "{keys} keys: {times}");
            compared += 1;
        }
    }
    assert!(compared >= 6, "{compared}");
}
