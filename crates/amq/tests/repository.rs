//! Rules for the pages, sources and manifests of the whole repository. The published package has no
//! such neighbours, and is without this file.
#![allow(clippy::unwrap_used)]

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}

fn read(path: &str) -> String {
    let text = fs::read_to_string(root().join(path));
    assert!(text.is_ok(), "{path}: {text:?}");
    text.unwrap()
}

/// The files with this ending below a folder, as paths from the root; not what is built or measured
/// here.
fn files(folder: &str, ending: &str) -> Vec<String> {
    let mut found = Vec::new();
    for entry in fs::read_dir(root().join(folder)).unwrap() {
        let entry = entry.unwrap();
        let name = entry.file_name().into_string().unwrap();
        let path = if folder.is_empty() { name.clone() } else { format!("{folder}/{name}") };
        if !entry.file_type().unwrap().is_dir() {
            found.extend(name.ends_with(ending).then_some(path));
        } else if !name.starts_with('.') && !["target", "reports/own"].contains(&&*path) {
            found.extend(files(&path, ending));
        }
    }
    found.sort();
    found
}

/// A page without its blocks of code.
fn prose(page: &str) -> String {
    page.split("```").step_by(2).collect()
}

#[test]
fn docs_comments_and_pages_have_at_most_100_columns() {
    let mut long = Vec::new();
    let paths = [files("", ".rs"), files("", ".md")].concat();
    assert!(paths.len() > 500, "{paths:?}");
    // The renderer draws the other pages there.
    let by_hand = |path: &&String| {
        let drawn = path.starts_with("reports/");
        !drawn || path.ends_with("/METHODOLOGY.md") || path.ends_with("/RECORDS.md")
    };
    for path in paths.iter().filter(by_hand) {
        for (number, line) in read(path).lines().enumerate() {
            let start = line.trim_start();
            // A comment of its own, or one behind code that has no string in it.
            let is_comment = start.starts_with("//")
                || line.split_once(" // ").is_some_and(|(code, _)| !code.contains('"'));
            let is_table = start.trim_start_matches(['/', '!', ' ']).starts_with('|');
            let is_prose = (path.ends_with(".md") || is_comment) && !is_table;
            if is_prose && line.chars().count() > 100 {
                long.push(format!("{path}:{}", number + 1));
            }
        }
    }
    assert!(long.is_empty(), "more than 100 columns: {long:#?}");
}

/// Of functions, tests first of all.
#[test]
fn names_have_at_most_60_characters() {
    let mut long = Vec::new();
    for (suffix, word) in [(".rs", "fn "), (".py", "def ")] {
        for path in files("", suffix) {
            for line in read(&path).lines() {
                let Some((_, rest)) = line.split_once(word) else { continue };
                let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_');
                let name = &rest[..end.unwrap_or(rest.len())];
                if name.len() > 60 {
                    long.push(format!("{path}: {name}"));
                }
            }
        }
    }
    assert!(long.is_empty(), "more than 60 characters: {long:#?}");
}

/// The ids of a page, as GitHub makes them of headings.
fn has_anchor(path: &str, anchor: &str) -> bool {
    let page = read(path);
    if !path.ends_with(".md") {
        return page.contains(&format!("id=\"{anchor}\""))
            || page.contains(&format!("id={anchor}"));
    }
    let id = |heading: &str| -> String {
        let kept = |c: char| c.is_alphanumeric() || "_- ".contains(c);
        let lower = heading.to_lowercase();
        lower.trim().chars().filter(|&c| kept(c)).map(|c| if c == ' ' { '-' } else { c }).collect()
    };
    let page = prose(&page);
    let headings = page.lines().filter(|line| line.starts_with('#'));
    headings.map(|line| id(line.trim_start_matches('#'))).any(|id| id == anchor)
}

