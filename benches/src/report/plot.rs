//! A plot as data.

use super::doc::{Block, Figure, Found, Text};
use super::look::Look;
use super::number::tick;

/// A plot.
#[derive(Clone, Debug)]
pub(super) struct Plot {
    pub(super) x: Axis,
    pub(super) y: Axis,
    pub(super) series: Vec<Series>,
    /// Upright lines: caches, plans.
    pub(super) guides: Vec<(f64, String)>,
    /// Coloured cells under the family's colour: left, bottom, right, top.
    pub(super) cells: Vec<([f64; 4], Look)>,
    pub(super) names: Names,
}

/// Where the names of the series are.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Names {
    /// At the right end of each.
    Ends,
    /// Beside each mark; on narrow screens numbers, with the names under the plot.
    Beside,
    /// At the left of its row: the y axis counts the series, and the bars lie.
    Rows,
}

/// An axis.
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
}

/// A mark.
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
    /// The same with a line from mark to mark.
    pub(super) fn joined(self) -> Self {
        Self { line: self.measured().collect(), ..self }
    }

    /// The marks that have their numbers.
    pub(super) fn measured(&self) -> impl DoubleEndedIterator<Item = (f64, f64)> {
        self.marks.iter().filter_map(|mark| Some((mark.x, mark.y?)))
    }

    /// The first and the last of them, if there are two.
    pub(super) fn ends(&self) -> Option<[(f64, f64); 2]> {
        let mut marks = self.measured();
        Some([marks.next()?, marks.next_back()?])
    }

    /// The last number over the first.
    pub(super) fn rise(&self) -> Option<f64> {
        self.ends().map(|[first, last]| last.1 / first.1)
    }
}

impl Axis {
    /// An axis with room for these values, logarithmic if its label says so; a linear one begins
    /// at 0.
    fn fit(label: &str, values: impl Iterator<Item = f64>) -> Option<Self> {
        let is_log = label.contains("(log)");
        let values = values.filter(|x| x.is_finite() && (!is_log || *x > 0.0));
        let (low, high) = values.fold(None, |ends: Option<(f64, f64)>, x| {
            Some(ends.map_or((x, x), |(low, high)| (low.min(x), high.max(x))))
        })?;
        let range = match (is_log, low.min(0.0)) {
            (true, _) => (low / 1.15, high * 1.15),
            (false, low) => (low, high + (high - low).max(1e-9) * 0.05),
        };
        Some(Self { label: label.to_owned(), is_log, range, show: tick })
    }

    /// The same with another way to write the ticks.
    pub(super) fn shown(self, show: fn(f64) -> String) -> Self {
        Self { show, ..self }
    }

    /// The same from one value to another.
    pub(super) fn within(self, low: f64, high: f64) -> Self {
        Self { range: (low, high), ..self }
    }
}

impl Plot {
    /// A plot with room for all its marks, lines and bars; none without any.
    pub(super) fn new(x: &str, y: &str, series: Vec<Series>) -> Option<Self> {
        let of_mark = |mark: &Mark| {
            let (low, high) = mark.bar.unwrap_or((f64::NAN, f64::NAN));
            [mark.y.unwrap_or(f64::NAN), low, high].map(|y| (mark.x, y))
        };
        let marks = series.iter().flat_map(|series| &series.marks).flat_map(of_mark);
        let lines = series.iter().flat_map(|series| &series.line).copied();
        let points: Vec<(f64, f64)> = marks.chain(lines).collect();
        let x = Axis::fit(x, points.iter().map(|point| point.0))?;
        let y = Axis::fit(y, points.iter().map(|point| point.1))?;
        Some(Self { x, y, series, guides: Vec::new(), cells: Vec::new(), names: Names::Ends })
    }

    /// Those that have a name and a place for it: the end of the line, or the last mark.
    pub(super) fn named(&self) -> impl Iterator<Item = (&Series, (f64, f64))> {
        let all = self.series.iter().filter(|series| !series.name.is_empty());
        all.filter_map(|series| {
            let end = series.line.last().copied();
            Some((series, end.or_else(|| series.measured().next_back())?))
        })
    }

    /// The names in the order of their numbers.
    pub(super) fn legend(&self) -> impl Iterator<Item = &str> {
        self.named().map(|(series, _)| series.name.as_str())
    }
}

/// A plot for a folded section: the name of its file, and its caption.
pub(super) type Captioned = (&'static str, String, Option<Plot>);

/// Plots under their captions; the first line of the first caption is the finding.
pub(super) fn figures(all: impl IntoIterator<Item = Captioned>) -> Found {
    let all: Vec<Captioned> = all.into_iter().collect();
    let found = all.first()?.1.lines().next()?.to_owned();
    let figure = |(slug, caption, plot): Captioned| {
        let plot = plot?;
        let names = plot.legend().collect::<Vec<_>>().join(", ");
        let alt = format!("{} against {}: {names}.", plot.y.label, plot.x.label);
        // Text stays readable on a phone.
        let size = match plot.names {
            Names::Rows => (460, 70 + 15 * plot.series.len() as u32),
            _ => (440, 300),
        };
        Some(Figure { slug, alt, caption: Text::from(caption), plot, size, narrow: None })
    };
    Some((found, vec![Block::Figures(all.into_iter().filter_map(figure).collect())]))
}
