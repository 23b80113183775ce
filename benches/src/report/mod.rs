//! Draws the report: a pure function of records, which never measures and calls no filter's code.
//!
//! | part | what it is |
//! | --- | --- |
//! | `data` | the records, and what follows from a cell's rows |
//! | `answer`, `advised`, `cost`, `names` | the first screen: what to choose for each need |
//! | `front` | the second and third: two plots, ratios |
//! | `chooser`, `curves`, `courses`, `theory`, `tables`, `advice`, `about` | the folded sections |
//! | `doc`, `html`, `markdown` | one document, written in two ways |
//! | `plot`, `labels`, `look` | a plot as data, and its picture |
//! | `number`, `link` | numbers in words, ways to records |

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
mod front;
mod html;
mod labels;
mod link;
mod look;
mod markdown;
mod names;
mod number;
mod plot;
mod tables;
#[cfg(test)]
mod tests;
mod theory;

use crate::record::write_atomically;
use anyhow::Result;
use data::Data;
use doc::{Block, Document, Text};
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
    let document = document(&data)?;
    for figure in front_figures(&document) {
        write_atomically(&out.join(format!("{}.svg", figure.slug)), figure.svg.as_bytes())?;
    }
    let is_latest = out.file_name().is_some_and(|name| name == "latest");
    let (above, latest) = match out.parent() {
        Some(above) if is_latest => (above, "latest/"),
        _ => (out, ""),
    };
    let readme = markdown::page(&document, latest);
    write_atomically(&above.join("README.md"), readme.as_bytes())?;
    let page = out.join("index.html");
    write_atomically(&page, html::page(&document).as_bytes())?;
    let table = answer::summary(&document.first);
    Ok(Rendered { page, table })
}

/// The plots that the README shows.
fn front_figures(document: &Document) -> impl Iterator<Item = &doc::Figure> {
    document.first.iter().flat_map(|block| match block {
        Block::Figures(figures) => figures.as_slice(),
        _ => &[],
    })
}

/// The whole page.
fn document(data: &Data) -> Result<Document> {
    let mut first = about::warnings(data);
    first.push(Block::Heading("Which filter?"));
    first.extend(answer::blocks(data));
    first.push(Block::Heading("Time against space, rate against space"));
    first.push(front::plots(data)?);
    first.push(Block::Heading("Beside the best of its family"));
    first.extend(front::ratios(data));
    let mut sections = vec![chooser::section(data)];
    sections.extend(advice::sections(data));
    sections.extend(curves::sections(data)?);
    sections.extend(courses::sections(data)?);
    sections.extend(theory::sections(data)?);
    sections.extend(tables::sections(data));
    sections.extend(about::sections(data));
    let count = data.filters().count();
    Ok(Document {
        title: "Approximate-membership filters compared".to_owned(),
        lead: Text::from(format!(
            "{count} filters and sets over the same keys, each verified before it was timed. {}.",
            about::place(data)
        )),
        first,
        sections,
    })
}
