//! The README, of at most 300 lines: what decides, the short sections, and links to the page.

use super::doc::{Block, Document, Section};
use super::text::Text;
use anyhow::Result;
use pulldown_cmark::{Event, HeadingLevel, Options, Tag};
use pulldown_cmark_to_cmark::{Options as Style, cmark_with_options};

/// The folded sections that the README holds too; it links to the others.
const SECTIONS: [&str; 4] = ["abilities", "claims", "machine", "limits"];

/// In Markdown. The page lies with the plots in the folder `latest` below the README, or beside it
/// if empty.
pub(super) fn readme(document: &Document, latest: &str) -> Result<String> {
    let comment = "<!-- Drawn by amq-bench from the records; do not edit. -->\n";
    let comment = Text::default().and([Event::Html(comment.into())]).within(Tag::HtmlBlock);
    let mut text = comment.and(heading(HeadingLevel::H1, document.title));
    let mut add = |title: &str, blocks: &[Block]| {
        let title = Some(title).filter(|title| !title.is_empty());
        let title = title.map(|title| heading(HeadingLevel::H2, title));
        let blocks = blocks.iter().map(|block| block.text(latest));
        text = std::mem::take(&mut text).and(title.into_iter().chain(blocks).flatten());
    };
    add("", &document.lead);
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
    add("All else", &[Block::Text(rest), Block::list(document.sections.iter().map(link))]);
    for section in document.sections.iter().filter(|of| SECTIONS.contains(&of.anchor)) {
        add(section.title, &section.blocks);
    }
    markdown(text)
}

fn heading(level: HeadingLevel, title: &str) -> Text {
    let (id, classes, attrs) = (None, Vec::new(), Vec::new());
    Text::from(title).within(Tag::Heading { level, id, classes, attrs })
}

pub(super) fn markdown(text: Text) -> Result<String> {
    let style = Style { newlines_after_htmlblock: 2, list_token: '-', ..Style::default() };
    let mut out = String::new();
    cmark_with_options(text, &mut out, Options::ENABLE_TABLES, style)?;
    Ok(out + "\n")
}
