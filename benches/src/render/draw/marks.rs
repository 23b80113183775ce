//! Marks, bars and crosses.

use super::{Canvas, MARK, SCALE, colour, failed, units, whole};
use crate::render::chart::{Point, Series};
use crate::render::style::Ink;
use anyhow::Result;
use plotters::prelude::*;

impl Canvas<'_, '_> {
    /// One measured point with its bars.
    pub(super) fn point(&self, series: &Series, point: &Point) -> Result<()> {
        let (x, y) = self.place(point.at);
        let ink = colour(series.ink);
        let thin = ink.stroke_width(units(1.4) as u32);
        let bar = |from: (f64, f64), to: (f64, f64)| {
            self.root
                .draw(&PathElement::new(vec![whole(from), whole(to)], thin))
                .map_err(failed)
        };
        if let Some((low, high)) = point.along {
            bar(
                self.place((point.at.0, low)),
                self.place((point.at.0, high)),
            )?;
        }
        if let Some((low, high)) = point.across {
            bar(
                self.place((low, point.at.1)),
                self.place((high, point.at.1)),
            )?;
        }
        if point.failed {
            return self.cross((x, y), series.ink);
        }
        self.mark(series, (x, y))
    }

    /// A family's mark.
    pub(super) fn mark(&self, series: &Series, (x, y): (f64, f64)) -> Result<()> {
        let radius = MARK * f64::from(SCALE) * if series.hollow { 1.25 } else { 1.0 };
        let mut corners: Vec<(i32, i32)> = series
            .mark
            .corners(radius)
            .iter()
            .map(|(dx, dy)| whole((x + dx, y + dy)))
            .collect();
        let ink = colour(series.ink);
        // A hollow mark is filled with the background, so that no line is seen through it.
        let inside = if series.hollow {
            colour(Ink::Ground)
        } else {
            ink
        };
        self.root
            .draw(&Polygon::new(corners.clone(), inside.filled()))
            .map_err(failed)?;
        if !series.hollow {
            return Ok(());
        }
        corners.extend_from_within(..1);
        let outline = ink.stroke_width(units(1.7) as u32);
        self.root
            .draw(&PathElement::new(corners, outline))
            .map_err(failed)
    }

    /// A hollow cross: the outline of an x.
    fn cross(&self, (x, y): (f64, f64), ink: Ink) -> Result<()> {
        let (arm, half) = (7.5, 2.2);
        let turned = std::f64::consts::FRAC_1_SQRT_2 * f64::from(SCALE);
        let quarter = [(half, half), (arm, half), (arm, -half), (half, -half)];
        let mut corners = Vec::new();
        for turn in 0..4 {
            for (a, b) in quarter {
                let (a, b) = match turn {
                    0 => (a, b),
                    1 => (b, -a),
                    2 => (-a, -b),
                    _ => (-b, a),
                };
                corners.push(whole((x + (a - b) * turned, y + (a + b) * turned)));
            }
        }
        corners.extend_from_within(..1);
        let outline = colour(ink).stroke_width(units(1.5) as u32);
        self.root
            .draw(&PathElement::new(corners, outline))
            .map_err(failed)
    }
}
