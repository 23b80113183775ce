//! Draws the report: a pure function of records and theory, which never measures.
//!
//! | part | what it is |
//! | --- | --- |
//! | `data`, `entry`, `ties` | the records, sorted into heats, and what follows from them |
//! | `answer`, `machine_box`, `plots`, `abilities`, `numbers`, `beyond`, `courses`, `construction`, `other_keys`, `claims`, `limits` | the page's sections |
//! | `document`, `html`, `markdown`, `link` | one document, written in two ways |
//! | `text` | the table for the terminal |
//! | `chart`, `axis`, `labels`, `draw`, `svg`, `style` | a plot as data, and its picture |
//! | `number` | numbers in words |

mod abilities;
mod answer;
mod axis;
mod beyond;
mod chart;
mod claims;
mod construction;
mod courses;
mod data;
mod document;
mod draw;
mod entry;
mod html;
mod labels;
mod limits;
mod link;
mod machine_box;
mod markdown;
mod number;
mod numbers;
mod other_keys;
mod plots;
mod style;
mod svg;
mod text;
mod ties;

#[cfg(test)]
mod tests;

use crate::store::write_atomically;
use crate::suite::Suite;
use anyhow::Result;
use data::Data;
use document::{Block, Document, Spans};
use markdown::Places;
use std::path::{Path, PathBuf};

/// The drawn report.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Rendered {
    /// The page.
    pub page: PathBuf,
    /// The numbers as plain text.
    pub table: String,
}

/// Draws one run's records into a folder: `index.html`, a file per plot, and a `README.md` with the
/// same contents (in the parent if the folder is called `latest`, to be the parent's front page).
pub fn render(records: &Path, out: &Path) -> Result<Rendered> {
    let data = Data::read(records)?;
    let document = document(&data)?;
    for figure in document.figures() {
        let file = svg::file(&figure.svg, draw::SCALE);
        write_atomically(&out.join(format!("{}.svg", figure.slug)), file.as_bytes())?;
    }
    let is_latest = out.file_name().is_some_and(|name| name == "latest");
    let (readme, plots) = match out.parent() {
        Some(above) if is_latest => (above.to_owned(), "latest/"),
        _ => (out.to_owned(), ""),
    };
    let places = Places {
        plots,
        records: link::relative(&readme, &data.folder, out),
    };
    let readme = readme.join("README.md");
    write_atomically(&readme, markdown::page(&document, &places).as_bytes())?;
    let page = out.join("index.html");
    let html = html::page(&document, link::relative(out, &data.folder, out).as_deref());
    write_atomically(&page, html.as_bytes())?;
    Ok(Rendered {
        page,
        table: text::table(&data),
    })
}

/// The whole page.
fn document(data: &Data) -> Result<Document> {
    let heading = |text: &str, anchor: &str| Block::Heading {
        text: text.to_owned(),
        anchor: anchor.to_owned(),
    };
    let mut blocks = warnings(data);
    blocks.push(heading("Which filter should I choose?", "answer"));
    blocks.extend(answer::blocks(data));
    blocks.push(heading("Measured on", "machine"));
    blocks.extend(machine_box::blocks(data));
    blocks.push(heading("Plots", "plots"));
    let (figures, left_out) = plots::all(data)?;
    blocks.extend(figures.into_iter().map(Block::Figure));
    if !left_out.is_empty() {
        blocks.push(Block::Para(Spans::from("Left out:")));
        blocks.push(Block::List(left_out.into_iter().map(Spans::from).collect()));
    }
    blocks.push(heading("Who can do what", "abilities"));
    blocks.extend(abilities::blocks(data));
    blocks.push(heading("All numbers", "numbers"));
    blocks.extend(numbers::blocks(data));
    blocks.extend(other_keys::blocks(data));
    blocks.push(heading("Claims checked", "claims"));
    blocks.extend(claims::blocks(data));
    blocks.push(heading("Limits and bias", "limits"));
    blocks.extend(limits::blocks(data));
    let contenders = match data.filters().len() {
        1 => "One filter".to_owned(),
        several => format!("{several} filters and sets"),
    };
    Ok(Document {
        title: "Approximate-membership filters compared".to_owned(),
        lead: Spans::from(format!(
            "{contenders} over the same keys, each verified before it was timed; lines are theory, marks are measured.",
        )),
        blocks,
    })
}

/// Warnings to read before the rest of the page.
fn warnings(data: &Data) -> Vec<Block> {
    let mut warnings = Vec::new();
    let mut warn = |text: String| warnings.push(Block::Warning(Spans::from(text)));
    if data.run.options.suite == Suite::Smoke {
        warn(
            "This is the smoke suite: it shows that everything works. Its times mean nothing."
                .to_owned(),
        );
    }
    if !data.run.options.profile.starts_with("release") {
        warn(format!(
            "Not measured with a release build ({}): its times mean little.",
            data.run.options.profile
        ));
    }
    if !data.run.complete {
        warn("The run was not finished: cells are missing. Continue it with --resume.".to_owned());
    }
    let heats = data.all_heats();
    let mut failed: Vec<&str> = heats
        .iter()
        .flat_map(|heat| &heat.entries)
        .filter(|entry| entry.rows.iter().any(|row| !row.error.is_empty()))
        .map(|entry| entry.name())
        .collect();
    failed.extend(beyond::failed(data));
    failed.extend(courses::failed(data));
    failed.extend(construction::failed(data));
    if !failed.is_empty() {
        let mut names = failed.clone();
        names.sort_unstable();
        names.dedup();
        warn(format!(
            "{} failed ({}): shown as errors, without numbers.",
            if failed.len() == 1 {
                "One cell".to_owned()
            } else {
                format!("{} cells", failed.len())
            },
            number::list(&names)
        ));
    }
    warnings
}
