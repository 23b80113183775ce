//! Asks the advisor what the page's chooser offers, and what the worked examples need, so that
//! page, command and library answer alike.

use crate::record::{Ask, Choice, EngineLine, four_digits};
use amq::FilterKind;
use amq::choose::{Answer, Keys, KeysBy, Need, Structure, Workload, choose};
use amq::engines::Engine;

/// The numbers of keys that the chooser offers.
const KEYS: [u64; 5] = [100, 1_000, 10_000, 1_000_000, 100_000_000];
/// Its rates.
const RATES: [f64; 4] = [0.3, 0.01, 0.001, 0.0001];
/// Its budgets in bits per key.
const BUDGETS: [f64; 4] = [2.0, 4.0, 8.0, 12.0];
/// What it can be told to do; `workload` says what the words mean.
pub const NEEDS: [&str; 10] = [
    "static",
    "insert",
    "insert remove",
    "insert remove count",
    "insert merge",
    "grow",
    "grow remove",
    "bounded",
    "threads",
    "threads remove",
];
/// What a false positive costs: nothing is known, or a microsecond, ten lookups in memory.
const COSTS: [Option<f64>; 2] = [None, Some(1000.0)];
/// Choices kept of each answer.
const KEPT: usize = 3;
/// Bits of a value, in a map.
const VALUE_BITS: u32 = 8;
/// How often a key is counted.
const COPIES: u32 = 10;

/// The asks of the chooser.
pub fn grid() -> Vec<Ask> {
    let targets = RATES
        .map(|fpr| (Some(fpr), None))
        .into_iter()
        .chain(BUDGETS.map(|bits| (None, Some(bits))));
    let mut asks = Vec::new();
    for (fpr, bits) in targets {
        for keys in KEYS {
            for needs in NEEDS {
                for cost_ns in COSTS {
                    let needs = needs.to_owned();
                    asks.push(Ask { keys, fpr, bits, needs, cost_ns });
                }
            }
        }
    }
    asks
}

/// Asks that the page works through, by name.
pub fn topics() -> Vec<(&'static str, Ask)> {
    let of = |keys, fpr: f64, bits: f64, needs: &str, cost_ns: f64| Ask {
        keys,
        fpr: (fpr > 0.0).then_some(fpr),
        bits: (bits > 0.0).then_some(bits),
        needs: needs.to_owned(),
        cost_ns: (cost_ns > 0.0).then_some(cost_ns),
    };
    vec![
        ("loose", of(1_000_000, 0.3, 0.0, "insert", 0.0)),
        ("keys-100", of(100, 0.01, 0.0, "insert", 0.0)),
        ("keys-500", of(500, 0.01, 0.0, "insert", 0.0)),
        ("keys-1000", of(1_000, 0.01, 0.0, "insert", 0.0)),
        ("present", of(1_000_000, 0.01, 0.0, "insert present", 0.0)),
        ("values", of(1_000_000, 0.0, 0.0, "static values", 0.0)),
        ("strangers", of(1_000_000, 0.01, 0.0, "insert strangers", 0.0)),
        ("threads", of(1_000_000, 0.01, 0.0, "threads", 0.0)),
        ("threads-remove", of(1_000_000, 0.01, 0.0, "threads remove", 0.0)),
        ("lsm", of(1_000_000, 0.0, 10.0, "static", 20_000.0)),
        ("crawler", of(1_000_000_000, 0.001, 0.0, "insert", 0.0)),
        ("cache", of(10_000_000, 0.0, 8.0, "insert", 100_000.0)),
        ("stream", of(10_000_000, 0.001, 0.0, "insert remove", 0.0)),
        ("blocklist", of(1_000_000, 0.001, 0.0, "static", 0.0)),
        ("usernames", of(100_000, 0.001, 0.0, "grow", 0.0)),
    ]
}

/// An ask in the advisor's words.
pub fn workload(ask: &Ask) -> Workload {
    let has = |word: &str| ask.needs.split(' ').any(|need| need == word);
    let keys = match () {
        () if has("bounded") => Keys::AtMost(ask.keys),
        () if has("grow") => Keys::Unknown { start: ask.keys },
        () => Keys::Exactly(ask.keys),
    };
    let mut workload = Workload::new(keys);
    if let Some(fpr) = ask.fpr {
        workload = workload.fpr(fpr);
    }
    if let Some(bits) = ask.bits {
        workload = workload.bits_per_key(bits);
    }
    if let Some(cost) = ask.cost_ns {
        workload = workload.false_positive_ns(cost).queries_per_key(10.0);
    }
    for (word, need) in [
        ("remove", Need::Remove),
        ("count", Need::Count { most: COPIES }),
        ("merge", Need::Merge),
        ("bounded", Need::Grow),
        ("threads", Need::SharedInsert),
        ("values", Need::Values { bits: VALUE_BITS }),
    ] {
        if has(word) {
            workload = workload.need(need);
        }
    }
    if has("static") {
        workload = workload.built_once();
    }
    if has("threads") {
        workload = workload.threads(4);
    }
    if has("present") {
        workload = workload.absent(0.0);
    }
    if has("strangers") {
        workload = workload.keys_by(KeysBy::Strangers);
    }
    workload
}

