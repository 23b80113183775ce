//! Text with marks: the events of a Markdown parser, which libraries write as HTML and as Markdown.

use pulldown_cmark::{CowStr, Event, LinkType, Tag};

/// Whatever words come in stay words: only these functions mark them up.
#[derive(Clone, Default, Debug)]
pub(super) struct Text(Vec<Event<'static>>);

impl Text {
    pub(super) fn plain(self, text: impl AsRef<str>) -> Self {
        match one_line(text.as_ref()) {
            text if text.is_empty() => self,
            text => self.and([Event::Text(text.into())]),
        }
    }

    /// Without spaces at its ends, where Markdown has no marks.
    pub(super) fn strong(self, text: impl AsRef<str>) -> Self {
        match text.as_ref().trim() {
            "" => self,
            text => self.and(Self::from(text).within(Tag::Strong)),
        }
    }

    pub(super) fn code(self, text: &str) -> Self {
        match one_line(text).trim() {
            "" => self,
            text => self.and([Event::Code(text.to_owned().into())]),
        }
    }

    pub(super) fn link(self, text: &str, to: &str) -> Self {
        let (link_type, dest_url) = (LinkType::Inline, address(to));
        let (title, id) = ("".into(), "".into());
        self.and(Self::from(text).within(Tag::Link { link_type, dest_url, title, id }))
    }

    pub(super) fn image(alt: &str, to: &str) -> Self {
        let (link_type, dest_url) = (LinkType::Inline, address(to));
        let (title, id) = ("".into(), "".into());
        Self::from(alt).within(Tag::Image { link_type, dest_url, title, id })
    }

    pub(super) fn and(mut self, more: impl IntoIterator<Item = Event<'static>>) -> Self {
        self.0.extend(more);
        self
    }

    pub(super) fn within(self, tag: Tag<'static>) -> Self {
        let end = Event::End(tag.to_end());
        Self(vec![Event::Start(tag)]).and(self).and([end])
    }

    /// The same as a paragraph, a point of a list or a table's cell.
    pub(super) fn block(mut self, tag: Tag<'static>) -> Self {
        if let Some(Event::Text(last)) = self.0.pop_if(|last| matches!(last, Event::Text(_))) {
            // In Markdown spaces end no block, and a backslash would join a cell to the next.
            let last = last.trim_end();
            let end = last.ends_with('\\').then(|| Event::InlineHtml("<!---->".into()));
            self = self.plain(last).and(end);
        }
        self.within(tag)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// Within a block of Markdown a new line is a space.
fn one_line(text: &str) -> String {
    text.replace(['\n', '\r'], " ")
}

/// An address, without what would end a cell of Markdown.
fn address(to: &str) -> CowStr<'static> {
    to.replace('|', "%7C").into()
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
