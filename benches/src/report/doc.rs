//! The document: what the page and the README both say, written once, in Markdown; and the README,
//! of at most 300 lines.

use super::plot::Plot;
use std::fmt;

/// Text as Markdown: whatever comes in is escaped, and only these functions mark it up.
#[derive(Clone, Default, Debug)]
pub(super) struct Text(String);

impl Text {
    pub(super) fn plain(self, text: impl AsRef<str>) -> Self {
        self.and(escape(text.as_ref()))
    }

    pub(super) fn strong(self, text: impl AsRef<str>) -> Self {
        self.and(format!("**{}**", escape(text.as_ref())))
    }

    pub(super) fn link(self, text: &str, to: &str) -> Self {
        self.and(format!("[{}]({to})", escape(text)))
    }

    /// Code in a run of backticks that it does not hold itself.
    pub(super) fn code(self, text: &str) -> Self {
        let text = text.replace(['\n', '\r'], " ").replace('|', "\\|");
        let mut fence = "`".to_owned();
        while text.contains(&fence) {
            fence.push('`');
        }
        let pad = if text.starts_with('`') || text.ends_with('`') { " " } else { "" };
        self.and(format!("{fence}{pad}{text}{pad}{fence}"))
    }

    pub(super) fn list(points: impl IntoIterator<Item = impl Into<Self>>) -> Self {
        let points = points.into_iter().map(|point| format!("- {}", point.into()));
        Self(points.collect::<Vec<_>>().join("\n"))
    }

    /// The same and Markdown.
    pub(super) fn and(mut self, markdown: impl fmt::Display) -> Self {
        self.0 += &markdown.to_string();
        self
    }
}

impl<S: AsRef<str>> From<S> for Text {
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

/// The whole page: what decides, in three screens, and all else, folded.
#[derive(Debug)]
pub(super) struct Document {
    pub(super) title: &'static str,
    pub(super) lead: Text,
    pub(super) first: Vec<(&'static str, Vec<Block>)>,
    pub(super) sections: Vec<Section>,
}

#[derive(Debug)]
pub(super) struct Section {
    /// Its name in links.
    pub(super) anchor: &'static str,
    pub(super) title: &'static str,
    pub(super) finding: String,
    pub(super) blocks: Vec<Block>,
}

/// What a section finds, and its blocks; none if the records cannot say.
pub(super) type Found = Option<(String, Vec<Block>)>;

/// A part of the page.
#[derive(Debug)]
pub(super) enum Block {
    Text(Text),
    /// The answers: a table, or cards on a phone.
    Answers(Vec<Answer>),
    /// Tables with one head, under one caption, which may be empty.
    Tables(Text, Vec<Table>),
    /// Plots, side by side where there is room.
    Figures(Vec<Plot>),
    /// The chooser's data, which a page without script cannot show.
    Chooser(String),
}

/// A need and what meets it.
#[derive(Debug)]
pub(super) struct Answer {
    pub(super) need: String,
    /// What to take, with the line that imports it; several are a tie.
    pub(super) choose: Vec<(String, String)>,
    pub(super) figure: String,
    pub(super) why: String,
    pub(super) cost: String,
    /// What else, and how far behind.
    pub(super) runner_up: Text,
}

#[derive(Debug)]
pub(super) struct Table {
    pub(super) head: Vec<Text>,
    /// The number of columns, from the left, that hold words; the others hold numbers.
    pub(super) words: usize,
    pub(super) rows: Vec<Vec<Text>>,
}

/// A table about things, a column after the other: those of words first.
#[derive(Debug)]
pub(super) struct Columns<'a, T> {
    of: &'a [T],
    table: Table,
}

impl Table {
    pub(super) fn of<T>(of: &[T]) -> Columns<'_, T> {
        let rows = of.iter().map(|_| Vec::new()).collect();
        Columns { of, table: Self { head: Vec::new(), words: 0, rows } }
    }

    fn markdown(&self) -> String {
        let rule = vec![Text::from("---"); self.head.len()];
        let cells = |row: &Vec<Text>| joined(row.iter().map(Text::to_string), " | ");
        let rows = [&self.head, &rule].into_iter().chain(&self.rows);
        joined(rows.map(|row| format!("| {} |", cells(row))), "\n")
    }
}

