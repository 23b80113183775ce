//! Tables and prose that fit a terminal of 80 columns.

use comfy_table::{CellAlignment, Table, presets};

/// The default width of a terminal.
const WIDTH: usize = 80;

/// A table whose first column is text, and whose others are numbers. A head may have two lines.
/// Columns stand two spaces apart, or one where they would not fit.
pub(crate) fn table(head: &[&str], rows: &[Vec<String>]) -> String {
    let wide = drawn(head, rows, 2);
    let fits = wide.lines().all(|line| line.chars().count() <= WIDTH);
    if fits { wide } else { drawn(head, rows, 1) }
}

fn drawn(head: &[&str], rows: &[Vec<String>], apart: u16) -> String {
    let mut table = Table::new();
    table.load_preset(presets::NOTHING).set_header(head).add_rows(rows);
    for column in table.column_iter_mut() {
        column.set_padding((apart, 0)).set_cell_alignment(CellAlignment::Right);
    }
    if let Some(first) = table.column_mut(0) {
        first.set_padding((0, 0)).set_cell_alignment(CellAlignment::Left);
    }
    table.to_string().lines().map(|line| format!("{}\n", line.trim_end())).collect()
}

/// Text with its long sentences folded between words; after a number or a dash they hang. Lines to
/// copy, which are indented, and tables stay as they are.
pub(crate) fn folded(text: &str) -> String {
    let line = |line: &str| match line.split_at_checked(4) {
        Some(("    ", _)) => format!("{line}\n"),
        Some((_, rest)) if line.chars().count() <= WIDTH || rest.contains("  ") => {
            format!("{line}\n")
        }
        Some((mark, rest)) if mark.ends_with("  ") => wrapped(mark, rest),
        _ => wrapped("", line),
    };
    text.lines().map(line).collect()
}

/// A sentence after its number or dash, wrapped between words with a hanging indent.
fn wrapped(prefix: &str, text: &str) -> String {
    let indent = prefix.chars().count();
    let mut lines = prefix.to_owned();
    let mut column = indent;
    for word in text.split_whitespace() {
        let length = word.chars().count();
        if column > indent && column + 1 + length > WIDTH {
            lines += &format!("\n{:indent$}", "");
            column = indent;
        } else if column > indent {
            lines.push(' ');
            column += 1;
        }
        lines += word;
        column += length;
    }
    lines + "\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_move_together_where_they_must() {
        let row = |text: &str| vec!["a".repeat(30), text.to_owned(), text.to_owned()];
        let lines = |text: &str| table(&["kind", "one\ntwo", "three"], &[row(text)]);
        let narrow = lines("1");
        assert_eq!(narrow.lines().nth(2).unwrap(), format!("{}    1      1", "a".repeat(30)));
        assert_eq!(lines(&"1".repeat(24)).lines().nth(2).unwrap().len(), 30 + 2 * 24 + 2);
    }

    #[test]
    fn sentences_break_between_words() {
        let text = wrapped(" 1  ", &"seven12 ".repeat(30));
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines[0], format!(" 1  {}", "seven12 ".repeat(9).trim_end()));
        assert_eq!(lines[1], format!("    {}", "seven12 ".repeat(9).trim_end()));
        assert_eq!(text.split_whitespace().count(), 31);
        assert_eq!(wrapped("- ", "short"), "- short\n");
        let long = "seven12 ".repeat(30);
        assert_eq!(folded(&format!(" 1  {long}\n\n")), text + "\n");
        for stays in [format!("    {long}"), format!(" 1  two  {long}"), "short".into()] {
            assert_eq!(folded(&stays), stays + "\n");
        }
        // A word that is too long gets a line of its own.
        assert_eq!(wrapped("- ", &"x".repeat(99)).lines().count(), 1);
    }
}
