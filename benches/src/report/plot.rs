//! A plot as data, and its picture by plotters.

use super::doc::{Figure, Text};
use super::labels::{beside, spread, width};
use super::look::{GREY, Look};
use super::number::tick;
use anyhow::{Result, anyhow};
use plotters::coord::Shift;
use plotters::coord::combinators::{BindKeyPoints, IntoLogRange};
use plotters::coord::ranged1d::{Ranged, ValueFormatter};
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;

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
    /// At the left of its row: the y axis counts the series.
    Rows,
}

/// An axis.
#[derive(Clone, Debug)]
pub(super) struct Axis {
    pub(super) label: String,
    pub(super) is_log: bool,
    pub(super) range: (f64, f64),
    pub(super) show: fn(f64) -> String,
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
    /// Nothing.
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

impl Axis {
    /// An axis with room for these values; a linear one begins at 0.
    pub(super) fn fit(
        label: &str,
        is_log: bool,
        values: impl Iterator<Item = f64>,
    ) -> Option<Self> {
        let values = values.filter(|x| x.is_finite() && (!is_log || *x > 0.0));
        let (low, high) = values
            .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), x| (low.min(x), high.max(x)));
        if low > high {
            return None;
        }
        let range = if is_log {
            (low / 1.15, high * 1.15)
        } else {
            (low.min(0.0), high + (high - low.min(0.0)).max(1e-9) * 0.05)
        };
        let label = label.to_owned();
        Some(Self { label, is_log, range, show: tick })
    }

    /// The same with another way to write the ticks.
    pub(super) fn shown(mut self, show: fn(f64) -> String) -> Self {
        self.show = show;
        self
    }

    /// The same from one value to another.
    pub(super) fn within(mut self, low: f64, high: f64) -> Self {
        self.range = (low, high);
        self
    }
}

/// At most seven round numbers: powers of ten alone over many decades.
fn log_ticks((low, high): (f64, f64)) -> Vec<f64> {
    let of = |factors: &[f64]| -> Vec<f64> {
        let powers = (low.log10().floor() as i32)..=(high.log10().ceil() as i32);
        let all = powers.flat_map(|power| factors.iter().map(move |f| f * 10f64.powi(power)));
        all.filter(|x| (low..=high).contains(x)).collect()
    };
    let (close, usual) = (of(&[1.0, 1.5, 2.0, 3.0, 4.0, 5.0, 6.0, 8.0]), of(&[1.0, 2.0, 5.0]));
    let few = [close, usual].into_iter().find(|ticks| ticks.len() <= 7);
    let few = few.unwrap_or_else(|| of(&[1.0]));
    let every = few.len().div_ceil(7).max(1);
    few.into_iter().step_by(every).collect()
}

const TEXT: f64 = 12.0;

/// plotters makes text smaller than it is asked to.
fn font<'a>(size: f64) -> TextStyle<'a> {
    ("sans-serif", size * 1.24).into_font().color(&GREY)
}

impl Plot {
    /// A plot with room for all its marks, lines and bars; none without any.
    pub(super) fn new(x: (&str, bool), y: (&str, bool), series: Vec<Series>) -> Option<Self> {
        let of = |pick: fn(&(f64, f64)) -> f64| {
            let marks = series.iter().flat_map(|series| &series.marks);
            let points = marks.flat_map(|mark| {
                let (low, high) = mark.bar.unwrap_or((f64::NAN, f64::NAN));
                let y = mark.y.unwrap_or(f64::NAN);
                [(mark.x, y), (mark.x, low), (mark.x, high)]
            });
            let lines = series.iter().flat_map(|series| match &series.line {
                Line::Curve(points) | Line::Dashed(points) => points.clone(),
                _ => Vec::new(),
            });
            points.chain(lines).map(|point| pick(&point)).collect::<Vec<f64>>()
        };
        Some(Self {
            x: Axis::fit(x.0, x.1, of(|p| p.0).into_iter())?,
            y: Axis::fit(y.0, y.1, of(|p| p.1).into_iter())?,
            series,
            guides: Vec::new(),
            cells: Vec::new(),
            names: Names::Ends,
        })
    }

    /// Its figure for a folded section.
    pub(super) fn figure(
        &self,
        slug: &'static str,
        caption: &str,
        size: (u32, u32),
    ) -> Result<Figure> {
        let names = self.legend().join(", ");
        Ok(Figure {
            slug,
            alt: format!("{} against {}: {names}.", self.y.label, self.x.label),
            caption: Text::from(caption),
            svg: self.draw(size)?,
            narrow: None,
        })
    }

    /// Its picture.
    pub(super) fn draw(&self, size: (u32, u32)) -> Result<String> {
        let mut svg = String::new();
        let area = SVGBackend::with_string(&mut svg, size).into_drawing_area();
        self.draw_on(&area).map_err(|error| anyhow!("drawing a plot: {error}"))?;
        area.present()?;
        drop(area);
        Ok(svg)
    }