#[test]
fn no_relative_link_of_a_page_leads_nowhere() {
    let (mut links, mut broken) = (0, Vec::new());
    for path in files("", ".md") {
        let page = prose(&read(&path));
        let inline = page.split("](").skip(1).filter_map(|rest| Some(rest.split_once(')')?.0));
        let below = page.lines().filter(|line| line.starts_with('['));
        let below = below.filter_map(|line| Some(line.split_once("]: ")?.1));
        for link in inline.chain(below).map(str::trim) {
            // Other protocols, whitespace, and the paths of items, which rustdoc checks.
            if link.contains(':') || link.contains(char::is_whitespace) {
                continue;
            }
            links += 1;
            let (file, anchor) = link.split_once('#').unwrap_or((link, ""));
            let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
            let target = if file.is_empty() { path.clone() } else { format!("{folder}/{file}") };
            let target = target.trim_start_matches('/');
            let is_there =
                root().join(target).exists() && (anchor.is_empty() || has_anchor(target, anchor));
            if !is_there {
                broken.push(format!("{path}: {link}"));
            }
        }
    }
    assert!(links > 100 && broken.is_empty(), "{links} links, of which are broken: {broken:#?}");
}

/// Whether a line has the word in its code: outside of comments, strings and longer words.
fn has_unsafe(line: &str) -> bool {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let code: String = line.split('"').step_by(2).collect();
    let code = code.split("//").next().unwrap_or_default();
    code.split(|c| !is_word(c)).any(|word| word == "unsafe")
}

#[test]
fn security_lists_the_files_with_unsafe_code() {
    for line in ["unsafe { f() }", "#[unsafe(no_mangle)]", "f(\"a // b\"); unsafe fn f() {}"] {
        assert!(has_unsafe(line), "{line}");
    }
    for line in ["// unsafe {}", "#![forbid(unsafe_code)]", "let s = \"unsafe\";", "un_unsafe()"] {
        assert!(!has_unsafe(line), "{line}");
    }
    let sources = files("crates", ".rs").into_iter();
    let sources =
        sources.filter(|path| path.contains("/src/") && !path.starts_with("crates/fuzz/"));
    let found: BTreeSet<String> = sources
        .filter(|path| read(path).lines().any(has_unsafe))
        .map(|path| path.trim_start_matches("crates/").to_owned())
        .collect();
    let page = read("SECURITY.md");
    let list = page.split("<!-- unsafe -->\n").nth(1).unwrap();
    let listed = list.lines().filter_map(|line| line.strip_prefix("- `")?.strip_suffix('`'));
    let listed: BTreeSet<String> = listed.map(str::to_owned).collect();
    assert!(!found.is_empty());
    let [more, fewer] = [&found - &listed, &listed - &found];
    assert!(more.is_empty() && fewer.is_empty(), "to list: {more:?}; to strike out: {fewer:?}");
}

#[test]
fn the_first_example_is_the_tested_one_of_the_bloom_crate() {
    let example = |path| {
        let page = read(path);
        page.split("```rust\n").nth(1).unwrap().split("```").next().unwrap().to_owned()
    };
    assert_eq!(example("README.md"), example("crates/amq-bloom/README.md"));
}

/// The direct dependencies of a crate, without those of its tests.
fn dependencies(of: &str) -> BTreeSet<String> {
    let manifest = read(&format!("crates/{of}/Cargo.toml"));
    let section = manifest.split("\n[dependencies]\n").nth(1).unwrap().split("\n[").next().unwrap();
    let lines = section.lines().filter(|line| !line.starts_with('#') && line.contains('='));
    lines.map(|line| line.split(['.', ' ', '=']).next().unwrap().to_owned()).collect()
}

/// `deny.toml` has what may come with these.
#[test]
fn a_library_crate_depends_only_on_what_it_may() {
    let facade = dependencies("amq");
    let library: Vec<&str> =
        facade.iter().map(String::as_str).filter(|name| name.contains("amq-")).collect();
    assert!(library.len() > 7, "{library:?}");
    for of in library.iter().copied().chain(["amq", "amq-advisor"]) {
        let may = match of {
            "amq-core" => vec!["bytemuck", "libm", "rayon", "serde", "xxhash-rust"],
            "amq-counting" | "amq-interleaved" | "amq-scalable" => {
                vec!["amq-bloom", "amq-core", "libm"]
            }
            "amq" => [&["libm", "self_cell"], &*library].concat(),
            "amq-advisor" => [&["amq", "libm"], &*library].concat(),
            _ => vec!["amq-core", "libm"],
        };
        for name in dependencies(of) {
            assert!(may.contains(&&*name), "{of} depends on {name}, and may only on {may:?}");
        }
    }
}
