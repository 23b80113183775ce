//! The document as Markdown, with the plots as images beside it.

use super::document::{Block, Document, Span, Spans, Table};
use super::link::url_part;
use std::fmt::Write;

/// The link targets of a Markdown file.
#[derive(Clone, Debug)]
pub(super) struct Places<'a> {
    /// The prefix of the plots' file names: empty, or ending in a slash.
    pub(super) plots: &'a str,
    /// The folder of the records, where the reader can reach it.
    pub(super) records: Option<String>,
}

/// The file.
pub(super) fn page(document: &Document, places: &Places<'_>) -> String {
    let mut text = format!(
        "<!-- Drawn by amq-bench from the records; do not edit. -->\n\n# {}\n\n{}\n\n",
        escape(&document.title),
        places.spans(&document.lead)
    );
    places.blocks(&document.blocks, &mut text);
    text.truncate(text.trim_end().len());
    text.push('\n');
    text
}

impl Places<'_> {
    fn blocks(&self, blocks: &[Block], text: &mut String) {
        for block in blocks {
            self.block(block, text);
            text.push_str("\n\n");
        }
    }

    fn block(&self, block: &Block, text: &mut String) {
        // Writing to a string cannot fail.
        let _ = match block {
            Block::Heading { text: heading, .. } => write!(text, "## {}", escape(heading)),
            Block::Subheading(heading) => write!(text, "### {}", escape(heading)),
            Block::Para(spans) => write!(text, "{}", self.spans(spans)),
            Block::Warning(spans) => write!(text, "> **Note:** {}", self.spans(spans)),
            Block::List(items) => {
                let items: Vec<String> = items
                    .iter()
                    .map(|item| format!("- {}", self.spans(item)))
                    .collect();
                write!(text, "{}", items.join("\n"))
            }
            Block::Code(code) => {
                // An indented block, since code cannot contain its end.
                let lines: Vec<String> = code.lines().map(|line| format!("    {line}")).collect();
                write!(text, "{}", lines.join("\n"))
            }
            Block::Facts(facts) => {
                let items: Vec<String> = facts
                    .iter()
                    .map(|(name, value)| format!("- {}: {}", escape(name), self.spans(value)))
                    .collect();
                write!(text, "{}", items.join("\n"))
            }
            Block::Table(table) => write!(text, "{}", self.table(table)),
            Block::Figure(figure) => write!(
                text,
                "### {}\n\n![{}]({}{}.svg)\n\n{}",
                escape(&figure.title),
                escape(&figure.alt),
                self.plots,
                figure.slug,
                escape(&figure.caption)
            ),
            Block::Details { summary, blocks } => {
                let _ = write!(
                    text,
                    "<details>\n<summary>{}</summary>\n\n",
                    escape(summary)
                );
                self.blocks(blocks, text);
                write!(text, "</details>")
            }
        };
    }

    fn table(&self, table: &Table) -> String {
        let mut text = String::new();
        if !table.caption.is_empty() {
            let _ = write!(text, "**{}**\n\n", escape(&table.caption));
        }
        let heads: Vec<String> = table.head.iter().map(|head| escape(head)).collect();
        let rule = |column: usize| if column < table.words { "---" } else { "---:" };
        let rules: Vec<&str> = (0..heads.len()).map(rule).collect();
        let _ = write!(text, "| {} |\n| {} |", heads.join(" | "), rules.join(" | "));
        for row in &table.rows {
            let cells: Vec<String> = row.iter().map(|cell| self.spans(cell)).collect();
            let _ = write!(text, "\n| {} |", cells.join(" | "));
        }
        text
    }

    fn spans(&self, spans: &Spans) -> String {
        spans.0.iter().map(|span| self.span(span)).collect()
    }

    fn span(&self, span: &Span) -> String {
        match span {
            Span::Text(text) | Span::Aside(text) => escape(text),
            Span::Strong(text) => format!("**{}**", escape(text)),
            Span::Code(text) => code(text),
            Span::Record(file) => match &self.records {
                Some(records) => format!("[{}]({records}/{})", escape(file), url_part(file)),
                None => code(file),
            },
        }
    }
}

/// Escapes everything that Markdown, or HTML within it, would interpret.
fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '&' => escaped.push_str("&amp;"),
            '|' | '*' | '_' | '`' | '[' | ']' | '\\' | '#' | '~' | '!' => {
                escaped.push('\\');
                escaped.push(c);
            }
            // A line break would end the table's row.
            '\n' | '\r' => escaped.push(' '),
            _ => escaped.push(c),
        }
    }
    escaped
}

/// Inline code; text that backticks cannot hold is escaped instead.
fn code(text: &str) -> String {
    if text.contains(['`', '|', '\\', '\n', '\r', '<']) {
        format!("<code>{}</code>", escape(text))
    } else {
        format!("`{text}`")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hostile_text_stays_text() {
        assert_eq!(escape("<script>|*\n"), "&lt;script&gt;\\|\\* ");
        assert_eq!(code("a|b"), "<code>a\\|b</code>");
        assert_eq!(code("bloom-8"), "`bloom-8`");
    }
}
