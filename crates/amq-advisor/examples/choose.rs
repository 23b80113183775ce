//! Which filter? The answers to six typical workloads.
//!
//! ```console
//! $ cargo run -p amq-advisor --example choose
//! ```

use amq_advisor::{Keys, KeysBy, Need, Workload, choose};
use std::error::Error;

fn main() -> Result<(), Box<dyn Error>> {
    let workloads = [
        (
            "The filter of one sorted file of an LSM tree: 10 bits per key; a false positive reads \
             a block, 20 microseconds",
            Workload::new(Keys::AtMost(1_000_000))
                .with_bits_per_key(10.0)
                .built_once()
                .need(Need::Files)
                .with_absent(0.9)
                .with_false_positive_ns(20_000.0)
                .with_queries_per_key(10.0),
        ),
        (
            "A crawler's set of pages seen, a hundred million at most; a false positive is a page \
             never visited",
            Workload::new(Keys::AtMost(100_000_000)).with_fpr(0.01),
        ),
        (
            "What a cache admits: requests are counted, and strangers choose them",
            Workload::new(Keys::AtMost(100_000))
                .with_fpr(0.01)
                .need(Need::Count { most: 10 })
                .need(Need::Remove)
                .with_copies(4.0)
                .with_keys_by(KeysBy::Strangers),
        ),
        (
            "A stream without its repetitions: what is older than an hour is forgotten",
            Workload::new(Keys::AtMost(1_000_000))
                .with_fpr(0.001)
                .need(Need::Forget { generations: 8 })
                .with_absent(0.9),
        ),
        (
            "A blocklist that is shipped with a program",
            Workload::new(Keys::AtMost(2_000_000))
                .with_fpr(0.001)
                .built_once()
                .need(Need::Files)
                .with_absent(0.99),
        ),
        (
            "The user names taken, as many as there will be, which strangers choose",
            Workload::new(Keys::Unknown { start: 10_000 })
                .with_fpr(0.01)
                .with_keys_by(KeysBy::Strangers),
        ),
    ];
    for (title, workload) in workloads {
        println!("== {title}\n\n{}", choose(&workload)?);
    }

    let impossible = Workload::new(Keys::AtMost(1_000_000))
        .with_fpr(0.01)
        .need(Need::Remove)
        .need(Need::Values { bits: 4 });
    if let Err(error) = choose(&impossible) {
        println!("== Removing keys that have values\n\n{error}");
    }
    Ok(())
}
