//! The machine, the noise, the limits, and what to know before reading on.

use super::curves::TYPICAL_BITS;
use super::prelude::*;
use indicatif::HumanDuration;
use std::collections::BTreeSet;
use std::time::Duration;

/// What to know before reading the rest of the page.
pub(super) fn warnings(data: &Data) -> Vec<String> {
    let mut warnings = Vec::new();
    let mut warn = |is_so: bool, text: &str| warnings.extend(is_so.then(|| text.to_owned()));
    let (run, options) = (&data.run, &data.run.options);
    let failed: Vec<&Row> = data.all().filter(|row| row.state == State::Failed).collect();
    let names: BTreeSet<&str> = failed.iter().map(|row| row.contender.as_str()).collect();
    let names = list(&names.into_iter().collect::<Vec<_>>());
    let failures = data.say("failed", &[&failed.len(), &names]);
    warn(options.suite == Suite::Smoke, "This is the smoke suite: its times mean nothing.");
    warn(!options.profile.starts_with("release"), "Not a release build: its times mean little.");
    warn(!run.complete, "The run was not finished: cells are missing. Continue it with --resume.");
    warn(!failed.is_empty(), &failures);
    warnings
}

pub(super) fn place(data: &Data) -> String {
    let cpu = data.machine.as_ref().map_or("an unknown processor", |machine| &machine.cpu);
    let rustc = data.run.options.rustc.split(" (").next().unwrap_or_default();
    format!("{cpu}, {rustc}, {}", data.run.date)
}

pub(super) fn machine(data: &Data) -> Found {
    let (run, options) = (&data.run, &data.run.options);
    let of = |fact: fn(&Machine) -> String| data.machine.as_ref().map_or_else(String::new, fact);
    let cores = |machine: &Machine| match machine.hypervisor {
        Some(true) => format!("{} of a virtual machine, which may share its caches", machine.cores),
        _ => machine.cores.to_string(),
    };
    let caches: Vec<String> = data.caches().map(|(_, name)| name).collect();
    let features = format!("{} {}", options.target_features.replace(',', ", "), options.rustflags);
    let how = format!("{} rounds, seed {}", options.rounds, options.seed);
    let seconds = HumanDuration(Duration::try_from_secs_f64(run.seconds).unwrap_or_default());
    let facts = [
        ("processor", of(|machine| machine.cpu.clone())),
        ("cores", of(cores)),
        ("caches", caches.join(", ")),
        ("memory", of(|machine| machine.memory_bytes.map_or_else(String::new, binary))),
        ("system", of(|machine| format!("{}, {}", machine.platform, machine.kernel))),
        ("compiler", format!("{}, {}", options.rustc, options.profile)),
        ("assumed features", features.trim().to_owned()),
        ("commit", options.git.clone().unwrap_or_default()),
        ("measured", format!("{} (UTC), suite {}, {how}, in {seconds}", run.date, options.suite)),
    ];
    let facts = facts.into_iter().filter(|(_, value)| !value.is_empty());
    let facts = facts.map(|(name, value)| Text::from(format!("{name}: {value}")));
    let again = Text::from("to measure again: ").code(&run.command);
    let draw = Text::from("to draw again, the same bytes: ").code(&run.render_command);
    Some((place(data), vec![Block::list(facts.chain([again, draw]))]))
}

pub(super) fn noise(data: &Data) -> Found {
    let [most, half] =
        [data.run.noise_floor?, data.run.noise_median?].map(|of| two(of * 100.0) + " %");
    let found = data.say("noise", &[&most, &half]);
    let table = Table::of(&data.run.noise)
        .word("workload", |noise| noise.workload.to_string())
        .number("pairs", |noise| Some(noise.pairs.to_string()))
        .number("half below", |noise| Some(percent(noise.median)))
        .number("nine in ten below", |noise| Some(percent(noise.floor)));
    Some((found, vec![table.block("Smaller differences are ties.")]))
}

pub(super) fn limits(data: &Data) -> Found {
    let mut points = data.texts.limits.clone();
    let timed = data.all().filter(|row| row.ns.is_some()).count();
    let unstable = data.all().filter(|row| row.unstable == Some(true)).count();
    let wide = asked(data.run.unstable_above);
    if timed > 0 {
        points.push(data.say("wide", &[&unstable, &timed, &wide]));
    }
    let most = data.sizes(&data.set).pop();
    points.extend(most.map(|most| data.say("most", &[&keys(most)])));
    let last = data.caches().last().zip(most);
    let last = last.filter(|((bytes, _), most)| most * TYPICAL_BITS / 8 < *bytes);
    points.extend(last.map(|((_, cache), _)| data.say("cache", &[&TYPICAL_BITS, &cache])));
    let found =
        "Written by the authors of some of the filters; one machine, one compiler, one day.";
    Some((found.to_owned(), vec![Block::list(points)]))
}
