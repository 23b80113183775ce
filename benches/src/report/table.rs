//! A table as data, made column by column.

use super::text::Text;
use pulldown_cmark::{Alignment, Tag};

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
    pub(super) table: Table,
}

impl Table {
    pub(super) fn of<T>(of: &[T]) -> Columns<'_, T> {
        let rows = of.iter().map(|_| Vec::new()).collect();
        Columns { of, table: Self { head: Vec::new(), words: 0, rows } }
    }

    pub(super) fn text(&self) -> Text {
        let row = |cells: &Vec<Text>, tag| {
            let cells = cells.iter().map(|cell| cell.clone().block(Tag::TableCell));
            cells.collect::<Text>().within(tag)
        };
        let rows = self.rows.iter().map(|cells| row(cells, Tag::TableRow));
        let all = [row(&self.head, Tag::TableHead)].into_iter().chain(rows);
        all.collect::<Text>().within(Tag::Table(vec![Alignment::None; self.head.len()]))
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
}
