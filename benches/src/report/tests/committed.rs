//! What the pages of the two committed records say: that they do not contradict each other, the
//! advisor or themselves, and that their names can be read.

use crate::report::advice::asked_of_advisor;
use crate::report::answer::{self, type_of};
use crate::report::doc::{Document, Group};
use crate::report::prelude::*;
use amq::{AnyFilter, FilterKind};
use amq_advisor::Structure;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// The committed records: of the quick and the full suite.
pub(super) fn committed() -> [Data; 2] {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    ["reports/records", "reports/full/records"]
        .map(|path| Data::read(&Records::newest(&root.join(path), None).unwrap()).unwrap())
}

fn groups(document: &Document) -> impl Iterator<Item = &Group> {
    let blocks = document.first.iter().flat_map(|(_, blocks)| blocks);
    blocks.filter_map(|block| match block {
        Block::Answers(group) => Some(group),
        _ => None,
    })
}

fn plots(document: &Document) -> impl Iterator<Item = &Plot> {
    let sections = document.sections.iter().flat_map(|section| &section.blocks);
    let blocks = document.first.iter().flat_map(|(_, blocks)| blocks).chain(sections);
    blocks.flat_map(|block| match block {
        Block::Figures(plots) => &plots[..],
        _ => &[],
    })
}

/// A statement without its numbers.
fn words(text: &str) -> String {
    text.chars().filter(|c| !c.is_ascii_digit() && *c != '.' && *c != ',').collect()
}

/// Statements about what both suites measure are the same but for their digits. Those about the
/// suite itself (its sizes, its cells, its noise) are not compared.
#[test]
fn two_runs_say_the_same() {
    let [quick, full] = committed();
    let needs = quick.needs().count();
    let documents = [&quick, &full].map(|data| crate::report::document(data, &[]));
    let of_suite = ["keys", "numbers", "noise", "machine", "limits", "rates"];
    let mut compared = 0;
    let findings = documents.each_ref().map(|document| {
        let sections = document.sections.iter().filter(|of| !of_suite.contains(&of.anchor));
        let titled = sections.map(|of| (of.title, of.finding.clone()));
        titled
            .chain(plots(document).map(|plot| (plot.slug, plot.finding.clone())))
            .collect::<BTreeMap<_, _>>()
    });
    for (title, finding) in &findings[0] {
        assert_eq!(words(finding), words(&findings[1][title]), "{title}");
        compared += 1;
    }
    assert!(compared >= 20, "{compared}");
    for course in crate::measure::courses::ALL {
        let mut sections = documents[0].sections.iter();
        let section = sections.find(|of| course.name.starts_with(of.anchor)).unwrap();
        let is_said = !section.finding.contains("Not in these records");
        assert_eq!(is_said, !quick.entries(Of::Course(course.name)).is_empty(), "{}", course.name);
    }
    // Of answers at least one of those that tie.
    let [quick, full] = documents.each_ref().map(|document| {
        let answers = groups(document).flat_map(|group| {
            group.answers.iter().map(move |of| {
                (
                    // Sizes differ.
                    format!("{}, {}", group.title, of.need.split(" (").next().unwrap_or_default()),
                    of.choose.iter().map(|one| one.0.clone()).collect::<Vec<_>>(),
                )
            })
        });
        answers.collect::<BTreeMap<_, _>>()
    });
    assert_eq!([quick.len(), full.len()], [needs; 2]);
    for (need, names) in &quick {
        assert!(names.iter().any(|name| full[need].contains(name)), "{need}: {names:?}");
    }
}

/// Where the records and the advisor answer the same need, ours is the same filter.
#[test]
fn the_tables_name_what_the_form_answers() {
    for data in committed() {
        let mut asked = 0;
        for need in data.needs().filter(|need| need.by.is_some()) {
            let Some(question) = &need.ask else { continue };
            let [best, rest] = need.rank(&data).unwrap();
            let ours = best.iter().chain(&rest).find(|(entry, _)| entry.facts.ours).unwrap();
            let advised = asked_of_advisor(question).unwrap().best().structure.type_name();
            assert_eq!(type_of(&ours.0.facts.import), advised, "{}: {question}", need.need);
            asked += 1;
        }
        assert!(asked >= 9, "{asked}");
    }
}

#[test]
fn answers_come_in_groups_of_five_and_none_stands_twice() {
    // The advisor's, which come from the table of kinds.
    let bloom = FilterKind::Bloom;
    let atomic = [bloom, FilterKind::BlockedBloom].map(Structure::Atomic);
    let others = atomic.into_iter().chain([Structure::Map]);
    let several = [Structure::Sharded(bloom), Structure::Rolling(bloom)];
    let kinds = AnyFilter::KINDS.iter().map(|&kind| Structure::Filter(kind));
    let known: BTreeSet<String> =
        kinds.chain(others).chain(several).map(Structure::import).collect();
    for data in committed() {
        let document = crate::report::document(&data, &[]);
        for group in groups(&document) {
            assert!(group.folded || (3..=5).contains(&group.answers.len()), "{}", group.title);
            let rows = group.answers.iter().map(|of| (&of.choose, &of.figure, &of.why));
            let rows: Vec<_> = rows.collect();
            for (index, row) in rows.iter().enumerate() {
                assert!(!rows[..index].contains(row), "{}: {row:?}", group.title);
            }
            let imports = group.answers.iter().flat_map(|of| &of.choose).map(|(_, line)| line);
            let mut ours = imports.filter(|line| line.starts_with("use amq"));
            let broken = ours.find(|line| !known.contains(*line));
            assert_eq!(broken, None, "{}", group.title);
        }
        assert!(answer::summary(document.first.iter().flat_map(|of| &of.1)).contains("Keys come"));
    }
}

/// Boxes of names as they are drawn cover neither each other nor a mark, and stay in the picture.
#[test]
fn names_in_plots_can_be_read_at_both_widths() {
    let mut names = 0;
    for data in committed() {
        let document = crate::report::document(&data, &[]);
        for plot in plots(&document) {
            let svg = plot.draw(plot.size, false).unwrap();
            for tag in ["g", "path"] {
                let [opened, closed] = [format!("<{tag} "), format!("</{tag}>")];
                let opened =
                    svg.matches(&opened).count() + svg.matches(&format!("<{tag}>")).count();
                assert_eq!(opened, svg.matches(&closed).count(), "{} {tag}", plot.slug);
            }
        }
        for plot in plots(&document).filter(|plot| plot.names == Names::Beside) {
            let sizes = [(plot.size, false)].into_iter().chain(plot.narrow.map(|of| (of, true)));
            for (size, is_narrow) in sizes {
                let [labels, marks] = plot.boxes(size, is_narrow).unwrap();
                let apart = |a: &[i32; 4], b: &[i32; 4]| {
                    a[2] <= b[0] || b[2] <= a[0] || a[3] <= b[1] || b[3] <= a[1]
                };
                for (index, label) in labels.iter().enumerate() {
                    assert!(label[0] >= 0 && label[2] <= size.0 as i32, "{} {label:?}", plot.slug);
                    let others = labels[..index].iter().chain(&marks);
                    let covered = others.filter(|other| !apart(label, other)).count();
                    assert_eq!(covered, 0, "{} {label:?} {is_narrow}", plot.slug);
                    names += 1;
                }
            }
        }
    }
    assert!(names > 100, "{names}");
}
