//! The document: what the page and the README both say, written once.

/// Text with a little markup.
#[derive(Clone, PartialEq, Default, Debug)]
pub(super) struct Text(pub(super) Vec<Span>);

/// A piece of text.
#[derive(Clone, PartialEq, Debug)]
pub(super) enum Span {
    /// As it is.
    Plain(String),
    /// Names and lines of code.
    Code(String),
    /// The words that answer.
    Strong(String),
    /// Words that lead somewhere.
    Link(String, String),
}

impl Text {
    pub(super) fn plain(self, text: impl Into<String>) -> Self {
        self.and(Span::Plain(text.into()))
    }

    pub(super) fn code(self, text: impl Into<String>) -> Self {
        self.and(Span::Code(text.into()))
    }

    pub(super) fn strong(self, text: impl Into<String>) -> Self {
        self.and(Span::Strong(text.into()))
    }

    pub(super) fn link(self, text: impl Into<String>, to: impl Into<String>) -> Self {
        self.and(Span::Link(text.into(), to.into()))
    }

    fn and(mut self, span: Span) -> Self {
        self.0.push(span);
        self
    }
}

impl<S: Into<String>> From<S> for Text {
    fn from(text: S) -> Self {
        Self::default().plain(text)
    }
}

/// The whole page.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Document {
    /// Its title.
    pub(super) title: String,
    /// What it is, in a sentence.
    pub(super) lead: Text,
    /// What decides, in three screens.
    pub(super) first: Vec<Block>,
    /// All else, folded.
    pub(super) sections: Vec<Section>,
}

/// A folded section.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Section {
    /// Its name in links.
    pub(super) anchor: &'static str,
    /// Its title.
    pub(super) title: String,
    /// What it finds, in one sentence.
    pub(super) finding: String,
    /// What it holds.
    pub(super) blocks: Vec<Block>,
    /// Whether the README holds it too, instead of a link.
    pub(super) in_readme: bool,
}

/// A part of the page.
#[derive(Clone, PartialEq, Debug)]
pub(super) enum Block {
    /// A heading.
    Heading(&'static str),
    /// A paragraph.
    Para(Text),
    /// What to know before reading on.
    Warning(Text),
    /// Points.
    List(Vec<Text>),
    /// Lines to copy.
    Code(String),
    /// Names and values.
    Facts(Vec<(&'static str, String)>),
    /// The answers: a table, or cards on a phone.
    Answers(Vec<Answer>),
    /// A table.
    Table(Table),
    /// Plots, side by side where there is room.
    Figures(Vec<Figure>),
    /// The chooser's data; a page without script shows a table of the main choices instead.
    Chooser(String),
}

/// A need and what meets it.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Answer {
    /// What is wanted.
    pub(super) need: String,
    /// What to take, each with its crate and the line that imports it; several are a tie.
    pub(super) choose: Vec<Pick>,
    /// The deciding number.
    pub(super) figure: String,
    /// Why.
    pub(super) why: String,
    /// What it costs.
    pub(super) cost: String,
    /// What else, and how far behind.
    pub(super) runner_up: Text,
}

/// A name to choose.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Pick {
    /// The type, or what stands for it.
    pub(super) name: String,
    /// Its crate; empty if it is none.
    pub(super) krate: String,
    /// The line that imports it; empty if there is none.
    pub(super) import: String,
}

/// A table, possibly in groups of rows.
#[derive(Clone, PartialEq, Default, Debug)]
pub(super) struct Table {
    /// What it shows, in a sentence.
    pub(super) caption: Text,
    /// The columns.
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
        Self {
            caption: caption.into(),
            head: head.to_vec(),
            words,
            groups: vec![(String::new(), rows)],
        }
    }
}

/// A plot.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Figure {
    /// The name of its file.
    pub(super) slug: &'static str,
    /// What it shows, for those who cannot see it.
    pub(super) alt: String,
    /// What it finds, in a sentence.
    pub(super) caption: Text,
    /// The picture.
    pub(super) svg: String,
    /// For narrow screens: a picture with numbers for names, and the names in order.
    pub(super) narrow: Option<(String, Vec<String>)>,
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
        let (title, in_readme) = (title.to_owned(), false);
        Self { anchor, title, finding, blocks, in_readme }
    }

    /// The same, for the README too.
    pub(super) fn in_readme(self) -> Self {
        Self { in_readme: true, ..self }
    }
}
