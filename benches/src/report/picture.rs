//! A plot's picture, by plotters.

use super::labels::{beside, spread, width};
use super::look::GREY;
use super::plot::{Axis, Names, Plot, Series};
use anyhow::Result;
use plotters::coord::Shift;
use plotters::coord::ranged1d::{KeyPointHint, NoDefaultFormatting, ValueFormatter};
use plotters::coord::types::RangedCoordf64;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};
use std::ops::Range;

type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;
type Chart<'a, 'b> = ChartContext<'a, SVGBackend<'b>, Cartesian2d<Axis, Axis>>;

/// One of two coordinates of plotters, chosen as it runs.
impl Ranged for Axis {
    type FormatOption = NoDefaultFormatting;
    type ValueType = f64;

    fn map(&self, value: &f64, limit: (i32, i32)) -> i32 {
        match self.is_log {
            true => LogCoord::from(self.range().log_scale()).map(value, limit),
            false => RangedCoordf64::from(self.range()).map(value, limit),
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

/// Round numbers, as close as may be: powers of ten alone over many decades.
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

impl Plot {
    /// Its picture; on a narrow screen numbers stand for names that have no room.
    pub(super) fn draw(&self, size: (u32, u32), is_narrow: bool) -> Result<String> {
        let mut svg = String::new();
        let area = SVGBackend::with_string(&mut svg, size).into_drawing_area();
        let mut chart = self.chart(&area)?;
        for series in &self.series {
            self.draw_series(&mut chart, series)?;
        }
        self.draw_names(&area, &chart, is_narrow)?;
        area.present()?;
        drop(chart);
        drop(area);
        Ok(svg)
    }

    /// Its cells, its axes and its guides.
    fn chart<'a, 'b>(&self, area: &'a Area<'b>) -> Result<Chart<'a, 'b>> {
        let is_rows = self.names == Names::Rows;
        let longest = self.legend().map(width).max().unwrap_or(0);
        let mut chart = ChartBuilder::on(area)
            .margin_top(if self.guides.is_empty() { 8 } else { 20 })
            .margin_right(if self.names == Names::Ends { longest + 14 } else { 12 })
            .margin_left(if is_rows { longest } else { 0 })
            .x_label_area_size(38)
            .y_label_area_size(if is_rows { 8 } else { 52 })
            .build_cartesian_2d(self.x.clone(), self.y.clone())?;
        chart.draw_series(self.cells.iter().map(|&([left, bottom, right, top], look)| {
            Rectangle::new([(left, bottom), (right, top)], look.colour.mix(0.55).filled())
        }))?;
        let mut mesh = chart.configure_mesh();
        if is_rows {
            mesh.disable_y_mesh().disable_y_axis();
        }
        // Ticks of six digits do not touch.
        mesh.x_labels(self.size.0 as usize / 70)
            .y_labels(7)
            .light_line_style(TRANSPARENT)
            .bold_line_style(GREY.mix(0.22))
            .axis_style(GREY)
            .label_style(font(HPos::Center, VPos::Center))
            .x_desc(&self.x.label)
            .y_desc(if is_rows { "" } else { &self.y.label })
            .draw()?;
        let (low, high) = self.y.range;
        let is_seen = |guide: &&(f64, String)| self.x.range().contains(&guide.0);
        for (x, label) in self.guides.iter().filter(is_seen) {
            let dashes = DashedLineSeries::new([(*x, low), (*x, high)], 3, 4, GREY.stroke_width(1));
            chart.draw_series(dashes)?;
            let (x, y) = chart.backend_coord(&(*x, high));
            area.draw_text(label, &font(HPos::Center, VPos::Bottom), (x, y - 2))?;
        }
        Ok(chart)
    }

    fn draw_series(&self, chart: &mut Chart<'_, '_>, series: &Series) -> Result<()> {
        let colour = series.look.colour;
        let (thick, thin) = (colour.stroke_width(2), colour.stroke_width(1));
        let line = series.line.iter().copied();
        if series.name.is_empty() {
            chart.draw_series(DashedLineSeries::new(line, 8, 6, thick))?;
        } else {
            chart.draw_series(LineSeries::new(line, thick))?;
        }
        // A bar shorter than its mark is not seen.
        let height = |y: f64| self.y.map(&y, (0, 400));
        for mark in &series.marks {
            match (mark.y, mark.bar) {
                (Some(y), Some((low, high))) if self.names == Names::Rows => {
                    chart.draw_series([PathElement::new([(low, y), (high, y)], thin)])?;
                }
                (Some(y), Some((low, high))) if height(high) - height(low) > 8 => {
                    chart.draw_series([ErrorBar::new_vertical(mark.x, low, y, high, thin, 6)])?;
                }
                (Some(_), _) => {}
                (None, _) => {
                    chart.draw_series([Cross::new((mark.x, self.y.range.1), 5, thin)])?;
                }
            }
        }
        let corners = series.look.corners(4.2);
        let at = series.measured().map(EmptyElement::at);
        if series.is_hollow {
            chart.draw_series(at.map(|at| at + PathElement::new(corners.clone(), thick)))?;
        } else {
            chart.draw_series(at.map(|at| at + Polygon::new(corners.clone(), colour)))?;
        }
        Ok(())
    }

    /// Writes each name once, with a line to its mark if that is far.
    fn draw_names(&self, area: &Area<'_>, chart: &Chart<'_, '_>, is_narrow: bool) -> Result<()> {
        let (low, high) = self.y.range;
        let pixel = |(x, y): (f64, f64)| chart.backend_coord(&(x, y.clamp(low, high)));
        let (series, points): (Vec<&Series>, Vec<(i32, i32)>) =
            self.named().map(|(series, at)| (series, pixel(at))).unzip();
        let text = |(index, series): (usize, &&Series)| match self.names {
            Names::Beside if is_narrow => (index + 1).to_string(),
            _ => series.name.clone(),
        };
        let texts: Vec<String> = series.iter().enumerate().map(text).collect();
        let widths: Vec<i32> = texts.iter().map(|text| width(text)).collect();
        let heights: Vec<i32> = points.iter().map(|point| point.1).collect();
        let (x, y) = chart.plotting_area().get_pixel_range();
        let at = |x: i32, heights: Vec<i32>| heights.into_iter().map(|y| (x, y)).collect();
        let places: Vec<(i32, i32)> = match self.names {
            Names::Ends => at(x.end + 10, spread(&heights, 14, y.start, y.end)),
            Names::Beside => beside(&points, &widths, [x.start, y.start, x.end, y.end]),
            Names::Rows => at(x.start - 6, heights),
        };
        let is_rows = self.names == Names::Rows;
        for (index, &(x, y)) in places.iter().enumerate() {
            let (px, py) = points[index];
            let near = x.max(px.min(x + widths[index]));
            let is_far = (near - px).pow(2) + (y - py).pow(2) > 14 * 14;
            if is_far && !is_rows {
                let style = series[index].look.colour.mix(0.6);
                area.draw(&PathElement::new([(px, py), (near, y)], style))?;
            }
            let side = if is_rows { HPos::Right } else { HPos::Left };
            area.draw_text(&texts[index], &font(side, VPos::Center), (x, y))?;
        }
        Ok(())
    }
}
