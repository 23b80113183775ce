//! A plot as data, and its picture: plotters draws axes and lines, and marks and names are drawn on
//! top.

use super::labels::{Rect, around, beside, spread, width};
use super::look::{GREY, Look, hex};
use super::number::{digits, tick};
use crate::record::{Family, Info};
use anyhow::Result;
use maud::{Markup, PreEscaped, html};
use plotters::coord::CoordTranslate;
use plotters::coord::ranged1d::{KeyPointHint, NoDefaultFormatting, ValueFormatter};
use plotters::coord::types::RangedCoordf64;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};
use std::ops::Range;

/// The size in pixels of plots side by side, and of plots on a narrow screen.
const BESIDE: [(u32, u32); 2] = [(600, 340), (370, 300)];
/// The size of a plot as wide as the page.
const WIDE: [(u32, u32); 2] = [(1230, 470), (370, 420)];
/// The most marks of a series.
const MOST_MARKS: usize = 12;

#[derive(Clone, Debug)]
pub(super) struct Plot {
    pub(super) slug: &'static str,
    /// The caption: what it shows and how to read it.
    pub(super) caption: String,
    /// An addition to the caption, on the page only.
    pub(super) more: String,
    pub(super) x: Axis,
    pub(super) y: Axis,
    pub(super) series: Vec<Series>,
    /// Vertical lines: caches, the bound.
    pub(super) guides: Vec<(f64, String)>,
    pub(super) size: (u32, u32),
    pub(super) narrow: (u32, u32),
}

#[derive(Clone, Debug)]
pub(super) struct Axis {
    pub(super) label: String,
    is_log: bool,
    pub(super) range: (f64, f64),
    pub(super) show: fn(f64) -> String,
}

/// A contender's marks and its line.
#[derive(Clone, Debug)]
pub(super) struct Series {
    /// Empty where it has no name in the picture.
    pub(super) name: String,
    /// The tooltips of its marks.
    title: String,
    look: Look,
    /// Other authors' crates have hollow marks.
    is_hollow: bool,
    /// Not a contender's line: the bound, the machine's floor.
    is_dashed: bool,
    pub(super) line: Vec<(f64, f64)>,
    pub(super) marks: Vec<Mark>,
}

#[derive(Clone, Copy, PartialEq, Default, Debug)]
pub(super) struct Mark {
    pub(super) x: f64,
    /// `None` for a failed cell, drawn as a cross at the top.
    pub(super) y: Option<f64>,
    /// The ends of its interval.
    pub(super) bar: Option<(f64, f64)>,
}

impl Mark {
    pub(super) const fn at(x: f64, y: f64) -> Self {
        Self { x, y: Some(y), bar: None }
    }
}

impl Series {
    pub(super) fn of(info: &Info, marks: Vec<Mark>) -> Self {
        let (name, look) = (info.name.clone(), Look::of(info.family));
        let (is_hollow, title) = (!info.ours, info.name.clone());
        Self { name, title, look, is_hollow, is_dashed: false, line: Vec::new(), marks }
    }

    /// A line that is no contender's.
    pub(super) fn guide(name: &str, line: Vec<(f64, f64)>) -> Self {
        let (name, look) = (name.to_owned(), Look::of(Family::Floor));
        let (marks, title) = (Vec::new(), name.clone());
        Self { name, title, look, is_hollow: false, is_dashed: true, line, marks }
    }

    /// With a line from mark to mark.
    pub(super) fn joined(self) -> Self {
        Self { line: self.measured().collect(), ..self }
    }

    /// With another name in the picture; with none, if it is empty.
    pub(super) fn named(self, name: &str) -> Self {
        Self { name: name.to_owned(), ..self }
    }

    pub(super) fn measured(&self) -> impl Iterator<Item = (f64, f64)> {
        self.marks.iter().filter_map(|mark| Some((mark.x, mark.y?)))
    }

    /// If a line has many points, only some of them have marks, always including the last.
    fn shown(&self) -> impl Iterator<Item = &Mark> {
        self.marks.iter().rev().step_by(self.marks.len().div_ceil(MOST_MARKS).max(1))
    }

    /// The position of its name: the end of its line, or its last mark.
    fn end(&self) -> Option<(f64, f64)> {
        self.line.last().copied().or_else(|| self.measured().last())
    }
}

impl Axis {
    /// An axis for these values, logarithmic if its label says so. A linear axis starts at 0.
    fn fit(label: &str, values: impl Iterator<Item = f64> + Clone) -> Option<Self> {
        let is_log = label.contains("(log)");
        let values = values.filter(|x| x.is_finite() && (!is_log || *x > 0.0));
        let (low, high) = (values.clone().reduce(f64::min)?, values.reduce(f64::max)?);
        let range = match is_log {
            true => (low / 1.15, high * 1.15),
            false => (low.min(0.0), high + (high - low.min(0.0)).max(1e-9) * 0.05),
        };
        Some(Self { label: label.to_owned(), is_log, range, show: tick })
    }

