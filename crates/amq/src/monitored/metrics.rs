//! Reports in the text format of Prometheus.

use self::Value::{Count, Real};
use super::{Report, Verdict};
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use amq_core::Stats;
use core::fmt;

/// The reports of any number of filters as one page of metrics, in Prometheus' text format,
/// version 0.0.4: each metric once, with its help, its type, and a sample for each filter.
///
/// ```
/// use amq::monitored::{Metrics, Monitored};
/// use amq::{BloomFilter, Goal};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let users = Monitored::new(BloomFilter::new(Goal::fpr(1000, 0.01))?, 0.01)?;
/// let mut page = Metrics::new("amq")?;
/// page.add(&[("filter", "users"), ("shard", "3")], &users.report())?;
/// assert!(page.to_string().contains("amq_planned_fpr{filter=\"users\",shard=\"3\"} 0.01\n"));
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct Metrics {
    prefix: String,
    filters: Vec<Line>,
}

/// A filter on the page.
#[derive(Clone, Debug)]
struct Line {
    /// Its labels as they are written, without braces.
    labels: String,
    stats: Stats,
    /// What a watched filter saw.
    report: Option<Report>,
}

/// A page of metrics that Prometheus would refuse.
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum MetricsError {
    /// The prefix cannot begin a metric's name.
    Prefix {
        /// The prefix.
        prefix: String,
    },

    /// The label cannot be named like this.
    Label {
        /// The name.
        name: String,
    },

    /// A label is there twice.
    Repeated {
        /// Its name.
        name: String,
    },

    /// Another filter on the page has the same labels.
    SameLabels {
        /// The labels.
        labels: String,
    },
}

impl fmt::Display for MetricsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Prefix { prefix } => write!(
                f,
                "`{prefix}` cannot begin a metric's name: use letters, digits, `_` and `:`, and no \
             digit first"
            ),
            Self::Label { name } => write!(
                f,
                "`{name}` cannot name a label: use letters, digits and `_`, no digit first, not `__` \
             first, and not `verdict`, which is taken"
            ),
            Self::Repeated { name } => {
                write!(f, "the label `{name}` is given twice: once is enough")
            }
            Self::SameLabels { labels } => write!(
                f,
                "two filters have the labels {{{labels}}}: give each a label of its own, such as its \
             name"
            ),
        }
    }
}

impl fmt::Debug for MetricsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl core::error::Error for MetricsError {}

impl Metrics {
    /// An empty page. Names begin with `prefix` and an underscore.
    pub fn new(prefix: &str) -> Result<Self, MetricsError> {
        if !is_name(prefix, true) {
            return Err(MetricsError::Prefix { prefix: prefix.to_string() });
        }
        Ok(Self { prefix: prefix.to_string(), filters: Vec::new() })
    }

    /// Adds a filter, told from the others by its labels: pairs of name and value. A value may be
    /// any text.
    pub fn add(&mut self, labels: &[(&str, &str)], report: &Report) -> Result<(), MetricsError> {
        self.line(labels, report.stats, Some(*report))
    }

    /// Adds a filter that is not watched: its keys, capacity, size, load and expected rate.
    ///
    /// ```
    /// use amq::monitored::Metrics;
    /// use amq::{BloomFilter, Goal};
    ///
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let users = BloomFilter::new(Goal::fpr(1000, 0.01))?;
    /// let mut page = Metrics::new("amq")?;
    /// page.add_stats(&[("filter", "users")], &users.stats())?;
    /// assert!(page.to_string().contains("amq_capacity_keys{filter=\"users\"} 1000\n"));
    /// # Ok(())
    /// # }
    /// ```
    pub fn add_stats(
        &mut self,
        labels: &[(&str, &str)],
        stats: &Stats,
    ) -> Result<(), MetricsError> {
        self.line(labels, *stats, None)
    }

    fn line(
        &mut self,
        labels: &[(&str, &str)],
        stats: Stats,
        report: Option<Report>,
    ) -> Result<(), MetricsError> {
        let mut written = String::new();
        for (index, &(name, value)) in labels.iter().enumerate() {
            if !is_name(name, false) || name.starts_with("__") || name == "verdict" {
                return Err(MetricsError::Label { name: name.to_string() });
            }
            if labels[..index].iter().any(|&(other, _)| other == name) {
                return Err(MetricsError::Repeated { name: name.to_string() });
            }
            if index > 0 {
                written.push(',');
            }
            written.push_str(name);
            written.push_str("=\"");
            escape(value, &mut written);
            written.push('"');
        }
        if self.filters.iter().any(|line| line.labels == written) {
            return Err(MetricsError::SameLabels { labels: written });
        }
        self.filters.push(Line { labels: written, stats, report });
        Ok(())
    }
}

/// Whether the text is a name: of a metric, which may have colons, or of a label.
fn is_name(text: &str, colons: bool) -> bool {
    let first = |c: char| c.is_ascii_alphabetic() || c == '_' || (colons && c == ':');
    text.starts_with(first) && text.chars().all(|c| first(c) || c.is_ascii_digit())
}

