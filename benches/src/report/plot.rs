//! A plot as data, and its picture by plotters.

use super::doc::{Block, Figure, Found, Text};
use super::labels::{beside, spread, width};
use super::look::{GREY, Look};
use super::number::tick;
use anyhow::Result;
use plotters::coord::Shift;
use plotters::coord::ranged1d::{KeyPointHint, NoDefaultFormatting, ValueFormatter};
use plotters::coord::types::RangedCoordf64;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};
use std::ops::Range;

type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;
type Chart<'a, 'b> = ChartContext<'a, SVGBackend<'b>, Cartesian2d<Axis, Axis>>;

/// A plot.
#[derive(Clone, Debug)]
pub(super) struct Plot {
    pub(super) x: Axis,
    pub(super) y: Axis,
    pub(super) series: Vec<Series>,
    /// Upright lines: caches, plans.
    pub(super) guides: Vec<(f64, String)>,
    /// Coloured cells: left, bottom, right, top.
    pub(super) cells: Vec<([f64; 4], RGBColor)>,
    pub(super) names: Names,
}

/// Where the names of the series are.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Names {
    /// At the right end of each.
    Ends,
    /// Beside each mark.
    Beside,
    /// Numbers beside each mark; the names are under the plot.
    Numbers,
    /// At the left of its row: the y axis counts the series, and the bars lie.
    Rows,
}

/// An axis.
#[derive(Clone, Debug)]
pub(super) struct Axis {
    label: String,
    is_log: bool,
    range: (f64, f64),
    show: fn(f64) -> String,
}

/// A contender's marks and its line.
#[derive(Clone, Debug)]
pub(super) struct Series {
    pub(super) name: String,
    pub(super) look: Look,
    /// Peers have hollow marks.
    pub(super) is_hollow: bool,
    pub(super) line: Line,
    pub(super) marks: Vec<Mark>,
}

/// What joins the points of a series.
#[derive(Clone, Debug)]
pub(super) enum Line {
    None,
    /// The marks themselves.
    Marks,
    /// A curve of its own.
    Curve(Vec<(f64, f64)>),
    /// The same, dashed.
    Dashed(Vec<(f64, f64)>),
}

/// A mark.
#[derive(Clone, Copy, PartialEq, Default, Debug)]
pub(super) struct Mark {
    pub(super) x: f64,
    /// None of a cell that failed: a hollow cross at the top.
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
    /// The marks that have their numbers.
    pub(super) fn measured(&self) -> impl DoubleEndedIterator<Item = (f64, f64)> {
        self.marks.iter().filter_map(|mark| Some((mark.x, mark.y?)))
    }

    /// The first and the last of them, if there are two.
    pub(super) fn ends(&self) -> Option<[(f64, f64); 2]> {
        let mut marks = self.measured();
        Some([marks.next()?, marks.next_back()?])
    }

    /// The last number over the first.
    pub(super) fn rise(&self) -> Option<f64> {
        self.ends().map(|[first, last]| last.1 / first.1)
    }

    fn line(&self) -> Vec<(f64, f64)> {
        match &self.line {
            Line::None => Vec::new(),
            Line::Marks => self.measured().collect(),
            Line::Curve(points) | Line::Dashed(points) => points.clone(),
        }
    }
}

impl Axis {
    /// An axis with room for these values; a linear one begins at 0.
    fn fit((label, is_log): (&str, bool), values: impl Iterator<Item = f64>) -> Option<Self> {
        let values = values.filter(|x| x.is_finite() && (!is_log || *x > 0.0));
        let ends = (f64::INFINITY, f64::NEG_INFINITY);
        let (low, high) = values.fold(ends, |(low, high), x| (low.min(x), high.max(x)));
        if low > high {
            return None;
        }
        let range = if is_log {
            (low / 1.15, high * 1.15)
        } else {
            (low.min(0.0), high + (high - low.min(0.0)).max(1e-9) * 0.05)
        };
        Some(Self { label: label.to_owned(), is_log, range, show: tick })
    }

    /// The same with another way to write the ticks.
    pub(super) fn shown(self, show: fn(f64) -> String) -> Self {
        Self { show, ..self }
    }

    /// The same from one value to another.
    pub(super) fn within(self, low: f64, high: f64) -> Self {
        Self { range: (low, high), ..self }
    }
}

/// One of two coordinates of plotters, chosen as it runs.
impl Ranged for Axis {
    type FormatOption = NoDefaultFormatting;
    type ValueType = f64;

    fn map(&self, value: &f64, limit: (i32, i32)) -> i32 {
        if self.is_log {
            LogCoord::from(self.range().log_scale()).map(value, limit)
        } else {
            RangedCoordf64::from(self.range()).map(value, limit)
        }
    }

