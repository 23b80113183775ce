//! The document as a page that needs no network and no script: its text, written by a library, and
//! what Markdown has no words for.

use super::ask;
use super::doc::{Block, Document, Section};
use super::plot::{Names, Plot};
use super::text::Text;
use anyhow::Result;
use maud::{DOCTYPE, Markup, PreEscaped, html};
use pulldown_cmark::{Event, Tag, TagEnd};

pub(super) fn page(document: &Document) -> Result<String> {
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                title { (document.title) }
                style { (PreEscaped(include_str!("page.css"))) }
            }
            body {
                main {
                    h1 { (document.title) }
                    @for part in &document.lead { (block(part)?) }
                    (ask::form())
                    @for (title, blocks) in &document.first {
                        h2 { (title) }
                        @for part in blocks { (block(part)?) }
                    }
                    h2 { "All else" }
                    @for Section { anchor, title, finding, blocks } in &document.sections {
                        details id=(anchor) {
                            summary { b { (title) } " " span { (finding) } }
                            @for part in blocks { (block(part)?) }
                        }
                    }
                }
                (ask::script())
            }
        }
    };
    Ok(page.into_string())
}

/// Text as HTML, where the first cell of each row is its head.
pub(super) fn markup(text: Text) -> Markup {
    let mut is_first = false;
    let events = text.0.into_iter().map(|event| match event {
        Event::Start(Tag::TableRow) => {
            is_first = true;
            event
        }
        Event::Start(Tag::TableCell) if is_first => Event::InlineHtml("<th scope=\"row\">".into()),
        Event::End(TagEnd::TableCell) if is_first => {
            is_first = false;
            Event::InlineHtml("</th>".into())
        }
        // A number and its unit stand in one line.
        Event::Text(text) => Event::Text(together(&text).into()),
        event => event,
    });
    let mut out = String::new();
    pulldown_cmark::html::push_html(&mut out, events);
    PreEscaped(out)
}

/// With spaces that do not break between a number and its unit.
fn together(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut parts = text.split(' ').peekable();
    while let Some(part) = parts.next() {
        out += part;
        let is_number = part.ends_with(|c: char| c.is_ascii_digit() || c == '?');
        let is_unit = |next: &&str| {
            ["%", "ns", "bits", "×", "kB", "MB", "GB", "times"].iter().any(|u| next.starts_with(u))
        };
        match parts.peek() {
            Some(next) if is_number && is_unit(next) => out.push('\u{a0}'),
            Some(_) => out.push(' '),
            None => {}
        }
    }
    out
}

fn block(block: &Block) -> Result<Markup> {
    let text = || markup(block.written(""));
    Ok(match block {
        Block::Text(_) => text(),
        Block::Answers(group) if group.folded => html! {
            details { summary { b { (group.title) } } div.answers { (text()) } }
        },
        Block::Answers(group) => html! { h3 { (group.title) } div.answers { (text()) } },
        Block::Tables(_, tables) => {
            let kind = if tables.len() > 1 { "columns" } else { "scroll" };
            let words = tables.first().map_or(0, |table| table.words);
            // What scrolls can be reached by the keyboard.
            let tab = (kind == "scroll").then_some("0");
            html! { div class=(format!("{kind} w{words}")) tabindex=[tab] { (text()) } }
        }
        Block::Figures(plots) => html! { div.figures { @for plot in plots { (figure(plot)?) } } },
    })
}

fn figure(plot: &Plot) -> Result<Markup> {
    let class = if plot.narrow.is_some() { "wide" } else { "plot" };
    let mut pictures = vec![(class, plot.draw(plot.size, false)?)];
    if let Some(size) = plot.narrow {
        pictures.push(("narrow", plot.draw(size, true)?));
    }
    Ok(html! {
        figure.large[plot.size.0 > 800] id=(format!("plot-{}", plot.slug)) {
            // Marks that can be reached by the keyboard are no parts of one image.
            @let role = if plot.is_large() { "group" } else { "img" };
            @for (class, svg) in pictures {
                div role=(role) aria-label=(plot.alt()) class=(class) { (PreEscaped(svg)) }
            }
            @if plot.is_large() { p.hovered aria-live="polite" {} }
            @if plot.narrow.is_some() && plot.names == Names::Beside {
                p.narrow.names {
                    @for (index, name) in plot.legend().enumerate() {
                        span { (index + 1) "\u{a0}" (name) } " "
                    }
                }
            }
            figcaption { p { (markup(plot.caption())) } }
        }
    })
}