    /// Round numbers, as many as fit: only powers of ten over many decades.
    fn log_ticks(&self, most: usize) -> Vec<f64> {
        let (low, high) = self.range;
        let of = |factors: &[f64]| -> Vec<f64> {
            let powers = (low.log10().floor() as i32)..=(high.log10().ceil() as i32);
            let all = powers.flat_map(|power| factors.iter().map(move |f| f * 10f64.powi(power)));
            all.filter(|x| (low..=high).contains(x)).collect()
        };
        let close = of(&[1.0, 1.2, 1.5, 2.0, 3.0, 4.0, 5.0, 6.0, 8.0]);
        let few = [close, of(&[1.0, 2.0, 5.0])].into_iter().find(|ticks| ticks.len() <= most);
        let few = few.unwrap_or_else(|| of(&[1.0]));
        let every = few.len().div_ceil(most.max(1)).max(1);
        few.into_iter().step_by(every).collect()
    }
}

/// One of two coordinate types of plotters, chosen at run time.
impl Ranged for Axis {
    type FormatOption = NoDefaultFormatting;
    type ValueType = f64;

    fn map(&self, value: &f64, limit: (i32, i32)) -> i32 {
        let value = value.clamp(self.range.0, self.range.1);
        match self.is_log {
            true => LogCoord::from(self.range().log_scale()).map(&value, limit),
            false => RangedCoordf64::from(self.range()).map(&value, limit),
        }
    }

    fn key_points<Hint: KeyPointHint>(&self, hint: Hint) -> Vec<f64> {
        match self.is_log {
            true => self.log_ticks(hint.bold_points()),
            false => RangedCoordf64::from(self.range()).key_points(hint),
        }
    }

    fn range(&self) -> Range<f64> {
        self.range.0..self.range.1
    }
}

impl ValueFormatter<f64> for Axis {
    fn format_ext(&self, value: &f64) -> String {
        (self.show)(*value)
    }
}

/// The area between the axes, in pixels.
type Frame = Cartesian2d<Axis, Axis>;

impl Plot {
    /// A plot with axes that fit all its marks and lines; `None` without any.
    pub(super) fn new(
        slug: &'static str,
        caption: String,
        [x, y]: [&str; 2],
        series: Vec<Series>,
    ) -> Option<Self> {
        let marks = series.iter().flat_map(|series| &series.marks);
        let marks = marks.map(|mark| (mark.x, mark.y.unwrap_or(f64::NAN)));
        let points = marks.chain(series.iter().flat_map(|series| &series.line).copied());
        let (x, y) = (
            Axis::fit(x, points.clone().map(|point| point.0))?,
            Axis::fit(y, points.map(|point| point.1))?,
        );
        let [size, narrow] = BESIDE;
        let (more, guides) = (String::new(), Vec::new());
        Some(Self { slug, caption, more, x, y, series, guides, size, narrow })
    }

    /// As wide as the page.
    pub(super) fn wide(self) -> Self {
        let [size, narrow] = WIDE;
        Self { size, narrow, ..self }
    }

    /// Whether it has the page's width, and marks that can be highlighted.
    pub(super) const fn is_wide(&self) -> bool {
        self.size.0 > 1000
    }

    /// Whether README pages show it.
    pub(super) fn is_file(&self) -> bool {
        ["time-by-space", "rate-by-bits"].contains(&self.slug)
    }

    /// The alternative text for those who cannot see it.
    pub(super) fn alt(&self) -> String {
        let names = self.series.iter().map(|series| series.name.as_str());
        let names: Vec<&str> = names.filter(|name| !name.is_empty()).collect();
        format!("{} against {}: {}.", self.y.label, self.x.label, names.join(", "))
    }

    /// Its picture; names stand beside their marks or at the ends of their lines.
    pub(super) fn svg(&self, size: (u32, u32), is_narrow: bool) -> Result<Markup> {
        let (chart, frame) = self.chart(size)?;
        let labels = self.labels(&frame, size);
        let above = html! {
            g font-family="sans-serif" font-size="11" fill=(hex(GREY)) {
                @for label in labels.iter().filter(|label| label.is_far()) {
                    path d=(format!("M{} {}L{} {}", label.mark.0, label.mark.1, label.near(), label.at.1))
                        stroke=(hex(label.colour)) stroke-opacity="0.7" stroke-dasharray="1 3" {}
                }
                @for series in &self.series { (self.marks(series, &frame, is_narrow)) }
                @for label in &labels {
                    text x=(label.at.0) y=(label.at.1 + 4) { (label.text) }
                }
            }
        };
        Ok(PreEscaped(chart.replace("</svg>", &(above.into_string() + "</svg>"))))
    }

