//! The machine, the noise and the limits.

use super::Found;
use super::by_size::TYPICAL_BITS;
use super::data::Data;
use super::number::{binary, keys, percent, two};
use super::table::Table;
use crate::record::{Machine, Suite};
use indicatif::HumanDuration;
use maud::html;
use std::time::Duration;

const LIMITS: [&str; 4] = [
    "Written by the authors of the filters whose crates begin with amq. Other crates are used as \
     documented, in the versions named; their authors have not reviewed these calls. Corrections are \
     welcome.",
    "Other crates that take a digest get the XXH3 that our filters use; those that take any hasher get \
     foldhash; the others keep their own. Hashing is part of every time.",
    "One machine, one compiler, one day. Ratios carry over better than nanoseconds; at the edge of a \
     cache neither does.",
    "Memory counts the bytes requested from the allocator, not its overhead, the stack or the program.",
];

/// The introduction that explains the page.
pub(super) fn warnings(data: &Data) -> Vec<String> {
    let run = &data.run;
    let all = [
        (
            run.options.suite == Suite::Smoke,
            "The smoke suite checks that everything works. Its times are of small tables and two short \
             rounds: compare no filters by them.",
        ),
        (
            !run.options.profile.starts_with("release"),
            "Not a release build: its times mean little.",
        ),
        (!run.complete, "The run was not finished: continue it with --resume."),
    ];
    all.into_iter().filter(|(is_so, _)| *is_so).map(|(_, text)| text.to_owned()).collect()
}

pub(super) fn processor(data: &Data) -> String {
    let cpu = data.machine.as_ref().map_or("an unknown processor", |machine| &machine.cpu);
    cpu.replace("(R)", "").replace("(TM)", "")
}

pub(super) fn place(data: &Data) -> String {
    let options = &data.run.options;
    let cores = data.machine.as_ref().map_or(String::new(), |of| format!(", {} cores", of.cores));
    let rustc = options.rustc.split(" (").next().unwrap_or_default();
    let git = options.git.as_ref().map_or(String::new(), |git| format!(", commit {git}"));
    format!("{}{cores}, {rustc}{git}, {}", processor(data), data.run.date)
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
        ("keys", sources(data)),
    ];
    let facts = facts.into_iter().filter(|(_, value)| !value.is_empty());
    Some((
        place(data),
        html! {
            ul {
                @for (name, value) in facts { li { (name) ": " (value) } }
                li { "to draw again, the same bytes: " code { (run.render_command) } }
            }
        },
    ))
}

/// The source of the user's own keys.
fn sources(data: &Data) -> String {
    let own = data
        .run
        .key_set
        .iter()
        .filter(|set| data.run.options.keys_file.as_ref() == Some(&set.name));
    let words = own.map(|set| {
        format!(
            "{}: {} distinct keys (repeats left out: {}, empty lines: {}), of which half are queried \
             as absent, and at most {} of the others are inserted",
            set.name,
            set.source.distinct.unwrap_or(0),
            set.source.duplicates,
            set.source.empty_lines,
            data.sizes(&set.name).pop().unwrap_or(0)
        )
    });
    words.collect::<Vec<_>>().join("; ")
}

pub(super) fn noise(data: &Data) -> Found {
    let [most, half] = [data.run.noise_floor?, data.run.noise_median?].map(|of| two(of * 100.0));
    let finding = format!(
        "The same filter entered twice differs by less than {most} % in nine cells of ten, and by less \
         than {half} % in half of them."
    );
    let table = Table::of(&data.run.noise)
        .word("workload", |noise| noise.workload.to_string())
        .number("pairs", |noise| Some(noise.pairs))
        .number("half below", |noise| Some(percent(noise.median)))
        .number("nine in ten below", |noise| Some(percent(noise.floor)));
    Some((finding, table.html("Smaller differences are ties.")))
}

pub(super) fn limits(data: &Data) -> Found {
    let timed = data.all().filter(|row| row.ns.is_some()).count();
    let unstable = data.all().filter(|row| row.unstable == Some(true)).count();
    let most = data.sizes(&data.set).pop().unwrap_or(0);
    let last = data.caches().last().filter(|(bytes, _)| most * TYPICAL_BITS / 8 < *bytes);
    let finding =
        "Written by the authors of some of the filters; one machine, one compiler, one day.";
    Some((
        finding.to_owned(),
        html! {
            ul {
                @for limit in LIMITS { li { (limit) } }
                @if timed > 0 {
                    li { (unstable) " of " (timed) " times have a wide interval, and are set in italics." }
                }
                li { "Measured with at most " (keys(most)) " keys."
                    @if let Some((_, cache)) = last {
                        " No table of " (TYPICAL_BITS) " bits per key leaves the " (cache) " cache."
                    }
                }
            }
        },
    ))
}
