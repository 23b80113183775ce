//! Which filter? For each need: the best by the records or by the advisor's answer, why, what it
//! costs, and the runner-up.

use super::data::{Data, Entry, Target};
use super::doc::{Answer, Block, Pick, Text};
use super::number::{asked, decimal, digits, keys, list, percent, two};
use crate::record::{Ability, Choice, ContenderFacts, Family, Row, State, Workload};

/// Sizes closer than this are equal.
pub(super) const SPACE_TIE: f64 = 0.005;
/// Names of ties that a row has room for.
const TIES: usize = 1;
/// A rate that is enough to halve the work.
const LOOSE: f64 = 0.3;
/// Beyond so many keys a size of its own.
const MANY: u64 = 100_000_000;

/// What decides.
#[derive(Clone, Copy, PartialEq, Debug)]
enum By {
    Bits,
    /// The size of the file.
    Bytes,
    Rate,
    Time(Workload),
    /// Mean bits over a cycle of growth.
    Growth,
}

/// A need that the records answer.
struct Need<'a> {
    need: String,
    by: By,
    entries: Vec<Entry<'a>>,
    fits: fn(&Entry<'_>) -> bool,
}

/// The table, its rule, and what these records cannot answer.
pub(super) fn blocks(data: &Data) -> Vec<Block> {
    let (mut answers, mut missing) = (Vec::new(), Vec::new());
    let mut take = |need: String, answer: Option<Answer>| match answer {
        Some(answer) => answers.push(answer),
        None => missing.push(need),
    };
    for need in needs(data) {
        let answer = measured(data, &need);
        take(need.need, answer);
    }
    let is_measured = |topic: &str| topic == "loose" && data.rates().contains(&LOOSE);
    for (need, topic) in ADVISED.iter().filter(|(_, topic)| !is_measured(topic)) {
        take((*need).to_owned(), advised(data, need, topic));
    }
    take("No false positive at all".to_owned(), exact(data));
    let floor = data.floor(Workload::Query50);
    let noise = match floor {
        0.0 => "the noise was not measured, so no times are called equal".to_owned(),
        floor => format!("times within the noise ({}) are ties", percent(floor)),
    };
    let rule = format!(
        "{} keys ({}) at {} unless a row says otherwise; {noise}, and so are sizes within {}. Of \
         equally small filters the faster is named, of equally fast ones the smaller. ns is per \
         key, hashing included.",
        keys(data.keys),
        data.set,
        asked(data.rate()),
        asked(SPACE_TIE)
    );
    let mut blocks = vec![Block::Answers(answers), Block::Para(Text::from(rule))];
    if !missing.is_empty() {
        let missing = missing.join("; ");
        blocks.push(Block::Para(Text::from(format!(
            "Not in these records: {missing}."
        ))));
    }
    blocks
}

