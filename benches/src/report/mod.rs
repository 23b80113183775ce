//! Draws the report from records: `index.html`, `README.md` and two plots as files.
//!
//! It only reads records, and measures nothing. Each plot or table of the page is a file here; the
//! function `page` determines their order.

mod about;
mod ask;
mod by_size;
mod data;
mod families;
mod found;
mod html;
mod labels;
mod ladder;
mod look;
mod many_sets;
mod needs;
mod number;
mod numbers;
mod plot;
mod rate_by_bits;
mod readme;
mod scenarios;
mod table;
mod tails;
#[cfg(test)]
mod tests;
mod threads;
mod time_by_space;
pub mod times;

use crate::record::{Records, write_atomically};
use anyhow::Result;
use data::Data;
use maud::Markup;
use plot::Plot;
use std::path::{Path, PathBuf, absolute};

/// The page, in reading order.
struct Page {
    /// Machine, date, commit, and the command that reproduces the page.
    place: String,
    command: String,
    /// The introduction.
    warnings: Vec<String>,
    /// The results in three sentences.
    found: [String; 3],
    /// Time against space: the best of each family, and all.
    best: Option<Plot>,
    all: Option<Plot>,
    needs: needs::Needs,
    /// Space, building and queries by the number of keys, and rates beside theory.
    plots: Vec<Plot>,
    families: Vec<(String, String)>,
    sections: Vec<Section>,
}

/// A folded part of the page: its anchor, its title, and its content with a one-sentence summary.
struct Section {
    anchor: &'static str,
    title: &'static str,
    finding: String,
    body: Markup,
}

/// A plot or table with its one-sentence summary; `None` if the records lack the data.
type Found = Option<(String, Markup)>;

/// The command that measures and draws a record, with further options.
fn command(data: &Data, more: &str) -> String {
    let command = data.run.command.replace(" -- measure", " --");
    // One option cannot be given twice.
    let command = match (more.contains("--only "), command.split_once(" --only ")) {
        (true, Some((before, after))) => {
            format!("{before} {}", after.split_once(' ').map_or("", |(_, rest)| rest))
        }
        _ => command,
    };
    let separator = if more.is_empty() || command.contains(" -- ") { "" } else { " --" };
    format!("{command}{separator} {more}").trim().trim_end_matches(" --").to_owned()
}

fn page(data: &Data, others: &[Data]) -> Page {
    let section = |anchor, title, found: Found| {
        let (finding, body) = found?;
        Some(Section { anchor, title, finding, body })
    };
    let sections = [
        section("numbers", "All numbers", numbers::numbers(data)),
        section("failures", "Failed checks", numbers::failures(data)),
        section("abilities", "Who can do what", numbers::abilities(data)),
        section("threads", "Several threads on one filter", threads::threads(data)),
        section("tails", "The slowest in a thousand", tails::tails(data)),
        section("load", "Inserting into a fuller and fuller table", scenarios::load(data)),
        section("grow", "Growing a hundredfold", scenarios::grow(data)),
        section("overfill", "Past the plan", scenarios::overfill(data)),
        section("churn", "Replacing keys in a nearly full filter", scenarios::churn(data)),
        section("merge", "Merging", scenarios::merge(data)),
        section("ladder", "One file in several sizes", ladder::ladder(data)),
        section("many-sets", "Which of many sets", many_sets::many_sets(data)),
        section("removal", "Removing", scenarios::removal(data)),
        section("sets", "Other keys", numbers::other_keys(data)),
        section("noise", "How much is noise", about::noise(data)),
        section("limits", "Limits and bias", about::limits(data)),
        section("machine", "Measured on", about::machine(data)),
    ];
    let needs = needs::needs(data, others);
    let plots = [
        by_size::space(data),
        by_size::build(data),
        by_size::query(data),
        rate_by_bits::plot(data),
    ];
    Page {
        place: about::place(data),
        command: command(data, ""),
        warnings: about::warnings(data),
        found: found::found(data, &needs),
        best: time_by_space::best(data),
        all: time_by_space::all(data),
        needs,
        plots: plots.into_iter().flatten().collect(),
        families: families::families(data),
        sections: sections.into_iter().flatten().collect(),
    }
}

/// Draws the first records into a folder: `index.html`, the main plots as files, and a `README.md`
/// (in the parent if the folder is called `latest`, to be the parent's front page). The ratios of
/// the other records are shown beside those of the first. Returns the page's path and the results.
pub fn render(records: &Records, others: &[Records], out: &Path) -> Result<(PathBuf, String)> {
    let mut data = Data::read(records)?;
    data.link = link(out, records.folder());
    let others: Vec<Data> = others.iter().map(Data::read).collect::<Result<_>>()?;
    let drawn = page(&data, &others);
    for plot in drawn.best.iter().chain(&drawn.plots).filter(|plot| plot.is_file()) {
        let svg = plot.svg(plot.size, false)?.into_string();
        write_atomically(&out.join(format!("{}.svg", plot.slug)), svg.as_bytes())?;
    }
    let is_latest = out.file_name().is_some_and(|name| name == "latest");
    let (above, latest) = match out.parent() {
        Some(above) if is_latest => (above, "latest/"),
        _ => (out, ""),
    };
    // A page of the user's own keys may be anywhere.
    let method = ["METHODOLOGY.md", "../METHODOLOGY.md"];
    let method = method.into_iter().find(|page| above.join(page).is_file());
    write_atomically(&above.join("README.md"), readme::readme(&drawn, latest, method).as_bytes())?;
    let path = out.join("index.html");
    write_atomically(&path, html::page(&drawn)?.into_string().as_bytes())?;
    Ok((path, drawn.found.join("\n")))
}

/// The relative path from the page's folder to the records, if both are below the parent of that
/// folder, and so are published together. `None` for names that could end a link.
fn link(out: &Path, records: &Path) -> Option<String> {
    let (out, records) = (absolute(out).ok()?, absolute(records).ok()?);
    let below = records.strip_prefix(out.parent()?).ok()?.to_str()?;
    let is_plain = |c: char| c.is_alphanumeric() || "/-_. ".contains(c);
    below.chars().all(is_plain).then(|| format!("../{below}"))
}
