//! The document: what the page and the README both say, written once. Its text is Markdown.

use super::plot::Plot;
use std::fmt;

/// Text as Markdown: whatever comes in is escaped, and only these functions mark it up.
#[derive(Clone, Default, Debug)]
pub(super) struct Text(String);

impl Text {
    pub(super) fn plain(self, text: impl Into<String>) -> Self {
        self.and(&escape(&text.into()))
    }

    pub(super) fn strong(self, text: impl Into<String>) -> Self {
        self.and(&format!("**{}**", escape(&text.into())))
    }

    pub(super) fn link(self, text: impl Into<String>, to: impl fmt::Display) -> Self {
        self.and(&format!("[{}]({to})", escape(&text.into())))
    }

    /// Code in a run of backticks that it does not hold itself.
    pub(super) fn code(self, text: impl Into<String>) -> Self {
        let text = text.into().replace(['\n', '\r'], " ").replace('|', "\\|");
        let fence = fence(&text, 1);
        let pad = if text.starts_with('`') || text.ends_with('`') { " " } else { "" };
        self.and(&format!("{fence}{pad}{text}{pad}{fence}"))
    }

    /// The same and Markdown.
    pub(super) fn and(mut self, markdown: &str) -> Self {
        self.0 += markdown;
        self
    }
}

impl<S: Into<String>> From<S> for Text {
    fn from(text: S) -> Self {
        Self::default().plain(text)
    }
}

impl fmt::Display for Text {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Escapes what Markdown or HTML would take for its own, and keeps text on one line.
fn escape(text: &str) -> String {
    let escaped = |c| match c {
        '<' => "&lt;".to_owned(),
        '\\' | '`' | '*' | '_' | '[' | ']' | '|' | '#' | '~' | '>' | '&' => format!("\\{c}"),
        '\n' | '\r' => " ".to_owned(),
        _ => c.to_string(),
    };
    text.chars().map(escaped).collect()
}

/// A run of at least so many backticks, longer than any within a text.
pub(super) fn fence(text: &str, least: usize) -> String {
    let mut fence = "`".repeat(least);
    while text.contains(&fence) {
        fence.push('`');
    }
    fence
}

/// The whole page: what decides, in three screens, and all else, folded.
#[derive(Debug)]
pub(super) struct Document {
    pub(super) title: String,
    pub(super) lead: Text,
    pub(super) first: Vec<Block>,
    pub(super) sections: Vec<Section>,
}

/// A folded section.
#[derive(Debug)]
pub(super) struct Section {
    /// Its name in links.
    pub(super) anchor: &'static str,
    pub(super) title: String,
    /// What it finds, in one sentence.
    pub(super) finding: String,
    pub(super) blocks: Vec<Block>,
    /// Whether the README holds it too, instead of a link.
    pub(super) in_readme: bool,
}

/// A part of the page.
#[derive(Debug)]
pub(super) enum Block {
    Heading(&'static str),
    Para(Text),
    /// What to know before reading on.
    Warning(Text),
    List(Vec<Text>),
    /// Lines to copy.
    Code(String),
    /// The answers: a table, or cards on a phone.
    Answers(Vec<Answer>),
    Table(Table),
    /// Plots, side by side where there is room.
    Figures(Vec<Plot>),
    /// The chooser's data; a page without script shows a table of the main choices instead.
    Chooser(String),
}

/// A need and what meets it.
#[derive(Debug)]
pub(super) struct Answer {
    pub(super) need: String,
    /// What to take; several are a tie.
    pub(super) choose: Vec<Pick>,
    /// The deciding number.
    pub(super) figure: String,
    pub(super) why: String,
    pub(super) cost: String,
    /// What else, and how far behind.
    pub(super) runner_up: Text,
}

/// A name to choose: the type, or what stands for it.
#[derive(Debug)]
pub(super) struct Pick {
    pub(super) name: String,
    /// Its crate; empty if it is none.
    pub(super) krate: String,
    /// The line that imports it; empty if there is none.
    pub(super) import: String,
}

/// A table, possibly in groups of rows.
#[derive(Default, Debug)]
pub(super) struct Table {
    /// What it shows, in a sentence.
    pub(super) caption: Text,
    pub(super) head: Vec<&'static str>,
    /// The number of columns, from the left, that hold words; the others hold numbers.
    pub(super) words: usize,
    /// Groups of rows; the name of an only group may be empty.
    pub(super) groups: Vec<(String, Vec<Vec<Text>>)>,
}

impl Table {
    /// A table without groups.
    pub(super) fn new(
        caption: impl Into<Text>,
        head: &[&'static str],
        words: usize,
        rows: Vec<Vec<Text>>,
    ) -> Self {
        let groups = vec![(String::new(), rows)];
        Self { caption: caption.into(), head: head.to_vec(), words, groups }
    }
}

/// What a section finds, and its blocks; none if the records cannot say.
pub(super) type Found = Option<(String, Vec<Block>)>;

impl Section {
    /// A section, or a sentence that there is none.
    pub(super) fn new(anchor: &'static str, title: &str, found: Found) -> Self {
        let (finding, blocks) = found.unwrap_or_else(|| {
            let none = "Not in these records.".to_owned();
            (none.clone(), vec![Block::Para(Text::from(none))])
        });
        Self { anchor, title: title.to_owned(), finding, blocks, in_readme: false }
    }

    /// The same, for the README too.
    pub(super) fn in_readme(self) -> Self {
        Self { in_readme: true, ..self }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hostile_words_stay_words() {
        assert_eq!(escape("a|b_<i>&\n`x`"), "a\\|b\\_&lt;i\\>\\& \\`x\\`");
        assert_eq!(Text::default().code("a`b|c").to_string(), "``a`b\\|c``");
        assert_eq!(Text::default().code("`").to_string(), "`` ` ``");
    }
}