    /// Its axes, guides and lines, and the mapping of values to pixels.
    fn chart(&self, size: (u32, u32)) -> Result<(String, Frame)> {
        let mut svg = String::new();
        let area = SVGBackend::with_string(&mut svg, size).into_drawing_area();
        // Names at the ends of lines are on the right.
        let lines = self.series.iter().filter(|of| !of.line.is_empty() && !of.is_dashed);
        let longest = lines.map(|of| width(&of.name)).max();
        let mut chart = ChartBuilder::on(&area)
            .margin_top(if self.guides.is_empty() { 8 } else { 20 })
            .margin_right(longest.map_or(12, |longest| longest + 16))
            .margin_left(3)
            .margin_bottom(3)
            .x_label_area_size(37)
            .y_label_area_size(53)
            .build_cartesian_2d(self.x.clone(), self.y.clone())?;
        let frame = chart.as_coord_spec().clone();
        // Plotters draws text smaller than requested.
        let font = ("sans-serif", 11.0 * 1.24).into_font().color(&GREY);
        // Room for labels of six digits.
        chart
            .configure_mesh()
            .x_labels((frame.get_x_axis_pixel_range().len() / 62).max(2))
            .y_labels(7)
            .set_all_tick_mark_size(3)
            .light_line_style(TRANSPARENT)
            .bold_line_style(GREY.mix(0.2))
            .axis_style(GREY)
            .label_style(font.clone())
            .x_desc(&self.x.label)
            .y_desc(&self.y.label)
            .draw()?;
        let above = font.pos(Pos::new(HPos::Center, VPos::Bottom));
        for (x, name) in self.seen() {
            let ends = [self.y.range.0, self.y.range.1].map(|y| (*x, y));
            chart.draw_series(DashedLineSeries::new(ends, 4, 6, GREY.stroke_width(1)))?;
            let (x, y) = frame.translate(&ends[1]);
            area.draw_text(name, &above, (x, y - 2))?;
        }
        for series in &self.series {
            let (colour, line) = (series.look.colour, series.line.iter().copied());
            let thick = colour.stroke_width(2);
            match series.is_dashed {
                true => chart.draw_series(DashedLineSeries::new(line, 8, 5, thick))?,
                false => chart.draw_series(LineSeries::new(line, thick))?,
            };
            let bars = series.shown().filter_map(|mark| Some((mark.x, mark.bar?)));
            let bars = bars.map(|(x, (low, high))| [(x, low), (x, high)]);
            // A bar shorter than its mark would be invisible.
            let bars = bars.filter(|ends| {
                let [(_, low), (_, high)] = ends.map(|end| frame.translate(&end));
                low - high > 8
            });
            chart.draw_series(bars.map(|ends| PathElement::new(ends, colour)))?;
        }
        area.present()?;
        drop(chart);
        drop(area);
        Ok((svg, frame))
    }

    /// The vertical lines within the axis.
    fn seen(&self) -> impl Iterator<Item = &(f64, String)> {
        self.guides.iter().filter(|(x, _)| self.x.range().contains(x))
    }

    /// Its marks: shape and colour show the family, tooltips the numbers.
    fn marks(&self, series: &Series, frame: &Frame, is_narrow: bool) -> Markup {
        let colour = hex(series.look.colour);
        let fill = if series.is_hollow { "none" } else { &colour };
        let corners = series.look.corners(if self.is_wide() { 5.2 } else { 4.2 });
        let lit = (self.is_wide() && !is_narrow).then_some(&series.title);
        let [x_is, y_is] = [&self.x, &self.y].map(|axis| axis.label.replace(" (log)", ""));
        html! {
            @for mark in series.shown() {
                @let (x, y) = frame.translate(&(mark.x, mark.y.unwrap_or(self.y.range.1)));
                @let number = mark.y.map_or_else(|| "failed".to_owned(), |y| digits(y, 3));
                @let title = format!("{}: {} {x_is}; {number} {y_is}", series.title, digits(mark.x, 3));
                g data-mark=[lit] tabindex=[lit.map(|_| "0")] {
                    title { (title) }
                    @if mark.y.is_some() {
                        @let at = corners.iter().map(|(a, b)| format!("{} {}", x + a, y + b));
                        path d=(format!("M{}Z", at.collect::<Vec<_>>().join("L"))) fill=(fill)
                            stroke=(colour) stroke-width="2" pointer-events="all" {}
                    } @else {
                        path d=(format!("M{} {}l8 8m0 -8l-8 8", x - 4, y - 4)) stroke=(colour) {}
                    }
                }
            }
        }
    }

