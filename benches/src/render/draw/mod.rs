//! From a chart to a picture: the only module that uses plotters.
//!
//! plotters works in whole pixels, so everything is drawn at [`SCALE`] times its shown size.

mod marks;
mod words;

use super::axis::Axis;
use super::chart::{Chart, Labels, Series, Stroke};
use super::document::Figure;
use super::labels;
use super::style::{Dash, Ink};
use super::svg;
use anyhow::{Result, anyhow};
use plotters::coord::Shift;
use plotters::coord::ranged1d::{KeyPointHint, NoDefaultFormatting, Ranged, ValueFormatter};
use plotters::coord::types::RangedCoordf64;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};
use std::fmt::Display;
use std::ops::Range;

/// Units of the picture to a pixel of the page.
pub(super) const SCALE: u32 = 10;

const WIDTH: f64 = 880.0;
const LEFT: f64 = 66.0;
const LEFT_NAMES: f64 = 170.0;
const TOP: f64 = 34.0;
const BOTTOM: f64 = 54.0;
const RIGHT: f64 = 20.0;
const FONT: f64 = 14.0;
const LINE: f64 = 18.0;
const MARK: f64 = 5.5;

type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;

/// Draws it.
pub(super) fn figure(chart: &Chart) -> Result<Figure> {
    let mut drawn = String::new();
    let height = TOP + f64::from(chart.height) + BOTTOM;
    {
        let size = (units(WIDTH) as u32, units(height) as u32);
        let root = SVGBackend::with_string(&mut drawn, size).into_drawing_area();
        root.fill(&colour(Ink::Ground)).map_err(failed)?;
        Canvas::new(chart, &root)?.draw()?;
        root.present().map_err(failed)?;
    }
    let alt = chart.alt();
    Ok(Figure {
        slug: chart.slug.clone(),
        title: chart.title.clone(),
        caption: chart.caption.clone(),
        svg: svg::dressed(&drawn, SCALE, &chart.slug, &chart.title, &alt),
        alt,
    })
}

/// An axis for plotters: in its own units, with the axis's ticks.
struct Ticked {
    axis: Axis,
    coord: RangedCoordf64,
}

impl Ticked {
    fn new(axis: &Axis) -> Self {
        Self {
            coord: (axis.place(axis.low)..axis.place(axis.high)).into(),
            axis: axis.clone(),
        }
    }
}

impl Ranged for Ticked {
    type FormatOption = NoDefaultFormatting;
    type ValueType = f64;

    fn map(&self, value: &f64, limit: (i32, i32)) -> i32 {
        self.coord.map(value, limit)
    }

    fn key_points<Hint: KeyPointHint>(&self, _hint: Hint) -> Vec<f64> {
        self.axis
            .ticks
            .iter()
            .map(|(x, _)| self.axis.place(*x))
            .collect()
    }

    fn range(&self) -> Range<f64> {
        self.coord.range()
    }
}

impl ValueFormatter<f64> for Ticked {
    fn format_ext(&self, value: &f64) -> String {
        let at = |(x, _): &&(f64, String)| (self.axis.place(*x) - value).abs() < 1e-9;
        self.axis
            .ticks
            .iter()
            .find(at)
            .map(|(_, label)| label.clone())
            .unwrap_or_default()
    }
}

struct Canvas<'a, 'b> {
    chart: &'a Chart,
    root: &'a Area<'b>,
    context: ChartContext<'a, SVGBackend<'b>, Cartesian2d<Ticked, Ticked>>,
    /// Left, top, right and bottom of the data's area, in units.
    area: [f64; 4],
}

impl<'a, 'b> Canvas<'a, 'b> {
    fn new(chart: &'a Chart, root: &'a Area<'b>) -> Result<Self> {
        let left = if chart.labels == Labels::Axis {
            LEFT_NAMES
        } else {
            LEFT
        };
        let right = if chart.labels == Labels::Column {
            let words = chart
                .series
                .iter()
                .filter_map(|series| series.label.as_deref());
            words
                .map(|label| labels::width(label, FONT))
                .fold(0.0, f64::max)
                + 58.0
        } else {
            RIGHT
        };
        let context = ChartBuilder::on(root)
            .margin_top(units(TOP))
            .margin_right(units(right))
            .x_label_area_size(units(BOTTOM))
            .y_label_area_size(units(left))
            .build_cartesian_2d(Ticked::new(&chart.x), Ticked::new(&chart.y))
            .map_err(failed)?;
        let (across, along) = context.plotting_area().get_pixel_range();
        let area = [across.start, along.start, across.end, along.end].map(f64::from);
        Ok(Self {
            chart,
            root,
            context,
            area,
        })
    }

