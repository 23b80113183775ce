//! Workloads of the kind people have, asked of the command, of the library and of the report's
//! page: one answer everywhere, and the one that an expert would give. The rows of README.md and
//! CHOOSING.md are asked, too; that they name what the command answers is tested beside.

use crate::choose::rows;
use crate::room::Room;
use amq_advisor::choose;
use serde_json::Value;

/// What it is, the options of `amq choose`, and the first answer.
const WORKLOADS: [(&str, &str, &str); 49] = [
    (
        "1: a sorted file of an LSM tree",
        "--keys 1e7 --static --fpr 1% --false-positive 100us --absent 90% --queries-per-key 10",
        "ribbon",
    ),
    ("1: by memory alone", "--keys 1e7 --static --fpr 1% --absent 90%", "ribbon"),
    (
        "2: its first level",
        "--keys 1e7 --static --fpr 1% --false-positive 10us --absent 90% --queries-per-key 0.1",
        "blocked-bloom or wide-blocked-bloom",
    ),
    ("3: CDN admission", "--keys 1e7 --fpr 1% --queries-per-key 0.1 --first time", "blocked-bloom"),
    ("4: user names", "--unknown-from 1e5 --fpr 1%", "expandable-quotient"),
    ("4: merged", "--unknown-from 1e5 --fpr 1% --need merge", "scalable"),
    ("5: a stream, deletes", "--keys 1e6 --fpr 1% --need remove --first time", "cuckoo"),
    ("5: bytes matter", "--keys 1e6 --fpr 1% --need remove", "windowed-cuckoo"),
    ("6: shards merged", "--keys 1e7 --fpr 1% --need remove,list,merge", "quotient"),
    ("7: a blocklist", "--keys 5e6 --static --fpr 0.1% --need files", "ribbon"),
    ("8: ten copies", "--keys 1e6 --fpr 1% --need remove --count 10", "counting"),
    ("8: three copies", "--keys 1e6 --fpr 1% --need remove --count 10 --copies 3", "quotient"),
    ("9: threads", "--keys 1e6 --fpr 1% --need shared-insert --threads 8", "atomic-bloom"),
    (
        "9: threads, for time",
        "--keys 1e6 --fpr 1% --need shared-insert --threads 8 --first time",
        "atomic-blocked-bloom",
    ),
    ("10: 30 %, static", "--keys 1e6 --static --fpr 30%", "ribbon"),
    ("10: 30 %, one by one", "--keys 1e6 --fpr 30%", "bloom"),
    ("10: two bits a key", "--keys 1e6 --bits-per-key 2", "bloom"),
    ("11: strangers", "--keys 1e6 --fpr 0.1% --strangers", "bloom"),
    ("12: 500 keys", "--keys 500 --fpr 1%", "exact-set"),
    ("13: every key is in", "--keys 1e6 --fpr 1% --absent 0%", "none"),
    ("14: a value for each", "--keys 1e6 --static --values 8", "ribbon-map"),
    ("15: a light client", "--keys 1e6 --static --fpr 0.0001% --need files", "ribbon"),
    ("17: a speller", "--keys 5e4 --static --bytes 64000 --need files", "ribbon"),
    ("18: k-mers", "--keys 1e9 --static --fpr 1%", "ribbon"),
    (
        "18: k-mers, built fast",
        "--keys 1e9 --static --fpr 1% --first time --queries-per-key 0.5",
        "blocked-bloom",
    ),
    ("19: a join's filter", "--keys 1e7 --fpr 1% --need merge,files --first time", "blocked-bloom"),
    ("20: leaked passwords", "--keys 9e8 --static --fpr 0.0001%", "ribbon"),
    ("21: ad caps", "--keys 1e6 --fpr 1% --forget 7 --count 5", "periodic-counting"),
    ("22: have and want", "--keys 1000 --key-bytes 20 --fpr 1%", "exact-set"),
    (
        "23: a list by daily diff",
        "--keys 1e6 --static --fpr 0.1% --changes 200000 --key-bytes 60",
        "ribbon",
    ),
    ("24: a queue", "--keys 1e6 --fpr 1% --need remove --copies 2", "windowed-cuckoo"),
    ("dense integers", "--keys 1e6 --fpr 1% --integers-below 4e6", "exact-bitmap"),
    ("counts to 15", "--keys 1e6 --count 15", "count-min-sketch"),
    ("few copies", "--keys 1e6 --count 255 --copies 2", "quotient"),
    ("a rate limiter", "--keys 1e6 --count 100 --forget 6", "count-min-sketch"),
    (
        "no error allowed",
        "--keys 1e7 --static --false-positive 1000s --absent 90% --bytes 2000000000",
        "exact-set",
    ),
    ("the same, in any size", "--keys 1e6 --false-positive 10000s", "exact-set"),
    ("an unsubscribe list", "--keys 1e6 --need exact --key-bytes 30", "exact-set"),
    ("exact numbers", "--keys 1e6 --static --need exact --integers-below 4e9", "sorted-list"),
    ("is it worth it?", "--keys 1e6 --absent 5% --false-positive 100ns", "none"),
    ("many small ones", "--keys 100 --filters 1000000 --static --fpr 1%", "ribbon"),
    ("tail latency", "--keys 1e6 --need remove --first tail", "quotient"),
    ("a spell checker, 32 kB", "--keys 3e4 --static --bytes 32000", "ribbon"),
    ("a breach list", "--keys 9e8 --static --fpr 0.1% --key-bytes 20", "ribbon"),
    (
        "one-hit wonders of a CDN",
        "--keys 1e7 --fpr 1% --forget 2 --first time",
        "rolling-blocked-bloom",
    ),
    (
        "the same, by many threads",
        "--keys 1e7 --fpr 1% --forget 2 --first time --need shared-insert --threads 16",
        "sharded-rolling-blocked-bloom or sharded-rolling-wide-blocked-bloom",
    ),
    ("a day's window", "--keys 1e7 --fpr 0.1% --forget 24", "rolling-windowed-cuckoo"),
    ("a revocation list", "--keys 1e6 --static --fpr 0.1% --changes 5000", "ribbon"),
    ("a crawler", "--unknown-from 1e6 --fpr 1% --first time", "expandable-quotient"),
];

