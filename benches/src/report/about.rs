//! The machine, the noise, the limits, and what to know before reading on.

use super::data::Data;
use super::doc::{Block, Found, Section, Table, Text};
use super::number::{binary, keys, list, percent};
use crate::record::{Noise, State, Suite};

/// Warnings to read before the rest of the page.
pub(super) fn warnings(data: &Data) -> Vec<Block> {
    let mut warnings = Vec::new();
    let mut warn = |text: String| warnings.push(Block::Warning(Text::from(text)));
    if data.run.options.suite == Suite::Smoke {
        warn(
            "This is the smoke suite: it shows that everything works. Its times mean nothing."
                .to_owned(),
        );
    }
    if !data.run.options.profile.starts_with("release") {
        warn(format!("Not a release build ({}): its times mean little.", data.run.options.profile));
    }
    if !data.run.complete {
        warn("The run was not finished: cells are missing. Continue it with --resume.".to_owned());
    }
    let failed = data.all().filter(|row| row.state == State::Failed);
    let mut names: Vec<&str> = failed.map(|row| row.contender.as_str()).collect();
    let failed = names.len();
    names.sort_unstable();
    names.dedup();
    if !names.is_empty() {
        warn(format!(
            "Failed cells: {}, of {}. They are hollow crosses and have no numbers.",
            failed,
            list(&names)
        ));
    }
    warnings
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
    format!(
        "{cpu}, {}, {}",
        data.run.options.rustc.split(" (").next().unwrap_or_default(),
        data.run.date
    )
}

fn machine(data: &Data) -> (String, Vec<Block>) {
    let (run, options) = (&data.run, &data.run.options);
    let mut facts: Vec<(&'static str, String)> = Vec::new();
    if let Some(machine) = &data.machine {
        let shared = if machine.hypervisor == Some(true) {
            "; a virtual machine, which may share its caches"
        } else {
            ""
        };
        facts.push(("processor", format!("{}, {} cores{shared}", machine.cpu, machine.cores)));
        let caches = machine.cache.iter().filter(|cache| cache.kind != "Instruction");
        let caches: Vec<String> =
            caches.map(|cache| format!("L{} {}", cache.level, binary(cache.bytes))).collect();
        facts.push(("caches", caches.join(", ")));
        facts.push(("memory", machine.memory_bytes.map_or_else(String::new, binary)));
        facts.push(("system", format!("{}, {}", machine.platform, machine.kernel)));
    }
    let features = format!("{} {}", options.target_features.replace(',', ", "), options.rustflags);
    let seconds =
        indicatif::HumanDuration(std::time::Duration::from_secs_f64(run.seconds.clamp(0.0, 1e9)));
    let took = format!(
        "{} (UTC), suite {}, {} rounds, seed {}, in {seconds}",
        run.date, options.suite, options.rounds, options.seed
    );
    facts.extend([
        ("compiler", format!("{}, {}", options.rustc, options.profile)),
        ("assumed features", features.trim().to_owned()),
        ("commit", options.git.clone().unwrap_or_default()),
        ("measured", took),
        ("clock", run.clock.clone()),
    ]);
    facts.retain(|(_, value)| !value.is_empty());
    let finding = place(data);
    let commands = format!(
        "{}   # measures again\n{}   # draws again, the same bytes",
        run.command, run.render_command
    );
    (finding, vec![Block::Facts(facts), Block::Code(commands)])
}

fn noise(data: &Data) -> Found {
    let (floor, median) = data.run.noise_floor.zip(data.run.noise_median)?;
    let found = format!(
        "The same filter entered twice differs by less than {} in nine of ten cells, and by {} in half of them.",
        percent(floor),
        percent(median)
    );
    let row = |noise: &Noise| {
        [
            noise.workload.to_string(),
            noise.pairs.to_string(),
            percent(noise.median),
            percent(noise.floor),
        ]
        .map(Text::from)
        .to_vec()
    };
    let head = ["workload", "pairs", "half below", "nine in ten below"];
    let rows = data.run.noise.iter().map(row).collect();
    Some((found, vec![Block::Table(Table::new("Smaller differences are ties.", &head, 1, rows))]))
}

fn limits(data: &Data) -> (String, Vec<Block>) {
    let mut points = vec![
        "Written by the authors of the filters whose crates begin with amq. Peers are used as their \
         documentation says, in the versions named, but their authors have not tuned these calls; \
         a missed option is our mistake, and corrections are welcome."
            .to_owned(),
        "Peers that take a digest get the XXH3 that our filters use; the others keep their hasher or \
         get the fastest in common use. Hashing is part of every time."
            .to_owned(),
        "One machine, one compiler, one day. Ratios carry over better than nanoseconds; at the edge of \
         a cache neither does."
            .to_owned(),
        "The advisor's rows (few keys, values, strangers, threads) are plans and fitted times, not \
         measurements of this run."
            .to_owned(),
        "Memory is what was asked of the allocator, without its overhead, the stack or the program."
            .to_owned(),
    ];
    let timed = data.all().filter(|row| row.ns.is_some()).count();
    let unstable = data.all().filter(|row| row.unstable == Some(true)).count();
    if timed > 0 {
        points.push(format!(
            "{unstable} of {timed} timed cells scatter by more than {} and are marked.",
            percent(data.run.unstable_above)
        ));
    }
    if let Some(most) = data.sizes(&data.set).last() {
        points.push(format!(
            "Nothing beyond {} keys: farther out, misses to memory decide.",
            keys(*most)
        ));
    }
    let finding =
        "Written by the authors of some of the filters; one machine, one compiler, one day."
            .to_owned();
    (finding, vec![Block::List(points.into_iter().map(Text::from).collect())])
}