    fn draw(&mut self) -> Result<()> {
        self.bands()?;
        self.mesh()?;
        for series in &self.chart.series {
            self.path(series)?;
        }
        match self.chart.labels {
            Labels::Column => self.column()?,
            Labels::Beside => self.words_beside()?,
            Labels::Axis => {}
        }
        // Ours last, so that nothing hides them, and peers' hollow marks around them stay visible.
        for hollow in [true, false] {
            for series in self
                .chart
                .series
                .iter()
                .filter(|series| series.hollow == hollow)
            {
                for point in &series.points {
                    self.point(series, point)?;
                }
            }
        }
        if let Some((at, text)) = &self.chart.note {
            let (x, y) = self.place(*at);
            self.text(
                text,
                (x - 8.0 * f64::from(SCALE), y),
                HPos::Right,
                VPos::Center,
                Ink::Muted,
                FONT,
            )?;
        }
        Ok(())
    }

    fn mesh(&mut self) -> Result<()> {
        let (tick, axis) = (
            style(FONT, Ink::Muted),
            colour(Ink::Muted).stroke_width(SCALE),
        );
        self.context
            .configure_mesh()
            .max_light_lines(0)
            .bold_line_style(colour(Ink::Grid).stroke_width(SCALE))
            .axis_style(axis)
            .label_style(tick)
            .set_all_tick_mark_size(units(4.0))
            .draw()
            .map_err(failed)?;
        let [left, top, right, _] = self.area;
        let bottom = f64::from(units(TOP + f64::from(self.chart.height) + BOTTOM));
        let below = ((left + right) / 2.0, bottom - f64::from(units(10.0)));
        self.text(
            &self.chart.x.name,
            below,
            HPos::Center,
            VPos::Bottom,
            Ink::Text,
            FONT,
        )?;
        let above = (f64::from(units(10.0)), top - f64::from(units(14.0)));
        self.text(
            &self.chart.y.name,
            above,
            HPos::Left,
            VPos::Center,
            Ink::Text,
            FONT,
        )
    }

    fn bands(&self) -> Result<()> {
        let [_, top, _, bottom] = self.area;
        for band in &self.chart.bands {
            let (left, _) = self.place((band.low, self.chart.y.low));
            let (right, _) = self.place((band.high, self.chart.y.low));
            let right = right.max(left + f64::from(units(1.5)));
            let corners = [whole((left, top)), whole((right, bottom))];
            self.root
                .draw(&Rectangle::new(corners, colour(Ink::Band).filled()))
                .map_err(failed)?;
            let at = ((left + right) / 2.0, top + f64::from(units(10.0)));
            self.text(
                &band.label,
                at,
                HPos::Center,
                VPos::Center,
                Ink::Muted,
                13.0,
            )?;
        }
        Ok(())
    }

    /// The path, cut off where it leaves the area.
    fn path(&self, series: &Series) -> Result<()> {
        let inside = |&&(x, y): &&(f64, f64)| self.chart.x.holds(x) && self.chart.y.holds(y);
        let places: Vec<(i32, i32)> = series
            .path
            .iter()
            .filter(inside)
            .map(|&at| whole(self.place(at)))
            .collect();
        if places.len() < 2 {
            return Ok(());
        }
        let (width, dash) = match series.stroke {
            Stroke::Theory => (2.2, Dash::Solid),
            Stroke::Bound => (1.6, Dash::Long),
            Stroke::Guide => (1.4, Dash::Solid),
            Stroke::PeerGuide => (1.4, Dash::Short),
        };
        let [red, green, blue] = series.ink.sentinel(dash);
        let style = RGBColor(red, green, blue).stroke_width(units(width) as u32);
        self.root
            .draw(&PathElement::new(places, style))
            .map_err(failed)
    }

    fn text(
        &self,
        text: &str,
        at: (f64, f64),
        h: HPos,
        v: VPos,
        ink: Ink,
        size: f64,
    ) -> Result<()> {
        let style = style(size, ink).pos(Pos::new(h, v));
        self.root
            .draw(&Text::new(text, whole(at), style))
            .map_err(failed)
    }

    /// Its position in the picture, in units.
    fn place(&self, (x, y): (f64, f64)) -> (f64, f64) {
        let at = (self.chart.x.place(x), self.chart.y.place(y));
        let (x, y) = self.context.backend_coord(&at);
        (f64::from(x), f64::from(y))
    }
}

fn colour(ink: Ink) -> RGBColor {
    let [red, green, blue] = ink.sentinel(Dash::Solid);
    RGBColor(red, green, blue)
}

/// Text of a size in pixels. plotters takes the height of a line, not of the letters.
fn style(size: f64, ink: Ink) -> TextStyle<'static> {
    let font = ("sans-serif", size * 1.24 * f64::from(SCALE)).into_font();
    TextStyle {
        color: colour(ink).to_backend_color(),
        ..TextStyle::from(font)
    }
}

fn units(pixels: f64) -> i32 {
    (pixels * f64::from(SCALE)).round() as i32
}

fn whole((x, y): (f64, f64)) -> (i32, i32) {
    (x.round() as i32, y.round() as i32)
}

/// Errors of plotters borrow nothing but are not `Sync`.
fn failed(error: impl Display) -> anyhow::Error {
    anyhow!("a plot could not be drawn: {error}")
}
