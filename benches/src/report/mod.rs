//! Draws the report: a pure function of records, which never measures and calls no filter's code.
//!
//! | part | what it is |
//! | --- | --- |
//! | `data`, `entry` | the records, and what follows from a cell's rows |
//! | `answer`, `advised`, `cost`, `names` | the first screen: what to choose for each need |
//! | `front` | the second and third: two plots, ratios |
//! | `chooser` to `about` in `document` | the folded sections |
//! | `doc`, `markdown`, `html` | one document in Markdown, and the page made of it |
//! | `plot`, `picture`, `labels`, `look` | a plot as data, and its picture |
//! | `number`, `link` | numbers in words, ways to records |
//!
//! `texts.toml` lists the needs of the first table, the worked choices and the limits.

mod about;
mod advice;
mod advised;
mod answer;
mod chooser;
mod cost;
mod courses;
mod curves;
mod data;
mod doc;
mod entry;
mod front;
mod html;
mod labels;
mod link;
mod look;
mod markdown;
mod names;
mod number;
mod picture;
mod plot;
mod sizes;
mod tables;
#[cfg(test)]
mod tests;
mod theory;

use crate::record::{Workload, write_atomically};
use anyhow::Result;
use data::Data;
use doc::{Block, Document, Section, Text};
use std::path::{Path, PathBuf};

/// The drawn report.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Rendered {
    /// The page.
    pub page: PathBuf,
    /// The answers as plain text.
    pub table: String,
}

/// Draws one run's records into a folder: `index.html`, the two main plots as files, and a
/// `README.md` (in the parent if the folder is called `latest`, to be the parent's front page).
pub fn render(records: &Path, out: &Path) -> Result<Rendered> {
    let mut data = Data::read(records)?;
    data.link = link::relative(out, records);
    let document = document(&data);
    for block in &document.first {
        let Block::Figures(plots) = block else { continue };
        for plot in plots {
            let svg = plot.draw(plot.size, false)?;
            write_atomically(&out.join(format!("{}.svg", plot.slug)), svg.as_bytes())?;
        }
    }
    let is_latest = out.file_name().is_some_and(|name| name == "latest");
    let (above, latest) = match out.parent() {
        Some(above) if is_latest => (above, "latest/"),
        _ => (out, ""),
    };
    let readme = markdown::page(&document, latest);
    write_atomically(&above.join("README.md"), readme.as_bytes())?;
    let page = out.join("index.html");
    write_atomically(&page, html::page(&document)?.as_bytes())?;
    Ok(Rendered { page, table: answer::summary(&document.first) })
}

/// The whole page.
fn document(data: &Data) -> Document {
    let mut first = about::warnings(data);
    first.push(Block::Heading("Which filter?"));
    first.extend(answer::blocks(data));
    first.push(Block::Heading("Time against space, rate against space"));
    first.push(front::plots(data));
    first.push(Block::Heading("Beside the best of its family"));
    first.push(front::ratios(data));
    let title = "Approximate-membership filters compared".to_owned();
    let (count, place) = (data.filters().count(), about::place(data));
    let lead = format!(
        "{count} filters and sets over the same keys, each verified before it was timed. {place}."
    );
    Document { title, lead: Text::from(lead), first, sections: sections(data) }
}

/// The folded sections: a name in links, a title, and what is found.
fn sections(data: &Data) -> Vec<Section> {
    let of = Section::new;
    let timed = |workload, what| courses::timed(data, workload, what);
    let churn = timed(Workload::Churn, "replacing a key");
    let merge = timed(Workload::Merge, "taking in a key of the other");
    let removal = timed(Workload::Remove, "taking a key out");
    vec![
        of("chooser", "Choose by your own numbers", chooser::found(data)),
        of("sizes", "Fewer keys, or more", sizes::found(data)),
        of("worked", "Worked choices", advice::worked(data)),
        of("engines", "Lines for engines with filters of their own", advice::engines(data)),
        of("query", "Query time against size", curves::query(data)),
        of("build", "Build time and peak memory", curves::build(data)),
        of("share", "Present and absent keys", curves::share(data)),
        of("latency", "When the next question waits", curves::latency(data)),
        of("net", "Net of hashing", curves::net(data)),
        of("load", "Inserting into a fuller and fuller table", courses::load(data)),
        of("growth", "Growing a hundredfold", courses::grow(data)),
        of("overfill", "Past the plan", courses::overfill(data)),
        of("churn", "Replacing keys in a nearly full filter", churn),
        of("merge", "Merging", merge),
        of("removal", "Removing", removal),
        of("verdict", "Measured rates over theory's", theory::verdict(data)),
        of("crossover", "Which filter at which cost", theory::crossover(data)),
        of("construction", "How many slots a ribbon needs", theory::construction(data)),
        of("abilities", "Who can do what", tables::abilities(data)).in_readme(),
        of("numbers", "All numbers", tables::numbers(data)),
        of("keys", "Other keys", tables::other_keys(data)),
        of("claims", "Claims checked", tables::claims(data)).in_readme(),
        of("machine", "Measured on", about::machine(data)).in_readme(),
        of("noise", "How much is noise", about::noise(data)),
        of("limits", "Limits and bias", about::limits(data)).in_readme(),
    ]
}
