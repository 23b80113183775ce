//! Draws the report: a function of records, which never measures, and of the advisor, which plans.
//!
//! `texts.toml` lists the needs of the first table, the worked choices and the limits.

mod about;
mod advice;
mod answer;
mod ask;
mod curves;
mod data;
mod doc;
mod entry;
mod front;
mod html;
mod labels;
mod look;
mod needs;
mod number;
mod picture;
mod plot;
mod readme;
mod table;
mod tables;
#[cfg(test)]
mod tests;
mod text;
mod threads;
pub mod times;

use anyhow::Result;
use doc::{Document, Section};
use prelude::*;
use std::path::{Path, PathBuf, absolute};

/// What all sections are made of.
mod prelude {
    pub(super) use super::data::{Data, Of};
    pub(super) use super::doc::{Block, Found, figures};
    pub(super) use super::entry::{Entry, Number, Ranked, ranked};
    pub(super) use super::look::{LOOKS, Look};
    pub(super) use super::number::*;
    pub(super) use super::plot::{Axis, Mark, Names, Plot, Series, told_apart};
    pub(super) use super::table::Table;
    pub(super) use super::text::Text;
    pub(super) use crate::record::*;
}

/// Draws a run's records into a folder: `index.html`, the main plots as files, and a `README.md`
/// (in the parent if the folder is called `latest`, to be the parent's front page). Answers that
/// are others by other machines' records are marked. Returns the page's path, and the answers as
/// plain text.
pub fn render(records: &Records, others: &[Records], out: &Path) -> Result<(PathBuf, String)> {
    let mut data = Data::read(records)?;
    data.link = link(out, records.folder());
    let others: Vec<Data> = others.iter().map(Data::read).collect::<Result<_>>()?;
    let document = document(&data, &others);
    let blocks = || document.first.iter().flat_map(|(_, blocks)| blocks);
    for block in blocks() {
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
    write_atomically(&above.join("README.md"), readme::readme(&document, latest)?.as_bytes())?;
    let page = out.join("index.html");
    write_atomically(&page, html::page(&document)?.as_bytes())?;
    Ok((page, answer::summary(blocks())))
}

/// The way from the page's folder to the records, if both lie below the folder above the page's,
/// and so are published together. Names that could end a link have none.
fn link(out: &Path, records: &Path) -> Option<String> {
    let (out, records) = (absolute(out).ok()?, absolute(records).ok()?);
    let below = records.strip_prefix(out.parent()?).ok()?.to_str()?;
    let is_plain = |c: char| c.is_alphanumeric() || "/-_. ".contains(c);
    below.chars().all(is_plain).then(|| format!("../{below}"))
}

fn document(data: &Data, others: &[Data]) -> Document {
    let (count, place) = (data.compared().count(), about::place(data));
    let lead = format!(
        "{count} filters, sets and maps over the same keys, each checked before it was timed. {place}."
    );
    let notes = about::warnings(data).into_iter().map(|text| Block::note(&text));
    let lead = std::iter::once(Block::text(lead)).chain(notes).collect();
    let first = vec![
        ("Time against space", vec![front::time(data)]),
        ("Which filter?", answer::blocks(data, others)),
        ("Rate against space", vec![front::rate(data)]),
        ("Beside the best of its family", vec![front::ratios(data)]),
    ];
    let title = "Approximate-membership filters compared";
    Document { title, lead, first, sections: sections(data) }
}

/// The folded sections: a name in links, a title, and what is found.
fn sections(data: &Data) -> Vec<Section> {
    let course = |name, what| curves::timed(data, Of::Course(name), Workload::course(name), what);
    let removal = curves::timed(data, data.main(), Workload::Remove, "Taking a key out");
    let of = |anchor, title, found: Found| {
        let (finding, blocks) = found.unwrap_or_else(|| {
            let none = "Not in these records.";
            (none.to_owned(), vec![Block::text(none)])
        });
        Section { anchor, title, finding, blocks }
    };
    vec![
        of("worked", "Worked choices", advice::worked(data)),
        of("engines", "Lines for engines with filters of their own", advice::engines()),
        of("query", "Query time against size", curves::query(data)),
        of("build", "Build time and peak memory", curves::build(data)),
        of("load_insert", "Inserting into a fuller and fuller table", curves::load(data)),
        of("tails", "The slowest in a thousand", curves::tails(data)),
        of("grow", "Growing a hundredfold", curves::grow(data)),
        of("overfill", "Past the plan", curves::overfill(data)),
        of("churn", "Replacing keys in a nearly full filter", course("churn", "Replacing a key")),
        of(
            "merge",
            "Merging",
            course("merge", "Merging two filters, per key of the one merged in,"),
        ),
        of("removal", "Removing", removal),
        of("threads", "Several threads on one filter", threads::threads(data)),
        of("rates", "Measured rates against the formulas", tables::rates(data)),
        of("abilities", "Who can do what", tables::abilities(data)),
        of("numbers", "All numbers", tables::numbers(data)),
        of("keys", "Other keys", tables::other_keys(data)),
        of("machine", "Measured on", about::machine(data)),
        of("noise", "How much is noise", about::noise(data)),
        of("limits", "Limits and bias", about::limits(data)),
    ]
}
