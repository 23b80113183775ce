//! The document as a README of at most 300 lines: what decides, the short sections, and links.

use super::doc::{Answer, Block, Document, Figure, Pick, Section, Span, Table, Text};
use std::fmt::Write;

/// The README; plots and the page lie in the folder `latest` below it, or beside it if empty.
pub(super) fn page(document: &Document, latest: &str) -> String {
    let mut out = format!(
        "<!-- Drawn by amq-bench from the records; do not edit. -->\n\n# {}\n\n{}\n\n",
        plain(&document.title),
        text(&document.lead)
    );
    for part in &document.first {
        block(&mut out, part, latest);
    }
    out += "## All else\n\n";
    let _ = writeln!(
        out,
        "The [page]({latest}index.html) (one file, to download and open) has these with their plots and tables:\n"
    );
    for Section { anchor, title, finding, .. } in &document.sections {
        let title = plain(title);
        let _ = writeln!(out, "- [{title}]({latest}index.html#{anchor}): {}", plain(finding));
    }
    for section in document.sections.iter().filter(|section| section.in_readme) {
        let _ = write!(out, "\n## {}\n\n", plain(&section.title));
        for part in &section.blocks {
            block(&mut out, part, latest);
        }
    }
    out.trim_end().to_owned() + "\n"
}

/// Escapes what Markdown or HTML would take for its own, and keeps text on one line.
fn plain(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\\' | '`' | '*' | '_' | '[' | ']' | '|' | '#' | '~' => escaped.extend(['\\', c]),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '&' => escaped.push_str("&amp;"),
            '\n' | '\r' => escaped.push(' '),
            c => escaped.push(c),
        }
    }
    escaped
}

/// Code in a run of backticks that it does not hold itself.
fn code(text: &str) -> String {
    let text = text.replace(['\n', '\r'], " ").replace('|', "\\|");
    let mut fence = "`".to_owned();
    while text.contains(&fence) {
        fence.push('`');
    }
    let pad = if text.starts_with('`') || text.ends_with('`') { " " } else { "" };
    format!("{fence}{pad}{text}{pad}{fence}")
}

fn text(text: &Text) -> String {
    let span = |span: &Span| match span {
        Span::Plain(words) => plain(words),
        Span::Code(words) => code(words),
        Span::Strong(words) => format!("**{}**", plain(words)),
        Span::Link(words, to) => format!("[{}]({to})", plain(words)),
    };
    text.0.iter().map(span).collect()
}

fn block(out: &mut String, block: &Block, latest: &str) {
    match block {
        Block::Heading(words) => *out += &format!("## {}\n\n", plain(words)),
        Block::Para(words) => *out += &format!("{}\n\n", text(words)),
        Block::Warning(words) => *out += &format!("> **Note:** {}\n\n", text(words)),
        Block::List(points) => {
            points.iter().for_each(|point| *out += &format!("- {}\n", text(point)));
            out.push('\n');
        }
        Block::Code(lines) => {
            lines.lines().for_each(|line| *out += &format!("    {line}\n"));
            out.push('\n');
        }
        Block::Facts(facts) => {
            let fact =
                |(name, value): &(&str, String)| *out += &format!("- {name}: {}\n", plain(value));
            facts.iter().for_each(fact);
            out.push('\n');
        }
        Block::Answers(answers) => {
            let head = ["you need", "choose", "", "why", "its cost", "runner-up"];
            rows(out, &head, answers.iter().map(answer));
        }
        Block::Table(whole) => table(out, whole),
        Block::Figures(figures) => figures.iter().for_each(|each| figure(out, each, latest)),
        Block::Chooser(_) => {}
    }
}

fn rows(out: &mut String, head: &[&str], rows: impl Iterator<Item = Vec<String>>) {
    let line = |cells: Vec<String>| format!("| {} |\n", cells.join(" | "));
    *out += &line(head.iter().map(|name| plain(name)).collect());
    *out += &line(vec!["---".to_owned(); head.len()]);
    rows.for_each(|cells| *out += &line(cells));
    out.push('\n');
}

fn pick(pick: &Pick) -> String {
    let krate = match pick.krate.as_str() {
        "" => String::new(),
        krate => format!(" ({})", plain(krate)),
    };
    let import = match pick.import.as_str() {
        "" => String::new(),
        import => format!(" {}", code(import)),
    };
    format!("**{}**{krate}{import}", plain(&pick.name))
}

fn answer(answer: &Answer) -> Vec<String> {
    let choose: Vec<String> = answer.choose.iter().map(pick).collect();
    vec![
        plain(&answer.need),
        choose.join("; a tie with "),
        plain(&answer.figure),
        plain(&answer.why),
        plain(&answer.cost),
        text(&answer.runner_up),
    ]
}

fn table(out: &mut String, table: &Table) {
    if !table.caption.0.is_empty() {
        *out += &format!("{}\n\n", text(&table.caption));
    }
    let is_grouped = table.groups.len() > 1;
    let mut head = table.head.clone();
    if is_grouped {
        head.insert(0, "family");
    }
    let all = table.groups.iter().flat_map(|(name, rows)| rows.iter().map(move |row| (name, row)));
    rows(
        out,
        &head,
        all.map(|(name, row)| {
            let cells = row.iter().map(text);
            is_grouped.then(|| plain(name)).into_iter().chain(cells).collect()
        }),
    );
}

fn figure(out: &mut String, figure: &Figure, latest: &str) {
    let alt = plain(&figure.alt);
    *out += &format!("![{alt}]({latest}{}.svg)\n\n{}\n\n", figure.slug, text(&figure.caption));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hostile_words_stay_words() {
        assert_eq!(plain("a|b_<i>&\n`x`"), "a\\|b\\_&lt;i&gt;&amp; \\`x\\`");
        assert_eq!(code("a`b|c"), "``a`b\\|c``");
        assert_eq!(code("`"), "`` ` ``");
    }
}
