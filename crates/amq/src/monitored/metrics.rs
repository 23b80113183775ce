//! Reports in the text format of Prometheus.

use super::{Report, Verdict};
use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::String;
use amq_core::Stats;
use core::fmt;

/// The reports of any number of filters as one page of metrics, in Prometheus' text format,
/// version 0.0.4: each metric once, with its help, its type, and a sample for each filter, whose
/// name is the label `filter`.
///
/// ```
/// use amq::monitored::{Metrics, Monitored};
/// use amq::{BloomFilter, Goal};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let users = Monitored::new(BloomFilter::new(Goal::fpr(1000, 0.01))?, 0.01)?;
/// let mut page = Metrics::new();
/// page.add("users", &users.report());
/// assert!(page.to_string().contains("amq_planned_fpr{filter=\"users\"} 0.01\n"));
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, Default)]
pub struct Metrics {
    /// By label, in its escaped form.
    filters: BTreeMap<String, (Stats, Option<Report>)>,
}

impl Metrics {
    /// An empty page.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a filter under any name, or replaces the one of that name.
    pub fn add(&mut self, name: &str, report: &Report) {
        self.filters.insert(label(name), (report.stats, Some(*report)));
    }

    /// Adds a filter that is not monitored: its keys, capacity, size, load and expected rate.
    ///
    /// ```
    /// use amq::monitored::Metrics;
    /// use amq::{BloomFilter, Goal};
    ///
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let users = BloomFilter::new(Goal::fpr(1000, 0.01))?;
    /// let mut page = Metrics::new();
    /// page.add_stats("users", &users.stats());
    /// assert!(page.to_string().contains("amq_capacity_keys{filter=\"users\"} 1000\n"));
    /// # Ok(())
    /// # }
    /// ```
    pub fn add_stats(&mut self, name: &str, stats: &Stats) {
        self.filters.insert(label(name), (*stats, None));
    }
}

fn label(name: &str) -> String {
    let name = name.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n");
    format!("filter=\"{name}\"")
}

/// Name, help and value. Names of counters end in `_total`.
type Metric<Of> = (&'static str, &'static str, fn(&Of) -> f64);

const OF_WATCHED: &[Metric<Report>] = &[
    ("queries_total", "Queries, estimated from a sample.", |seen| seen.queries as f64),
    ("positives_total", "Queries answered \"probably\".", |seen| seen.positives as f64),
    ("reads_saved_total", "Queries answered \"no\".", |seen| seen.reads_saved as f64),
    ("false_positives_total", "Positives reported as false.", |seen| seen.false_positives as f64),
    ("observed_fpr", "Recent false-positive rate.", |seen| seen.observed_fpr),
    ("observed_fpr_low", "Lower end of its 99.9 % interval.", |seen| seen.interval.0),
    ("observed_fpr_high", "Upper end of its 99.9 % interval.", |seen| seen.interval.1),
    ("planned_fpr", "Planned false-positive rate.", |seen| seen.planned_fpr),
];

const OF_ALL: &[Metric<Stats>] = &[
    ("expected_fpr", "Rate expected at the present load.", |stats| stats.expected_fpr),
    ("keys", "Keys in the filter.", |stats| stats.len as f64),
    ("capacity_keys", "Keys the filter was planned for.", |stats| stats.capacity as f64),
    ("size_bytes", "Bytes of the filter's table.", |stats| stats.bytes as f64),
    ("load_ratio", "Share of the table in use.", |stats| stats.load_factor),
];

/// Writes a metric, if it has samples: pairs of labels and value.
fn write(
    f: &mut fmt::Formatter<'_>,
    (name, help): (&str, &str),
    samples: impl Iterator<Item = (String, f64)>,
) -> fmt::Result {
    let kind = if name.ends_with("_total") { "counter" } else { "gauge" };
    for (index, (labels, value)) in samples.enumerate() {
        if index == 0 {
            writeln!(f, "# HELP amq_{name} {help}\n# TYPE amq_{name} {kind}")?;
        }
        writeln!(f, "amq_{name}{{{labels}}} {value}")?;
    }
    Ok(())
}

impl fmt::Display for Metrics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let all = self.filters.iter();
        let watched =
            all.clone().filter_map(|(label, (_, report))| Some((label, report.as_ref()?)));
        for &(name, help, of) in OF_WATCHED {
            write(f, (name, help), watched.clone().map(|(label, seen)| (label.clone(), of(seen))))?;
        }
        for &(name, help, of) in OF_ALL {
            let samples = all.clone().map(|(label, (stats, _))| (label.clone(), of(stats)));
            write(f, (name, help), samples)?;
        }
        let verdicts = watched.flat_map(|(label, seen)| {
            Verdict::ALL.map(|verdict| {
                let holds = f64::from(u8::from(seen.verdict == Some(verdict)));
                (format!("{label},verdict=\"{verdict}\""), holds)
            })
        });
        write(f, ("verdict", "1 for the verdict; 0 for all as long as it is too early."), verdicts)
    }
}