    /// The position of each name, once.
    fn labels(&self, frame: &Frame, size: (u32, u32)) -> Vec<Label> {
        let (across, down) = (frame.get_x_axis_pixel_range(), frame.get_y_axis_pixel_range());
        let named = self.series.iter().filter(|series| !series.name.is_empty());
        let named: Vec<_> =
            named.filter_map(|of| Some((of, frame.translate(&of.end()?)))).collect();
        let points: Vec<(i32, i32)> = named.iter().map(|(_, at)| *at).collect();
        let widths: Vec<i32> = named.iter().map(|(series, _)| width(&series.name)).collect();
        let within = [across.start, down.start, size.0 as i32 - 2, down.end];
        // Lines that end on the right have their names there, one below another.
        let is_end = |index: &usize| {
            let (of, right) = (named[*index].0, points[*index].0);
            !of.line.is_empty() && !of.is_dashed && right > across.end - 25
        };
        let (ends, inner): (Vec<usize>, Vec<usize>) = (0..named.len()).partition(is_end);
        let heights: Vec<i32> = ends.iter().map(|index| points[*index].1).collect();
        let heights = spread(&heights, 13, down.start, down.end);
        let mut places = points.clone();
        let mut taken = self.taken(frame);
        for (index, height) in ends.iter().zip(heights) {
            places[*index] = (across.end + 10, height);
            let [left, top] = [across.end + 10, height - 6];
            taken.push([left, top, left + widths[*index], top + 12]);
        }
        let of = |all: &[(i32, i32)]| inner.iter().map(|index| all[*index]).collect::<Vec<_>>();
        let inner_widths: Vec<i32> = inner.iter().map(|index| widths[*index]).collect();
        let besides = beside(&of(&points), taken, &inner_widths, within);
        for (index, place) in inner.iter().zip(besides) {
            places[*index] = place;
        }
        let label = |((series, mark), (at, width)): (&(&Series, _), _)| Label {
            text: series.name.clone(),
            at,
            width,
            mark: *mark,
            colour: series.look.colour,
        };
        named.iter().zip(places.into_iter().zip(widths)).map(label).collect()
    }

    /// The area of marks and lines.
    fn taken(&self, frame: &Frame) -> Vec<Rect> {
        let pixel = |at: (f64, f64)| frame.translate(&at);
        let marks = self.series.iter().flat_map(Series::measured).map(pixel).map(around);
        let guides = self.seen().map(|(x, _)| {
            let (x, top) = frame.translate(&(*x, self.y.range.1));
            [x - 1, top, x + 1, frame.get_y_axis_pixel_range().end]
        });
        let lines = self.series.iter().flat_map(|series| series.line.windows(2)).flat_map(|pair| {
            let [(a, b), (c, d)] = [pair[0], pair[1]].map(pixel);
            let steps = ((c - a).abs().max((d - b).abs()) / 6).max(1);
            (0..=steps).map(move |step| {
                let (x, y) = (a + (c - a) * step / steps, b + (d - b) * step / steps);
                [x - 2, y - 2, x + 2, y + 2]
            })
        });
        marks.chain(guides).chain(lines).collect()
    }

    /// The boxes of all names, and the area of marks and lines, for tests.
    #[cfg(test)]
    pub(super) fn boxes(&self, size: (u32, u32)) -> [Vec<Rect>; 2] {
        let (_, frame) = self.chart(size).unwrap();
        let labels = self.labels(&frame, size).into_iter();
        let labels = labels.map(|Label { at: (x, y), width, .. }| [x, y - 5, x + width, y + 5]);
        [labels.collect(), self.taken(&frame)]
    }
}

/// A name in a picture: its left end at half its height, and its mark.
struct Label {
    text: String,
    at: (i32, i32),
    width: i32,
    mark: (i32, i32),
    colour: RGBColor,
}

impl Label {
    /// Its end nearest to the mark.
    fn near(&self) -> i32 {
        self.at.0.max(self.mark.0.min(self.at.0 + self.width))
    }

    /// Whether a dotted line must lead to the mark.
    fn is_far(&self) -> bool {
        let (x, y) = (self.near() - self.mark.0, self.at.1 - self.mark.1);
        x * x + y * y > 14 * 14
    }
}

#[test]
fn ticks_are_round_and_few() {
    let axis = |label, low, high| {
        let axis = Axis::fit(label, [low, high].into_iter()).unwrap();
        axis.key_points(7)
    };
    assert_eq!(axis("keys", 3.0, 18.0), [0.0, 5.0, 10.0, 15.0]);
    assert_eq!(axis("ns (log)", 3.0, 70.0), [5.0, 10.0, 20.0, 50.0]);
    assert_eq!(axis("keys (log)", 1e2, 1e8).len(), 7);
}
