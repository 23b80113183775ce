//! The machine, the noise, the limits, and what to know before reading on.

use super::data::Data;
use super::doc::{Block, Found, Table, Text};
use super::number::{binary, keys, list, percent};
use crate::record::{Noise, State, Suite};
use indicatif::HumanDuration;
use std::collections::BTreeSet;
use std::time::Duration;

/// Warnings to read before the rest of the page.
pub(super) fn warnings(data: &Data) -> Vec<Block> {
    let mut warnings = Vec::new();
    let mut warn = |text: &str| warnings.push(Block::Warning(Text::from(text)));
    let profile = &data.run.options.profile;
    if data.run.options.suite == Suite::Smoke {
        warn("This is the smoke suite: it shows that everything works. Its times mean nothing.");
    }
    if !profile.starts_with("release") {
        warn(&format!("Not a release build ({profile}): its times mean little."));
    }
    if !data.run.complete {
        warn("The run was not finished: cells are missing. Continue it with --resume.");
    }
    let failed = || data.all().filter(|row| row.state == State::Failed);
    let names: BTreeSet<&str> = failed().map(|row| row.contender.as_str()).collect();
    if !names.is_empty() {
        let (cells, names) = (failed().count(), list(&names.into_iter().collect::<Vec<_>>()));
        warn(&format!(
            "Failed cells: {cells}, of {names}. They are hollow crosses and have no numbers."
        ));
    }
    warnings
}

/// The machine in a few words.
pub(super) fn place(data: &Data) -> String {
    let cpu = data.machine.as_ref().map_or("an unknown processor", |machine| &machine.cpu);
    let rustc = data.run.options.rustc.split(" (").next().unwrap_or_default();
    format!("{cpu}, {rustc}, {}", data.run.date)
}

pub(super) fn machine(data: &Data) -> Found {
    let (run, options) = (&data.run, &data.run.options);
    let mut facts = Vec::new();
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
    let how = format!("{} rounds, seed {}", options.rounds, options.seed);
    let seconds = HumanDuration(Duration::try_from_secs_f64(run.seconds).unwrap_or_default());
    facts.extend([
        ("compiler", format!("{}, {}", options.rustc, options.profile)),
        ("assumed features", features.trim().to_owned()),
        ("commit", options.git.clone().unwrap_or_default()),
        ("measured", format!("{} (UTC), suite {}, {how}, in {seconds}", run.date, options.suite)),
        ("clock", run.clock.clone()),
    ]);
    facts.retain(|(_, value)| !value.is_empty());
    let (measure, draw) = (&run.command, &run.render_command);
    let commands = format!("{measure}   # measures again\n{draw}   # draws again, the same bytes");
    let facts = facts.iter().map(|(name, value)| Text::from(format!("{name}: {value}"))).collect();
    Some((place(data), vec![Block::List(facts), Block::Code(commands)]))
}

pub(super) fn noise(data: &Data) -> Found {
    let (most, half) = (percent(data.run.noise_floor?), percent(data.run.noise_median?));
    let found = format!(
        "The same filter entered twice differs by less than {most} in nine of ten cells, and by {half} in half of them."
    );
    let row = |noise: &Noise| {
        let (workload, pairs) = (noise.workload.to_string(), noise.pairs.to_string());
        [workload, pairs, percent(noise.median), percent(noise.floor)].map(Text::from).to_vec()
    };
    let head = ["workload", "pairs", "half below", "nine in ten below"];
    let rows = data.run.noise.iter().map(row).collect();
    Some((found, vec![Block::Table(Table::new("Smaller differences are ties.", &head, 1, rows))]))
}

pub(super) fn limits(data: &Data) -> Found {
    let mut points: Vec<Text> = data.texts.limits.iter().map(Text::from).collect();
    let timed = data.all().filter(|row| row.ns.is_some()).count();
    let unstable = data.all().filter(|row| row.unstable == Some(true)).count();
    let scatter = percent(data.run.unstable_above);
    if timed > 0 {
        points.push(Text::from(format!(
            "{unstable} of {timed} timed cells scatter by more than {scatter} and are marked."
        )));
    }
    points.extend(data.sizes(&data.set).last().map(|most| {
        let most = keys(*most);
        Text::from(format!("Nothing beyond {most} keys: farther out, misses to memory decide."))
    }));
    let found =
        "Written by the authors of some of the filters; one machine, one compiler, one day.";
    Some((found.to_owned(), vec![Block::List(points)]))
}