impl<'a, T> Columns<'a, T> {
    pub(super) fn word<C: Into<Text>>(mut self, head: &str, of: impl Fn(&'a T) -> C) -> Self {
        self.table.words += 1;
        self.number(head, |row| Some(of(row)))
    }

    /// A hyphen stands where there is no number.
    pub(super) fn number<C: Into<Text>>(
        mut self,
        head: &str,
        cell: impl Fn(&'a T) -> Option<C>,
    ) -> Self {
        self.table.head.push(Text::from(head));
        for (row, of) in self.table.rows.iter_mut().zip(self.of) {
            row.push(cell(of).map_or_else(|| Text::from("-"), C::into));
        }
        self
    }

    pub(super) fn table(self) -> Table {
        self.table
    }

    pub(super) fn block(self, caption: impl Into<Text>) -> Block {
        Block::Tables(caption.into(), vec![self.table])
    }
}

/// The folded sections that the README holds too; it links to the others.
const IN_README: [&str; 4] = ["abilities", "claims", "machine", "limits"];

impl Document {
    /// The README: what decides, the short sections, and links to the page, which lies with the
    /// plots in the folder `latest` below it, or beside it if empty.
    pub(super) fn readme(&self, latest: &str) -> String {
        let mut parts = vec![
            "<!-- Drawn by amq-bench from the records; do not edit. -->".to_owned(),
            format!("# {}", self.title),
            self.lead.to_string(),
        ];
        let mut add = |title: &str, blocks: &[Block]| {
            parts.push(format!("## {title}"));
            parts.extend(blocks.iter().map(|part| part.markdown(latest)));
        };
        for (title, blocks) in &self.first {
            add(title, blocks);
        }
        let page = format!("{latest}index.html");
        let link = |Section { anchor, title, finding, .. }: &Section| {
            let link = Text::default().link(title, &format!("{page}#{anchor}"));
            link.plain(format!(": {finding}"))
        };
        let rest = " (one file, to download and open) has these with their plots and tables:";
        let rest = Text::default().plain("The ").link("page", &page).plain(rest);
        let links = Text::list(self.sections.iter().map(link));
        add("All else", &[rest, links].map(Block::Text));
        for section in self.sections.iter().filter(|of| IN_README.contains(&of.anchor)) {
            add(section.title, &section.blocks);
        }
        parts.retain(|part| !part.is_empty());
        parts.join("\n\n") + "\n"
    }
}

impl Block {
    /// A part without the newline after it; empty for what only a page can show.
    pub(super) fn markdown(&self, latest: &str) -> String {
        match self {
            Self::Text(text) => text.to_string(),
            Self::Answers(answers) => {
                let table = Table::of(answers)
                    .word("you need", |of| &of.need)
                    .word("choose", Answer::picks)
                    .word("", |of| &of.figure)
                    .word("why", |of| &of.why)
                    .word("its cost", |of| &of.cost)
                    .word("runner-up", |of| of.runner_up.clone());
                table.table().markdown()
            }
            Self::Tables(caption, tables) => {
                let caption = Some(caption.to_string()).filter(|caption| !caption.is_empty());
                joined(caption.into_iter().chain(tables.iter().map(Table::markdown)), "\n\n")
            }
            Self::Figures(plots) => {
                let image = |plot: &Plot| {
                    let (alt, caption) = (Text::from(plot.alt()), plot.caption());
                    format!("![{alt}]({latest}{}.svg)\n\n{caption}", plot.slug)
                };
                joined(plots.iter().map(image), "\n\n")
            }
            Self::Chooser(_) => String::new(),
        }
    }
}

impl Answer {
    /// What to take, each with the line that imports it.
    pub(super) fn picks(&self) -> Text {
        let pick = |(name, import): &(String, String)| match import.as_str() {
            "" => Text::default().strong(name),
            import => Text::default().strong(name).plain(" ").code(import),
        };
        Text::default().and(joined(self.choose.iter().map(|of| pick(of).to_string()), "<br>= "))
    }
}

fn joined(parts: impl Iterator<Item = String>, between: &str) -> String {
    parts.collect::<Vec<_>>().join(between)
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
