//! A plot's picture, by plotters.

use super::labels::{Rect, around, beside, overlap, spread, width};
use super::look::GREY;
use super::number::digits;
use super::plot::{Axis, Names, Plot, Series};
use anyhow::Result;
use maud::{Markup, html};
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

/// The most marks of a series.
const MOST_MARKS: usize = 12;

impl Plot {
    /// Its picture; on a narrow screen numbers stand for names that have no room.
    pub(super) fn draw(&self, size: (u32, u32), is_narrow: bool) -> Result<String> {
        let mut svg = String::new();
        let area = SVGBackend::with_string(&mut svg, size).into_drawing_area();
        let mut chart = self.chart(&area, size)?;
        for series in &self.series {
            self.draw_lines(&mut chart, series)?;
        }
        let above = self.above(&chart, is_narrow).into_string();
        area.present()?;
        drop(chart);
        drop(area);
        Ok(svg.replace("</svg>", &(above + "</svg>")))
    }

    /// Its axes, its guides and its frame.
    fn chart<'a, 'b>(&self, area: &'a Area<'b>, size: (u32, u32)) -> Result<Chart<'a, 'b>> {
        let longest = self.legend().map(width).max().unwrap_or(0);
        let mut chart = ChartBuilder::on(area)
            .margin_top(if self.guides.is_empty() { 8 } else { 20 })
            .margin_right(if self.names == Names::Ends { longest + 28 } else { 12 })
            .x_label_area_size(38)
            .y_label_area_size(52)
            .build_cartesian_2d(self.x.clone(), self.y.clone())?;
        if let Some([left, bottom, right, top]) = self.frame {
            let frame = Rectangle::new([(left, bottom), (right, top)], GREY.mix(0.12).filled());
            chart.draw_series([frame])?;
        }
        // Ticks of six digits do not touch.
        chart
            .configure_mesh()
            .x_labels(size.0 as usize / 70)
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
        Ok(chart)
    }

