//! A plot as data, and its picture as SVG.

use super::labels::{Rect, around, beside, spread, width};
use super::look::{GREY, Look, Rgb};
use super::number::{digits, tick};
use crate::record::{Family, Info};
use maud::{Markup, html};

/// The size of plots that stand beside each other, in pixels, and on a narrow screen.
const BESIDE: [(u32, u32); 2] = [(600, 340), (370, 300)];
/// The size of a plot as wide as the page.
const WIDE: [(u32, u32); 2] = [(1230, 470), (370, 420)];
/// The most marks of a series.
const MOST_MARKS: usize = 12;

#[derive(Clone, Debug)]
pub(super) struct Plot {
    pub(super) slug: &'static str,
    /// What it shows and how to read it.
    pub(super) caption: String,
    /// What only the page has room to say.
    pub(super) more: String,
    pub(super) x: Axis,
    pub(super) y: Axis,
    pub(super) series: Vec<Series>,
    /// Upright lines: caches, the bound.
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
    /// What a mark says when it is pointed at.
    title: String,
    look: Look,
    /// Other authors' crates have hollow marks.
    is_hollow: bool,
    /// No contender's: the bound, the machine's floor.
    is_dashed: bool,
    pub(super) line: Vec<(f64, f64)>,
    pub(super) marks: Vec<Mark>,
}

#[derive(Clone, Copy, PartialEq, Default, Debug)]
pub(super) struct Mark {
    pub(super) x: f64,
    /// None of a cell that failed: a cross at the top.
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

    /// Without a name in the picture.
    pub(super) fn unnamed(self) -> Self {
        Self { name: String::new(), ..self }
    }

    pub(super) fn measured(&self) -> impl Iterator<Item = (f64, f64)> {
        self.marks.iter().filter_map(|mark| Some((mark.x, mark.y?)))
    }

    /// Where its name belongs: at the end of its line, or at its last mark.
    fn end(&self) -> Option<(f64, f64)> {
        self.line.last().copied().or_else(|| self.measured().last())
    }
}

impl Axis {
    /// An axis with room for these values, logarithmic if its label says so; a linear one begins
    /// at 0.
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

    /// Where a value lies, from 0 to 1.
    fn place(&self, value: f64) -> f64 {
        let of = |x: f64| if self.is_log { x.max(f64::MIN_POSITIVE).ln() } else { x };
        let (low, high) = (of(self.range.0), of(self.range.1));
        (of(value) - low) / (high - low)
    }

    /// Round numbers, at most so many.
    fn ticks(&self, most: usize) -> Vec<f64> {
        let (low, high) = self.range;
        let of = |factors: &[f64], powers: std::ops::RangeInclusive<i32>| -> Vec<f64> {
            let all = powers.flat_map(|power| factors.iter().map(move |f| f * 10f64.powi(power)));
            all.filter(|x| (low..=high).contains(x)).collect()
        };
        if !self.is_log {
            let step = |power: i32| [1.0, 2.0, 5.0].map(|f| f * 10f64.powi(power));
            let steps = (-9..12).flat_map(step);
            let mut steps = steps.filter(|step| (high - low) / step <= most as f64);
            let step = steps.next().unwrap_or(high - low);
            let (first, last) = ((low / step).ceil() as i64, (high / step).floor() as i64);
            return (first..=last).map(|count| count as f64 * step).collect();
        }
        let powers = (low.log10().floor() as i32)..=(high.log10().ceil() as i32);
        let close = of(&[1.0, 1.2, 1.5, 2.0, 3.0, 4.0, 5.0, 6.0, 8.0], powers.clone());
        let usual = of(&[1.0, 2.0, 5.0], powers.clone());
        let few = [close, usual].into_iter().find(|ticks| ticks.len() <= most);
        let few = few.unwrap_or_else(|| of(&[1.0], powers));
        let every = few.len().div_ceil(most.max(1)).max(1);
        few.into_iter().step_by(every).collect()
    }
}

impl Plot {
    /// A plot with room for all its marks and lines; none without any.
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

    /// Whether it has the page's width, and marks that can be lit.
    pub(super) const fn is_wide(&self) -> bool {
        self.size.0 > 1000
    }

    /// Whether README pages show it.
    pub(super) fn is_file(&self) -> bool {
        ["time-by-space", "rate-by-bits"].contains(&self.slug)
    }

    /// What it shows, for those who cannot see it.
    pub(super) fn alt(&self) -> String {
        let names = self.series.iter().map(|series| series.name.as_str());
        let names: Vec<&str> = names.filter(|name| !name.is_empty()).collect();
        format!("{} against {}: {}.", self.y.label, self.x.label, names.join(", "))
    }

