//! The document as Markdown: a README of at most 300 lines, and what the page makes HTML of.

use super::doc::{Answer, Block, Document, Pick, Section, Table, Text, fence};
use super::plot::Plot;

/// The README: what decides, the short sections, and links to the page, which lies with the plots
/// in the folder `latest` below it, or beside it if empty.
pub(super) fn page(document: &Document, latest: &str) -> String {
    let link = |Section { anchor, title, finding, .. }: &Section| {
        let link = Text::default().link(title, format!("{latest}index.html#{anchor}"));
        link.plain(format!(": {finding}"))
    };
    let links = Block::List(document.sections.iter().map(link).collect());
    let mut parts = vec![
        "<!-- Drawn by amq-bench from the records; do not edit. -->".to_owned(),
        format!("# {}", Text::from(&document.title)),
        document.lead.to_string(),
    ];
    parts.extend(document.first.iter().map(|part| block(part, latest)));
    parts.push(format!(
        "## All else\n\nThe [page]({latest}index.html) (one file, to download and open) has these \
         with their plots and tables:\n\n{}",
        block(&links, latest)
    ));
    for section in document.sections.iter().filter(|section| section.in_readme) {
        parts.push(format!("## {}", Text::from(&section.title)));
        parts.extend(section.blocks.iter().map(|part| block(part, latest)));
    }
    parts.retain(|part| !part.is_empty());
    parts.join("\n\n") + "\n"
}

/// A part without the newline after it; empty for what only a page can show.
pub(super) fn block(block: &Block, latest: &str) -> String {
    match block {
        Block::Heading(words) => format!("## {}", Text::from(*words)),
        Block::Para(text) => text.to_string(),
        Block::Warning(text) => format!("> **Note:** {text}"),
        Block::List(points) => joined(points.iter().map(|point| format!("- {point}")), "\n"),
        Block::Code(lines) => format!("{0}\n{lines}\n{0}", fence(lines, 3)),
        Block::Answers(answers) => {
            let head = ["you need", "choose", "", "why", "its cost", "runner-up"];
            rows(&head, answers.iter().map(answer))
        }
        Block::Table(whole) => table(whole),
        Block::Figures(plots) => {
            let image = |plot: &Plot| {
                let (alt, caption) = (Text::from(plot.alt()), plot.caption());
                format!("![{alt}]({latest}{}.svg)\n\n{caption}", plot.slug)
            };
            joined(plots.iter().map(image), "\n\n")
        }
        Block::Chooser(_) => String::new(),
    }
}

fn joined(parts: impl Iterator<Item = String>, between: &str) -> String {
    parts.collect::<Vec<_>>().join(between)
}

/// The lines of a table.
fn rows(head: &[&str], rows: impl Iterator<Item = Vec<Text>>) -> String {
    let head: Vec<Text> = head.iter().map(|name| Text::from(*name)).collect();
    let rule = vec![Text::from("---"); head.len()];
    let line = |row: Vec<Text>| format!("| {} |", joined(row.iter().map(Text::to_string), " | "));
    joined([head, rule].into_iter().chain(rows).map(line), "\n")
}

fn table(table: &Table) -> String {
    let group = |(name, of): &(String, Vec<Vec<Text>>)| {
        let mut head: Vec<&str> = table.head.clone();
        // A group's name stands above its own names.
        match head.first_mut() {
            Some(first) if !name.is_empty() => *first = name,
            _ => {}
        }
        rows(&head, of.iter().cloned())
    };
    let caption = Some(table.caption.to_string()).filter(|caption| !caption.is_empty());
    joined(caption.into_iter().chain(table.groups.iter().map(group)), "\n\n")
}

fn answer(answer: &Answer) -> Vec<Text> {
    vec![
        Text::from(&answer.need),
        choose(&answer.choose),
        Text::from(&answer.figure),
        Text::from(&answer.why),
        Text::from(&answer.cost),
        answer.runner_up.clone(),
    ]
}

/// What to take, each with the line that imports it, or its crate.
pub(super) fn choose(picks: &[Pick]) -> Text {
    picks.iter().enumerate().fold(Text::default(), |text, (index, pick)| {
        let text = if index == 0 { text } else { text.and("<br>= ") };
        let text = text.strong(&pick.name).plain(" ");
        if pick.import.is_empty() { text.plain(&pick.krate) } else { text.code(&pick.import) }
    })
}
