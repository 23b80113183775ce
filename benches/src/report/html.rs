//! The page: one file that needs no network, and no script but for the form.

use super::plot::Plot;
use super::{Page, Section, ask, needs};
use anyhow::Result;
use maud::{DOCTYPE, Markup, PreEscaped, html};

const TITLE: &str = "Approximate-membership filters compared";
/// A filter's bits.
const ICON: &str = "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 8 8'%3E%3Cpath \
                    d='M0 0h3v3H0zM5 0h3v3H5zM0 5h3v3H0z' fill='%232f7de0'/%3E%3C/svg%3E";

pub(super) fn page(page: &Page) -> Result<Markup> {
    Ok(html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                link rel="icon" href=(ICON);
                title { (TITLE) }
                style { (PreEscaped(include_str!("page.css"))) }
            }
            body {
                main {
                    h1 { (TITLE) }
                    p.place { (page.place) ". Measure it again: " code { (page.command) } }
                    @for warning in &page.warnings { p.warning { (warning) } }
                    ul.found { @for sentence in &page.found { li { (sentence) } } }
                    h2 { "Time against space" }
                    @match &page.best {
                        Some(plot) => {
                            p.family #ringed hidden { "Outlined: the first three answers to the form below." }
                            (figure(plot)?)
                        }
                        None => p { "No plot: nothing was measured at one rate." },
                    }
                    @if let Some(plot) = &page.all {
                        details id="all-filters" { summary { b { "All filters in this plot" } } (figure(plot)?) }
                    }
                    h2 { "Ours beside the best other crate" }
                    (needs::html(&page.needs))
                    h2 { "Which filter for your keys?" }
                    (ask::form())
                    h2 { "Family by family" }
                    div.figures { @for plot in &page.plots { (figure(plot)?) } }
                    dl.families { @for (title, why) in &page.families { div { dt { (title) } dd { (why) } } } }
                    h2 { "All else" }
                    @for Section { anchor, title, finding, body } in &page.sections {
                        details id=(anchor) { summary { b { (title) } " " span { (finding) } } (body) }
                    }
                }
                (ask::script())
            }
        }
    })
}

pub(super) fn figure(plot: &Plot) -> Result<Markup> {
    // Marks that can be focused must not be inside one image.
    let role = if plot.is_wide() { "group" } else { "img" };
    Ok(html! {
        figure.large[plot.is_wide()] id=(format!("plot-{}", plot.slug)) {
            div.wide role=(role) aria-label=(plot.alt()) { (plot.svg(plot.size, false)?) }
            div.narrow role="img" aria-label=(plot.alt()) { (plot.svg(plot.narrow, true)?) }
            @if plot.is_wide() { p.hovered aria-live="polite" {} }
            figcaption { (plot.caption) @if !plot.more.is_empty() { " " (plot.more) } }
        }
    })
}
