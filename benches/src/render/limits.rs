//! The limits of the page, and its authors' bias.

use super::data::Data;
use super::document::{Block, Spans};
use super::number::{grouped, list, percent};

/// The list of limits.
pub(super) fn blocks(data: &Data) -> Vec<Block> {
    let mut points = vec![
        "Written by the authors of the filters marked as ours. The peers are used as their documentation says, in the versions named above, but nobody of theirs \
         has tuned these calls; a missed option is our mistake. Corrections are welcome."
            .to_owned(),
        "Peers that take a digest are given the same XXH3 hash that ours use; peers with a hasher of their own keep it, or are given the quickest in common use (each one's entry says \
         which). Hashing is part of every time; what it costs alone is shown as hash-only, where it was measured."
            .to_owned(),
    ];
    let machine = data
        .machine
        .as_ref()
        .map_or("one machine", |machine| machine.cpu.as_str());
    points.push(format!(
        "One machine ({machine}), one compiler, one day. Ratios between filters carry over better than nanoseconds do; where a cache ends, neither does."
    ));
    if let Some(noise) = data.noise() {
        points.push(format!(
            "The noise floor is {}; a median of {} interleaved rounds does not see what is smaller, nor what happens to both twins alike.",
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
                "With at most {} keys every filter's table fits into the largest cache: what a miss to memory costs is not in these times (the full suite has larger sizes).",
                grouped(most)
            ));
        }
    }
    if let [only] = sizes[..] {
        points.push(format!(
            "One number of keys only ({}): nothing is known of how times grow.",
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
            "{unstable} of {timed} timed cells are unstable and marked so."
        ));
    }
    let peak = "Memory is what the allocator was asked for; its own overhead, the stack and the program are not in it.";
    points.push(peak.to_owned());
    let sets = data.key_sets();
    points.push(format!(
        "Key sets: {}. Yours may hash more slowly or quickly; --keys-file measures with them.",
        list(&sets)
    ));
    vec![Block::List(points.into_iter().map(Spans::from).collect())]
}
