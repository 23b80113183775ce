//! Wraps prose to a terminal of 80 columns.

/// The default width of a terminal.
const WIDTH: usize = 80;

/// Wraps long sentences between words, with a hanging indent after a number or a dash. Indented
/// lines, which are for copying, and tables stay as they are.
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
        // A word that is too long gets its own line.
        assert_eq!(wrapped("- ", &"x".repeat(99)).lines().count(), 1);
    }
}
