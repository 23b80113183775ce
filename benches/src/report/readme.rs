//! The README: results, one plot, the table of needs, and links to the page.

use super::Page;
use super::needs::{self, Verdict};
use super::plot::Plot;

/// In Markdown. `latest` is the folder of the page and the plots relative to the README, or empty.
pub(super) fn readme(page: &Page, latest: &str, method: Option<&str>) -> String {
    let mut text = "<!-- Drawn by amq-bench from the records; do not edit. -->\n\n\
                    # Approximate-membership filters compared\n\n"
        .to_owned();
    text += &format!("{}. Measure it again: {}\n\n", words(&page.place), code(&page.command));
    for warning in &page.warnings {
        text += &format!("> {warning}\n\n");
    }
    for sentence in &page.found {
        text += &format!("- {}\n", words(sentence));
    }
    text += "\n## Time against space\n\n";
    text += &match &page.best {
        Some(plot) => image(plot, latest),
        None => "No plot: nothing was measured at one rate.\n\n".to_owned(),
    };
    text += &format!("## Ours beside the best other crate\n\n{}", table(&page.needs));
    if let Some(plot) = page.plots.iter().find(|plot| plot.is_file()) {
        text += &format!("## Rate against space\n\n{}", image(plot, latest));
    }
    text += &format!(
        "## The page\n\nThe [page]({latest}index.html), to be downloaded, asks the advisor about your \
         numbers, explains each family, and has all numbers.",
    );
    if let Some(method) = method {
        text += &format!(" The [method]({method}) says how they are measured.");
    }
    text += "\n\n";
    for section in &page.sections {
        text += &format!("- [{}]({latest}index.html#{})\n", section.title, section.anchor);
    }
    text
}

fn image(plot: &Plot, latest: &str) -> String {
    let caption = words(&plot.caption);
    format!("![{}]({latest}{}.svg)\n\n{caption}\n\n", words(&plot.alt()), plot.slug)
}

fn table(needs: &needs::Needs) -> String {
    let mut head =
        ["need", "ours", "", "best other crate", "", "unit", "ratio"].map(str::to_owned).to_vec();
    head.extend(needs.machines.iter().map(|machine| format!("ratio, {}", words(machine))));
    head.push("result".to_owned());
    let line = |cells: &[String]| format!("| {} |\n", cells.join(" | "));
    let mut text = line(&head) + &line(&vec!["---".to_owned(); head.len()]);
    let ratio = |ratio: Option<f64>| ratio.map_or("-".to_owned(), |ratio| format!("{ratio:.2}"));
    for row in &needs.rows {
        let (other, number) = match &row.other {
            Some(other) => (other.name.clone(), row.number(other.number)),
            None => ("none".to_owned(), "-".to_owned()),
        };
        let mut cells =
            vec![row.need.to_owned(), row.ours.name.clone(), row.number(row.ours.number)];
        cells.extend([other, number, row.unit.to_owned(), ratio(row.ratio())]);
        cells.extend(row.elsewhere.iter().map(|elsewhere| ratio(*elsewhere)));
        let result = row.result.words();
        cells.push(if row.result == Verdict::Theirs {
            format!("**{result}**")
        } else {
            result.to_owned()
        });
        text += &line(&cells);
    }
    let caption =
        words(&needs::caption(needs).replace(" Numbers in italics rest", " Some rows rest"));
    format!("{text}\n{caption}\n\nMeasure this table alone: {}\n\n", code(&needs.command))
}

/// Escapes the characters that Markdown could interpret.
pub(super) fn words(text: &str) -> String {
    let mut out = String::new();
    for c in text.chars() {
        if "\\`*_{}[]<>#|&~!".contains(c) {
            out.push('\\');
        }
        out.push(if c.is_control() { ' ' } else { c });
    }
    out
}

fn code(text: &str) -> String {
    // A backtick would end the code. Our commands contain none, but a name may.
    format!("`{}`", text.replace('`', "'").replace(['\n', '\r'], " "))
}
