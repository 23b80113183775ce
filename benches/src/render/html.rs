//! The document as one self-contained HTML file, with style sheet and plots.

use super::document::{Block, Document, Figure, Span, Spans, Table};
use super::link::url_part;
use super::number::unbroken;
use super::style;
use maud::{DOCTYPE, Markup, PreEscaped, html};

/// The page. `records` is the link from the page to the records' folder, where the reader can reach
/// it.
pub(super) fn page(document: &Document, records: Option<&str>) -> String {
    let writer = Writer { records };
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                title { (document.title) }
                style { (PreEscaped(style::sheet(":root"))) (PreEscaped(include_str!("page.css"))) }
            }
            body {
                main {
                    h1 { (document.title) }
                    p.lead { (writer.spans(&document.lead)) }
                    nav aria-label="Sections" {
                        @for (text, anchor) in document.sections() {
                            a href={ "#" (anchor) } { (text) } " "
                        }
                    }
                    (writer.blocks(&document.blocks))
                }
            }
        }
    };
    page.into_string() + "\n"
}

struct Writer<'a> {
    records: Option<&'a str>,
}

impl Writer<'_> {
    fn blocks(&self, blocks: &[Block]) -> Markup {
        html! { @for block in blocks { (self.block(block)) "\n" } }
    }

    fn block(&self, block: &Block) -> Markup {
        html! {
            @match block {
                Block::Heading { text, anchor } => h2 id=(anchor) { (text) },
                Block::Subheading(text) => h3 { (text) },
                Block::Para(spans) => p { (self.spans(spans)) },
                Block::Warning(spans) => p.warning role="note" { (self.spans(spans)) },
                Block::List(items) => ul { @for item in items { li { (self.spans(item)) } } },
                Block::Code(text) => div.scroll { pre { code { (text) } } },
                Block::Facts(facts) => dl {
                    @for (name, value) in facts { div { dt { (name) } dd { (self.spans(value)) } } }
                },
                Block::Table(table) => (self.table(table)),
                Block::Figure(figure) => (plot(figure)),
                Block::Details { summary, blocks } => details {
                    summary { (summary) }
                    (self.blocks(blocks))
                },
            }
        }
    }

    fn table(&self, table: &Table) -> Markup {
        let class = |column: usize| (column >= table.words).then_some("number");
        html! {
            @if !table.caption.is_empty() { p.caption { (unbroken(&table.caption)) } }
            div.scroll tabindex="0" role="region" aria-label=(table.caption) {
                table {
                    thead { tr {
                        @for (column, head) in table.head.iter().enumerate() {
                            th scope="col" class=[class(column)] { (unbroken(head)) }
                        }
                    } }
                    tbody {
                        @for row in &table.rows { tr {
                            @for (column, cell) in row.iter().enumerate() {
                                @if column == 0 {
                                    th scope="row" { (self.spans(cell)) }
                                } @else {
                                    td class=(class(column).unwrap_or(width(cell))) { (self.spans(cell)) }
                                }
                            }
                        } }
                    }
                }
            }
        }
    }

    fn spans(&self, spans: &Spans) -> Markup {
        html! { @for span in &spans.0 { (self.span(span)) } }
    }

    fn span(&self, span: &Span) -> Markup {
        html! {
            @match span {
                Span::Text(text) => (unbroken(text)),
                Span::Strong(text) => strong { (unbroken(text)) },
                Span::Aside(text) => span.aside { (unbroken(text)) },
                Span::Code(text) => code { (text) },
                Span::Record(file) => @if let Some(records) = self.records {
                    a href={ (records) "/" (url_part(file)) } { (file) }
                } @else {
                    code { (file) }
                },
            }
        }
    }
}

/// Cells of text keep a least width: on a narrow screen the table scrolls instead of wrapping every
/// word.
fn width(cell: &Spans) -> &'static str {
    match cell.length() {
        0..=20 => "short",
        21..=60 => "long",
        _ => "longest",
    }
}

fn plot(figure: &Figure) -> Markup {
    html! {
        figure id=(figure.slug) {
            h3 { (figure.title) }
            div.scroll tabindex="0" role="region" aria-label=(figure.title) { (PreEscaped(&figure.svg)) }
            figcaption { (unbroken(&figure.caption)) }
        }
    }
}
