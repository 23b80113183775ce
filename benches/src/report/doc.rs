//! The document: what the page and the README both say, written once.

use super::plot::Plot;
use super::table::{Columns, Table};
use super::text::Text;
use pulldown_cmark::{Event, Tag};

/// The whole page: what decides, in three screens, and all else, folded.
#[derive(Debug)]
pub(super) struct Document {
    pub(super) title: &'static str,
    pub(super) lead: Vec<Block>,
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
    /// A paragraph, a list or a note.
    Text(Text),
    /// The answers to needs that belong together.
    Answers(Group),
    /// Tables with one head, under one caption, which may be empty.
    Tables(Text, Vec<Table>),
    /// Plots, side by side where there is room.
    Figures(Vec<Plot>),
}

#[derive(Debug)]
pub(super) struct Group {
    pub(super) title: String,
    pub(super) folded: bool,
    pub(super) answers: Vec<Answer>,
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
    /// The question of the page's form.
    pub(super) ask: Option<String>,
}

impl Block {
    pub(super) fn text(text: impl Into<Text>) -> Self {
        Self::Text(text.into().block(Tag::Paragraph))
    }

    pub(super) fn list(points: impl IntoIterator<Item = impl Into<Text>>) -> Self {
        let points = points.into_iter().map(|point| point.into().block(Tag::Item));
        Self::Text(points.collect::<Text>().within(Tag::List(None)))
    }

    /// What to know before reading on.
    pub(super) fn note(text: &str) -> Self {
        let text = Text::default().strong("Note:").plain(format!(" {text}"));
        Self::Text(text.block(Tag::Paragraph).within(Tag::BlockQuote(None)))
    }

    /// A part as text, with its pictures in a folder.
    pub(super) fn written(&self, folder: &str) -> Text {
        let paragraph = |text: Text| text.block(Tag::Paragraph);
        match self {
            Self::Text(text) => text.clone(),
            Self::Answers(group) => {
                let need = |of: &Answer| match &of.ask {
                    // A question leads to the form, which only the page has.
                    Some(ask) if folder.is_empty() => {
                        Text::default().link(&of.need, &format!("#{ask}"))
                    }
                    _ => Text::from(&of.need),
                };
                let table = Table::of(&group.answers)
                    .word("you need", need)
                    .word("take", Answer::picks)
                    .word("result", |of| &of.figure)
                    .word("why", |of| &of.why)
                    .word("its cost", |of| &of.cost)
                    .word("next best", |of| of.runner_up.clone());
                let title = (!folder.is_empty()).then(|| Text::default().strong(&group.title));
                title.map(paragraph).into_iter().chain([table.table.text()]).collect()
            }
            Self::Tables(caption, tables) => {
                let caption = Some(caption.clone()).filter(|caption| !caption.0.is_empty());
                caption.map(paragraph).into_iter().chain(tables.iter().map(Table::text)).collect()
            }
            Self::Figures(plots) => {
                let image = |of: &Plot| Text::image(&of.alt(), &format!("{folder}{}.svg", of.slug));
                plots.iter().flat_map(|of| [image(of), of.caption()]).map(paragraph).collect()
            }
        }
    }
}

impl<T> Columns<'_, T> {
    pub(super) fn block(self, caption: impl Into<Text>) -> Block {
        Block::Tables(caption.into(), vec![self.table])
    }
}

impl Answer {
    /// What to take, each with the line that imports it.
    pub(super) fn picks(&self) -> Text {
        let line = || [Event::InlineHtml("<br>".into())];
        let pick = |text: Text, (name, import): &(String, String)| {
            let text = if text.0.is_empty() { text } else { text.and(line()).plain("or ") };
            let text = text.strong(name);
            if import.is_empty() { text } else { text.and(line()).code(import) }
        };
        self.choose.iter().fold(Text::default(), pick)
    }
}

/// The plots of a section, which finds what the first does.
pub(super) fn figures<const N: usize>(plots: [Option<Plot>; N]) -> Found {
    let mut plots: Vec<Plot> = plots.into_iter().flatten().collect();
    let finding = std::mem::take(&mut plots.first_mut()?.finding);
    Some((finding, vec![Block::Figures(plots)]))
}
