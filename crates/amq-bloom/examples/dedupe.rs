//! Prints each line of standard input once, in order, in far less memory than a set of lines takes.
//!
//! ```console
//! $ cargo run --release --example dedupe -- 5000000 < access.log
//! ```
//!
//! The argument is the number of distinct lines to plan for. At that number one new line in a
//! million is dropped; a repeated line is never printed.

use amq_bloom::{BloomFilter, Filter, Goal};
use std::error::Error;
use std::io::{self, BufRead, Write};

fn main() -> Result<(), Box<dyn Error>> {
    let lines = std::env::args().nth(1);
    let lines = lines.map_or(Ok(1_000_000), |number| number.parse())?;

    let mut seen = BloomFilter::new(Goal::fpr(lines, 1e-6))?;
    let mut output = io::BufWriter::new(io::stdout().lock());
    for line in io::stdin().lock().split(b'\n') {
        let line = line?;
        if seen.insert(&line).is_new() {
            output.write_all(&line)?;
            output.write_all(b"\n")?;
        }
    }
    output.flush()?;

    eprintln!("{}", seen.stats());
    if seen.len() > seen.capacity() {
        eprintln!("more distinct lines than planned: some more were dropped");
    }
    Ok(())
}
