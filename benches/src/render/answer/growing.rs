//! The need for an unknown number of keys, answered from filters that grew, not from filters told
//! the number.

use crate::contender::Family;
use crate::record::{Row, Workload};
use crate::render::data::Data;
use crate::render::document::Spans;
use crate::render::entry::{Rate, Time, bits_of};
use crate::render::number::{asked, digits, grouped, percent, three};
use crate::run::ContenderFacts;

/// The need.
pub(super) const NEED: &str = "Number of keys not known in advance; least memory";

/// A filter that grew to the end and kept its rate.
struct Grown<'a> {
    facts: &'a ContenderFacts,
    last: &'a Row,
    bits: f64,
    rate: Rate,
}

/// The row of the answer: the smallest filter that kept its target rate.
pub(super) fn row(data: &Data) -> Option<Vec<Spans>> {
    let all = data.beyond(Workload::Grow);
    let mut worse = Vec::new();
    let mut kept: Vec<Grown<'_>> = Vec::new();
    for (facts, rows) in all {
        let last = rows.last().filter(|row| row.refused_at.is_none());
        let found = last.and_then(|row| Some((*row, bits_of(row)?, Rate::joint_of(row)?)));
        let Some((last, bits, rate)) = found else {
            continue;
        };
        if last.asked_fpr.is_none() || facts.family == Family::Exact {
            continue;
        }
        // As far as the measurement can tell.
        if last.asked_fpr.is_some_and(|asked| rate.low > asked) {
            worse.push(format!("{} ({})", facts.name, percent(rate.mean)));
            continue;
        }
        kept.push(Grown {
            facts,
            last,
            bits,
            rate,
        });
    }
    kept.sort_by(|a, b| {
        a.bits
            .total_cmp(&b.bits)
            .then_with(|| a.facts.name.cmp(&b.facts.name))
    });
    let (best, others) = kept.split_first()?;
    let insert = Time::of(best.last).map_or_else(String::new, |time| {
        format!("; {} ns per insert at the end", three(time.median))
    });
    let exceeded = if worse.is_empty() {
        String::new()
    } else {
        format!("; above the rate: {}", worse.join(", "))
    };
    let why = format!(
        "{} bits per key with {} keys, after growing a hundredfold; measured rate {} of the {} asked for{insert}{exceeded}",
        digits(best.bits, 4),
        grouped(best.last.keys),
        percent(best.rate.mean),
        best.last.asked_fpr.map_or_else(String::new, asked),
    );
    let next = others.first().map_or_else(
        || Spans::from("no other here keeps its rate"),
        |next| {
            let more = (next.bits / best.bits - 1.0) * 100.0;
            let text = format!(": {} bits, {more:.0} % more", digits(next.bits, 4));
            Spans::default().code(&next.facts.name).text(text)
        },
    );
    Some(vec![
        Spans::from(NEED),
        Spans::default().code(&best.facts.name),
        Spans::from(why),
        next,
    ])
}
