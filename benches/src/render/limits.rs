//! The limits of the page, and its authors' bias.

use super::data::Data;
use super::document::{Block, Spans};
use super::number::{grouped, list, percent};

/// The list of limits.
pub(super) fn blocks(data: &Data) -> Vec<Block> {
    let mut points = vec![
        "Written by the authors of the filters marked as ours. The peers are used as their \
         documentation says, in the versions named above, but none of their authors has tuned \
         these calls; a missed option is our mistake. Corrections are welcome."
            .to_owned(),
        "Peers that take a digest get the same XXH3 hash as our filters; peers with a hasher of \
         their own keep it, or get the fastest in common use (each entry says which). Hashing is \
         part of every time; hash-only, where measured, shows its cost alone."
            .to_owned(),
    ];
    let machine = data
        .machine
        .as_ref()
        .map_or("one machine", |machine| machine.cpu.as_str());
    points.push(format!(
        "One machine ({machine}), one compiler, one day. Ratios between filters carry over better \
         than nanoseconds; at the edge of a cache, neither does."
    ));
    if let Some(noise) = data.noise() {
        points.push(format!(
            "The noise floor is {}; a median of {} interleaved rounds resolves no smaller \
             difference, and no effect common to both twins.",
            percent(noise),
            data.run.options.rounds
        ));
    }
    let sizes: Vec<u64> = data
        .main_set()
        .map(|set| data.sizes(set))
        .unwrap_or_default();
    if let Some((machine, &most)) = data.machine.as_ref().zip(sizes.last()) {
        let largest = machine
            .cache
            .iter()
            .map(|cache| cache.bytes)
            .max()
            .unwrap_or(0);
        let held = data
            .filters()
            .iter()
            .filter_map(|facts| {
                let heats = data.heats(data.main_set()?, most);
                let entries = heats.iter().flat_map(|heat| &heat.entries);
                entries
                    .filter(|entry| entry.name() == facts.name && !entry.is_exact())
                    .filter_map(super::entry::Entry::bits)
                    .reduce(f64::max)
            })
            .fold(0.0, f64::max)
            * most as f64
            / 8.0;
        if held < largest as f64 {
            points.push(format!(
                "With at most {} keys, every filter's table fits in the largest cache: these \
                 times include no misses to memory (the full suite has larger sizes).",
                grouped(most)
            ));
        }
    }
    if let [only] = sizes[..] {
        points.push(format!(
            "Only one number of keys ({}): these records do not show how times grow.",
            grouped(only)
        ));
    }
    points.push(
        "Not measured: latency of dependent queries, several threads, loading from disk."
            .to_owned(),
    );
    let cells = data.all_heats();
    let entries = || cells.iter().flat_map(|heat| &heat.entries);
    let unstable = entries()
        .flat_map(|entry| &entry.rows)
        .filter(|row| row.unstable == Some(true))
        .count();
    let timed = entries()
        .flat_map(|entry| &entry.rows)
        .filter(|row| row.median_ns.is_some())
        .count();
    if timed > 0 {
        points.push(format!(
            "{unstable} of {timed} timed cells are unstable, and marked."
        ));
    }
    let peak = "Memory is what was requested of the allocator, without its own overhead, the \
                stack or the program.";
    points.push(peak.to_owned());
    let sets = data.key_sets();
    points.push(format!(
        "Key sets: {}. Yours may hash faster or slower; --keys-file measures with them.",
        list(&sets)
    ));
    vec![Block::List(points.into_iter().map(Spans::from).collect())]
}
