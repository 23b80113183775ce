//! A spelling checker in a filter: a whole dictionary in about ten bits per word, then in seven.
//!
//! ```console
//! $ cargo run -p amq --release --example word_checker -- DICTIONARY < text
//! ```
//!
//! DICTIONARY has one word a line; by default it is the system's, which Debian's package
//! `wamerican` installs. Prints the words of the text that are certainly not in it. A wrong word
//! passes if it is a false positive, once in a hundred; a right word is never reported.

use amq::{AnyFilter, BloomFilter, Budget, RibbonFilter};
use std::collections::{BTreeSet, HashSet};
use std::error::Error;
use std::io::Read;

const SYSTEM: &str = "/usr/share/dict/words";

fn main() -> Result<(), Box<dyn Error>> {
    let path = std::env::args().nth(1).unwrap_or_else(|| SYSTEM.into());
    let dictionary = match std::fs::read_to_string(&path) {
        Ok(text) => text,
        Err(error) if path == SYSTEM => {
            println!("SKIPPED: no dictionary at {SYSTEM} ({error}); name one as the argument");
            return Ok(());
        }
        Err(error) => return Err(format!("{path}: {error}").into()),
    };
    let words: HashSet<&str> = dictionary.lines().collect();
    println!("{} words, {} bytes as text", words.len(), dictionary.len());

    let mut text = String::new();
    std::io::stdin().read_to_string(&mut text)?;
    let asked: BTreeSet<&str> = text
        .split(|c: char| !c.is_alphabetic() && c != '\'')
        .map(|word| word.trim_matches('\''))
        .filter(|word| word.len() > 1)
        .collect();

    let filters: [AnyFilter; 2] = [
        BloomFilter::build(Budget::Fpr(0.01), &words)?.into(),
        RibbonFilter::build(Budget::Fpr(0.01), &words)?.into(),
    ];
    for filter in &filters {
        println!("\n{}", filter.stats());
        assert!(words.iter().all(|word| filter.contains(word)), "a word was lost");

        // A word is right as it stands, or as a sentence begins with it.
        let known = |word: &str| filter.contains(word) || filter.contains(&word.to_lowercase());
        let unknown: Vec<_> = asked.iter().filter(|word| !known(word)).collect();
        print!("{} of {} words of the text are unknown:", unknown.len(), asked.len());
        for word in unknown.iter().take(8) {
            print!(" {word}");
        }
        println!("{}", if unknown.len() > 8 { " ..." } else { "" });

        let (wrong, passed) = misspelt(&words, filter);
        println!(
            "{wrong} misspellings, each a word with two neighbouring letters swapped: {passed} \
             pass as right, {:.2} %",
            100.0 * passed as f64 / wrong as f64
        );
    }
    Ok(())
}

/// The number of misspellings that are not words themselves, and how many of them `filter` accepts.
fn misspelt(words: &HashSet<&str>, filter: &AnyFilter) -> (u64, u64) {
    let (mut wrong, mut passed) = (0, 0);
    for word in words {
        let mut letters: Vec<char> = word.chars().collect();
        for i in 1..letters.len() {
            letters.swap(i - 1, i);
            let swapped: String = letters.iter().collect();
            letters.swap(i - 1, i);
            if !words.contains(swapped.as_str()) {
                wrong += 1;
                passed += u64::from(filter.contains(&swapped));
            }
        }
    }
    (wrong, passed)
}
