//! Worked choices, and the lines of other engines.

use super::data::Data;
use super::doc::{Block, Found, Section, Table, Text};
use super::number::{asked, decimal, digits, keys, percent, two};
use crate::record::{Choice, EngineLine};

/// The sections of this file.
pub(super) fn sections(data: &Data) -> Vec<Section> {
    vec![
        Section::new("worked", "Worked choices", worked(data)),
        Section::new("engines", "Lines for engines with filters of their own", engines(data)),
    ]
}

/// A worked choice: topic, what is wanted, and the arithmetic over the answer.
type Example = (&'static str, &'static str, &'static str, fn(&Choice) -> String);

const EXAMPLES: [Example; 6] = [
    (
        "lsm",
        "An LSM tree's sorted file",
        "A million keys, written once; 10 bits a key at most; a false positive reads a block for nothing, 20 µs.",
        |choice| {
            let fpr = choice.fpr.unwrap_or(1.0);
            format!(
                "10 bits × 1,000,000 keys = 1.25 MB allowed, {} taken. Per absent key {} × 20 µs = {} ns of \
                 reads for nothing, beside {} ns for the query: the rate decides, so take the least.",
                decimal(choice.bytes.unwrap_or(0)),
                percent(fpr),
                two(fpr * 20_000.0),
                choice.query_ns.map_or_else(|| "?".to_owned(), two)
            )
        },
    ),
    (
        "crawler",
        "A crawler's seen pages",
        "A billion addresses, one by one; a false positive is a page never fetched: one in a thousand at most.",
        |choice| {
            format!(
                "{} bits × 10⁹ keys / 8 = {}; a set of 8-byte digests alone is 8 GB. Of a million new pages \
                 about {} are missed.",
                bits(choice),
                decimal(choice.bytes.unwrap_or(0)),
                missed(choice, 1e6)
            )
        },
    ),
    (
        "cache",
        "Admission to a cache",
        "Ten million keys asked for lately, 8 bits each; one asked for the second time is let in. A false \
         positive admits a key too early, which costs a write, 100 µs.",
        |choice| {
            format!(
                "8 bits × 10⁷ keys / 8 = 10 MB; the rate that gives is {}: of a million keys asked for once, \
                 {} are let in too early. Two such filters in turn (amq::rolling) forget the old ones.",
                choice.fpr.map_or_else(|| "?".to_owned(), percent),
                missed(choice, 1e6)
            )
        },
    ),
    (
        "stream",
        "Deduplication in a stream, with expiry",
        "Ten million keys of the last hour at 0.1 %, each taken out again an hour later.",
        |choice| {
            format!(
                "{} bits × 10⁷ keys / 8 = {}. At 2,800 keys a second each key is put in and taken out once \
                 an hour: {} ns of inserting a key, so a share of {} of one core.",
                bits(choice),
                decimal(choice.bytes.unwrap_or(0)),
                choice.insert_ns.map_or_else(|| "?".to_owned(), two),
                choice
                    .insert_ns
                    .map_or_else(|| "?".to_owned(), |ns| percent(2.0 * ns * 2800.0 / 1e9))
            )
        },
    ),
    (
        "blocklist",
        "A blocklist shipped with a program",
        "A million addresses at 0.1 %, made once, downloaded by everyone; a hit asks the server.",
        |choice| {
            format!(
                "The bound is log2(1000) = 9.97 bits; {} bits × 1,000,000 / 8 = {} to download. A user who \
                 visits 100 harmless pages a day asks the server for nothing every {} days.",
                bits(choice),
                decimal(choice.bytes.unwrap_or(0)),
                two(1.0 / (100.0 * choice.fpr.unwrap_or(1.0)))
            )
        },
    ),
    (
        "usernames",
        "User names taken, growing for ever",
        "A hundred thousand at the start, no end known, 0.1 %; a false positive offers another name.",
        |choice| {
            format!(
                "{} at the start, and {} bits a key on average as it grows; of a thousand free names {} are \
                 refused for nothing. With a bound known (Keys::AtMost) fewer bits do.",
                decimal(choice.bytes.unwrap_or(0)),
                bits(choice),
                missed(choice, 1e3)
            )
        },
    ),
];

fn bits(choice: &Choice) -> String {
    choice.bits_per_key.map_or_else(|| "?".to_owned(), |bits| digits(bits, 4))
}

fn missed(choice: &Choice, of: f64) -> String {
    choice.fpr.map_or_else(|| "?".to_owned(), |fpr| two(fpr * of))
}

fn worked(data: &Data) -> Found {
    let mut blocks = Vec::new();
    let mut names = Vec::new();
    for (topic, title, story, arithmetic) in EXAMPLES {
        let lines = data.topic(topic);
        let Some(best) = lines.iter().find(|line| line.rank == 1) else {
            continue;
        };
        names.push(format!("{}: {}", title.to_lowercase(), best.structure));
        let text = Text::default()
            .strong(title)
            .plain(format!(". {story} "))
            .plain(arithmetic(best))
            .plain(" Take: ")
            .strong(best.structure.as_str())
            .plain(" ")
            .code(best.import.as_str())
            .plain(format!(" {}", best.reason));
        blocks.push(Block::Para(text));
    }
    let first = names.first()?;
    Some((
        format!("{} of {} examples with their arithmetic; {first}.", names.len(), EXAMPLES.len()),
        blocks,
    ))
}

fn engines(data: &Data) -> Found {
    let first = data.engines.first()?;
    let lines = data.engines.iter().filter(|line| !line.line.is_empty()).count();
    let found = format!(
        "{lines} lines for {} keys, each with the rate that it really gives.",
        keys(first.keys)
    );
    let row = |line: &EngineLine| {
        let given = line.fpr.map_or_else(|| "-".to_owned(), percent);
        let bits = line.bits_per_key.map_or_else(|| "-".to_owned(), |bits| digits(bits, 3));
        let setting = match line.line.as_str() {
            "" => Text::from("none"),
            text => Text::default().code(text),
        };
        vec![
            Text::from(line.engine.as_str()),
            Text::from(asked(line.asked_fpr)),
            setting,
            Text::from(line.caveat.as_str()),
            Text::from(given),
            Text::from(bits),
        ]
    };
    let head = ["engine", "asked", "line", "to know", "gives", "bits/key"];
    Some((
        found,
        vec![Block::Table(Table::new("", &head, 4, data.engines.iter().map(row).collect()))],
    ))
}
