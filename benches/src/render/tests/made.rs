//! Made-up records.

use crate::contender::{Ability, Family, Role};
use crate::machine::{Cache, Machine};
use crate::record::{Cell, Row, Trial, Workload};
use crate::render::render;
use crate::run::{ContenderFacts, Options, Run};
use crate::store::Records;
use crate::suite::Suite;
use std::fs;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// What is timed here.
pub(super) const TIMED: [Workload; 4] = [
    Workload::Build,
    Workload::Query0,
    Workload::Query50,
    Workload::Query100,
];

/// A folder with records to be drawn.
pub(super) struct Made {
    /// Where it lies.
    pub(super) dir: TempDir,
    /// The run's description, to be changed.
    pub(super) run: Run,
    rows: Vec<(String, Vec<Row>)>,
    /// The systems that were tried.
    pub(super) trials: Vec<Trial>,
}

/// A filter of ours that takes keys and a rate.
pub(super) fn facts(name: &str, family: Family) -> ContenderFacts {
    ContenderFacts {
        name: name.to_owned(),
        family,
        role: Role::Filter,
        ours: true,
        version: "1.0".to_owned(),
        analysis: "as expected".to_owned(),
        abilities: vec![Ability::Insert],
        takes_rate: true,
        command: "measure".to_owned(),
    }
}

/// The rows of a filter of ten bits per key at 1 %.
pub(super) fn rows(name: &str, key_set: &str, keys: u64, rate: f64, ns: f64) -> Vec<Row> {
    let cell = Cell {
        key_set: key_set.to_owned(),
        keys,
        planned_keys: None,
        asked_fpr: Some(rate),
    };
    let hits = (rate * 1e6) as u64;
    let verify = Row {
        held_bytes: Some(keys * 10 / 8),
        peak_build_bytes: Some(keys * 10 / 8),
        absent_queries: Some(1_000_000),
        false_positives: Some(hits),
        seeds: Some(2),
        predicted_fpr: Some(rate),
        predicted_fpr_sd: Some(0.0),
        fpr_low: Some(rate * 0.98),
        fpr_high: Some(rate * 1.02),
        fpr_agrees: Some(true),
        ..Row::new(name, &cell, Workload::Verify)
    };
    let timed = TIMED.map(|workload| Row {
        median_ns: Some(ns),
        mad_ns: Some(ns / 100.0),
        unstable: Some(false),
        ..Row::new(name, &cell, workload)
    });
    [vec![verify], timed.to_vec()].concat()
}

/// The rows over a course of a filter of ten bits per key and 1 % at its plan; the rate rises with
/// the load.
pub(super) fn course(name: &str, workload: Workload, planned: u64, stops: &[u64]) -> Vec<Row> {
    let row = |&keys: &u64| {
        let cell = Cell {
            key_set: "random-u64".to_owned(),
            keys,
            planned_keys: Some(planned),
            asked_fpr: Some(0.01),
        };
        let rate = 0.01 * keys as f64 / planned as f64;
        Row {
            held_bytes: Some(planned * 10 / 8),
            absent_queries: Some(1_000_000),
            false_positives: Some((rate * 1e6) as u64),
            seeds: Some(2),
            predicted_fpr: Some(rate),
            predicted_fpr_sd: Some(0.0),
            fpr_low: Some(rate * 0.98),
            fpr_high: Some(rate * 1.02),
            fpr_agrees: Some(true),
            median_ns: Some(12.0),
            ..Row::new(name, &cell, workload)
        }
    };
    stops.iter().map(row).collect()
}

impl Made {
    pub(super) fn new() -> Self {
        let run = Run {
            date: "2000-01-01".to_owned(),
            command: "cargo run -- measure".to_owned(),
            render_command: "cargo run -- render".to_owned(),
            seconds: 1.0,
            complete: true,
            noise_median: Some(0.02),
            noise_floor: Some(0.05),
            unstable_above: 0.05,
            sigmas: 4.0,
            options: Options::new(Suite::Quick, 3, 1, None, Path::new(".")),
            key_set: Vec::new(),
            contender: Vec::new(),
        };
        Self {
            dir: tempfile::tempdir().unwrap(),
            run,
            rows: Vec::new(),
            trials: Vec::new(),
        }
    }

    pub(super) fn with(mut self, facts: ContenderFacts, rows: Vec<Row>) -> Self {
        self.rows.push((facts.name.clone(), rows));
        self.run.contender.push(facts);
        self
    }

    /// Two filters over two sizes and two rates, and a key set besides.
    pub(super) fn usual() -> Self {
        let all = |name: &str, ns: f64| {
            let mut all = Vec::new();
            for keys in [1_000, 100_000] {
                for rate in [0.01, 0.001] {
                    all.extend(rows(name, "random-u64", keys, rate, ns));
                }
            }
            all.extend(rows(name, "words", 100_000, 0.01, ns * 2.0));
            all
        };
        Self::new()
            .with(facts("bloom", Family::Classic), all("bloom", 10.0))
            .with(
                facts("blocked-bloom", Family::SplitBlock),
                all("blocked-bloom", 10.3),
            )
    }

    pub(super) fn records(&self) -> PathBuf {
        let records = Records::of_day(&self.dir.path().join("records"), "m", "2000-01-01");
        records.write_run(&self.run).unwrap();
        let cache = |level, bytes| Cache {
            level,
            kind: "Unified".to_owned(),
            bytes,
        };
        let machine = Machine {
            name: "m".to_owned(),
            cpu: "a processor".to_owned(),
            cores: 2,
            memory_bytes: Some(1 << 30),
            kernel: "Linux".to_owned(),
            hypervisor: Some(true),
            platform: "linux".to_owned(),
            cache: vec![cache(1, 32 << 10), cache(2, 1 << 20)],
        };
        records.write_machine(&machine).unwrap();
        for (name, rows) in &self.rows {
            // Names in records come from the registry; hostile ones must not choose a file's place.
            if !name.contains('/') {
                records.write_rows(name, rows).unwrap();
            }
        }
        if !self.trials.is_empty() {
            records.write_trials(&self.trials).unwrap();
        }
        records.folder().to_owned()
    }

    /// Page, README and table.
    pub(super) fn drawn(&self) -> (String, String, String) {
        let out = self.dir.path().join("latest");
        let rendered = render(&self.records(), &out).unwrap();
        let page = fs::read_to_string(&rendered.page).unwrap();
        let readme = fs::read_to_string(self.dir.path().join("README.md")).unwrap();
        (page, readme, rendered.table)
    }
}