    fn draw_lines(&self, chart: &mut Chart<'_, '_>, series: &Series) -> Result<()> {
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
                (Some(y), Some((low, high))) if height(high) - height(low) > 8 => {
                    chart.draw_series([ErrorBar::new_vertical(mark.x, low, y, high, thin, 6)])?;
                }
                (Some(_), _) => {}
                (None, _) => {
                    chart.draw_series([Cross::new((mark.x, self.y.range.1), 5, thin)])?;
                }
            }
        }
        Ok(())
    }

    /// What lies above the lines: marks, each with its name and its numbers, and the names.
    fn above(&self, chart: &Chart<'_, '_>, is_narrow: bool) -> Markup {
        let (low, high) = self.y.range;
        let pixel = |(x, y): (f64, f64)| chart.backend_coord(&(x, y.clamp(low, high)));
        let labels = self.labels(chart, is_narrow);
        let seen = |&(x, _): &(f64, f64)| self.x.range.0 <= x && x <= self.x.range.1;
        let close = |(x, y): (i32, i32)| [x - 4, y - 4, x + 4, y + 4];
        let marks = self.series.iter().flat_map(Series::measured).filter(seen);
        let mut taken: Vec<Rect> = marks.map(|at| close(pixel(at))).collect();
        // Letters stand where they cover nothing.
        let mut letter = |of: &Series, (x, y): (i32, i32)| {
            let own = [x - 4, y - 14, x + 4, y - 5];
            let letter = of.letter.filter(|_| !taken.iter().any(|other| overlap(other, &own)));
            taken.extend(letter.map(|_| own));
            letter
        };
        html! {
            @for label in labels.iter().filter(|label| label.is_far()) {
                path d=(format!("M{} {}L{} {}", label.mark.0, label.mark.1, label.near(), label.at.1))
                    stroke=(hex(label.colour)) stroke-opacity="0.6" {}
            }
            @for series in self.series.iter().filter(|series| !series.name.is_empty()) {
                @let points: Vec<_> = series.measured().filter(seen).collect();
                // Of many points of a line some have marks, the last one among them.
                @for &at in points.iter().rev().step_by(points.len().div_ceil(MOST_MARKS).max(1)) {
                    (self.mark(series, at, pixel(at), letter(series, pixel(at))))
                }
            }
            @for label in &labels {
                text x=(label.at.0) y=(label.at.1 + 4) font-family="sans-serif" font-size="11"
                    fill=(hex(GREY)) { (label.text) }
            }
        }
    }

    /// A mark: shape and colour say the family, a letter the series where lines cross.
    fn mark(
        &self,
        series: &Series,
        (x, y): (f64, f64),
        (left, top): (i32, i32),
        letter: Option<char>,
    ) -> Markup {
        let corners = series.look.corners(if self.is_large() { 5.2 } else { 4.2 });
        let corners: Vec<String> =
            corners.iter().map(|(x, y)| format!("{} {}", left + x, top + y)).collect();
        let colour = hex(series.look.colour);
        let fill = if series.is_hollow { "none" } else { &colour };
        let [x_is, y_is] = [&self.x, &self.y].map(|axis| axis.label.replace(" (log)", ""));
        let title = format!("{}: {} {x_is}; {} {y_is}", series.name, digits(x, 3), digits(y, 3));
        html! {
            g data-mark=[self.is_large().then_some(&series.name)]
                tabindex=[self.is_large().then_some("0")] {
                title { (title) }
                path d=(format!("M{}Z", corners.join("L"))) fill=(fill) stroke=(colour)
                    stroke-width="2" pointer-events="all" {}
                @if let Some(letter) = letter {
                    text x=(left) y=(top - 6) font-family="sans-serif" font-size="9" fill=(colour)
                        text-anchor="middle" { (letter) }
                }
            }
        }
    }

    /// The boxes of all names and of all marks, for tests.
    #[cfg(test)]
    pub(super) fn boxes(&self, size: (u32, u32), is_narrow: bool) -> Result<[Vec<[i32; 4]>; 2]> {
        let mut svg = String::new();
        let area = SVGBackend::with_string(&mut svg, size).into_drawing_area();
        let chart = self.chart(&area, size)?;
        let labels = self.labels(&chart, is_narrow).into_iter();
        let labels = labels.map(|Label { at: (x, y), width, .. }| [x, y - 5, x + width, y + 5]);
        let marks = self.series.iter().flat_map(Series::measured).map(|at| {
            let (x, y) = chart.backend_coord(&at);
            [x - 4, y - 4, x + 4, y + 4]
        });
        Ok([labels.collect(), marks.chain(self.steps(&chart)).collect()])
    }

    /// The ground of lines that are no contender's, where they are level or upright.
    fn steps<'a>(&'a self, chart: &'a Chart<'_, '_>) -> impl Iterator<Item = Rect> + 'a {
        let lines = self.series.iter().filter(|series| series.marks.is_empty());
        lines.flat_map(|series| series.line.windows(2)).filter_map(|pair| {
            let [(a, b), (c, d)] = [pair[0], pair[1]].map(|at| chart.backend_coord(&at));
            let rect = [a.min(c) - 1, b.min(d) - 1, a.max(c) + 1, b.max(d) + 1];
            (a == c || b == d).then_some(rect)
        })
    }

    /// Where each name stands, once.
    pub(super) fn labels(&self, chart: &Chart<'_, '_>, is_narrow: bool) -> Vec<Label> {
        let (low, high) = self.y.range;
        let pixel = |(x, y): (f64, f64)| chart.backend_coord(&(x, y.clamp(low, high)));
        let text = |(index, series): (usize, &&Series)| match (self.names, series.letter) {
            (Names::Beside, _) if is_narrow => (index + 1).to_string(),
            (_, Some(letter)) => format!("{letter} {}", series.name),
            _ => series.name.clone(),
        };
        let (series, marks): (Vec<&Series>, Vec<(i32, i32)>) =
            self.named().map(|(series, at)| (series, pixel(at))).unzip();
        let texts: Vec<String> = series.iter().enumerate().map(text).collect();
        let widths: Vec<i32> = texts.iter().map(|text| width(text)).collect();
        let heights: Vec<i32> = marks.iter().map(|mark| mark.1).collect();
        let (x, y) = chart.plotting_area().get_pixel_range();
        let at = |x: i32, heights: Vec<i32>| heights.into_iter().map(|y| (x, y)).collect();
        let marks_of_all = self.series.iter().flat_map(Series::measured).map(pixel).map(around);
        let taken = marks_of_all.chain(self.steps(chart)).collect();
        let places: Vec<(i32, i32)> = match self.names {
            Names::Ends => at(x.end + 10, spread(&heights, 14, y.start, y.end)),
            Names::Beside => beside(&marks, taken, &widths, [x.start, y.start, x.end, y.end]),
        };
        let label = |(index, at): (usize, (i32, i32))| Label {
            text: texts[index].clone(),
            at,
            width: widths[index],
            mark: marks[index],
            colour: series[index].look.colour,
        };
        places.into_iter().enumerate().map(label).collect()
    }
}

/// A name in a picture: its left end at half its height, and the mark that it is of.
pub(super) struct Label {
    text: String,
    pub(super) at: (i32, i32),
    pub(super) width: i32,
    mark: (i32, i32),
    colour: RGBColor,
}

impl Label {
    /// Its end that is nearest to the mark.
    fn near(&self) -> i32 {
        self.at.0.max(self.mark.0.min(self.at.0 + self.width))
    }

    /// Whether a line must lead to the mark.
    fn is_far(&self) -> bool {
        let (x, y) = (self.near() - self.mark.0, self.at.1 - self.mark.1);
        x * x + y * y > 14 * 14
    }
}

fn hex(RGBColor(r, g, b): RGBColor) -> String {
    format!("#{r:02x}{g:02x}{b:02x}")
}
