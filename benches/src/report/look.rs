//! One colour and one mark per family, in all plots and both colour schemes.

use crate::record::Family;
use plotters::style::RGBColor;

/// The look of a family.
#[derive(Clone, Copy, Debug)]
pub(super) struct Look {
    pub(super) family: Family,
    pub(super) name: &'static str,
    /// Its colour, legible on white and on black.
    pub(super) colour: RGBColor,
    /// Corners of its mark, and its rotation in degrees; a star has its corners twice.
    mark: (u32, f64, bool),
}

/// The colour of text, axes and bounds, legible on white and on black. The page overrides that of
/// text.
pub(super) const GREY: RGBColor = RGBColor(0x76, 0x7f, 0x89);

/// In the order of the page. Families with colours that some readers confuse differ in shape, as
/// tests below check.
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

/// A colour as SVG writes it.
pub(super) fn hex(RGBColor(r, g, b): RGBColor) -> String {
    format!("#{r:02x}{g:02x}{b:02x}")
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

#[cfg(test)]
mod tests {
    use super::{LOOKS, RGBColor};
    use std::collections::HashSet;

    type Matrix = [[f64; 3]; 3];

    const ALL_CONES: Matrix = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
    /// Simulates the vision of protanopes, deuteranopes and tritanopes in linear red, green and
    /// blue (Machado, Oliveira and Fernandes 2009).
    const EYES: [Matrix; 4] = [
        ALL_CONES,
        [[0.1523, 1.0526, -0.2049], [0.1145, 0.7863, 0.0992], [-0.0039, -0.0481, 1.0520]],
        [[0.3673, 0.8606, -0.2280], [0.2801, 0.6725, 0.0474], [-0.0118, 0.0429, 0.9689]],
        [[1.2555, -0.0767, -0.1788], [-0.0784, 0.9308, 0.1476], [0.0047, 0.6914, 0.3039]],
    ];

    /// A colour in linear red, green and blue, as seen with this colour vision.
    fn seen(RGBColor(r, g, b): RGBColor, eye: Matrix) -> [f64; 3] {
        let linear = [r, g, b].map(|c| {
            let c = f64::from(c) / 255.0;
            if c <= 0.04045 { c / 12.92 } else { ((c + 0.055) / 1.055).powf(2.4) }
        });
        eye.map(|row| row.iter().zip(linear).map(|(part, c)| part * c).sum::<f64>().clamp(0.0, 1.0))
    }

    fn luminance([r, g, b]: [f64; 3]) -> f64 {
        0.2126 * r + 0.7152 * g + 0.0722 * b
    }

    fn cielab([r, g, b]: [f64; 3]) -> [f64; 3] {
        let xyz = [
            (0.4124 * r + 0.3576 * g + 0.1805 * b) / 0.9505,
            luminance([r, g, b]),
            (0.0193 * r + 0.1192 * g + 0.9505 * b) / 1.089,
        ];
        let [x, y, z] = xyz.map(|c| if c > 0.008856 { c.cbrt() } else { 7.787 * c + 16.0 / 116.0 });
        [116.0 * y - 16.0, 500.0 * (x - y), 200.0 * (y - z)]
    }

    /// The quarter pixels that a mark covers, around the centre of its box.
    fn covered(corners: &[(i32, i32)]) -> HashSet<(i32, i32)> {
        let middle = |axis: fn(&(i32, i32)) -> i32| {
            let values = || corners.iter().map(axis);
            f64::from(values().min().unwrap() + values().max().unwrap()) / 2.0
        };
        let (left, top) = (middle(|at| at.0), middle(|at| at.1));
        let is_inside = |&(x, y): &(i32, i32)| {
            let (x, y) = (f64::from(x) / 4.0 + 0.125 + left, f64::from(y) / 4.0 + 0.125 + top);
            let edges = corners.windows(2).map(|edge| {
                let [(a, b), (c, d)] =
                    [edge[0], edge[1]].map(|(x, y)| (f64::from(x), f64::from(y)));
                (b > y) != (d > y) && x < (c - a) * (y - b) / (d - b) + a
            });
            edges.filter(|&is_crossed| is_crossed).count() % 2 == 1
        };
        (-40..40).flat_map(|y| (-40..40).map(move |x| (x, y))).filter(is_inside).collect()
    }

    /// Thin marks are distinguishable if their colours are 25 apart in CIELAB (adjacent areas:
    /// 2.3), or if their shapes share at most three quarters of the area that either covers.
    #[test]
    fn every_eye_tells_any_two_families_apart() {
        for radius in [4.2, 5.2] {
            for (index, one) in LOOKS.iter().enumerate() {
                for other in &LOOKS[..index] {
                    let [a, b] = [one, other].map(|look| covered(&look.corners(radius)));
                    let alike = a.intersection(&b).count() as f64 / a.union(&b).count() as f64;
                    for eye in EYES {
                        let [a, b] = [one, other].map(|look| cielab(seen(look.colour, eye)));
                        let squares = a.iter().zip(b).map(|(a, b)| (a - b).powi(2));
                        let apart = squares.sum::<f64>().sqrt();
                        assert!(
                            alike <= 0.75 || apart >= 25.0,
                            "{} and {}: {apart:.0} apart for {eye:?}, shapes alike by {alike:.2}",
                            one.name,
                            other.name
                        );
                    }
                }
            }
        }
    }

    /// The contrast that the Web Content Accessibility Guidelines require of graphics, on white and
    /// on the page's dark background.
    #[test]
    fn every_colour_stands_out() {
        for look in LOOKS {
            let light = luminance(seen(look.colour, ALL_CONES));
            let contrast = (1.05 / (light + 0.05)).min((light + 0.05) / 0.058);
            assert!(contrast >= 3.0, "{}: {contrast:.2}", look.name);
        }
    }
}