    fn key_points<Hint: KeyPointHint>(&self, hint: Hint) -> Vec<f64> {
        match self.is_log {
            true => log_ticks(self.range, hint.bold_points()),
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

/// Round numbers, the most that go: powers of ten alone over many decades.
fn log_ticks((low, high): (f64, f64), most: usize) -> Vec<f64> {
    let of = |factors: &[f64]| -> Vec<f64> {
        let powers = (low.log10().floor() as i32)..=(high.log10().ceil() as i32);
        let all = powers.flat_map(|power| factors.iter().map(move |f| f * 10f64.powi(power)));
        all.filter(|x| (low..=high).contains(x)).collect()
    };
    let (close, usual) = (of(&[1.0, 1.5, 2.0, 3.0, 4.0, 5.0, 6.0, 8.0]), of(&[1.0, 2.0, 5.0]));
    let few = [close, usual].into_iter().find(|ticks| ticks.len() <= most);
    let few = few.unwrap_or_else(|| of(&[1.0]));
    let every = few.len().div_ceil(most.max(1)).max(1);
    few.into_iter().step_by(every).collect()
}

/// Text around its place; plotters makes it smaller than it is asked to.
fn font<'a>(horizontal: HPos, vertical: VPos) -> TextStyle<'a> {
    let font = ("sans-serif", 11.0 * 1.24).into_font().color(&GREY);
    font.pos(Pos::new(horizontal, vertical))
}

/// Plots under their captions; the first caption is what they find.
pub(super) fn figures(
    all: impl IntoIterator<Item = (&'static str, String, Option<Plot>)>,
) -> Found {
    let all: Vec<_> = all.into_iter().collect();
    let found = all.first()?.1.clone();
    let figure = |(slug, caption, plot): (_, String, Option<Plot>)| {
        let plot = plot?;
        let names = plot.legend().collect::<Vec<_>>().join(", ");
        let alt = format!("{} against {}: {names}.", plot.y.label, plot.x.label);
        // Text stays readable on a phone.
        let size = match plot.names {
            Names::Rows => (460, 70 + 15 * plot.series.len() as u32),
            _ => (440, 300),
        };
        Some(Figure { slug, alt, caption: Text::from(caption), plot, size, narrow: None })
    };
    Some((found, vec![Block::Figures(all.into_iter().filter_map(figure).collect())]))
}

impl Plot {
    /// A plot with room for all its marks, lines and bars; none without any.
    pub(super) fn new(x: (&str, bool), y: (&str, bool), series: Vec<Series>) -> Option<Self> {
        let of_mark = |mark: &Mark| {
            let (low, high) = mark.bar.unwrap_or((f64::NAN, f64::NAN));
            [mark.y.unwrap_or(f64::NAN), low, high].map(|y| (mark.x, y))
        };
        let marks = series.iter().flat_map(|series| &series.marks).flat_map(of_mark);
        let points: Vec<_> = marks.chain(series.iter().flat_map(Series::line)).collect();
        Some(Self {
            x: Axis::fit(x, points.iter().map(|point| point.0))?,
            y: Axis::fit(y, points.iter().map(|point| point.1))?,
            series,
            guides: Vec::new(),
            cells: Vec::new(),
            names: Names::Ends,
        })
    }

    /// The same with numbers where names have no room.
    pub(super) fn for_narrow_screens(&self) -> Self {
        let names = match self.names {
            Names::Beside => Names::Numbers,
            other => other,
        };
        Self { names, ..self.clone() }
    }

    /// Those that have a name and a place for it: the end of the line, or the last mark.
    fn named(&self) -> impl Iterator<Item = (&Series, (f64, f64))> {
        let end = |series: &Series| series.line().last().copied().or(series.measured().next_back());
        let all = self.series.iter().filter(|series| !series.name.is_empty());
        all.filter_map(move |series| Some((series, end(series)?)))
    }

    /// The names in the order of their numbers.
    pub(super) fn legend(&self) -> impl Iterator<Item = &str> {
        self.named().map(|(series, _)| series.name.as_str())
    }

    /// Its picture.
    pub(super) fn draw(&self, size: (u32, u32)) -> Result<String> {
        let mut svg = String::new();
        let area = SVGBackend::with_string(&mut svg, size).into_drawing_area();
        self.draw_on(&area)?;
        area.present()?;
        drop(area);
        Ok(svg)
    }

    fn draw_on(&self, area: &Area<'_>) -> Result<()> {
        let longest = self.legend().map(width).max().unwrap_or(0);
        let (left, right, ticks) = match self.names {
            Names::Ends => (0, longest + 14, 52),
            Names::Rows => (longest, 12, 8),
            Names::Beside | Names::Numbers => (0, 12, 52),
        };
        let mut chart = ChartBuilder::on(area)
            .margin_top(if self.guides.is_empty() { 8 } else { 20 })
            .margin_right(right)
            .margin_left(left)
            .x_label_area_size(38)
            .y_label_area_size(ticks)
            .build_cartesian_2d(self.x.clone(), self.y.clone())?;
        chart.draw_series(self.cells.iter().map(|&([left, bottom, right, top], colour)| {
            Rectangle::new([(left, bottom), (right, top)], colour.mix(0.55).filled())
        }))?;
        let mut mesh = chart.configure_mesh();
        if self.names == Names::Rows {
            mesh.disable_y_mesh().disable_y_axis();
        }
        mesh.x_labels(7)
            .y_labels(7)
            .light_line_style(TRANSPARENT)
            .bold_line_style(GREY.mix(0.22))
            .axis_style(GREY)
            .label_style(font(HPos::Center, VPos::Center))
            .x_desc(&self.x.label)
            .y_desc(&self.y.label)
            .draw()?;
        let (low, high) = self.y.range;
        let is_seen = |guide: &&(f64, String)| self.x.range().contains(&guide.0);
        for (x, label) in self.guides.iter().filter(is_seen) {
            let dashes = DashedLineSeries::new([(*x, low), (*x, high)], 3, 4, GREY.stroke_width(1));
            chart.draw_series(dashes)?;
            let (x, y) = chart.backend_coord(&(*x, high));
            area.draw_text(label, &font(HPos::Center, VPos::Bottom), (x, y - 2))?;
        }
        for series in &self.series {
            self.draw_series(&mut chart, series)?;
        }
        self.draw_names(area, &chart)
    }

    fn draw_series(&self, chart: &mut Chart<'_, '_>, series: &Series) -> Result<()> {
        let colour = series.look.colour;
        let (thick, thin) = (colour.stroke_width(2), colour.stroke_width(1));
        match series.line {
            Line::Dashed(_) => {
                chart.draw_series(DashedLineSeries::new(series.line(), 8, 6, thick))?;
            }
            _ => {
                chart.draw_series(LineSeries::new(series.line(), thick))?;
            }
        }
        let bars = series.marks.iter().filter_map(|mark| Some((mark.x, mark.y?, mark.bar?)));
        if self.names == Names::Rows {
            let bar = |(x, y, (low, high))| ErrorBar::new_horizontal(y, low, x, high, thin, 6);
            chart.draw_series(bars.map(bar))?;
        } else {
            // A bar shorter than its mark is not seen.
            let height = |y: &f64| self.y.map(y, (0, 400));
            let is_long = |(_, _, (low, high)): &(_, _, _)| height(high) - height(low) > 8;
            let bar = |(x, y, (low, high))| ErrorBar::new_vertical(x, low, y, high, thin, 6);
            chart.draw_series(bars.filter(is_long).map(bar))?;
        }
        let corners = series.look.corners(4.2);
        chart.draw_series(series.measured().map(|at| match series.is_hollow {
            true => (EmptyElement::at(at) + PathElement::new(corners.clone(), thick)).into_dyn(),
            false => (EmptyElement::at(at) + Polygon::new(corners.clone(), colour)).into_dyn(),
        }))?;
        let failed = series.marks.iter().filter(|mark| mark.y.is_none());
        chart.draw_series(failed.map(|mark| Cross::new((mark.x, self.y.range.1), 5, thin)))?;
        Ok(())
    }

    /// Writes each name once, with a line to its mark if that is far.
    fn draw_names(&self, area: &Area<'_>, chart: &Chart<'_, '_>) -> Result<()> {
        let (low, high) = self.y.range;
        let pixel = |(x, y): (f64, f64)| chart.backend_coord(&(x, y.clamp(low, high)));
        let (series, points): (Vec<&Series>, Vec<(i32, i32)>) =
            self.named().map(|(series, at)| (series, pixel(at))).unzip();
        let texts: Vec<String> = match self.names {
            Names::Numbers => (1..=series.len()).map(|number| number.to_string()).collect(),
            _ => series.iter().map(|series| series.name.clone()).collect(),
        };
        let widths: Vec<i32> = texts.iter().map(|text| width(text)).collect();
        let (x, y) = chart.plotting_area().get_pixel_range();
        let heights: Vec<i32> = points.iter().map(|point| point.1).collect();
        let (places, side) = match self.names {
            Names::Ends => {
                let spread = spread(&heights, 14, y.start, y.end);
                (spread.into_iter().map(|y| (x.end + 10, y)).collect(), HPos::Left)
            }
            Names::Rows => (heights.into_iter().map(|y| (x.start - 6, y)).collect(), HPos::Right),
            Names::Beside | Names::Numbers => {
                (beside(&points, &widths, [x.start, y.start, x.end, y.end]), HPos::Left)
            }
        };
        for (index, &(x, y)) in places.iter().enumerate() {
            let (px, py) = points[index];
            let near = x.max(px.min(x + widths[index]));
            let is_far = (near - px).pow(2) + (y - py).pow(2) > 14 * 14;
            if is_far && self.names != Names::Rows {
                let style = series[index].look.colour.mix(0.6);
                area.draw(&PathElement::new([(px, py), (near, y)], style))?;
            }
            area.draw_text(&texts[index], &font(side, VPos::Center), (x, y))?;
        }
        Ok(())
    }
}
