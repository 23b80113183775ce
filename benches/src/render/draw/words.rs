//! The labels of series.

use super::{Canvas, FONT, LINE, SCALE, colour, failed, units, whole};
use crate::render::chart::Series;
use crate::render::labels;
use crate::render::style::Ink;
use anyhow::Result;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, VPos};

impl Canvas<'_, '_> {
    /// Labels on the right, each with its mark, joined with the last point of its series.
    pub(super) fn column(&self) -> Result<()> {
        let [_, top, right, bottom] = self.area;
        let last = |series: &Series| {
            let points = series.points.iter().map(|point| (!point.failed, point.at));
            let path = series.path.iter().map(|&at| (true, at));
            // A failed cell has no place of its own, so it is used only if there is no other point.
            let last = points
                .chain(path)
                .max_by(|(a_good, a), (b_good, b)| a_good.cmp(b_good).then(a.0.total_cmp(&b.0)));
            last.map(|(_, at)| at)
        };
        let labelled: Vec<(&Series, &str, (f64, f64))> = self
            .chart
            .series
            .iter()
            .filter_map(|series| {
                Some((series, series.label.as_deref()?, self.place(last(series)?)))
            })
            .collect();
        // Series that end at nearly the same height are sorted by family.
        let family = |ink: Ink| Ink::all().position(|other| other == ink).unwrap_or(0) as f64;
        let step = f64::from(units(LINE / 2.0));
        let wanted: Vec<f64> = labelled
            .iter()
            .enumerate()
            .map(|(index, (series, _, at))| {
                (at.1 / step).round() * step + family(series.ink) * 0.1 + index as f64 * 1e-3
            })
            .collect();
        let gap = f64::from(units(LINE));
        let places = labels::spread(&wanted, gap, top + gap / 2.0, bottom - gap / 2.0);
        for ((series, label, at), y) in labelled.into_iter().zip(places) {
            let leader = vec![
                whole(at),
                whole((right + f64::from(units(4.0)), at.1)),
                whole((right + f64::from(units(20.0)), y)),
            ];
            let faint = colour(Ink::Grid).stroke_width(units(1.2) as u32);
            self.root
                .draw(&PathElement::new(leader, faint))
                .map_err(failed)?;
            self.mark(series, (right + f64::from(units(29.0)), y))?;
            let words = (right + f64::from(units(42.0)), y);
            self.text(label, words, HPos::Left, VPos::Center, series.ink, FONT)?;
        }
        Ok(())
    }

    /// Labels beside the first points of their series.
    pub(super) fn words_beside(&self) -> Result<()> {
        let labelled: Vec<(&Series, &str, (f64, f64))> = self
            .chart
            .series
            .iter()
            .filter_map(|series| {
                let at = series.points.first()?.at;
                Some((series, series.label.as_deref()?, self.place(at)))
            })
            .collect();
        let scale = f64::from(SCALE);
        let points: Vec<(f64, f64)> = labelled
            .iter()
            .map(|(_, _, (x, y))| (x / scale, y / scale))
            .collect();
        let widths: Vec<f64> = labelled
            .iter()
            .map(|(_, label, _)| labels::width(label, FONT))
            .collect();
        let within = self.area.map(|edge| edge / scale);
        let lines: Vec<(f64, f64)> = self
            .chart
            .series
            .iter()
            .flat_map(|series| self.along(series))
            .collect();
        let places = labels::beside(&points, &widths, LINE, within, &lines);
        for ((series, label, _), (x, y)) in labelled.into_iter().zip(places) {
            self.text(
                label,
                (x * scale, y * scale),
                HPos::Left,
                VPos::Center,
                series.ink,
                FONT,
            )?;
        }
        Ok(())
    }

    /// Points on paths and bars, dense enough that no label fits between them.
    fn along(&self, series: &Series) -> Vec<(f64, f64)> {
        const STEPS: u32 = 100;
        let scale = f64::from(SCALE);
        let place = |at: (f64, f64)| {
            let (x, y) = self.place(at);
            (x / scale, y / scale)
        };
        let places: Vec<(f64, f64)> = series.path.iter().map(|&at| place(at)).collect();
        let bars = series.points.iter().flat_map(|point| {
            let (x, y) = point.at;
            let across = point
                .across
                .map(|(low, high)| [place((low, y)), place((high, y))]);
            let along = point
                .along
                .map(|(low, high)| [place((x, low)), place((x, high))]);
            [across, along].into_iter().flatten()
        });
        let bars: Vec<[(f64, f64); 2]> = bars.collect();
        let between = |pair: &[(f64, f64)]| {
            let ((ax, ay), (bx, by)) = (pair[0], pair[1]);
            (0..=STEPS).map(move |step| {
                let share = f64::from(step) / f64::from(STEPS);
                (ax + (bx - ax) * share, ay + (by - ay) * share)
            })
        };
        let bars = bars.iter().flat_map(|bar| between(bar.as_slice()));
        places.windows(2).flat_map(between).chain(bars).collect()
    }
}