fn needs(data: &Data) -> Vec<Need<'_>> {
    let (rate, low) = (data.rate(), 0.001);
    let at = |rate| {
        data.main_entries(rate)
            .into_iter()
            .filter(move |entry| entry.keeps(rate))
            .collect::<Vec<_>>()
    };
    let need = |need: &str, by, entries: Vec<_>, fits| Need {
        need: need.to_owned(),
        by,
        entries,
        fits,
    };
    let any = |_: &Entry<'_>| true;
    let inserts = |entry: &Entry<'_>| entry.can(Ability::Insert);
    let removes = |entry: &Entry<'_>| entry.can(Ability::Insert) && entry.can(Ability::Remove);
    let counts = |entry: &Entry<'_>| entry.can(Ability::Count) && !entry.is(Family::Cuckoo);
    let time = By::Time;
    let course = |workload| -> Vec<Entry<'_>> {
        data.course(workload)
            .into_iter()
            .filter(|entry| entry.keeps(rate))
            .collect()
    };
    let mut all = vec![
        need(
            "All keys known beforehand; smallest",
            By::Bits,
            at(rate),
            any,
        ),
        need(
            "Keys come one by one; smallest",
            By::Bits,
            at(rate),
            inserts,
        ),
        need("Fastest to ask", time(Workload::Query50), at(rate), any),
        need(
            "Fastest to ask, keys one by one",
            time(Workload::Query50),
            at(rate),
            inserts,
        ),
        need(
            "Fastest when the next question waits",
            time(Workload::Dependent50),
            at(rate),
            any,
        ),
        need(
            "Many questions at once",
            time(Workload::Batch50),
            at(rate),
            any,
        ),
        need("Fastest to build", time(Workload::Build), at(rate), any),
        need("Insert and remove; smallest", By::Bits, at(rate), removes),
        need(
            "Keys expire: fastest to replace one",
            time(Workload::Churn),
            at(rate),
            removes,
        ),
        need(
            "Count copies of a key; smallest",
            By::Bits,
            at(rate),
            counts,
        ),
        need(
            "Nobody knows how many keys; smallest",
            By::Growth,
            course(Workload::Grow),
            inserts,
        ),
        need(
            "0.1 %, keys one by one; smallest",
            By::Bits,
            at(low),
            inserts,
        ),
        need("0.1 %, a list to download", By::Bytes, at(low), any),
    ];
    let size = data.budget_keys();
    let of = match size == data.keys {
        true => String::new(),
        false => format!(" ({} keys)", keys(size)),
    };
    for bits in [2.0, 4.0, 8.0] {
        let entries = data.entries(&data.set, size, Target::Bits(bits));
        all.push(need(
            &format!("A budget of {bits} bits a key{of}"),
            By::Rate,
            entries,
            any,
        ));
    }
    if data.rates().contains(&LOOSE) {
        all.push(need("30 % will do; smallest", By::Bits, at(LOOSE), any));
    }
    if data.sizes(&data.set).contains(&MANY) {
        let large = || {
            let entries = data
                .entries(&data.set, MANY, Target::Rate(rate))
                .into_iter();
            entries
                .filter(|entry| entry.keeps(rate))
                .collect::<Vec<_>>()
        };
        all.push(need("100 million keys; smallest", By::Bits, large(), any));
        all.push(need(
            "100 million keys; fastest to ask",
            time(Workload::Query50),
            large(),
            any,
        ));
    }
    all
}

/// Needs that the advisor answers, with the topic of its answer in the records.
const ADVISED: &[(&str, &str)] = &[
    ("30 % will do; smallest", "loose"),
    ("100 keys", "keys-100"),
    ("500 keys", "keys-500"),
    ("1,000 keys", "keys-1000"),
    ("Every query is for a key that is in", "present"),
    ("A value for each key (8 bits)", "values"),
    ("Strangers choose the keys", "strangers"),
    ("Several threads insert", "threads"),
    ("Several threads insert and remove", "threads-remove"),
];

fn value(data: &Data, entry: &Entry<'_>, by: By) -> Option<f64> {
    match by {
        By::Bits | By::Bytes => entry.bits(),
        By::Rate => entry.fpr(),
        By::Growth => growth(data, entry.name()).map(|(mean, _, _)| mean),
        // Without a batch interface, queries run one by one.
        By::Time(Workload::Batch50) if !entry.can(Ability::Batch) => entry.ns(Workload::Query50),
        By::Time(Workload::Churn) => {
            let courses = data.course(Workload::Churn).into_iter();
            courses
                .filter(|course| course.name() == entry.name())
                .find_map(|course| course.ns(Workload::Churn))
        }
        By::Time(workload) => entry.ns(workload),
    }
}

