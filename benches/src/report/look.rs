//! One colour and one mark per family, in all plots and both colour schemes.

use crate::record::Family;
use plotters::style::RGBColor;

/// How a family looks.
#[derive(Clone, Copy, Debug)]
pub(super) struct Look {
    pub(super) family: Family,
    pub(super) name: &'static str,
    /// Its colour, which reads on white and on black.
    pub(super) colour: RGBColor,
    /// Corners of its mark, and how far it is turned, in degrees; a star has its corners twice.
    mark: (u32, f64, bool),
}

/// Text, axes and bounds: reads on white and on black. The page gives text its own colour.
pub(super) const GREY: RGBColor = RGBColor(0x76, 0x7f, 0x89);

/// In the order of the page. Families whose colours are close to some eyes differ much in shape:
/// `.ci/page marks`.
pub(super) const LOOKS: [Look; 10] = [
    of(Family::Classic, "classic Bloom", (0x2f, 0x7d, 0xe0), (8, 22.5, false)),
    of(Family::SplitBlock, "split-block Bloom", (0xd9, 0x6b, 0x0b), (4, 45.0, false)),
    of(Family::Counting, "counting Bloom", (0xa0, 0x5a, 0xd8), (3, 0.0, false)),
    of(Family::Scalable, "scalable Bloom", (0x0b, 0x96, 0x8c), (3, 180.0, false)),
    of(Family::Cuckoo, "cuckoo", (0x2f, 0x9a, 0x3f), (3, 270.0, false)),
    of(Family::Quotient, "quotient", (0xd6, 0x3d, 0x8a), (3, 90.0, false)),
    of(Family::Ribbon, "ribbon", (0xdc, 0x3b, 0x30), (5, 0.0, true)),
    of(Family::Fuse, "xor/fuse", (0x9a, 0x80, 0x0c), (4, 0.0, false)),
    of(Family::Exact, "exact set", (0x6b, 0x7b, 0x8f), (4, 0.0, true)),
    of(Family::Floor, "hashing alone", (0x86, 0x86, 0x86), (6, 0.0, true)),
];

const fn of(
    family: Family,
    name: &'static str,
    (r, g, b): (u8, u8, u8),
    mark: (u32, f64, bool),
) -> Look {
    Look { family, name, colour: RGBColor(r, g, b), mark }
}

impl Look {
    pub(super) fn of(family: Family) -> Self {
        LOOKS.into_iter().find(|look| look.family == family).unwrap_or(LOOKS[9])
    }

    /// The corners of its mark around the origin, in pixels, closed.
    pub(super) fn corners(self, radius: f64) -> Vec<(i32, i32)> {
        let (corners, turn, is_star) = self.mark;
        let steps = if is_star { 2 * corners } else { corners };
        // Marks of equal area look equally large; marks of equal radius do not.
        let radius = match corners {
            3 => radius * 1.35,
            4 | 5 => radius * 1.2,
            _ => radius,
        };
        let corner = |step: u32| {
            let angle = (turn + 360.0 * f64::from(step) / f64::from(steps)).to_radians();
            let radius = if is_star && step % 2 == 1 { radius * 0.45 } else { radius };
            ((radius * angle.sin()).round() as i32, (-radius * angle.cos()).round() as i32)
        };
        (0..=steps).map(|step| corner(step % steps)).collect()
    }
}