/// The advisor's answer to an ask, as lines.
pub fn answer(topic: &str, ask: &Ask) -> Vec<Choice> {
    match choose(&workload(ask)) {
        Ok(answer) => lines(topic, ask, &answer),
        Err(error) => vec![Choice { reason: error.to_string(), ..Choice::to(topic, ask) }],
    }
}

fn lines(topic: &str, ask: &Ask, answer: &Answer) -> Vec<Choice> {
    let ranked = answer.choices.iter().take(KEPT).zip(1..);
    // The table of the grid is long: of its lower ranks it holds what the chooser shows.
    let is_whole = |rank: u64| topic != GRID || rank == 1;
    let mut lines: Vec<Choice> = ranked
        .map(|(choice, rank)| Choice {
            rank,
            structure: choice.structure.to_string(),
            import: import(choice.structure).to_owned(),
            bytes: Some(choice.bytes),
            bits_per_key: Some(four_digits(choice.bits_per_key)),
            build_bytes: (topic != GRID).then_some(choice.build_bytes),
            fpr: Some(four_digits(choice.fpr)),
            insert_ns: choice.insert_ns.map(four_digits),
            query_ns: choice.query_ns.map(four_digits),
            total_ns: choice.cost_ns.filter(|_| topic != GRID).map(four_digits),
            reason: if is_whole(rank) { choice.reason.clone() } else { String::new() },
            ..Choice::to(topic, ask)
        })
        .collect();
    // What falls out, and what else to know, is kept for the worked examples alone.
    if topic != GRID {
        lines.extend(answer.rejections.iter().map(|rejection| Choice {
            structure: rejection.structure.to_string(),
            reason: rejection.reason.clone(),
            ..Choice::to(topic, ask)
        }));
        lines.extend(answer.notes.iter().map(|note| Choice {
            structure: NOTE.to_owned(),
            reason: note.clone(),
            ..Choice::to(topic, ask)
        }));
    }
    lines
}

/// The topic of the chooser's asks.
pub const GRID: &str = "grid";
/// Stands for a structure in lines that say what else to know.
pub const NOTE: &str = "note";

/// All answers.
pub fn table() -> Vec<Choice> {
    let grid = grid().into_iter().map(|ask| (GRID, ask));
    let all = grid.chain(topics());
    all.flat_map(|(topic, ask)| answer(topic, &ask)).collect()
}

/// Every engine's line for a million keys, at 1 % and at 0.1 %.
pub fn engines() -> Vec<EngineLine> {
    let keys = 1_000_000;
    let rates = [0.01, 0.001];
    let each = Engine::ALL.into_iter().flat_map(|engine| rates.map(|rate| (engine, rate)));
    each.map(|(engine, asked_fpr)| {
        let setting = engine.setting(keys, asked_fpr);
        let found = setting.as_ref().ok();
        EngineLine {
            engine: engine.to_string(),
            keys,
            asked_fpr,
            line: found.map_or_else(String::new, |setting| setting.line.clone()),
            fpr: found.map(|setting| setting.fpr),
            bits_per_key: found.map(|setting| setting.bits_per_key),
            caveat: match &setting {
                Ok(setting) => setting.caveat.clone(),
                Err(error) => error.to_string(),
            },
        }
    })
    .collect()
}

/// The line that imports a structure.
pub const fn import(structure: Structure) -> &'static str {
    match structure {
        Structure::Filter(kind) => match kind {
            FilterKind::Bloom => "use amq::BloomFilter;",
            FilterKind::BlockedBloom => "use amq::BlockedBloomFilter;",
            FilterKind::Counting => "use amq::CountingBloomFilter;",
            FilterKind::BlockedCounting => "use amq::BlockedCountingBloomFilter;",
            FilterKind::Scalable => "use amq::ScalableBloomFilter;",
            FilterKind::ScalableBlocked => "use amq::ScalableBlockedBloomFilter;",
            FilterKind::Cuckoo => "use amq::CuckooFilter;",
            FilterKind::WindowedCuckoo => "use amq::WindowedCuckooFilter;",
            FilterKind::Quotient => "use amq::QuotientFilter;",
            FilterKind::ExpandableQuotient => "use amq::ExpandableQuotientFilter;",
            FilterKind::Ribbon => "use amq::RibbonFilter;",
            FilterKind::NarrowRibbon => "use amq::NarrowRibbonFilter;",
            FilterKind::BumpedRibbon => "use amq::BumpedRibbonFilter;",
            FilterKind::WideBumpedRibbon => "use amq::WideBumpedRibbonFilter;",
            FilterKind::RibbonMap => "use amq::RibbonMap;",
            _ => "use amq::AnyFilter;",
        },
        Structure::AtomicBloom => "use amq::AtomicBloomFilter;",
        Structure::AtomicBlockedBloom => "use amq::AtomicBlockedBloomFilter;",
        Structure::Sharded(_) => "use amq::sharded::Sharded;",
        Structure::Map => "use amq::RibbonMap;",
        Structure::ExactSet => "use std::collections::HashSet;",
        _ => "",
    }
}