/// The best, what it ties with, and the next.
fn measured(data: &Data, need: &Need<'_>) -> Option<Answer> {
    let fits = need
        .entries
        .iter()
        .filter(|entry| entry.is_filter() && (need.fits)(entry));
    let mut ranked: Vec<(&Entry<'_>, f64)> = fits
        .filter_map(|entry| Some((entry, value(data, entry, need.by)?)))
        .collect();
    ranked.sort_by(|a, b| a.1.total_cmp(&b.1).then_with(|| a.0.name().cmp(b.0.name())));
    let least = ranked.first()?.1;
    let slack = match need.by {
        By::Time(workload) => data.floor(workload),
        By::Rate => 0.02,
        _ => SPACE_TIE,
    };
    let (mut ties, rest): (Vec<_>, Vec<_>) = ranked
        .into_iter()
        .partition(|(_, value)| *value <= least * (1.0 + slack));
    settle(data, need.by, &mut ties);
    let ((best, number), tied) = ties.split_first()?;
    let runner_up = match (rest.first(), tied.first()) {
        (Some((entry, number)), _) => {
            let name = type_name(data, entry.facts);
            Text::default().strong(name).plain(format!(
                ": {}{}",
                figure(entry, need.by, *number),
                behind(*number, least)
            ))
        }
        (None, Some(_)) => Text::from("only those it ties with"),
        (None, None) => Text::from("no other"),
    };
    let mut choose = vec![pick(data, best.facts)];
    choose.extend(
        tied.iter()
            .take(TIES)
            .map(|(entry, _)| pick(data, entry.facts)),
    );
    let mut why = why(best, need.by);
    if tied.len() > TIES {
        let more: Vec<&str> = tied[TIES..].iter().map(|(entry, _)| entry.name()).collect();
        why += &match more[..] {
            [one] => format!("; {one} ties, too"),
            _ => format!("; {} more tie", more.len()),
        };
    }
    Some(Answer {
        need: need.need.clone(),
        choose,
        figure: figure(best, need.by, *number),
        why,
        cost: cost(data, best),
        runner_up,
    })
}

/// How far a number is behind the least.
fn behind(number: f64, least: f64) -> String {
    match number / least {
        ratio if !ratio.is_finite() => String::new(),
        ratio if ratio >= 2.0 => format!(", {} times", two(ratio)),
        ratio => format!(", {:.0} % more", (ratio - 1.0) * 100.0),
    }
}

/// Orders ties: those in space by time, the others by space; what ties in both by building time.
fn settle(data: &Data, by: By, ties: &mut [(&Entry<'_>, f64)]) {
    let (second, slack): (fn(&Entry<'_>) -> Option<f64>, f64) = match by {
        By::Time(_) => (|entry| entry.bits(), SPACE_TIE),
        _ => (
            |entry| entry.ns(Workload::Query50),
            data.floor(Workload::Query50),
        ),
    };
    let least = ties
        .iter()
        .filter_map(|(entry, _)| second(entry))
        .fold(f64::INFINITY, f64::min);
    let is_behind = |entry: &Entry<'_>| second(entry).is_none_or(|x| x > least * (1.0 + slack));
    let build = |entry: &Entry<'_>| entry.ns(Workload::Build).unwrap_or(f64::INFINITY);
    ties.sort_by(|(a, _), (b, _)| {
        is_behind(a)
            .cmp(&is_behind(b))
            .then(build(a).total_cmp(&build(b)))
    });
}

/// The deciding number.
fn figure(entry: &Entry<'_>, by: By, number: f64) -> String {
    match by {
        By::Bits => match entry.octave() {
            Some((low, high)) => format!("{} to {} bits, by size", digits(low, 3), digits(high, 3)),
            None => format!("{} bits", digits(number, if number < 10.0 { 3 } else { 4 })),
        },
        By::Bytes => decimal((number * entry.keys() as f64 / 8.0) as u64),
        By::Rate => percent(number),
        By::Time(_) => format!("{} ns", two(number)),
        By::Growth => {
            format!("{} bits on average", digits(number, 3))
        }
    }
}

/// The other numbers.
fn why(entry: &Entry<'_>, by: By) -> String {
    let bits = entry.bits().map(|bits| format!("{} bits", digits(bits, 3)));
    let over = entry.overhead().map(|over| format!("{over:.2} × bound"));
    let rate = entry.fpr().map(percent);
    let query = entry
        .ns(Workload::Query50)
        .map(|ns| format!("{} ns to ask", two(ns)));
    let parts = match by {
        By::Time(_) => [bits, over, rate],
        By::Rate => [bits, query, None],
        By::Growth => [rate, query, None],
        By::Bits | By::Bytes => [over, query, rate],
    };
    parts.into_iter().flatten().collect::<Vec<_>>().join(", ")
}

/// What comes with a filter, in a few words.
fn cost(data: &Data, entry: &Entry<'_>) -> String {
    let mut parts = Vec::new();
    let plain = data.entry(
        entry.name(),
        &data.set,
        data.keys,
        Target::Rate(data.rate()),
    );
    let of = plain.as_ref().unwrap_or(entry);
    if let Some(ns) = entry.ns(Workload::Build).or_else(|| of.ns(Workload::Build)) {
        let peak = of
            .peak_bits()
            .zip(of.bits())
            .filter(|(peak, bits)| *peak > 2.0 * bits);
        let peak = peak.map_or_else(String::new, |(peak, _)| format!(" in {peak:.0} bits a key"));
        parts.push(format!("build {} ns{peak}", two(ns)));
    }
    if entry.can(Ability::Static) || !entry.can(Ability::Insert) {
        parts.push("static".to_owned());
    } else if let Some((_, low, high)) = growth(data, entry.name()) {
        parts.push(format!(
            "{} to {} bits as it grows",
            digits(low, 3),
            digits(high, 3)
        ));
    } else {
        parts.extend(beyond_plan(data, entry.name()));
    }
    parts.join("; ")
}

/// What becomes of keys beyond the plan.
fn beyond_plan(data: &Data, name: &str) -> Option<String> {
    let courses = data.course(Workload::Overfill);
    let entry = courses.into_iter().find(|entry| entry.name() == name)?;
    let refused = entry.rows().iter().find(|row| row.state == State::Refused);
    if let Some((row, at)) = refused.and_then(|row| Some((row, row.refused_at?))) {
        let share = at as f64 / row.planned_keys?.max(1) as f64;
        return Some(format!("full at {share:.2} × its plan"));
    }
    let is_double = |row: &&&Row| {
        row.planned_keys
            .is_some_and(|planned| row.keys == 2 * planned)
    };
    let fpr = entry.rows().iter().find(is_double)?.fpr()?;
    Some(format!("{} at twice the keys", percent(fpr)))
}

/// The mean, the least and the most bits per key while a filter grows, its first stage left out.
pub(super) fn growth(data: &Data, name: &str) -> Option<(f64, f64, f64)> {
    let courses = data.course(Workload::Grow);
    let entry = courses.into_iter().find(|entry| entry.name() == name)?;
    let rows = entry
        .rows()
        .iter()
        .filter(|row| row.state == State::Measured);
    let mut points: Vec<(u64, f64)> = rows
        .filter_map(|row| Some((row.keys, row.bits_per_key()?)))
        .collect();
    points.sort_by_key(|(keys, _)| *keys);
    let grown = points.get(1..).filter(|grown| !grown.is_empty())?;
    let bits = || grown.iter().map(|(_, bits)| *bits);
    let mean = bits().sum::<f64>() / grown.len() as f64;
    Some((
        mean,
        bits().fold(f64::INFINITY, f64::min),
        bits().fold(0.0, f64::max),
    ))
}

/// What the advisor answered.
fn advised(data: &Data, need: &str, topic: &str) -> Option<Answer> {
    let lines = data.topic(topic);
    let best = lines.iter().find(|line| line.rank == 1)?;
    let second = lines.iter().find(|line| line.rank == 2);
    let name = |choice: &Choice| match (type_of(&choice.import), choice.structure.as_str()) {
        (name, structure) if name.is_empty() => structure.to_owned(),
        (name, structure) => match structure.strip_prefix("sharded ") {
            Some(kind) => format!("{name} ({kind})"),
            None => name,
        },
    };
    let size = |choice: &Choice| match choice.bytes {
        Some(0) | None => "no memory".to_owned(),
        Some(bytes) => decimal(bytes),
    };
    let mut cost: Vec<String> = Vec::new();
    cost.extend(
        best.insert_ns
            .filter(|ns| *ns > 0.0)
            .map(|ns| format!("build {} ns", two(ns))),
    );
    if topic == "strangers" {
        cost.push("secret seed: with_seed(random)".to_owned());
    }
    let krate = best
        .import
        .trim_start_matches("use ")
        .split("::")
        .next()
        .unwrap_or_default();
    Some(Answer {
        need: need.to_owned(),
        choose: vec![Pick {
            name: name(best),
            krate: krate.to_owned(),
            import: best.import.clone(),
        }],
        figure: size(best),
        why: brief(best.reason.strip_prefix(need).unwrap_or(&best.reason)),
        cost: cost.join("; "),
        runner_up: second.map_or_else(
            || Text::from("no other"),
            |second| {
                Text::default()
                    .strong(name(second))
                    .plain(format!(": {}", size(second)))
            },
        ),
    })
}

/// The first sentence, or less if it is long.
fn brief(text: &str) -> String {
    let text = text.trim_start_matches([':', ' ']);
    let sentence = text.split(['.', ':']).next().unwrap_or(text);
    match sentence.split([',', ';']).next() {
        Some(part) if sentence.len() > 50 => part.to_owned(),
        _ => sentence.to_owned(),
    }
}

fn exact(data: &Data) -> Option<Answer> {
    let entries = data.main_entries(data.rate());
    let set = entries
        .iter()
        .find(|entry| entry.is(Family::Exact) && entry.bits().is_some())?;
    let query = set
        .ns(Workload::Query50)
        .map_or_else(String::new, |ns| format!(", {} ns to ask", two(ns)));
    Some(Answer {
        need: "No false positive at all".to_owned(),
        choose: vec![pick(data, set.facts)],
        figure: figure(set, By::Bits, set.bits()?),
        why: format!("only the keys themselves have none{query}"),
        cost: cost(data, set),
        runner_up: Text::from("no filter"),
    })
}

/// A contender's name for those who choose.
pub(super) fn pick(data: &Data, facts: &ContenderFacts) -> Pick {
    Pick {
        name: type_name(data, facts),
        krate: facts
            .version
            .split(',')
            .next()
            .unwrap_or_default()
            .to_owned(),
        import: facts.import.clone(),
    }
}

/// Its type; with its name in the records, where several contenders have the type.
pub(super) fn type_name(data: &Data, facts: &ContenderFacts) -> String {
    let name = type_of(&facts.import);
    let is_shared = data
        .filters()
        .filter(|other| type_of(&other.import) == name)
        .count()
        > 1;
    match (name.is_empty(), is_shared) {
        (true, _) => facts.name.clone(),
        (false, true) => format!("{name} ({})", facts.name),
        (false, false) => name,
    }
}

/// The last word of an import: `use amq_bloom::BloomFilter;` imports a `BloomFilter`.
fn type_of(import: &str) -> String {
    let path = import
        .trim_end_matches(';')
        .split(" as ")
        .next()
        .unwrap_or_default();
    let last = path.rsplit("::").next().unwrap_or_default();
    last.trim_matches(|c: char| !c.is_alphanumeric())
        .split([',', ' '])
        .next()
        .unwrap_or_default()
        .to_owned()
}

/// The main answers in a sentence, for the terminal.
pub(super) fn summary(blocks: &[Block]) -> String {
    let answers = blocks.iter().find_map(|block| match block {
        Block::Answers(answers) => Some(answers),
        _ => None,
    });
    let line = |answer: &Answer| {
        let names: Vec<&str> = answer
            .choose
            .iter()
            .map(|pick| pick.name.as_str())
            .collect();
        format!("{}: {} ({})", answer.need, list(&names), answer.figure)
    };
    answers.map_or_else(String::new, |answers| {
        answers.iter().map(line).collect::<Vec<_>>().join("\n")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_are_read_from_imports() {
        for (import, name) in [
            ("use amq_bloom::BloomFilter;", "BloomFilter"),
            ("use sbbf_rs::{Filter, Hash};", "Filter"),
            ("use sux::dict::VFilter as V;", "VFilter"),
            ("", ""),
        ] {
            assert_eq!(type_of(import), name);
        }
        assert_eq!(brief("Few bits. And more."), "Few bits");
        assert_eq!(behind(11.0, 10.0), ", 10 % more");
    }
}