fn escape(value: &str, to: &mut String) {
    for c in value.chars() {
        match c {
            '\\' => to.push_str("\\\\"),
            '"' => to.push_str("\\\""),
            '\n' => to.push_str("\\n"),
            c => to.push(c),
        }
    }
}

/// A metric: its name, its type, what it is, and its value for a filter that has it.
struct Metric {
    name: &'static str,
    kind: &'static str,
    help: &'static str,
    value: Of,
}

type Of = fn(&Line) -> Option<Value>;

const fn counter(name: &'static str, help: &'static str, value: Of) -> Metric {
    Metric { name, kind: "counter", help, value }
}

const fn gauge(name: &'static str, help: &'static str, value: Of) -> Metric {
    Metric { name, kind: "gauge", help, value }
}

enum Value {
    Count(u64),
    Real(f64),
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Count(count) => count.fmt(f),
            Self::Real(real) if real == f64::INFINITY => f.write_str("+Inf"),
            Self::Real(real) => real.fmt(f),
        }
    }
}

const METRICS: &[Metric] = &[
    counter("queries_total", "Queries, estimated from a sample.", |line| {
        Some(Count(line.report?.queries))
    }),
    counter("positives_total", "Queries answered \"probably\", estimated from a sample.", |line| {
        Some(Count(line.report?.positives))
    }),
    counter(
        "reads_saved_total",
        "Queries answered \"certainly not\", estimated from a sample.",
        |line| Some(Count(line.report?.reads_saved)),
    ),
    counter("false_positives_total", "Positives reported to be false.", |line| {
        Some(Count(line.report?.false_positives))
    }),
    gauge("observed_fpr", "False positives over recent queries for absent keys.", |line| {
        Some(Real(line.report?.observed_fpr))
    }),
    gauge(
        "observed_fpr_low",
        "Lower end of the 99.9 % confidence interval of the observed rate.",
        |line| Some(Real(line.report?.interval.0)),
    ),
    gauge(
        "observed_fpr_high",
        "Upper end of the 99.9 % confidence interval of the observed rate.",
        |line| Some(Real(line.report?.interval.1)),
    ),
    gauge(
        "key_fpr",
        "Share of the different absent keys asked for recently that are false positives.",
        |line| Some(Real(line.report?.key_fpr)),
    ),
    gauge(
        "overfull",
        "1 if the filter holds more keys than planned and its table errs more often.",
        |line| Some(Count(line.report?.overfull().into())),
    ),
    gauge("expected_fpr", "False-positive rate expected at the present load.", |line| {
        Some(Real(line.stats.expected_fpr))
    }),
    gauge("planned_fpr", "False-positive rate the filter was planned for.", |line| {
        Some(Real(line.report?.planned_fpr))
    }),
    gauge("keys", "Keys in the filter.", |line| Some(Count(line.stats.len))),
    gauge("capacity_keys", "Keys the filter was planned for.", |line| {
        Some(Count(line.stats.capacity))
    }),
    gauge("size_bytes", "Bytes of the filter's table.", |line| Some(Count(line.stats.bytes))),
    gauge("load_ratio", "Share of the table in use.", |line| Some(Real(line.stats.load_factor))),
];

impl fmt::Display for Metrics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for metric in METRICS {
            let name = metric.name;
            let mut first = true;
            for line in &self.filters {
                let Some(value) = (metric.value)(line) else {
                    continue;
                };
                if core::mem::take(&mut first) {
                    self.heading(f, name, metric.kind, metric.help)?;
                }
                match line.labels.as_str() {
                    "" => writeln!(f, "{}_{name} {value}", self.prefix)?,
                    labels => writeln!(f, "{}_{name}{{{labels}}} {value}", self.prefix)?,
                }
            }
        }
        let watched = || self.filters.iter().filter_map(|line| Some((line, line.report?.verdict)));
        if watched().next().is_some() {
            let help = "1 for the verdict on the recent rates, 0 for the others.";
            self.heading(f, "verdict", "gauge", help)?;
        }
        for (Line { labels, .. }, found) in watched() {
            let comma = if labels.is_empty() { "" } else { "," };
            for verdict in Verdict::ALL {
                let holds = u8::from(found == verdict);
                writeln!(
                    f,
                    "{}_verdict{{{labels}{comma}verdict=\"{verdict}\"}} {holds}",
                    self.prefix
                )?;
            }
        }
        Ok(())
    }
}

impl Metrics {
    fn heading(
        &self,
        f: &mut fmt::Formatter<'_>,
        name: &str,
        kind: &str,
        help: &str,
    ) -> fmt::Result {
        writeln!(f, "# HELP {}_{name} {help}", self.prefix)?;
        writeln!(f, "# TYPE {}_{name} {kind}", self.prefix)
    }
}
