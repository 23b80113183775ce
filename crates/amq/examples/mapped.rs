//! A filter that is queried in its file, through a memory map: only the parts that queries touch
//! are read.
//!
//! ```console
//! $ cargo run -p amq --release --example mapped
//! ```

use amq::{AnyFilter, BloomFilter, FilterFile, Goal, LoadOptions};
use memmap2::Mmap;
use std::error::Error;
use std::fs::File;
use std::time::Instant;

fn main() -> Result<(), Box<dyn Error>> {
    let keys = std::env::args().nth(1).map_or(Ok(1_000_000), |n| n.parse())?;
    let path = std::env::temp_dir().join(format!("amq-mapped-{}.amq", std::process::id()));
    let mut filter = BloomFilter::new(Goal::fpr(keys, 0.01))?;
    filter.extend(0..keys as u64);
    filter.save(&path)?;

    let start = Instant::now();
    let file = File::open(&path)?;
    // SAFETY: nobody changes the file while it is mapped; the example has just written it. Another
    // filter may be saved over it: the map keeps the old file.
    let map = unsafe { Mmap::map(&file)? };
    let view = LoadOptions::new().unchecked_payload().view::<AnyFilter>(&map)?;
    let answer = view.contains(&17u64);
    println!("mapped, opened and asked in {:?}: {answer}", start.elapsed());

    let start = Instant::now();
    let view = AnyFilter::view(&map)?;
    println!("checked from end to end in {:?}: {}", start.elapsed(), view.stats());
    std::fs::remove_file(&path)?;
    Ok(())
}
