//! One colour and one mark per family, in all plots and tables and both colour schemes.
//!
//! Plots are drawn in sentinel colours, which `svg` replaces by classes. The real colours are
//! defined only here, for light and for dark.

use crate::contender::Family;
use std::fmt::Write;

/// An ink.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Ink {
    /// Text, axes.
    Text,
    /// Secondary text, leaders, bounds.
    Muted,
    /// Grid lines.
    Grid,
    /// Bands behind everything.
    Band,
    /// The background.
    Ground,
    /// A family's ink.
    Family(Family),
}

/// The dashes of a line. plotters would draw each dash as an element; SVG has an attribute for
/// them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Dash {
    /// Solid.
    Solid = 1,
    /// Long dashes.
    Long = 2,
    /// Short dashes.
    Short = 3,
}

impl Dash {
    /// All of them.
    pub(super) const ALL: [Self; 3] = [Self::Solid, Self::Long, Self::Short];

    /// Dash and gap in pixels.
    pub(super) const fn lengths(self) -> Option<(u32, u32)> {
        match self {
            Self::Solid => None,
            Self::Long => Some((7, 5)),
            Self::Short => Some((3, 3)),
        }
    }
}

/// The shape of a family's marks.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum Mark {
    /// A regular polygon: corners, and rotation in degrees.
    Polygon(u32, f64),
    /// A star: its points.
    Star(u32),
}

/// All families, in the order of their inks.
pub(super) const FAMILIES: [Family; 10] = [
    Family::Classic,
    Family::SplitBlock,
    Family::Counting,
    Family::Scalable,
    Family::Cuckoo,
    Family::Quotient,
    Family::Ribbon,
    Family::Fuse,
    Family::Exact,
    Family::Floor,
];

/// A family's name, mark, and colour on white and on black.
pub(super) const fn look(family: Family) -> (&'static str, Mark, &'static str, &'static str) {
    const ROUND: Mark = Mark::Polygon(24, 0.0);
    match family {
        Family::Classic => ("classic Bloom", ROUND, "#1d5fc4", "#7cb2ff"),
        Family::SplitBlock => (
            "split-block Bloom",
            Mark::Polygon(4, 45.0),
            "#c2570c",
            "#ffa657",
        ),
        Family::Counting => (
            "counting Bloom",
            Mark::Polygon(3, 0.0),
            "#7a3fb3",
            "#c9a0ff",
        ),
        Family::Scalable => (
            "scalable Bloom",
            Mark::Polygon(3, 180.0),
            "#0b7a75",
            "#4fd1c5",
        ),
        Family::Cuckoo => ("cuckoo", Mark::Polygon(4, 0.0), "#2e7d32", "#7ee787"),
        Family::Quotient => ("quotient", Mark::Polygon(5, 0.0), "#b3246b", "#ff8ac4"),
        Family::Ribbon => ("ribbon", Mark::Star(5), "#b42318", "#ff8f85"),
        Family::Fuse => ("xor and fuse", Mark::Polygon(6, 0.0), "#866a00", "#e3c341"),
        Family::Exact => ("exact set", Mark::Star(4), "#475569", "#b4c0cf"),
        Family::Floor => ("hashing alone", Mark::Star(6), "#737b86", "#8f98a3"),
    }
}

impl Mark {
    /// Its corners around the origin, in a circle of this radius; the first is on top.
    pub(super) fn corners(self, radius: f64) -> Vec<(f64, f64)> {
        let corner = |turn: f64, radius: f64| {
            let angle = turn.to_radians();
            (radius * angle.sin(), -radius * angle.cos())
        };
        match self {
            Self::Polygon(n, turned) => {
                // Marks of equal area look equally large; marks of equal radius do not.
                let radius = match n {
                    3 => radius * 1.35,
                    4 => radius * 1.2,
                    5 | 6 => radius * 1.1,
                    _ => radius,
                };
                (0..n)
                    .map(|i| corner(turned + 360.0 * f64::from(i) / f64::from(n), radius))
                    .collect()
            }
            Self::Star(n) => (0..2 * n)
                .map(|i| {
                    let radius = if i % 2 == 0 {
                        radius * 1.35
                    } else {
                        radius * 0.6
                    };
                    corner(180.0 * f64::from(i) / f64::from(n), radius)
                })
                .collect(),
        }
    }
}

impl Ink {
    /// All inks.
    pub(super) fn all() -> impl Iterator<Item = Self> {
        [
            Self::Text,
            Self::Muted,
            Self::Grid,
            Self::Band,
            Self::Ground,
        ]
        .into_iter()
        .chain(FAMILIES.map(Self::Family))
    }

    /// The class and the custom property in style sheets.
    pub(super) fn name(self) -> String {
        match self {
            Self::Text => "text".to_owned(),
            Self::Muted => "muted".to_owned(),
            Self::Grid => "grid".to_owned(),
            Self::Band => "band".to_owned(),
            Self::Ground => "ground".to_owned(),
            Self::Family(family) => format!("{family:?}").to_lowercase(),
        }
    }

    /// On white and on black.
    pub(super) const fn colours(self) -> (&'static str, &'static str) {
        match self {
            Self::Text => ("#1b1f24", "#e6e9ed"),
            Self::Muted => ("#59636e", "#9aa4af"),
            Self::Grid => ("#e1e5ea", "#2b323b"),
            Self::Band => ("#eef1f5", "#1d232b"),
            Self::Ground => ("#ffffff", "#12161b"),
            Self::Family(family) => {
                let (_, _, light, dark) = look(family);
                (light, dark)
            }
        }
    }

    /// The sentinel colour that a class replaces: unlike any real colour, and distinct.
    pub(super) fn sentinel(self, dash: Dash) -> [u8; 3] {
        let index = Self::all().position(|ink| ink == self).unwrap_or(0);
        [dash as u8, 254, index as u8]
    }
}

/// The style sheet of the plots: custom properties of both schemes, and a class for each ink.
pub(super) fn sheet(root: &str) -> String {
    let properties = |dark: bool| {
        Ink::all().fold(String::new(), |mut text, ink| {
            let (on_white, on_black) = ink.colours();
            let colour = if dark { on_black } else { on_white };
            let _ = write!(text, "--{}:{colour};", ink.name());
            text
        })
    };
    let mut text = format!(
        "{root}{{{}}}@media(prefers-color-scheme:dark){{{root}{{{}}}}}",
        properties(false),
        properties(true)
    );
    for ink in Ink::all() {
        let name = ink.name();
        let _ = write!(
            text,
            ".f-{name}{{fill:var(--{name})}}.s-{name}{{stroke:var(--{name})}}"
        );
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn no_two_families_share_a_colour_a_mark_or_a_sentinel() {
        let looks = FAMILIES.map(look);
        for pick in [
            |l: &(_, _, &str, &str)| l.2.to_owned(),
            |l: &(_, _, &str, &str)| l.3.to_owned(),
        ] {
            assert_eq!(
                looks.iter().map(pick).collect::<BTreeSet<_>>().len(),
                FAMILIES.len()
            );
        }
        let marks: BTreeSet<String> = looks.iter().map(|l| format!("{:?}", l.1)).collect();
        assert_eq!(marks.len(), FAMILIES.len());
        let sentinels: BTreeSet<[u8; 3]> = Ink::all()
            .flat_map(|ink| Dash::ALL.map(|dash| ink.sentinel(dash)))
            .collect();
        assert_eq!(sentinels.len(), Ink::all().count() * Dash::ALL.len());
    }
}
