//! An answer as text for people.

use crate::numbers::{Bytes, Rate};
use crate::{Answer, Choice, Structure};
use alloc::string::{String, ToString};
use core::fmt;

/// Nanoseconds, with a mark if they are reckoned, or a dash if nobody has measured them.
struct Nanoseconds(Option<f64>, bool);

impl fmt::Display for Nanoseconds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mark = if self.1 { "~" } else { "" };
        match self.0 {
            None => f.pad("-"),
            Some(ns) if ns < 99.5 => f.pad(&alloc::format!("{mark}{ns:.1}")),
            Some(ns) if ns < 1e6 => f.pad(&alloc::format!("{mark}{ns:.0}")),
            Some(ns) => f.pad(&alloc::format!("{mark}{ns:.2e}")),
        }
    }
}

/// The choices as a table, a sentence for each, what fell out and why, and what else to know.
impl fmt::Display for Answer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names = self.choices.iter().map(|choice| choice.structure.to_string().len());
        let width = names.max().unwrap_or(0).max("filter".len());
        let head = "bits/key       size   to build       rate  insert ns  query ns  total ns";
        writeln!(f, "     {:width$}  {head}", "filter")?;
        for (index, choice) in self.choices.iter().enumerate() {
            row(f, index + 1, width, choice)?;
        }
        writeln!(f)?;
        for (index, choice) in self.choices.iter().enumerate() {
            let said = alloc::format!("{} {}", choice.what, choice.reason);
            writeln!(f, "{:>3}  {}: {}", index + 1, choice.structure, said.trim_start())?;
        }
        if !self.rejections.is_empty() {
            writeln!(f, "\nNot considered:")?;
        }
        for rejection in &self.rejections {
            writeln!(f, "  -  {}: {}", rejection.structure, rejection.reason)?;
        }
        writeln!(f, "\nTo know:")?;
        self.notes.iter().try_for_each(|note| writeln!(f, "  -  {note}"))
    }
}

fn row(f: &mut fmt::Formatter<'_>, number: usize, width: usize, choice: &Choice) -> fmt::Result {
    writeln!(
        f,
        "{number:>3}  {:width$}  {:>8.2} {:>10} {:>10} {:>10} {:>10} {:>9} {:>9}",
        choice.structure,
        choice.bits_per_key,
        Bytes(choice.bytes),
        Bytes(choice.build_bytes),
        // A map gives some value to every key: it has no rate.
        match choice.structure {
            Structure::Map => String::from("-"),
            _ => Rate(choice.fpr).to_string(),
        },
        Nanoseconds(choice.insert_ns, choice.reckoned),
        Nanoseconds(choice.query_ns, choice.reckoned),
        Nanoseconds(choice.cost_ns, choice.reckoned),
    )
}