    /// Its picture; names stand beside their marks or at the ends of their lines.
    pub(super) fn svg(&self, size: (u32, u32), is_narrow: bool) -> Markup {
        let frame = Frame::new(self, size);
        let Frame { left, top, right, bottom, .. } = frame;
        let labels = self.labels(&frame);
        let (middle, grey) = ((left + right) / 2, GREY.to_string());
        // Ticks of six digits do not touch.
        let across = self.x.ticks(((right - left) / 62).max(2) as usize);
        html! {
            svg xmlns="http://www.w3.org/2000/svg" viewBox=(format!("0 0 {} {}", size.0, size.1))
                font-family="sans-serif" font-size="11" fill=(grey) {
                @for x in across {
                    @let at = frame.x(self, x);
                    path d=(format!("M{at} {top}V{bottom}")) stroke=(grey) stroke-opacity="0.2" {}
                    text x=(at) y=(bottom + 15) text-anchor="middle" { ((self.x.show)(x)) }
                }
                @for y in self.y.ticks(7) {
                    @let at = frame.y(self, y);
                    path d=(format!("M{left} {at}H{right}")) stroke=(grey) stroke-opacity="0.2" {}
                    text x=(left - 6) y=(at + 4) text-anchor="end" { ((self.y.show)(y)) }
                }
                path d=(format!("M{left} {top}V{bottom}H{right}")) stroke=(grey) fill="none" {}
                text x=(middle) y=(bottom + 32) text-anchor="middle" { (self.x.label) }
                @let turn = format!("translate(12 {}) rotate(-90)", (top + bottom) / 2);
                text transform=(turn) text-anchor="middle" { (self.y.label) }
                @for (x, name) in self.seen() {
                    @let at = frame.x(self, *x);
                    path d=(format!("M{at} {top}V{bottom}")) stroke=(grey) stroke-dasharray="3 4" {}
                    text x=(at) y=(top - 5) text-anchor="middle" { (name) }
                }
                @for series in &self.series { (self.line(series, &frame)) }
                @for label in labels.iter().filter(|label| label.is_far()) {
                    path d=(format!("M{} {}L{} {}", label.mark.0, label.mark.1, label.near(), label.at.1))
                        stroke=(label.colour) stroke-opacity="0.7" stroke-dasharray="1 3" {}
                }
                @for series in &self.series { (self.marks(series, &frame, is_narrow)) }
                @for label in &labels {
                    text x=(label.at.0) y=(label.at.1 + 4) { (label.text) }
                }
            }
        }
    }

    /// The upright lines between the ends of the axis.
    fn seen(&self) -> impl Iterator<Item = &(f64, String)> {
        self.guides.iter().filter(|(x, _)| (0.0..=1.0).contains(&self.x.place(*x)))
    }

    fn line(&self, series: &Series, frame: &Frame) -> Markup {
        let points = series.line.iter().map(|(x, y)| {
            let at = (frame.x(self, *x), frame.y(self, *y));
            format!("{} {}", at.0, at.1)
        });
        let (colour, points) = (series.look.colour, points.collect::<Vec<_>>().join("L"));
        let dashes = series.is_dashed.then_some("8 5");
        html! {
            @if !points.is_empty() {
                path d=(format!("M{points}")) stroke=(colour) stroke-width="2" fill="none"
                    stroke-dasharray=[dashes] {}
            }
        }
    }

