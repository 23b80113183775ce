//! Which Debian package has a file? An index of the packages' lists, checked against `dpkg -S`.
//!
//! ```console
//! $ cargo run --release -p amq-interleaved --example package_files -- /usr/bin/env
//! ```
//!
//! On a machine without lists of packages it invents some, and checks against those.

use amq_interleaved::{Budget, FilterFile, InterleavedBloomFilter};
use std::collections::{BTreeSet, HashMap};
use std::error::Error;
use std::process::Command;

/// Each package and its files.
type Lists = Vec<(String, Vec<String>)>;

/// The lists of this machine's packages.
fn installed() -> Lists {
    let mut lists = Vec::new();
    for entry in std::fs::read_dir("/var/lib/dpkg/info").into_iter().flatten().flatten() {
        let file = entry.file_name().into_string().unwrap_or_default();
        let Some(package) = file.strip_suffix(".list") else { continue };
        let list = std::fs::read_to_string(entry.path()).unwrap_or_default();
        lists.push((package.to_owned(), list.lines().map(str::to_owned).collect()));
    }
    lists.sort();
    lists
}

/// Lists in which some files are in several packages, as folders are.
fn made() -> Lists {
    let list = |package: usize| {
        let own = (0..20 + package % 300).map(|file| format!("/usr/lib/p{package}/{file}.so"));
        let shared = ["/.", "/usr", "/usr/lib"].map(str::to_owned);
        shared.into_iter().chain(own).collect()
    };
    (0..700).map(|package| (format!("package-{package}"), list(package))).collect()
}

/// What `dpkg -S` says: the packages of each path that it knows, diversions left out.
fn oracle(paths: &[&String]) -> HashMap<String, BTreeSet<String>> {
    let mut found: HashMap<String, BTreeSet<String>> = HashMap::new();
    let Ok(output) = Command::new("dpkg").env("LC_ALL", "C").arg("-S").args(paths).output() else {
        return found;
    };
    for line in String::from_utf8_lossy(&output.stdout).lines() {
        let Some((packages, path)) = line.rsplit_once(": /") else { continue };
        if !packages.starts_with("diversion ") {
            let packages = packages.split(", ").map(str::to_owned);
            found.entry(format!("/{path}")).or_default().extend(packages);
        }
    }
    found
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut lists = installed();
    let is_real = lists.len() > 1;
    if !is_real {
        lists = made();
    }
    let files: Vec<&Vec<String>> = lists.iter().map(|(_, files)| files).collect();
    let mut filter = InterleavedBloomFilter::build(Budget::Fpr(0.01), &files)?;
    filter.set_names(lists.iter().map(|(package, _)| package))?;
    println!(
        "{} packages, {} files: {} kB, {} kB as a file",
        lists.len(),
        filter.len(),
        filter.size_in_bytes() / 1000,
        filter.to_bytes()?.len() / 1000
    );
    // Sizes differ much, and classes take less.
    let sizes: Vec<u64> = files.iter().map(|files| files.len() as u64).collect();
    for division in InterleavedBloomFilter::classes(Budget::Fpr(0.01), &sizes)? {
        let (classes, kb, lines) = (division.classes.len(), division.bytes / 1000, division.lines);
        println!("in {classes} classes: {kb} kB, {lines} cache lines a lookup");
    }

    for path in std::env::args().skip(1) {
        let bins = filter.bins(&path);
        let names: Vec<&str> = bins.iter().map(|bin| filter.name(bin)).collect();
        println!("{path}: {}", names.join(", "));
    }

    // Every third list's middle file.
    let some = files.iter().step_by(3).filter_map(|files| files.get(files.len() / 2));
    let some: Vec<&String> = some.collect();
    let mut truth: HashMap<String, BTreeSet<String>> = HashMap::new();
    if is_real {
        truth = oracle(&some);
    } else {
        for (package, files) in &lists {
            for path in files {
                truth.entry(path.clone()).or_default().insert(package.clone());
            }
        }
    }
    let (mut checked, mut lost, mut wrong) = (0, 0, 0);
    for (path, packages) in truth.iter().filter(|(path, _)| some.contains(path)) {
        let bins = filter.bins(path);
        let names: BTreeSet<&str> = bins.iter().map(|bin| filter.name(bin)).collect();
        // `dpkg -S` leaves the architecture out of some names.
        let bare = |name: &str| name.split(':').next().unwrap_or(name).to_owned();
        let named: BTreeSet<String> = names.iter().map(|name| bare(name)).collect();
        lost += packages.iter().filter(|package| !named.contains(&bare(package))).count();
        wrong += names.len().saturating_sub(packages.len());
        checked += 1;
    }
    println!("{checked} paths asked: {lost} packages missed, {wrong} named wrongly");
    assert_eq!(lost, 0);
    Ok(())
}
