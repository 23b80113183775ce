//! The document as Markdown: a README of at most 300 lines, and what the page makes HTML of.

use super::doc::{Answer, Block, Document, Section, Table, Text};
use super::plot::Plot;

/// The folded sections that the README holds too; it links to the others.
const IN_README: [&str; 4] = ["abilities", "claims", "machine", "limits"];

/// The README: what decides, the short sections, and links to the page, which lies with the plots
/// in the folder `latest` below it, or beside it if empty.
pub(super) fn page(document: &Document, latest: &str) -> String {
    let mut parts = vec![
        "<!-- Drawn by amq-bench from the records; do not edit. -->".to_owned(),
        format!("# {}", document.title),
        document.lead.to_string(),
    ];
    let mut add = |title: &str, blocks: &[Block]| {
        parts.push(format!("## {title}"));
        parts.extend(blocks.iter().map(|part| block(part, latest)));
    };
    for (title, blocks) in &document.first {
        add(title, blocks);
    }
    let page = format!("{latest}index.html");
    let link = |Section { anchor, title, finding, .. }: &Section| {
        let link = Text::default().link(title, &format!("{page}#{anchor}"));
        link.plain(format!(": {finding}"))
    };
    let rest = " (one file, to download and open) has these with their plots and tables:";
    let rest = Text::default().plain("The ").link("page", &page).plain(rest);
    let links = Text::list(document.sections.iter().map(link));
    add("All else", &[rest, links].map(Block::Text));
    for section in document.sections.iter().filter(|of| IN_README.contains(&of.anchor)) {
        add(section.title, &section.blocks);
    }
    parts.retain(|part| !part.is_empty());
    parts.join("\n\n") + "\n"
}

/// A part without the newline after it; empty for what only a page can show.
pub(super) fn block(block: &Block, latest: &str) -> String {
    match block {
        Block::Text(text) => text.to_string(),
        Block::Answers(answers) => {
            let columns = Table::of(answers)
                .word("you need", |of| &of.need)
                .word("choose", choose)
                .word("", |of| &of.figure)
                .word("why", |of| &of.why)
                .word("its cost", |of| &of.cost)
                .word("runner-up", |of| of.runner_up.clone());
            table(&columns.table())
        }
        Block::Tables(caption, tables) => {
            let caption = Some(caption.to_string()).filter(|caption| !caption.is_empty());
            joined(caption.into_iter().chain(tables.iter().map(table)), "\n\n")
        }
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

fn table(table: &Table) -> String {
    let rule = vec![Text::from("---"); table.head.len()];
    let line = |row: &Vec<Text>| format!("| {} |", joined(row.iter().map(Text::to_string), " | "));
    joined([&table.head, &rule].into_iter().chain(&table.rows).map(line), "\n")
}

/// What to take, each with the line that imports it.
pub(super) fn choose(answer: &Answer) -> Text {
    let pick = |(name, import): &(String, String)| match import.as_str() {
        "" => Text::default().strong(name),
        import => Text::default().strong(name).plain(" ").code(import),
    };
    Text::default().and(joined(answer.choose.iter().map(|of| pick(of).to_string()), "<br>= "))
}