    /// Its marks: shape and colour say the family, and each says its numbers when pointed at.
    fn marks(&self, series: &Series, frame: &Frame, is_narrow: bool) -> Markup {
        // Of many points of a line some have marks, the last one among them.
        let every = series.marks.len().div_ceil(MOST_MARKS).max(1);
        let colour = series.look.colour.to_string();
        let fill = if series.is_hollow { "none" } else { &colour };
        let corners = series.look.corners(if self.is_wide() { 5.2 } else { 4.2 });
        let lit = (self.is_wide() && !is_narrow).then_some(&series.title);
        let [x_is, y_is] = [&self.x, &self.y].map(|axis| axis.label.replace(" (log)", ""));
        html! {
            @for mark in series.marks.iter().rev().step_by(every) {
                @let (x, y) = (frame.x(self, mark.x), mark.y.map_or(frame.top, |y| frame.y(self, y)));
                @let number = mark.y.map_or_else(|| "failed".to_owned(), |y| digits(y, 3));
                @let title = format!("{}: {} {x_is}; {number} {y_is}", series.title, digits(mark.x, 3));
                @if let Some([low, high]) = mark.bar.map(|(a, b)| [a, b].map(|y| frame.y(self, y))) {
                    // A bar shorter than its mark is not seen.
                    @if low - high > 8 { path d=(format!("M{x} {low}V{high}")) stroke=(colour) {} }
                }
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

    /// Where each name stands, once.
    fn labels(&self, frame: &Frame) -> Vec<Label> {
        let pixel = |(x, y): (f64, f64)| (frame.x(self, x), frame.y(self, y));
        let named = self.series.iter().filter(|series| !series.name.is_empty());
        let named: Vec<_> = named.filter_map(|of| Some((of, pixel(of.end()?)))).collect();
        let points: Vec<(i32, i32)> = named.iter().map(|(_, at)| *at).collect();
        let widths: Vec<i32> = named.iter().map(|(series, _)| width(&series.name)).collect();
        let within = [frame.left, frame.top, frame.width - 2, frame.bottom];
        // Lines that end at the right have their names there, one below the other.
        let is_end = |index: &usize| {
            let (of, right) = (named[*index].0, points[*index].0);
            !of.line.is_empty() && !of.is_dashed && right > frame.right - 25
        };
        let (ends, inner): (Vec<usize>, Vec<usize>) = (0..named.len()).partition(is_end);
        let heights: Vec<i32> = ends.iter().map(|index| points[*index].1).collect();
        let heights = spread(&heights, 13, frame.top, frame.bottom);
        let mut places = points.clone();
        let mut taken = self.taken(frame);
        for (index, height) in ends.iter().zip(heights) {
            places[*index] = (frame.right + 10, height);
            let [left, top] = [frame.right + 10, height - 6];
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

    /// The ground that marks and lines take.
    fn taken(&self, frame: &Frame) -> Vec<Rect> {
        let pixel = |(x, y): (f64, f64)| (frame.x(self, x), frame.y(self, y));
        let marks = self.series.iter().flat_map(Series::measured).map(pixel).map(around);
        let guides = self.seen().map(|(x, _)| {
            let x = frame.x(self, *x);
            [x - 1, frame.top, x + 1, frame.bottom]
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

    /// The boxes of all names, and the ground of marks and lines, for tests.
    #[cfg(test)]
    pub(super) fn boxes(&self, size: (u32, u32)) -> [Vec<Rect>; 2] {
        let frame = Frame::new(self, size);
        let labels = self.labels(&frame).into_iter();
        let labels = labels.map(|Label { at: (x, y), width, .. }| [x, y - 5, x + width, y + 5]);
        [labels.collect(), self.taken(&frame)]
    }
}

/// The ground between the axes, in pixels.
struct Frame {
    left: i32,
    top: i32,
    right: i32,
    bottom: i32,
    /// Of the whole picture: names may stand to the right of the axes.
    width: i32,
}

impl Frame {
    fn new(plot: &Plot, (width, height): (u32, u32)) -> Self {
        let (width, height) = (width as i32, height as i32);
        // Names at the ends of lines stand to the right.
        let lines = plot.series.iter().filter(|of| !of.line.is_empty() && !of.is_dashed);
        let longest = lines.map(|of| self::width(&of.name)).max();
        let right = width - longest.map_or(12, |longest| longest + 16);
        let top = if plot.guides.is_empty() { 8 } else { 20 };
        Self { left: 56, top, right, bottom: height - 40, width }
    }

    fn x(&self, plot: &Plot, x: f64) -> i32 {
        self.left + (plot.x.place(x) * f64::from(self.right - self.left)).round() as i32
    }

    fn y(&self, plot: &Plot, y: f64) -> i32 {
        let place = plot.y.place(y).clamp(0.0, 1.0);
        self.bottom - (place * f64::from(self.bottom - self.top)).round() as i32
    }
}

/// A name in a picture: its left end at half its height, and the mark that it is of.
struct Label {
    text: String,
    at: (i32, i32),
    width: i32,
    mark: (i32, i32),
    colour: Rgb,
}

impl Label {
    /// Its end that is nearest to the mark.
    fn near(&self) -> i32 {
        self.at.0.max(self.mark.0.min(self.at.0 + self.width))
    }

    /// Whether a line must lead to the mark: dotted, so that it looks like no curve.
    fn is_far(&self) -> bool {
        let (x, y) = (self.near() - self.mark.0, self.at.1 - self.mark.1);
        x * x + y * y > 14 * 14
    }
}

#[test]
fn ticks_are_round_and_few() {
    let axis = |label, low, high| {
        let axis = Axis::fit(label, [low, high].into_iter()).unwrap();
        axis.ticks(7)
    };
    assert_eq!(axis("keys", 3.0, 18.0), [0.0, 5.0, 10.0, 15.0]);
    assert_eq!(axis("ns (log)", 3.0, 70.0), [5.0, 10.0, 20.0, 50.0]);
    assert_eq!(axis("keys (log)", 1e2, 1e8).len(), 7);
}
