//! Text with marks: the events of a Markdown parser, which libraries write as HTML and as Markdown.

use pulldown_cmark::{CowStr, Event, LinkType, Tag};

/// Whatever words come in stay words: only these functions mark them up.
#[derive(Clone, Default, Debug)]
pub(super) struct Text(pub(super) Vec<Event<'static>>);

impl Text {
    pub(super) fn plain(self, text: impl AsRef<str>) -> Self {
        self.words(Event::Text, text.as_ref())
    }

    pub(super) fn code(self, text: &str) -> Self {
        self.words(Event::Code, text.trim())
    }

    /// Newlines become spaces, and empty text is dropped.
    fn words(self, kind: fn(CowStr<'static>) -> Event<'static>, text: &str) -> Self {
        let line = text.replace(['\n', '\r'], " ");
        self.and((!line.is_empty()).then(|| kind(line.into())))
    }

    /// Without spaces at its ends, next to which Markdown has no emphasis.
    pub(super) fn strong(self, text: impl AsRef<str>) -> Self {
        let text = Self::from(text.as_ref().trim());
        if text.0.is_empty() { self } else { self.and(text.within(Tag::Strong).0) }
    }

    pub(super) fn link(self, text: &str, to: &str) -> Self {
        let (link_type, dest_url, title, id) = address(to);
        self.and(Self::from(text).within(Tag::Link { link_type, dest_url, title, id }).0)
    }

    pub(super) fn image(alt: &str, to: &str) -> Self {
        let (link_type, dest_url, title, id) = address(to);
        Self::from(alt).within(Tag::Image { link_type, dest_url, title, id })
    }

    pub(super) fn and(mut self, more: impl IntoIterator<Item = Event<'static>>) -> Self {
        self.0.extend(more);
        self
    }

    pub(super) fn within(mut self, tag: Tag<'static>) -> Self {
        self.0.push(Event::End(tag.to_end()));
        self.0.insert(0, Event::Start(tag));
        self
    }

    /// Wraps the text in a paragraph, a point of a list or a cell of a table.
    pub(super) fn block(mut self, tag: Tag<'static>) -> Self {
        if let Some(Event::Text(last)) = self.0.pop_if(|last| matches!(last, Event::Text(_))) {
            // Markdown drops spaces at the end, and a last backslash would escape a cell's bar.
            let end = last.trim_end().ends_with('\\').then(|| Event::InlineHtml("<!---->".into()));
            self = self.plain(last.trim_end()).and(end);
        }
        self.within(tag)
    }
}

/// In a table, `|` would end the cell.
fn address(to: &str) -> (LinkType, CowStr<'static>, CowStr<'static>, CowStr<'static>) {
    (LinkType::Inline, to.replace('|', "%7C").into(), "".into(), "".into())
}

impl<S: AsRef<str>> From<S> for Text {
    fn from(text: S) -> Self {
        Self::default().plain(text)
    }
}

impl FromIterator<Self> for Text {
    fn from_iter<I: IntoIterator<Item = Self>>(parts: I) -> Self {
        Self(parts.into_iter().flat_map(|part| part.0).collect())
    }
}