/// Options as the page's form says them: names and plain numbers.
fn question(options: &str) -> String {
    let mut question = String::new();
    for word in options.split_whitespace() {
        match word.strip_prefix("--") {
            Some(name) => question += &format!("&{name}"),
            None => question += &format!("={}", plain(word)),
        }
    }
    question
}

/// A number without its unit: of 1, of nanoseconds or of bytes. Words stay.
fn plain(word: &str) -> String {
    let units = [("%", 0.01), ("ns", 1.0), ("us", 1e3), ("ms", 1e6), ("s", 1e9), ("", 1.0)];
    if let Some((base, power)) = word.split_once('^') {
        return base.parse::<f64>().unwrap().powf(power.parse().unwrap()).to_string();
    }
    let read = |(unit, factor): (&str, f64)| {
        let number: f64 = word.strip_suffix(unit)?.parse().ok()?;
        Some(if factor < 1.0 { number / 100.0 } else { number * factor })
    };
    units.into_iter().find_map(read).map_or_else(|| word.to_owned(), |number| number.to_string())
}

#[test]
fn command_library_and_page_answer_as_the_expert() {
    let room = Room::new();
    let of_pages = rows().into_iter().map(|(_, options)| ("page", options, None));
    let known = WORKLOADS.map(|(what, options, id)| (what, options.to_owned(), Some(id)));
    for (what, options, expected) in known.into_iter().chain(of_pages) {
        let run = room.amq(&format!("choose --json {options}")).ends(0);
        let json: Value = serde_json::from_str(&run.text()).unwrap();
        let told = json["choices"][0]["structure"].as_str().unwrap();
        let asked = question(&options);
        let page = amq_page::answer(&asked);
        let first: Vec<&str> = page.lines().next().unwrap().split('\t').collect();
        let library = choose(&amq_page::workload(&asked).unwrap()).unwrap();
        assert_eq!([told, &library.best().structure.id()], [first[1]; 2], "{what}: {asked}");
        assert_eq!(json["choices"][0]["reason"], first[14], "{what}");
        let mut expected = expected.unwrap_or(told).split(" or ");
        assert!(expected.any(|id| id == told), "{what}: {told}");
    }
}