    fn draw_on(&self, area: &Area<'_>) -> Result<(), Box<dyn std::error::Error>> {
        let names = || self.series.iter().map(|series| width(&series.name, TEXT));
        let longest = names().fold(0.0, f64::max);
        let (left, right) = match self.names {
            Names::Ends => (0.0, longest + 14.0),
            Names::Rows => (longest, 12.0),
            Names::Beside | Names::Numbers => (0.0, 12.0),
        };
        let mut builder = ChartBuilder::on(area);
        builder
            .margin_top(if self.guides.is_empty() { 8 } else { 20 })
            .margin_right(right as i32)
            .margin_left(left as i32)
            .x_label_area_size(38)
            .y_label_area_size(if self.names == Names::Rows { 8 } else { 52 });
        let ((x0, x1), (y0, y1)) = (self.x.range, self.y.range);
        let log = |(low, high): (f64, f64)| {
            (low..high).log_scale().with_key_points(log_ticks((low, high)))
        };
        let (x, y) = (self.x.range, self.y.range);
        match (self.x.is_log, self.y.is_log) {
            (true, true) => self.fill(area, builder.build_cartesian_2d(log(x), log(y))?),
            (true, false) => self.fill(area, builder.build_cartesian_2d(log(x), y0..y1)?),
            (false, true) => self.fill(area, builder.build_cartesian_2d(x0..x1, log(y))?),
            (false, false) => self.fill(area, builder.build_cartesian_2d(x0..x1, y0..y1)?),
        }
    }

