//! The report as a document. HTML and Markdown say the same because both are written from it.

/// A piece of text.
#[derive(Clone, PartialEq, Debug)]
pub(super) enum Span {
    /// Plain text.
    Text(String),
    /// Strong text.
    Strong(String),
    /// An aside, after what it qualifies.
    Aside(String),
    /// Code: a command, or a name in the records.
    Code(String),
    /// A file of the records, linked where the reader can reach it.
    Record(String),
}

/// Text in pieces.
#[derive(Clone, PartialEq, Default, Debug)]
pub(super) struct Spans(pub(super) Vec<Span>);

impl Spans {
    /// Adds plain text.
    pub(super) fn text(mut self, text: impl Into<String>) -> Self {
        self.0.push(Span::Text(text.into()));
        self
    }

    /// Adds strong text.
    pub(super) fn strong(mut self, text: impl Into<String>) -> Self {
        self.0.push(Span::Strong(text.into()));
        self
    }

    /// Adds an aside.
    pub(super) fn aside(mut self, text: impl Into<String>) -> Self {
        self.0.push(Span::Aside(text.into()));
        self
    }

    /// Adds a name or a command.
    pub(super) fn code(mut self, text: impl Into<String>) -> Self {
        self.0.push(Span::Code(text.into()));
        self
    }

    /// The number of characters.
    pub(super) fn length(&self) -> usize {
        let length = |span: &Span| match span {
            Span::Text(text)
            | Span::Strong(text)
            | Span::Aside(text)
            | Span::Code(text)
            | Span::Record(text) => text.chars().count(),
        };
        self.0.iter().map(length).sum()
    }

    /// Adds prose from the code, with names in backticks.
    pub(super) fn prose(mut self, text: &str) -> Self {
        for (index, part) in text
            .split('`')
            .enumerate()
            .filter(|(_, part)| !part.is_empty())
        {
            self = if index % 2 == 0 {
                self.text(part)
            } else {
                self.code(part)
            };
        }
        self
    }

    /// Adds several names with commas between them.
    pub(super) fn codes(mut self, names: &[&str]) -> Self {
        for (index, &name) in names.iter().enumerate() {
            if index > 0 {
                self = self.text(", ");
            }
            self = self.code(name);
        }
        self
    }
}

impl<S: Into<String>> From<S> for Spans {
    fn from(text: S) -> Self {
        Self::default().text(text)
    }
}

/// A table.
#[derive(Clone, PartialEq, Default, Debug)]
pub(super) struct Table {
    /// The caption, above the table.
    pub(super) caption: String,
    /// Heads of the columns.
    pub(super) head: Vec<String>,
    /// How many columns, from the left, hold words; the others hold numbers.
    pub(super) words: usize,
    /// The cells.
    pub(super) rows: Vec<Vec<Spans>>,
}

/// A plot.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Figure {
    /// Its file's name without the ending, and its anchor.
    pub(super) slug: String,
    /// What is plotted.
    pub(super) title: String,
    /// The finding, computed from the data.
    pub(super) caption: String,
    /// The text alternative: axes, series, ends.
    pub(super) alt: String,
    /// The picture: one `svg` element without a style sheet.
    pub(super) svg: String,
}

/// One block of the page.
#[derive(Clone, PartialEq, Debug)]
pub(super) enum Block {
    /// A section's heading and anchor.
    Heading {
        /// The heading.
        text: String,
        /// The anchor.
        anchor: String,
    },
    /// A heading within a section.
    Subheading(String),
    /// A paragraph.
    Para(Spans),
    /// A warning.
    Warning(Spans),
    /// Points.
    List(Vec<Spans>),
    /// Commands.
    Code(String),
    /// Names and what they are.
    Facts(Vec<(String, Spans)>),
    /// A table.
    Table(Table),
    /// A plot.
    Figure(Figure),
    /// A collapsible block.
    Details {
        /// Its title.
        summary: String,
        /// Its contents.
        blocks: Vec<Block>,
    },
}

/// The whole report.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Document {
    /// Its title.
    pub(super) title: String,
    /// What stands under the title.
    pub(super) lead: Spans,
    /// Its contents.
    pub(super) blocks: Vec<Block>,
}

impl Document {
    /// The plots, wherever they stand.
    pub(super) fn figures(&self) -> Vec<&Figure> {
        fn collect<'a>(blocks: &'a [Block], figures: &mut Vec<&'a Figure>) {
            for block in blocks {
                match block {
                    Block::Figure(figure) => figures.push(figure),
                    Block::Details { blocks, .. } => collect(blocks, figures),
                    _ => {}
                }
            }
        }
        let mut figures = Vec::new();
        collect(&self.blocks, &mut figures);
        figures
    }

    /// The sections' headings and anchors.
    pub(super) fn sections(&self) -> Vec<(&str, &str)> {
        self.blocks
            .iter()
            .filter_map(|block| match block {
                Block::Heading { text, anchor } => Some((text.as_str(), anchor.as_str())),
                _ => None,
            })
            .collect()
    }
}
