//! A plot as data.

use super::look::Look;
use super::number::tick;
use super::text::Text;
use crate::record::{Family, Info};

#[derive(Clone, Debug)]
pub(super) struct Plot {
    pub(super) slug: &'static str,
    /// What it finds, in a sentence.
    pub(super) finding: String,
    /// How to read it; may be empty.
    pub(super) note: String,
    pub(super) x: Axis,
    pub(super) y: Axis,
    pub(super) series: Vec<Series>,
    /// Upright lines: caches, plans.
    pub(super) guides: Vec<(f64, String)>,
    /// What another plot shows larger, with the names: left, bottom, right, top.
    pub(super) frame: Option<[f64; 4]>,
    pub(super) names: Names,
    /// Pixels.
    pub(super) size: (u32, u32),
    /// Of another picture for narrow screens.
    pub(super) narrow: Option<(u32, u32)>,
}

/// Where the names of the series are.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Names {
    /// At the right end of each.
    Ends,
    /// Beside each mark; on narrow screens numbers, with the names under the plot.
    Beside,
}

#[derive(Clone, Debug)]
pub(super) struct Axis {
    pub(super) label: String,
    pub(super) is_log: bool,
    pub(super) range: (f64, f64),
    pub(super) show: fn(f64) -> String,
}

/// A contender's marks and its line; a line without a name is dashed.
#[derive(Clone, Debug)]
pub(super) struct Series {
    pub(super) name: String,
    pub(super) look: Look,
    /// Peers have hollow marks.
    pub(super) is_hollow: bool,
    pub(super) line: Vec<(f64, f64)>,
    pub(super) marks: Vec<Mark>,
    /// Others whose lines cannot be told from this one.
    pub(super) alike: Vec<String>,
    /// What tells its line from others that it crosses.
    pub(super) letter: Option<char>,
}

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

impl Series {
    pub(super) fn new(name: &str, family: Family, marks: Vec<Mark>) -> Self {
        let (name, look) = (name.to_owned(), Look::of(family));
        Self {
            name,
            look,
            is_hollow: false,
            line: Vec::new(),
            marks,
            alike: Vec::new(),
            letter: None,
        }
    }

    pub(super) fn of(facts: &Info, marks: Vec<Mark>) -> Self {
        Self { is_hollow: !facts.ours, ..Self::new(&facts.name, facts.family, marks) }
    }

    /// The least that a query takes on this machine: a line with a name, but no mark.
    pub(super) fn floor(line: Vec<(f64, f64)>) -> Self {
        Self { line, ..Self::new("one line read", Family::Floor, Vec::new()) }
    }

    /// A line that is no contender's.
    pub(super) fn guide(line: Vec<(f64, f64)>) -> Self {
        Self { line, ..Self::new("", Family::Floor, Vec::new()) }
    }

    /// Draws a line from mark to mark.
    pub(super) fn joined(self) -> Self {
        Self { line: self.measured().collect(), ..self }
    }

    pub(super) fn measured(&self) -> impl Iterator<Item = (f64, f64)> {
        self.marks.iter().filter_map(|mark| Some((mark.x, mark.y?)))
    }

    /// How many times it rises from the first to the last number.
    pub(super) fn rise(&self) -> f64 {
        self.line.first().zip(self.line.last()).map_or(1.0, |(first, last)| last.1 / first.1)
    }

    /// Whether nobody could tell the lines apart.
    fn is_like(&self, other: &Self) -> bool {
        let near = |(a, b): (&(f64, f64), &(f64, f64))| {
            (a.0 - b.0).abs() < 0.02 && (a.1 / b.1 - 1.0).abs() < 0.02
        };
        let (a, b) = (&self.line, &other.line);
        !a.is_empty() && a.len() == b.len() && a.iter().zip(b).all(near)
    }
}

/// Those that can be told apart.
pub(super) fn told_apart(all: impl IntoIterator<Item = Series>) -> Vec<Series> {
    let mut told: Vec<Series> = Vec::new();
    for series in all {
        match told.iter_mut().find(|other| other.is_like(&series)) {
            Some(other) => other.alike.push(series.name),
            None => told.push(series),
        }
    }
    told
}

impl Axis {
    /// An axis with room for these values, logarithmic if its label says so; a linear one begins
    /// at 0.
    fn fit(label: &str, values: impl Iterator<Item = f64> + Clone) -> Option<Self> {
        let is_log = label.contains("(log)");
        let values = values.filter(|x| x.is_finite() && (!is_log || *x > 0.0));
        let (low, high) = (values.clone().reduce(f64::min)?, values.reduce(f64::max)?);
        let range = match (is_log, low.min(0.0)) {
            (true, _) => (low / 1.15, high * 1.15),
            (false, low) => (low, high + (high - low).max(1e-9) * 0.05),
        };
        Some(Self { label: label.to_owned(), is_log, range, show: tick })
    }
}

impl Plot {
    /// A plot with room for all its marks and lines; none without any. Small enough that its text
    /// stays readable on a phone.
    pub(super) fn new(
        slug: &'static str,
        finding: String,
        [x, y]: [&str; 2],
        series: Vec<Series>,
    ) -> Option<Self> {
        let marks = series.iter().flat_map(|series| &series.marks);
        let marks = marks.map(|mark| (mark.x, mark.y.unwrap_or(f64::NAN)));
        let points = marks.chain(series.iter().flat_map(|series| &series.line).copied());
        Some(Self {
            slug,
            finding,
            note: String::new(),
            x: Axis::fit(x, points.clone().map(|point| point.0))?,
            y: Axis::fit(y, points.map(|point| point.1))?,
            series,
            guides: Vec::new(),
            frame: None,
            names: Names::Ends,
            size: (440, 300),
            narrow: None,
        })
    }

    /// Sets the ends of both axes.
    pub(super) fn within(mut self, x: (f64, f64), y: (f64, f64)) -> Self {
        (self.x.range, self.y.range) = (x, y);
        self
    }

    pub(super) fn caption(&self) -> Text {
        Text::from(format!("{} {}", self.finding, self.note).trim())
    }

    /// What it shows, for those who cannot see it.
    pub(super) fn alt(&self) -> String {
        let names = self.legend().collect::<Vec<_>>().join(", ");
        format!("{} against {}: {names}.", self.y.label, self.x.label)
    }

    /// Those that have a name and a place for it: the end of the line, or the last mark.
    pub(super) fn named(&self) -> impl Iterator<Item = (&Series, (f64, f64))> {
        let all = self.series.iter().filter(|series| !series.name.is_empty());
        let all = all.filter_map(|series| {
            let end = series.line.last().copied();
            Some((series, end.or_else(|| series.measured().last())?))
        });
        // Those within the frame have their names where they are larger.
        all.filter(|(_, (x, y))| {
            self.frame.is_none_or(|[left, bottom, right, top]| {
                !((left..=right).contains(x) && (bottom..=top).contains(y))
            })
        })
    }

    /// Whether it has the page's width, and marks that can be lit.
    pub(super) const fn is_large(&self) -> bool {
        self.size.0 > 1000
    }

    pub(super) fn legend(&self) -> impl Iterator<Item = &str> {
        self.named().map(|(series, _)| series.name.as_str())
    }
}