    fn fill<'a, X, Y>(
        &self,
        area: &Area<'a>,
        mut chart: ChartContext<'_, SVGBackend<'a>, Cartesian2d<X, Y>>,
    ) -> Result<(), Box<dyn std::error::Error>>
    where
        X: Ranged<ValueType = f64> + ValueFormatter<f64>,
        Y: Ranged<ValueType = f64> + ValueFormatter<f64>,
    {
        let (y0, y1) = self.y.range;
        chart.draw_series(self.cells.iter().map(|&([left, bottom, right, top], colour)| {
            Rectangle::new([(left, bottom), (right, top)], colour.mix(0.55).filled())
        }))?;
        let show = |axis: &Axis| {
            let show = axis.show;
            move |x: &f64| show(*x)
        };
        let mut mesh = chart.configure_mesh();
        if self.names == Names::Rows {
            mesh.disable_y_mesh().disable_y_axis();
        }
        mesh.x_labels(7)
            .y_labels(6)
            .light_line_style(TRANSPARENT)
            .bold_line_style(GREY.mix(0.22))
            .axis_style(GREY)
            .label_style(font(11.0))
            .axis_desc_style(font(TEXT))
            .x_desc(&self.x.label)
            .y_desc(&self.y.label)
            .x_label_formatter(&show(&self.x))
            .y_label_formatter(&show(&self.y))
            .draw()?;
        for (x, label) in &self.guides {
            let dashes = DashedLineSeries::new([(*x, y0), (*x, y1)], 3, 4, GREY.stroke_width(1));
            chart.draw_series(dashes)?;
            let (x, y) = chart.backend_coord(&(*x, y1));
            area.draw_text(
                label,
                &font(11.0).pos(Pos::new(HPos::Center, VPos::Bottom)),
                (x, y - 2),
            )?;
        }
        for series in &self.series {
            self.draw_series(&mut chart, series)?;
        }
        let place = |&(x, y): &(f64, f64)| {
            let (x, y) = chart.backend_coord(&(x, y.clamp(y0, y1)));
            (f64::from(x), f64::from(y))
        };
        let frame = chart.plotting_area().get_pixel_range();
        let ends = [frame.0.start, frame.1.start, frame.0.end, frame.1.end].map(f64::from);
        self.draw_names(area, ends, place)
    }

    fn draw_series<X, Y>(
        &self,
        chart: &mut ChartContext<'_, SVGBackend<'_>, Cartesian2d<X, Y>>,
        series: &Series,
    ) -> Result<(), Box<dyn std::error::Error>>
    where
        X: Ranged<ValueType = f64>,
        Y: Ranged<ValueType = f64>,
    {
        let (colour, radius) = (series.look.colour, 4.2);
        let measured = || series.marks.iter().filter_map(|mark| Some((mark.x, mark.y?)));
        match &series.line {
            Line::None => {}
            Line::Marks => {
                let _ = chart.draw_series(LineSeries::new(measured(), colour.stroke_width(2)))?;
            }
            Line::Curve(points) => {
                let line = LineSeries::new(points.iter().copied(), colour.stroke_width(2));
                let _ = chart.draw_series(line)?;
            }
            Line::Dashed(points) => {
                let style = colour.stroke_width(2);
                let _ = chart.draw_series(DashedLineSeries::new(points.clone(), 8, 6, style))?;
            }
        }
        let bars = series.marks.iter().filter_map(|mark| Some((mark, mark.y?, mark.bar?)));
        if self.names == Names::Rows {
            chart.draw_series(bars.map(|(_, y, (low, high))| {
                PathElement::new([(low, y), (high, y)], colour.stroke_width(1))
            }))?;
        } else {
            // A bar shorter than the mark is not seen.
            let long = bars.filter(|(_, y, (low, high))| {
                let (_, a) = chart.backend_coord(&(self.x.range.0, *low));
                let (_, b) = chart.backend_coord(&(self.x.range.0, *high));
                y.is_finite() && (a - b).abs() > 8
            });
            let long: Vec<_> = long
                .map(|(mark, y, (low, high))| {
                    ErrorBar::new_vertical(mark.x, low, y, high, colour.stroke_width(1), 6)
                })
                .collect();
            chart.draw_series(long)?;
        }
        let corners = series.look.corners(radius);
        if series.is_hollow {
            chart.draw_series(measured().map(|at| {
                EmptyElement::at(at) + PathElement::new(corners.clone(), colour.stroke_width(2))
            }))?;
        } else {
            chart.draw_series(
                measured().map(|at| {
                    EmptyElement::at(at) + Polygon::new(corners.clone(), colour.filled())
                }),
            )?;
        }
        let failed = series.marks.iter().filter(|mark| mark.y.is_none());
        chart.draw_series(
            failed.map(|mark| Cross::new((mark.x, self.y.range.1), 5, colour.stroke_width(1))),
        )?;
        Ok(())
    }

    /// Writes each name once.
    fn draw_names(
        &self,
        area: &Area<'_>,
        [left, top, right, bottom]: [f64; 4],
        place: impl Fn(&(f64, f64)) -> (f64, f64),
    ) -> Result<(), Box<dyn std::error::Error>> {
        let last = |series: &Series| {
            let mut marks = series.marks.iter().rev();
            let mark = marks.find_map(|mark| Some((mark.x, mark.y?)));
            match &series.line {
                Line::Curve(points) | Line::Dashed(points) => points.last().copied().or(mark),
                _ => mark,
            }
        };
        let named: Vec<(&Series, (f64, f64))> = self
            .series
            .iter()
            .filter_map(|series| Some((series, place(&last(series)?))))
            .filter(|(series, _)| !series.name.is_empty())
            .collect();
        let style = font(TEXT).pos(Pos::new(HPos::Left, VPos::Center));
        let line = |from: (f64, f64), to: (f64, f64), colour: RGBColor| {
            let pixel = |(x, y): (f64, f64)| (x.round() as i32, y.round() as i32);
            area.draw(&PathElement::new([pixel(from), pixel(to)], colour.mix(0.6)))
        };
        let write = |text: &str, (x, y): (f64, f64), style: &TextStyle<'_>| {
            area.draw_text(text, style, (x.round() as i32, y.round() as i32))
        };
        match self.names {
            Names::Ends => {
                let wanted: Vec<f64> = named.iter().map(|(_, (_, y))| *y).collect();
                let places = spread(&wanted, 14.0, top, bottom);
                for ((series, (x, y)), label) in named.iter().zip(places) {
                    line((*x + 4.0, *y), (right + 8.0, label), series.look.colour)?;
                    write(&series.name, (right + 10.0, label), &style.color(&GREY))?;
                }
            }
            Names::Rows => {
                let style = style.pos(Pos::new(HPos::Right, VPos::Center));
                for (series, (_, y)) in named {
                    write(&series.name, (left - 6.0, y), &style)?;
                }
            }
            Names::Beside | Names::Numbers => {
                let text = |index: usize, series: &Series| match self.names {
                    Names::Numbers => (index + 1).to_string(),
                    _ => series.name.clone(),
                };
                let texts: Vec<String> = named
                    .iter()
                    .enumerate()
                    .map(|(index, (series, _))| text(index, series))
                    .collect();
                let points: Vec<(f64, f64)> = named.iter().map(|(_, at)| *at).collect();
                let widths: Vec<f64> = texts.iter().map(|text| width(text, 11.0)).collect();
                let places = beside(&points, &widths, 12.0, [left, top, right, bottom]);
                for (index, &(x, y)) in places.iter().enumerate() {
                    let (series, (px, py)) = named[index];
                    let near = x.max(px.min(x + widths[index]));
                    if (near - px).hypot(y - py) > 14.0 {
                        line((px, py), (near, y), series.look.colour)?;
                    }
                    let style = font(11.0).pos(Pos::new(HPos::Left, VPos::Center));
                    write(&texts[index], (x, y), &style)?;
                }
            }
        }
        Ok(())
    }

    /// The names in the order of their numbers.
    pub(super) fn legend(&self) -> Vec<String> {
        let is_shown = |series: &&Series| !series.name.is_empty() && !series.marks.is_empty();
        self.series.iter().filter(is_shown).map(|series| series.name.clone()).collect()
    }
}
