//! A chart as data, before it is drawn.

use super::axis::Axis;
use super::style::{Ink, Mark, look};
use crate::run::ContenderFacts;

/// How a path is drawn.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Stroke {
    /// Theory: a solid line.
    Theory,
    /// A bound: dashed.
    Bound,
    /// Measured points of ours, joined to guide the eye: thin.
    Guide,
    /// The same of a peer: thin and dashed.
    PeerGuide,
}

/// One measured point with its bars.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Point {
    /// Its position.
    pub(super) at: (f64, f64),
    /// The ends of the bar along x.
    pub(super) across: Option<(f64, f64)>,
    /// The ends of the bar along y.
    pub(super) along: Option<(f64, f64)>,
    /// A failed cell: a hollow cross, at the lower end of any unknown axis.
    pub(super) failed: bool,
}

/// One series.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Series {
    /// Its label; `None` if it needs none.
    pub(super) label: Option<String>,
    /// Its colour.
    pub(super) ink: Ink,
    /// Its mark.
    pub(super) mark: Mark,
    /// Marks of peers are hollow.
    pub(super) hollow: bool,
    /// How its path is drawn.
    pub(super) stroke: Stroke,
    /// A line through it.
    pub(super) path: Vec<(f64, f64)>,
    /// What was measured.
    pub(super) points: Vec<Point>,
}

/// Placement of labels.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Labels {
    /// In a column on the right, each joined with the last point.
    Column,
    /// Beside the first point.
    Beside,
    /// None: the axis has the names.
    Axis,
}

/// A hint behind the data: a band or line along x.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Band {
    /// From here.
    pub(super) low: f64,
    /// To here; the same value for a line.
    pub(super) high: f64,
    /// Its label.
    pub(super) label: String,
}

/// A plot, not yet drawn.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Chart {
    /// Its file's name.
    pub(super) slug: String,
    /// What is plotted.
    pub(super) title: String,
    /// The finding, computed from the data.
    pub(super) caption: String,
    /// Along x.
    pub(super) x: Axis,
    /// Along y.
    pub(super) y: Axis,
    /// Behind the data.
    pub(super) bands: Vec<Band>,
    /// The data.
    pub(super) series: Vec<Series>,
    /// The placement of labels.
    pub(super) labels: Labels,
    /// Text within the plot, ending at a point.
    pub(super) note: Option<((f64, f64), String)>,
    /// Height of the data's area.
    pub(super) height: u32,
}

impl Point {
    /// A point without bars.
    pub(super) const fn at(x: f64, y: f64) -> Self {
        Self {
            at: (x, y),
            across: None,
            along: None,
            failed: false,
        }
    }

    /// A failed cell; unknown coordinates are NaN.
    pub(super) const fn failed(x: f64, y: f64) -> Self {
        Self {
            failed: true,
            ..Self::at(x, y)
        }
    }
}

impl Series {
    /// An empty series of a contender, in its family's colour and mark.
    pub(super) fn of(facts: &ContenderFacts) -> Self {
        let (_, mark, ..) = look(facts.family);
        Self {
            label: Some(facts.name.clone()),
            ink: Ink::Family(facts.family),
            mark,
            hollow: !facts.ours,
            stroke: if facts.ours {
                Stroke::Guide
            } else {
                Stroke::PeerGuide
            },
            path: Vec::new(),
            points: Vec::new(),
        }
    }

    /// Its measured points, with a thin line through those that did not fail.
    pub(super) fn joined(mut self, points: Vec<Point>) -> Self {
        self.path = points
            .iter()
            .filter(|point| !point.failed)
            .map(|point| point.at)
            .collect();
        self.points = points;
        self
    }

    /// Its measured points alone.
    pub(super) fn scattered(mut self, points: Vec<Point>) -> Self {
        self.points = points;
        self
    }

    /// A line without points or label.
    pub(super) const fn line(ink: Ink, stroke: Stroke, path: Vec<(f64, f64)>) -> Self {
        Self {
            label: None,
            ink,
            mark: Mark::Polygon(24, 0.0),
            hollow: false,
            stroke,
            path,
            points: Vec::new(),
        }
    }
}

impl Chart {
    /// The text alternative.
    pub(super) fn alt(&self) -> String {
        let names: Vec<&str> = self
            .series
            .iter()
            .filter_map(|series| series.label.as_deref())
            .collect();
        let mut text = format!("{}. ", self.title);
        if self.labels == Labels::Axis {
            text.push_str(&format!("Along x: {}. ", self.x.name));
        } else {
            text.push_str(&format!(
                "Along x: {}; along y: {}. ",
                self.x.name, self.y.name
            ));
        }
        if !names.is_empty() {
            text.push_str(&format!("Shown: {}. ", names.join(", ")));
        }
        text.trim_end().to_owned()
    }
}
