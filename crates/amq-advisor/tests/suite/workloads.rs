//! Workloads of the kind people have, each with the answers that an expert would give, and what
//! must be said besides.

use amq::FilterKind as Kind;
use amq_advisor::{First, Keys, KeysBy, Need, Structure, Workload, choose};

use Structure::{
    Atomic, Bitmap, ExactSet, Filter, Map, Nothing, Periods, Rolling, Sketch, SortedList,
};

const MILLION: u64 = 1_000_000;

fn exactly(keys: u64) -> Workload {
    Workload::new(Keys::AtMost(keys))
}

fn at_most(keys: u64) -> Workload {
    Workload::new(Keys::AtMost(keys))
}

/// What it is; the ask; the first answer; and a piece of what is said, in reasons and notes.
type Case = (&'static str, Workload, Structure, &'static str);

fn cases() -> Vec<Case> {
    let lsm =
        || exactly(10 * MILLION).built_once().with_fpr(0.01).with_absent(0.9).need(Need::Files);
    let k_mers = || exactly(1_000_000_000).built_once().with_fpr(0.01);
    let threads = || at_most(MILLION).with_fpr(0.01).need(Need::SharedInsert).with_threads(8);
    let counted =
        || at_most(MILLION).with_fpr(0.01).need(Need::Remove).need(Need::Count { most: 10 });
    vec![
        (
            "1: a sorted file of an LSM tree, memory scarce",
            lsm().with_false_positive_ns(100_000.0).with_queries_per_key(10.0),
            Filter(Kind::Ribbon),
            "The fastest in 13.49 bits per key",
        ),
        ("1: the same by memory alone", lsm(), Filter(Kind::Ribbon), "The fewest bits"),
        (
            "2: its first level, flushed each minute, bound by the processor",
            lsm().with_false_positive_ns(10_000.0).with_queries_per_key(0.1),
            Filter(Kind::BlockedBloom),
            "within 5 % of the fastest",
        ),
        (
            "3: CDN admission, tens of millions of inserts a second",
            at_most(10 * MILLION).with_fpr(0.01).with_queries_per_key(0.1).with_first(First::Time),
            Filter(Kind::BlockedBloom),
            "never full",
        ),
        (
            "4: user names, nobody knows how many",
            Workload::new(Keys::Unknown { start: 100_000 }).with_fpr(0.01),
            Filter(Kind::ExpandableQuotient),
            "on average as it grows",
        ),
        (
            "4: the same, merged from several places",
            Workload::new(Keys::Unknown { start: 100_000 }).with_fpr(0.01).need(Need::Merge),
            Filter(Kind::Scalable),
            "on average as it grows",
        ),
        (
            "5: a stream without repetitions, expired by removal",
            at_most(MILLION).with_fpr(0.01).need(Need::Remove).with_first(First::Time),
            Filter(Kind::Cuckoo),
            "may still be answered yes",
        ),
        (
            "5: the same where bytes matter",
            at_most(MILLION).with_fpr(0.01).need(Need::Remove),
            Filter(Kind::WindowedCuckoo),
            "refuses keys beyond 1,000,000",
        ),
        (
            "6: shards merged each night, deletes, a sorted listing",
            at_most(10 * MILLION)
                .with_fpr(0.01)
                .need(Need::Remove)
                .need(Need::Merge)
                .need(Need::List),
            Filter(Kind::Quotient),
            "Listing gives hashes",
        ),
        (
            "6: a join's filter, of keys on several machines",
            at_most(10 * MILLION)
                .with_fpr(0.01)
                .need(Need::Merge)
                .need(Need::Files)
                .with_first(First::Time),
            Filter(Kind::BlockedBloom),
            "amq-datafusion",
        ),
        (
            "6: a trillion keys",
            at_most(1_000_000 * MILLION).with_fpr(0.001),
            Filter(Kind::Quotient),
            "amq-datafusion",
        ),
        (
            "7: a blocklist in a browser",
            exactly(5 * MILLION).built_once().with_fpr(0.001).need(Need::Files),
            Filter(Kind::Ribbon),
            "The fewest bits",
        ),
        ("8: up to ten copies a key", counted(), Filter(Kind::Counting), "stick at 15"),
        (
            "8: three copies on average",
            counted().with_copies(3.0),
            Filter(Kind::Quotient),
            "each copy takes a slot",
        ),
        ("9: many threads insert, for bytes", threads(), Atomic(Kind::Bloom), "without locks"),
        (
            "9: the same for time",
            threads().with_first(First::Time),
            Atomic(Kind::BlockedBloom),
            "one cache line",
        ),
        (
            "10: a rate of 30 %, static",
            exactly(MILLION).built_once().with_fpr(0.3),
            Filter(Kind::Ribbon),
            "above the lower bound for 30 %",
        ),
        ("10: one by one", exactly(MILLION).with_fpr(0.3), Filter(Kind::Bloom), "above the lower"),
        (
            "10: two bits a key",
            exactly(MILLION).with_bits_per_key(2.0),
            Filter(Kind::Bloom),
            "The lowest rate",
        ),
        (
            "11: hostile users choose the keys, and nothing that removes is taken",
            exactly(MILLION).with_fpr(0.001).with_keys_by(KeysBy::Strangers),
            Filter(Kind::Bloom),
            "Those who insert can fill it",
        ),
        ("12: 500 keys", exactly(500).with_fpr(0.01), ExactSet, "The 500 keys themselves"),
        (
            "13: every query is for a key that is in",
            exactly(MILLION).with_fpr(0.01).with_absent(0.0),
            Nothing,
            "say yes to all of them",
        ),
        (
            "14: eight bits for each key",
            exactly(MILLION).built_once().need(Need::Values { bits: 8 }),
            Map,
            "some value for absent keys, too",
        ),
        (
            "15: a light client, one in a million",
            exactly(MILLION).built_once().with_fpr(1e-6).need(Need::Files),
            Filter(Kind::Ribbon),
            "above the lower bound for 0.0001 %",
        ),
        (
            "17: a speller in 64 kB",
            exactly(50_000).built_once().with_bytes(64_000).need(Need::Files),
            Filter(Kind::Ribbon),
            "for 0.09",
        ),
        ("18: a billion k-mers", k_mers(), Filter(Kind::Ribbon), "extrapolated"),
        (
            "18: the same, for building time",
            k_mers().with_first(First::Time).with_queries_per_key(0.5),
            Filter(Kind::BlockedBloom),
            "in 13.49 bits per key",
        ),
        (
            "19: a join's filter, built apart, merged and shipped",
            at_most(10 * MILLION)
                .with_fpr(0.01)
                .need(Need::Merge)
                .need(Need::Files)
                .with_first(First::Time),
            Filter(Kind::BlockedBloom),
            "never full",
        ),
        (
            "20: leaked passwords",
            exactly(900 * MILLION).built_once().with_fpr(1e-6),
            Filter(Kind::Ribbon),
            "The keys themselves take",
        ),
        (
            "21: at most five ads a user an hour",
            at_most(MILLION)
                .with_fpr(0.01)
                .need(Need::Count { most: 5 })
                .need(Need::Forget { generations: 7 }),
            Periods(Kind::Counting),
            "sum the counts over all",
        ),
        (
            "counts beyond this family's counters",
            at_most(MILLION).with_fpr(0.01).need(Need::Count { most: 15 }),
            Sketch,
            "Counters of 8 bits take 9.59 MB, however many copies there are; the smallest filter, \
             quotient, takes 18.0 MB",
        ),
        (
            "counts of k-mers, most of which come once",
            at_most(MILLION).with_fpr(0.01).need(Need::Count { most: 255 }).with_copies(2.0),
            Filter(Kind::Quotient),
            "each copy takes a slot",
        ),
        (
            "a rate limiter: at most a hundred a minute",
            at_most(MILLION)
                .with_fpr(0.01)
                .need(Need::Count { most: 100 })
                .need(Need::Forget { generations: 6 }),
            Sketch,
            "no count is too low",
        ),
        (
            "counts so high that the keys themselves take less",
            at_most(MILLION).with_fpr(0.001).need(Need::Count { most: 1_000_000 }),
            Structure::ExactMap,
            "it counts, removes and lists",
        ),
        (
            "an error costs a quarter of an hour, and there is memory",
            exactly(10 * MILLION)
                .built_once()
                .with_absent(0.9)
                .with_false_positive_ns(1e12)
                .with_bytes(2_000_000_000),
            ExactSet,
            "still errs on",
        ),
        (
            "an error costs three hours, and nothing is said of memory",
            at_most(MILLION).with_false_positive_ns(1e13),
            ExactSet,
            "still errs on",
        ),
        (
            "an error costs a second: a filter that hardly errs",
            at_most(10 * MILLION).with_false_positive_ns(1e9).with_absent(0.9),
            Filter(Kind::Cuckoo),
            "in 38.37 bits per key",
        ),
        (
            "a list of addresses never to be written to",
            exactly(MILLION).need(Need::Exact).with_key_bytes(30),
            ExactSet,
            "It never errs",
        ),
        (
            "numbers that never err, known beforehand",
            exactly(MILLION).built_once().need(Need::Exact).with_integers_below(1 << 32),
            SortedList,
            "The fewest bits",
        ),
        (
            "rather dense integers, known beforehand",
            exactly(MILLION).built_once().with_fpr(0.01).with_integers_below(20 * MILLION),
            SortedList,
            "no more than the smallest filter, ribbon",
        ),
        (
            "nearly every query is for a key that is in, and lookups are cheap",
            at_most(MILLION).with_absent(0.05).with_false_positive_ns(100.0).with_lookup_ns(100.0),
            Nothing,
            "and 100 ns without any, since 5 % of the queries are for absent keys",
        ),
        (
            "a million small filters",
            exactly(100).built_once().with_fpr(0.01).with_filters(MILLION).need(Need::Merge),
            Filter(Kind::Bloom),
            "Hash a key once",
        ),
        (
            "a million small filters that never change",
            exactly(100).built_once().with_fpr(0.01).with_filters(MILLION),
            Filter(Kind::Ribbon),
            "768 bytes more (61.4 bits per key)",
        ),
        (
            "inserts that never take long, with removals",
            at_most(MILLION).with_fpr(0.01).need(Need::Remove).with_first(First::Tail),
            Filter(Kind::Quotient),
            "less often than once in a thousand inserts",
        ),
        (
            "one-hit wonders of a cache, by many threads",
            at_most(10 * MILLION)
                .with_fpr(0.01)
                .need(Need::Forget { generations: 2 })
                .need(Need::SharedInsert)
                .with_threads(16)
                .with_first(First::Time),
            Structure::ShardedRolling(Kind::BlockedBloom),
            "64 shards, each a rolling filter behind a lock",
        ),
        (
            "a stream in which keys come again, forgotten by time",
            at_most(MILLION).with_fpr(0.01).need(Need::Forget { generations: 7 }).with_copies(2.0),
            Rolling(Kind::WindowedCuckoo),
            "remembered from its last occurrence on",
        ),
        (
            "21: the last hour of a stream",
            at_most(MILLION).with_fpr(0.01).need(Need::Forget { generations: 7 }),
            Rolling(Kind::WindowedCuckoo),
            "the oldest is forgotten",
        ),
        (
            "22: what the other side has, few keys",
            exactly(1000).with_key_bytes(20).with_fpr(0.01),
            ExactSet,
            "never errs",
        ),
        (
            "23: a list of addresses that changes daily",
            exactly(MILLION)
                .built_once()
                .with_fpr(0.001)
                .with_changes(250_000)
                .with_key_bytes(60)
                .need(Need::Files),
            Filter(Kind::Ribbon),
            "Send the changes: the filter takes 1.25 MB; 250,000 changed keys take 15.0 MB as keys, 453 \
             kB as sorted 31-bit hashes",
        ),
        (
            "23: the same with few changes",
            exactly(MILLION).built_once().with_fpr(0.001).with_changes(1000),
            Filter(Kind::Ribbon),
            "Send the changes",
        ),
        (
            "24: a queue that delivers again, with deletes",
            at_most(MILLION).with_fpr(0.01).need(Need::Remove).with_copies(2.0),
            Filter(Kind::WindowedCuckoo),
            "`insert_unique`",
        ),
        (
            "dense integers",
            exactly(MILLION).with_fpr(0.01).with_integers_below(4 * MILLION),
            Bitmap,
            "roaring",
        ),
        (
            "sparse integers",
            exactly(MILLION).with_fpr(0.01).with_integers_below(1 << 40),
            Filter(Kind::Bloom),
            "The keys themselves take",
        ),
    ]
}

/// Where two filters take about the same time, the record decides which is first: an expert would
/// take the other as well.
const AS_GOOD: [(&str, Structure); 4] = [
    (
        "2: its first level, flushed each minute, bound by the processor",
        Filter(Kind::WideBlockedBloom),
    ),
    ("an error costs a second: a filter that hardly errs", Filter(Kind::WindowedCuckoo)),
    ("a million small filters", Filter(Kind::WideBlockedBloom)),
    (
        "one-hit wonders of a cache, by many threads",
        Structure::ShardedRolling(Kind::WideBlockedBloom),
    ),
];

#[test]
fn an_expert_would_answer_the_same() {
    let mut wrong = Vec::new();
    for (name, workload, expected, said) in cases() {
        let answer = choose(&workload).unwrap_or_else(|error| panic!("{name}: {error}"));
        let best = answer.best();
        let text = format!("{} {} {}", best.what, best.reason, answer.notes.join(" "));
        let is_right = best.structure == expected || AS_GOOD.contains(&(name, best.structure));
        if !is_right || !text.contains(said) {
            wrong.push(format!("{name}: {expected}, {said:?}\n{answer}"));
        }
    }
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), cases().len(), wrong.join("\n"));
}
