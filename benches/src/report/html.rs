//! The document as one page that needs no network and no script.

use super::doc::{Answer, Block, Document, Figure, Pick, Section, Span, Table, Text};
use maud::{DOCTYPE, Markup, PreEscaped, html};

/// The whole page.
pub(super) fn page(document: &Document) -> String {
    html! {
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
                    p.lead { (text(&document.lead)) }
                    @for part in &document.first { (block(part)) }
                    h2 { "All else" }
                    @for section in &document.sections { (folded(section)) }
                }
                script { (PreEscaped(include_str!("chooser.js"))) }
            }
        }
    }
    .into_string()
}

fn folded(section: &Section) -> Markup {
    html! {
        details id=(section.anchor) {
            summary { b { (section.title) } " " span { (section.finding) } }
            @for part in &section.blocks { (block(part)) }
        }
    }
}

fn text(text: &Text) -> Markup {
    html! {
        @for span in &text.0 {
            @match span {
                Span::Plain(text) => (text),
                Span::Code(text) => code { (text) },
                Span::Strong(text) => b { (text) },
                Span::Link(text, to) => a href=(to) { (text) },
            }
        }
    }
}

fn block(block: &Block) -> Markup {
    html! {
        @match block {
            Block::Heading(words) => h2 { (words) },
            Block::Para(words) => p { (text(words)) },
            Block::Warning(words) => p.warning { (text(words)) },
            Block::List(points) => ul { @for point in points { li { (text(point)) } } },
            Block::Code(lines) => pre { (lines) },
            Block::Facts(facts) => dl {
                @for (name, value) in facts { div { dt { (name) } dd { (value) } } }
            },
            Block::Answers(answers) => { (wide(answers)) (cards(answers)) }
            Block::Table(rows) => (table(rows)),
            Block::Figures(figures) => div.figures { @for each in figures { (figure(each)) } },
            // Data in a script element ends only at its closing tag.
            Block::Chooser(data) => {
                div #ask hidden {}
                script #choices type="application/json" { (PreEscaped(data.replace('<', "\\u003c"))) }
            },
        }
    }
}

fn pick(pick: &Pick) -> Markup {
    html! {
        b { (pick.name) } " "
        @if pick.import.is_empty() { small { (pick.krate) } }
        @else { code title=(pick.krate) { (pick.import) } }
    }
}

/// The answers as a table.
fn wide(answers: &[Answer]) -> Markup {
    html! {
        table.answers {
            thead { tr {
                @for name in ["you need", "choose", "", "why", "its cost", "runner-up"] {
                    th scope="col" { (name) }
                }
            } }
            tbody {
                @for answer in answers {
                    tr {
                        th scope="row" { (answer.need) }
                        td {
                            @for (index, each) in answer.choose.iter().enumerate() {
                                div.tie[index > 0] { @if index > 0 { "= " } (pick(each)) }
                            }
                        }
                        td.figure { (answer.figure) }
                        td { (answer.why) }
                        td { (answer.cost) }
                        td { (text(&answer.runner_up)) }
                    }
                }
            }
        }
    }
}

/// The answers as cards, which open.
fn cards(answers: &[Answer]) -> Markup {
    html! {
        div.cards {
            @for answer in answers {
                details {
                    summary {
                        span { span.need { (answer.need) } b { (answer.figure) } }
                        span {
                            @if let Some(first) = answer.choose.first() { b { (first.name) } }
                            span.cost { (answer.cost) }
                        }
                    }
                    @for (index, each) in answer.choose.iter().enumerate() {
                        p { @if index > 0 { "= " } (pick(each)) }
                    }
                    p { "Why: " (answer.why) "." }
                    p { "Else: " (text(&answer.runner_up)) "." }
                }
            }
        }
    }
}

fn table(table: &Table) -> Markup {
    let head = |name: &str| {
        html! {
            thead { tr {
                @for (index, column) in table.head.iter().enumerate() {
                    th scope="col" class=[(index >= table.words).then_some("n")] {
                        @if index == 0 && !name.is_empty() { (name) } @else { (column) }
                    }
                }
            } }
        }
    };
    html! {
        @if !table.caption.0.is_empty() { p.caption { (text(&table.caption)) } }
        div class=(if table.groups.len() > 1 { "columns" } else { "scroll" }) {
            @for (name, rows) in &table.groups {
                table {
                    (head(name))
                    tbody {
                        @for row in rows {
                            tr {
                                @for (index, cell) in row.iter().enumerate() {
                                    @if index == 0 { th scope="row" { (text(cell)) } }
                                    @else { td class=[(index >= table.words).then_some("n")] { (text(cell)) } }
                                }
                            }
                        }
                    }
                }
            }
        }
    }
}

fn figure(figure: &Figure) -> Markup {
    let picture = |class: &str, svg: &str| {
        html! { div role="img" aria-label=(figure.alt) class=(class) { (PreEscaped(svg)) } }
    };
    html! {
        figure id=(format!("plot-{}", figure.slug)) {
            @match &figure.narrow {
                None => (picture("plot", &figure.svg)),
                Some((narrow, names)) => {
                    (picture("plot wide", &figure.svg))
                    (picture("plot narrow", narrow))
                    @if !names.is_empty() {
                        p.narrow.names {
                            @for (index, name) in names.iter().enumerate() {
                                span { (index + 1) "\u{a0}" (name) } " "
                            }
                        }
                    }
                }
            }
            figcaption { (text(&figure.caption)) }
        }
    }
}
