//! The machine, the noise, the limits, and what to know before reading on.

use super::data::Data;
use super::doc::{Block, Found, Section, Table, Text};
use super::number::{binary, keys, list, percent};
use crate::record::{Noise, State, Suite};
use indicatif::HumanDuration;
use std::collections::BTreeSet;
use std::time::Duration;

/// Warnings to read before the rest of the page.
pub(super) fn warnings(data: &Data) -> Vec<Block> {
    let options = &data.run.options;
    let failed = || data.all().filter(|row| row.state == State::Failed);
    let names: BTreeSet<&str> = failed().map(|row| row.contender.as_str()).collect();
    let names: Vec<&str> = names.into_iter().collect();
    let warnings = [
        (options.suite == Suite::Smoke).then(|| {
            "This is the smoke suite: it shows that everything works. Its times mean nothing."
                .to_owned()
        }),
        (!options.profile.starts_with("release"))
            .then(|| format!("Not a release build ({}): its times mean little.", options.profile)),
        (!data.run.complete).then(|| {
            "The run was not finished: cells are missing. Continue it with --resume.".to_owned()
        }),
        (!names.is_empty()).then(|| {
            let (count, names) = (failed().count(), list(&names));
            format!(
                "Failed cells: {count}, of {names}. They are hollow crosses and have no numbers."
            )
        }),
    ];
    warnings.into_iter().flatten().map(|text| Block::Warning(Text::from(text))).collect()
}

/// The sections of this file.
pub(super) fn sections(data: &Data) -> Vec<Section> {
    vec![
        Section::new("machine", "Measured on", Some(machine(data))).in_readme(),
        Section::new("noise", "How much is noise", noise(data)),
        Section::new("limits", "Limits and bias", Some(limits(data))).in_readme(),
    ]
}

/// The machine in a few words.
pub(super) fn place(data: &Data) -> String {
    let machine = data.machine.as_ref();
    let cpu = machine.map_or("an unknown processor", |machine| &machine.cpu);
    let rustc = data.run.options.rustc.split(" (").next().unwrap_or_default();
    format!("{cpu}, {rustc}, {}", data.run.date)
}

fn machine(data: &Data) -> (String, Vec<Block>) {
    let (run, options) = (&data.run, &data.run.options);
    let mut facts: Vec<(&'static str, String)> = Vec::new();
    if let Some(machine) = &data.machine {
        let shared = match machine.hypervisor {
            Some(true) => "; a virtual machine, which may share its caches",
            _ => "",
        };
        let caches = machine.cache.iter().filter(|cache| cache.kind != "Instruction");
        let caches = caches.map(|cache| format!("L{} {}", cache.level, binary(cache.bytes)));
        facts.extend([
            ("processor", format!("{}, {} cores{shared}", machine.cpu, machine.cores)),
            ("caches", caches.collect::<Vec<_>>().join(", ")),
            ("memory", machine.memory_bytes.map_or_else(String::new, binary)),
            ("system", format!("{}, {}", machine.platform, machine.kernel)),
        ]);
    }
    let features = format!("{} {}", options.target_features.replace(',', ", "), options.rustflags);
    let took = format!(
        "{} (UTC), suite {}, {} rounds, seed {}, in {}",
        run.date,
        options.suite,
        options.rounds,
        options.seed,
        HumanDuration(Duration::from_secs_f64(run.seconds.clamp(0.0, 1e9)))
    );
    facts.extend([
        ("compiler", format!("{}, {}", options.rustc, options.profile)),
        ("assumed features", features.trim().to_owned()),
        ("commit", options.git.clone().unwrap_or_default()),
        ("measured", took),
        ("clock", run.clock.clone()),
    ]);
    facts.retain(|(_, value)| !value.is_empty());
    let commands = format!(
        "{}   # measures again\n{}   # draws again, the same bytes",
        run.command, run.render_command
    );
    (place(data), vec![Block::Facts(facts), Block::Code(commands)])
}

fn noise(data: &Data) -> Found {
    let (floor, median) = data.run.noise_floor.zip(data.run.noise_median)?;
    let found = format!(
        "The same filter entered twice differs by less than {} in nine of ten cells, and by {} in half of them.",
        percent(floor),
        percent(median)
    );
    let row = |noise: &Noise| {
        let (workload, pairs) = (noise.workload.to_string(), noise.pairs.to_string());
        [workload, pairs, percent(noise.median), percent(noise.floor)].map(Text::from).to_vec()
    };
    let head = ["workload", "pairs", "half below", "nine in ten below"];
    let rows = data.run.noise.iter().map(row).collect();
    Some((found, vec![Block::Table(Table::new("Smaller differences are ties.", &head, 1, rows))]))
}

const LIMITS: [&str; 5] = [
    "Written by the authors of the filters whose crates begin with amq. Peers are used as their \
     documentation says, in the versions named, but their authors have not tuned these calls; a \
     missed option is our mistake, and corrections are welcome.",
    "Peers that take a digest get the XXH3 that our filters use; the others keep their hasher or \
     get the fastest in common use. Hashing is part of every time.",
    "One machine, one compiler, one day. Ratios carry over better than nanoseconds; at the edge of \
     a cache neither does.",
    "The advisor's rows (few keys, strangers, threads) are plans and fitted times, not \
     measurements of this run.",
    "Memory is what was asked of the allocator, without its overhead, the stack or the program.",
];

fn limits(data: &Data) -> (String, Vec<Block>) {
    let mut points: Vec<Text> = LIMITS.map(Text::from).to_vec();
    let timed = data.all().filter(|row| row.ns.is_some()).count();
    let unstable = data.all().filter(|row| row.unstable == Some(true)).count();
    if timed > 0 {
        points.push(Text::from(format!(
            "{unstable} of {timed} timed cells scatter by more than {} and are marked.",
            percent(data.run.unstable_above)
        )));
    }
    if let Some(most) = data.sizes(&data.set).last() {
        let most = keys(*most);
        points.push(Text::from(format!(
            "Nothing beyond {most} keys: farther out, misses to memory decide."
        )));
    }
    let finding =
        "Written by the authors of some of the filters; one machine, one compiler, one day.";
    (finding.to_owned(), vec![Block::List(points)])
}
