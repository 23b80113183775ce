//! A Bloom filter by hand: 32 bits, two hash functions, and each step printed.
//!
//! ```console
//! $ cargo run --example walkthrough
//! ```
//!
//! Adds words until one that was never added is answered "maybe", and shows whose bits it met.

use amq_bloom::{BloomFilter, BloomParams, Filter, PlanFilter};
use std::error::Error;

/// So few bits that all of them fit in a line.
const BITS: u64 = 32;
/// The two hash functions of textbooks.
const PROBES: u32 = 2;

fn empty() -> Result<BloomFilter, Box<dyn Error>> {
    // A plan by explicit parameters; `Goal::fpr(keys, rate)` would choose them.
    let plan = BloomFilter::plan_params(BloomParams::new(BITS, PROBES), 8)?;
    Ok(BloomFilter::new(plan)?)
}

/// The places of a word: the bits of a filter that holds nothing else.
fn places(word: &str) -> Result<Vec<u64>, Box<dyn Error>> {
    let mut alone = empty()?;
    alone.insert(word);
    Ok((0..BITS).filter(|&place| bit(&alone, place)).collect())
}

fn bit(filter: &BloomFilter, place: u64) -> bool {
    filter.as_bytes()[place as usize / 8] >> (place % 8) & 1 == 1
}

fn picture(filter: &BloomFilter) -> String {
    let mut line = String::new();
    for place in 0..BITS {
        line.push(if bit(filter, place) { '1' } else { '.' });
        if place % 8 == 7 {
            line.push(' ');
        }
    }
    line
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut filter = empty()?;
    println!("An empty filter: {BITS} bits, all 0.");
    println!("{:26}{}\n", "", picture(&filter));

    println!("Adding a word sets the bits that its {PROBES} hash functions choose.");
    let words = ["apple", "banana", "cherry", "damson", "elder"];
    for word in words {
        let places = places(word)?;
        filter.insert(word);
        println!("{:26}{}", format!("add {word} {places:?}"), picture(&filter));
    }

    println!("\nAsking looks at the same bits. A single 0 is proof that the word was never added.");
    for word in ["banana", "fig", "grape"] {
        let places = places(word)?;
        let zero = places.iter().find(|&&place| !bit(&filter, place));
        match zero {
            Some(place) => println!("{word} {places:?}: bit {place} is 0, so certainly not in"),
            None => println!("{word} {places:?}: all 1, so probably in"),
        }
        assert_eq!(zero.is_none(), filter.contains(word));
    }

    println!("\nAll bits 1 is no proof: other words may have set them.");
    let wrong = (1..)
        .map(|i| format!("word-{i}"))
        .find(|word| filter.contains(word))
        .ok_or("some word meets bits of others")?;
    println!("{wrong} {:?}: all 1, yet never added. A false positive:", places(&wrong)?);
    for place in places(&wrong)? {
        let mut setters = Vec::new();
        for word in words {
            if places(word)?.contains(&place) {
                setters.push(word);
            }
        }
        assert!(!setters.is_empty());
        println!("  bit {place} was set by {}", setters.join(" and "));
    }

    let ones = filter.count_ones();
    println!(
        "\n{ones} of {BITS} bits are 1, so a word that was never added meets only ones with a \
         probability of\n({ones}/{BITS})^{PROBES} = {:.1} %. The filter reckons {:.1} % before it \
         knows its bits.",
        100.0 * (ones as f64 / BITS as f64).powi(PROBES as i32),
        100.0 * filter.expected_fpr()
    );
    let asked = 100_000;
    let met = (0..asked).filter(|i| filter.contains(&format!("other-{i}"))).count();
    println!(
        "Of {asked} other words it answers \"probably in\" to {:.1} %.",
        100.0 * met as f64 / asked as f64
    );
    Ok(())
}
