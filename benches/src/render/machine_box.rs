//! The machine, the compiler and the noise of the measurement.

use super::data::Data;
use super::document::{Block, Spans};
use super::number::{binary_bytes, percent};
use crate::tables::minutes;
use std::time::Duration;

/// The box and the two commands.
pub(super) fn blocks(data: &Data) -> Vec<Block> {
    let run = &data.run;
    let options = &run.options;
    let mut facts: Vec<(String, Spans)> = Vec::new();
    let mut fact = |name: &str, value: String| {
        if !value.is_empty() {
            facts.push((name.to_owned(), Spans::from(value)));
        }
    };
    if let Some(machine) = &data.machine {
        let shared = match machine.hypervisor {
            Some(true) => "; a virtual machine, which may share its caches with others",
            _ => "",
        };
        fact(
            "processor",
            format!("{}, {} cores{shared}", machine.cpu, machine.cores),
        );
        let caches: Vec<String> = machine
            .cache
            .iter()
            .filter(|cache| cache.kind != "Instruction")
            .map(|cache| format!("L{} {}", cache.level, binary_bytes(cache.bytes)))
            .collect();
        fact("caches", caches.join(", "));
        fact(
            "memory",
            machine.memory_bytes.map_or_else(String::new, binary_bytes),
        );
        fact(
            "system",
            format!("{}, {}", machine.platform, machine.kernel),
        );
    }
    fact(
        "compiler",
        format!("{}, {}", options.rustc, options.profile),
    );
    fact(
        "processor features",
        format!(
            "{} assumed at compile time{}; filters that detect features at run time may use more",
            options.target_features.replace(',', ", "),
            if options.rustflags.is_empty() {
                String::new()
            } else {
                format!(" ({})", options.rustflags)
            }
        ),
    );
    let dirty = options
        .git
        .as_deref()
        .is_some_and(|git| git.ends_with("-dirty"));
    fact(
        "commit",
        options.git.as_deref().map_or_else(String::new, |git| {
            let changed = if dirty {
                ", with uncommitted changes"
            } else {
                ""
            };
            format!("{}{changed}", git.trim_end_matches("-dirty"))
        }),
    );
    fact(
        "measured",
        format!(
            "{} (UTC), suite {}, {} rounds, seed {}, in {}",
            run.date,
            options.suite,
            options.rounds,
            options.seed,
            minutes(Duration::from_secs_f64(run.seconds.clamp(0.0, 1e9)))
        ),
    );
    fact(
        "noise floor",
        match (run.noise_floor, run.noise_median) {
            (Some(floor), Some(median)) => format!(
                "{}: the same filter entered twice differs by less in nine cells of ten (by less \
                 than {} in half of them); smaller differences are ties",
                percent(floor),
                percent(median)
            ),
            _ => "not measured: differences of a few percent may be noise, and no tie is marked"
                .to_owned(),
        },
    );
    vec![
        Block::Facts(facts),
        Block::Para(Spans::from("Measure again:")),
        Block::Code(run.command.clone()),
        Block::Para(Spans::from(
            "Draws this page again from the same records, byte for byte:",
        )),
        Block::Code(run.render_command.clone()),
    ]
}
