//! Text with marks: the events of a Markdown parser, which libraries write as HTML and as Markdown.

use pulldown_cmark::{Event, LinkType, Tag};

/// Whatever words come in stay words: only these functions mark them up.
#[derive(Clone, Default, Debug)]
pub(super) struct Text(Vec<Event<'static>>);

impl Text {
    pub(super) fn plain(self, text: impl AsRef<str>) -> Self {
        let text = text.as_ref();
        self.and((!text.is_empty()).then(|| Event::Text(text.to_owned().into())))
    }

    pub(super) fn strong(self, text: impl AsRef<str>) -> Self {
        // Markdown has no marks that end beside a space, nor around nothing.
        match text.as_ref().trim() {
            "" => self,
            text => self.and(Self::from(text).within(Tag::Strong)),
        }
    }

    /// Code, on one line.
    pub(super) fn code(self, text: &str) -> Self {
        match text.replace(['\n', '\r'], " ").trim() {
            "" => self,
            text => self.and([Event::Code(text.to_owned().into())]),
        }
    }

    pub(super) fn link(self, text: &str, to: &str) -> Self {
        let (link_type, dest_url) = (LinkType::Inline, to.to_owned().into());
        let (title, id) = ("".into(), "".into());
        self.and(Self::from(text).within(Tag::Link { link_type, dest_url, title, id }))
    }

    pub(super) fn image(alt: &str, to: &str) -> Self {
        let (link_type, dest_url) = (LinkType::Inline, to.to_owned().into());
        let (title, id) = ("".into(), "".into());
        Self::from(alt).within(Tag::Image { link_type, dest_url, title, id })
    }

    pub(super) fn and(mut self, more: impl IntoIterator<Item = Event<'static>>) -> Self {
        self.0.extend(more);
        self
    }

    /// The same as a paragraph, a cell or whatever else the tag says.
    pub(super) fn within(mut self, tag: Tag<'static>) -> Self {
        self.0.push(Event::End(tag.to_end()));
        self.0.insert(0, Event::Start(tag));
        self
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether it ends with such a letter that is no code.
    pub(super) fn ends_with(&self, letter: char) -> bool {
        matches!(self.0.last(), Some(Event::Text(text)) if text.ends_with(letter))
    }
}

impl<S: AsRef<str>> From<S> for Text {
    fn from(text: S) -> Self {
        Self::default().plain(text)
    }
}

impl IntoIterator for Text {
    type Item = Event<'static>;
    type IntoIter = std::vec::IntoIter<Self::Item>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter()
    }
}

impl FromIterator<Self> for Text {
    fn from_iter<I: IntoIterator<Item = Self>>(parts: I) -> Self {
        Self(parts.into_iter().flatten().collect())
    }
}
