//! The tables in SECURITY.md.

use std::fmt::Write;
use std::path::Path;
use std::sync::Mutex;

/// The tests run side by side, and write one page.
static PAGE: Mutex<()> = Mutex::new(());

/// A table of Markdown: a row of names, and rows of cells.
pub(super) struct Table(String);

impl Table {
    pub(super) fn new<const N: usize>(names: [&str; N]) -> Self {
        let mut table = Self(String::new());
        table.row(names);
        table.row([("---"); N]);
        table
    }

    pub(super) fn row<const N: usize>(&mut self, cells: [impl AsRef<str>; N]) {
        for cell in cells {
            write!(self.0, "| {} ", cell.as_ref()).unwrap();
        }
        self.0.push_str("|\n");
    }

    /// Compares the table with the one under this name in SECURITY.md, or writes it there if
    /// `AMQ_BLESS=1` is set.
    pub(super) fn check(&self, name: &str) {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../SECURITY.md");
        let alone = PAGE.lock().unwrap();
        let page = std::fs::read_to_string(&path).unwrap();
        let begin = format!("<!-- attack: {name}: written by the tests of amq, AMQ_BLESS=1 -->\n");
        let end = format!("<!-- end of {name} -->\n");
        let cut = |text: &str, mark: &str| {
            let (before, after) = text.split_once(mark).unwrap();
            (before.to_owned(), after.to_owned())
        };
        let (before, rest) = cut(&page, &begin);
        let (listed, after) = cut(&rest, &end);
        let table = format!("\n{}\n", self.0);
        if std::env::var_os("AMQ_BLESS").is_some_and(|value| value == "1") {
            std::fs::write(&path, [before, begin, table, end, after].concat()).unwrap();
            return;
        }
        // So that a table that differs fails its own test alone.
        drop(alone);
        assert!(
            listed == table,
            "SECURITY.md's table {name} is not what the attack counts; look at the numbers, then \
             run the tests once with AMQ_BLESS=1:\n{table}"
        );
    }
}
