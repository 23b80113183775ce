//! A table, built column by column.

use maud::{Markup, Render, html};

/// A table with columns of words first, then columns of numbers.
pub(super) struct Table<'a, T> {
    of: &'a [T],
    head: Vec<String>,
    words: usize,
    rows: Vec<Vec<Markup>>,
}

impl<'a, T> Table<'a, T> {
    pub(super) fn of(of: &'a [T]) -> Self {
        Self { of, head: Vec::new(), words: 0, rows: of.iter().map(|_| Vec::new()).collect() }
    }

    pub(super) fn word<C: Render>(mut self, head: &str, of: impl Fn(&'a T) -> C) -> Self {
        self.words += 1;
        self.number(head, |row| Some(of(row)))
    }

    /// Missing numbers are shown as a hyphen.
    pub(super) fn number<C: Render>(mut self, head: &str, of: impl Fn(&'a T) -> Option<C>) -> Self {
        self.head.push(head.to_owned());
        for (row, of_row) in self.rows.iter_mut().zip(self.of) {
            row.push(match of(of_row) {
                Some(cell) => cell.render(),
                None => html! { "-" },
            });
        }
        self
    }

    /// Scrolling areas can be focused by keyboard.
    pub(super) fn html(&self, caption: &str) -> Markup {
        html! {
            @if !caption.is_empty() { p { (caption) } }
            div class=(format!("scroll w{}", self.words)) tabindex="0" {
                table {
                    thead { tr { @for head in &self.head { th scope="col" { (head) } } } }
                    tbody {
                        @for row in &self.rows {
                            tr {
                                @for (index, cell) in row.iter().enumerate() {
                                    @if index == 0 { th scope="row" { (cell) } } @else { td { (cell) } }
                                }
                            }
                        }
                    }
                }
            }
        }
    }
}
