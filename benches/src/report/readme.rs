//! The README, of at most 300 lines: what decides, the short sections, and links to the page.

use super::doc::{Block, Document, Section};
use super::text::Text;
use anyhow::{Context, Result};
use pulldown_cmark::{Event, HeadingLevel, Options, Tag};
use pulldown_cmark_to_cmark::{Options as Style, cmark_with_options};

/// The folded sections that the README holds too; it links to the others.
const SECTIONS: [&str; 3] = ["abilities", "machine", "limits"];

/// In Markdown. The page lies with the plots in the folder `latest` below the README, or beside it
/// if empty.
pub(super) fn readme(document: &Document, latest: &str) -> Result<String> {
    let blocks = |all: &[Block]| all.iter().map(|block| block.written(latest)).collect::<Text>();
    let part = |title: &str, all| heading(HeadingLevel::H2, title).and(blocks(all).0);
    let page = format!("{latest}index.html");
    let link = |Section { anchor, title, finding, .. }: &Section| {
        let link = Text::default().link(title, &format!("{page}#{anchor}"));
        link.plain(format!(": {finding}"))
    };
    let rest = " (one file, to download and open) has these with their plots and tables:";
    let rest = Text::from("The ").link("page", &page).plain(rest);
    let rest = [Block::text(rest), Block::list(document.sections.iter().map(link))];
    let comment = "<!-- Drawn by amq-bench from the records; do not edit. -->\n";
    let comment = Text(vec![Event::Html(comment.into())]).within(Tag::HtmlBlock);
    let head = [comment, heading(HeadingLevel::H1, document.title), blocks(&document.lead)];
    let first = document.first.iter().map(|(title, all)| part(title, all));
    let short = document.sections.iter().filter(|of| SECTIONS.contains(&of.anchor));
    let short = short.map(|of| part(of.title, &of.blocks));
    markdown(&head.into_iter().chain(first).chain([part("All else", &rest)]).chain(short).collect())
}

fn heading(level: HeadingLevel, title: &str) -> Text {
    Text::from(title).within(Tag::Heading { level, id: None, classes: vec![], attrs: vec![] })
}

pub(super) fn markdown(text: &Text) -> Result<String> {
    let style = Style { newlines_after_htmlblock: 2, list_token: '-', ..Style::default() };
    let mut out = String::new();
    let written = cmark_with_options(&text.0, &mut out, Options::ENABLE_TABLES, style);
    written.context("README.md has words that Markdown cannot hold")?;
    Ok(out + "\n")
}
