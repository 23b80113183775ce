//! Rules of `amq choose` for workloads that earlier versions answered wrongly.

use crate::room::Room;
use amq::{Goal, QuotientFilter};
use serde_json::Value;

fn answer(options: &str) -> Value {
    let run = Room::new().amq(&format!("choose --json {options}")).ends(0);
    serde_json::from_str(&run.text()).unwrap()
}

/// What people read, with single spaces.
fn text(options: &str) -> String {
    let run = Room::new().amq(&format!("choose {options}")).ends(0);
    run.text().split_whitespace().collect::<Vec<_>>().join(" ")
}

fn first(options: &str) -> Value {
    answer(options)["choices"][0].clone()
}

/// Of a sorted list of hashes a receiver needs the bits that its filter keeps.
#[test]
fn changes_are_priced_by_the_bits_that_the_receiver_keeps() {
    let (keys, changes) = (200_000u64, 40_000u64);
    let params = QuotientFilter::plan(Goal::fpr(keys, 0.01)).unwrap().params;
    let kept = (params.slots as f64).log2().ceil() + f64::from(params.remainder_bits);
    assert_eq!(kept, 25.0);
    let bits = kept - (changes as f64).log2() + 1.44;
    let said = format!("{:.1} kB as sorted 25-bit hashes", changes as f64 * bits / 8e3);
    let told = text("--keys 2e5 --fpr 1% --static --changes 40000");
    assert!(told.contains(&said), "{said}: {told}");
    assert!(told.contains(&format!("{bits:.1} bits each")), "{told}");
    assert!(told.contains("Send the changes") && !told.contains("64 bits"), "{told}");
    // Many changes of short keys: the whole filter.
    let many = text("--keys 2e5 --fpr 1% --static --changes 200000");
    assert!(many.contains("Send the whole filter"), "{many}");
    // No filter that takes hashes qualifies: the lists of keys alone are compared with.
    let strangers = text("--keys 2e5 --fpr 1% --static --changes 40000 --strangers");
    assert!(strangers.contains("as keys") && !strangers.contains("sorted"), "{strangers}");
}

/// Ribbons end at 32 columns: a rate that they just miss is named, with their size there.
#[test]
fn a_rate_below_the_lowest_of_a_smaller_filter_names_that_rate() {
    let lowest = first("--keys 2e6 --static --fpr 2.331e-10");
    assert_eq!(lowest["structure"], "ribbon");
    let size = format!("{:.2} MB", lowest["bytes"].as_f64().unwrap() / 1e6);
    let told = text("--keys 2e6 --static --fpr 1e-10");
    assert!(told.contains("2.33e-10") && told.contains(&size), "{size}: {told}");
    assert!(!text("--keys 2e6 --static --fpr 1e-9").contains("2.33e-10"));
}

/// Of equally fast ones the smaller: nobody asked for a lower rate.
#[test]
fn no_bits_are_spent_on_a_few_percent_of_time() {
    for options in [
        "--keys 4e9 --static --fpr 1% --first time",
        "--keys 4e9 --static --fpr 1% --first time --bytes 2TB",
        "--keys 4e9 --static --fpr 1% --first time --queries-per-key 0.5 --threads 64",
    ] {
        let best = first(options);
        assert_eq!(best["structure"], "blocked-bloom", "{options}");
        assert!(best["bits_per_key"].as_f64().unwrap() < 10.6, "{options}: {best}");
    }
}

/// Nobody measured inserts by that many threads.
#[test]
fn times_with_several_threads_are_said_to_be_those_of_one() {
    for options in [
        "--keys 1e6 --need shared-insert --threads 8",
        "--keys 4e9 --static --first time --threads 64",
    ] {
        assert!(text(options).contains("one thread"), "{options}");
    }
    let of = |threads: u32| {
        let best = first(&format!("--keys 1e6 --need shared-insert --threads {threads}"));
        best["insert_ns"].as_f64().unwrap()
    };
    assert_eq!(of(2), of(64));
    assert!(!text("--keys 1e6").contains("one thread"));
}

#[test]
fn a_small_bitmap_comes_first_however_many_keys_there_will_be() {
    let told = text("--unknown-from 1e4 --integers-below 2e4");
    assert!(told.contains("high-water mark"), "{told}");
    let best = first("--unknown-from 1e4 --integers-below 2e4");
    assert_eq!((&best["structure"], &best["bytes"]), (&"exact-bitmap".into(), &2500.into()));
    // A universe far larger than the filter stays a filter's.
    assert_ne!(first("--unknown-from 1e4 --integers-below 4e9")["structure"], "exact-bitmap");
    // Keys of more than 32 bits have another type, with more bytes for each group of keys.
    let sparse = answer("--keys 1e5 --need exact --integers-below 1e12");
    assert_eq!(sparse["choices"][0]["structure"], "exact-set");
    assert_eq!(sparse["choices"][1]["type"], "RoaringTreemap");
    let bytes = sparse["choices"][1]["bytes"].as_f64().unwrap();
    assert!((2.1e6..2.3e6).contains(&bytes), "{bytes}");
    assert_eq!(first("--keys 5e9 --integers-below 1e10")["type"], "RoaringTreemap");
}

#[test]
fn many_growing_filters_say_what_they_grow_to() {
    let best = first("--unknown-from 10 --filters 50000");
    let [bytes, mean] = [&best["bytes"], &best["grown"]["mean"]].map(|of| of.as_f64().unwrap());
    let start = format!("{:.2} MB at the start", bytes * 50_000.0 / 1e6);
    let grown = format!("{:.2} GB", mean * 10.0 * 1024.0 * 50_000.0 / 8e9);
    let told = text("--unknown-from 10 --filters 50000");
    assert!(told.contains(&start) && told.contains(&grown), "{start} {grown}: {told}");
    assert!(!told.contains("once full"), "{told}");
}

#[test]
fn removal_is_no_proof() {
    for options in [
        "--keys 1e6 --need remove",
        "--unknown-from 1e5 --need remove",
        "--keys 1e6 --need remove --strangers",
    ] {
        let told = text(options);
        assert!(told.contains("A removed key may still be answered yes"), "{told}");
    }
    assert!(!text("--keys 1e6 --need exact,remove").contains("still be answered"));
}

/// The values that changed lie in an exact map beside the one that is rebuilt now and then.
#[test]
fn a_map_whose_values_change_is_a_small_map_with_an_overlay() {
    let best = first("--keys 1e8 --values 3 --changes 1e5");
    assert_eq!(best["type"], "RibbonMap");
    let bytes = best["bytes"].as_f64().unwrap();
    assert!((37.5e6..38e6).contains(&bytes), "{bytes}");
    let told = text("--keys 1e8 --values 3 --changes 1e5");
    assert!(told.contains("a `HashMap` of the 100,000 changed values"), "{told}");
    // Where most of the values change, the overlay is the map.
    assert_eq!(first("--keys 1e6 --values 3 --changes 1e6")["type"], "HashMap");
}

/// Only what has no room beyond its plan refuses keys.
#[test]
fn what_grows_is_not_said_to_refuse_keys() {
    let told = text("--keys 1e4 --need remove --fpr 1e-11 --first time");
    assert!(told.contains("expandable-quotient") && !told.contains("refuses keys"), "{told}");
    assert!(text("--keys 1e6 --fpr 0.1%").contains("refuses keys beyond 1,000,000"));
}
