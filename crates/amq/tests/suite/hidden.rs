//! What the library crates show of themselves and of each other: `STABILITY.md` of amq-core
//! promises something for every item that another crate can name, hidden ones included, so there
//! are few.

use std::fs;
use std::path::{Path, PathBuf};

/// Attributes that hide an item, in all library crates. Each is a macro, a module or a function
/// that other crates reach and users do not need.
const HIDDEN: usize = 4;

/// Names in `amq_core::internal`.
const INTERNAL: usize = 37;

/// All that stands in the sources of the library crates: path and text without comments.
fn sources() -> Vec<(PathBuf, String)> {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let libraries = fs::read_dir(&crates).unwrap().map(|entry| entry.unwrap().path());
    let mut folders: Vec<PathBuf> = libraries
        .filter(|path| path.file_name().unwrap().to_str().unwrap().starts_with("amq"))
        .map(|path| path.join("src"))
        .filter(|path| path.join("lib.rs").is_file())
        .collect();
    let mut sources = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|end| end == "rs") {
                let text = without_comments(&fs::read_to_string(&path).unwrap());
                sources.push((path, text));
            }
        }
    }
    assert!(sources.len() > 200, "{} files are not all", sources.len());
    sources
}

fn without_comments(text: &str) -> String {
    let code = text.lines().filter(|line| !line.trim_start().starts_with("//"));
    code.map(|line| format!("{line}\n")).collect()
}

/// The trees of all `pub use` in a file's code.
fn exports(code: &str) -> impl Iterator<Item = &str> {
    code.split("pub use ").skip(1).map(|rest| rest.split(';').next().unwrap())
}

/// Number of names in the tree of a `use`.
fn names(tree: &str) -> usize {
    let leaves = tree.split(['{', ',', '}']).map(str::trim);
    leaves.filter(|leaf| !leaf.is_empty() && !leaf.ends_with("::")).count()
}

/// Exports of everything in something that is no module of this file's.
fn foreign_globs(code: &str) -> Vec<&str> {
    let is_module = |name: &str| {
        ["crate", "self", "super"].contains(&name)
            || code.contains(&format!("mod {name};"))
            || code.contains(&format!("mod {name} {{"))
    };
    let globs = exports(code).filter(|tree| tree.contains('*'));
    globs.filter(|tree| !is_module(tree.split("::").next().unwrap().trim())).collect()
}

/// Attributes that hide an item from the documentation; not those of traits in
/// `amq_core::internal`, which are counted there. (That module is hidden, but the pages of types of
/// other crates would show that they implement these traits.)
fn hiding(code: &str) -> usize {
    code.matches("doc(hidden").count() - code.matches("#[doc(hidden)]\npub trait ").count()
}

/// A crate that exports all of another makes that crate's items its own, hidden ones included, and
/// cannot say any more what it has.
#[test]
fn no_library_exports_all_of_another() {
    for (path, code) in sources() {
        let globs = foreign_globs(&code);
        assert!(globs.is_empty(), "{}: name the items of {globs:?}", path.display());
    }
}

#[test]
fn few_items_are_hidden() {
    let files: Vec<_> = sources().into_iter().map(|(path, code)| (path, hiding(&code))).collect();
    let attributes: usize = files.iter().map(|(_, count)| count).sum();
    let with: Vec<_> = files.iter().filter(|(_, count)| *count > 0).collect();
    assert!(
        attributes <= HIDDEN,
        "{attributes} items are hidden, {HIDDEN} were: what other crates can name keeps the rules of \
         STABILITY.md, so seal it, document it or keep it within its crate. {with:#?}"
    );
}

#[test]
fn few_names_are_for_the_siblings() {
    let file = "amq-core/src/internal.rs";
    let found = sources().into_iter().find(|(path, _)| path.ends_with(file));
    let (_, code) = found.expect(file);
    for line in code.split(';').map(str::trim).filter(|line| !line.is_empty()) {
        let exported = line.rsplit(']').next().unwrap().trim();
        assert!(exported.starts_with("pub use "), "{file}: re-exports alone, not {line}");
        assert!(!exported.contains('*'), "{file}: {line}");
    }
    let count: usize = exports(&code).map(names).sum();
    assert!(
        count <= INTERNAL,
        "{file} has {count} names and had {INTERNAL}: none may change within a minor version, says \
         STABILITY.md. Has a trait or a type there no place for it?"
    );
    assert!(count + HIDDEN <= 40, "{count} names and {HIDDEN} attributes");
}

#[test]
fn the_checks_see_what_they_look_for() {
    for glob in ["pub use amq_core::*;", "mod a;\npub use amq_core::{key, numeric::*};"] {
        assert_eq!(foreign_globs(glob).len(), 1, "{glob}");
    }
    let own = "mod any;\npub use any::variants::*;\npub use amq_core::{Filter, Goal};";
    assert_eq!(foreign_globs(own), Vec::<&str>::new());
    assert_eq!(names("crate::envelope::{Entry, Header,\n    Opened}"), 3);
    assert_eq!(names("crate::header::Header"), 1);
    assert_eq!(hiding("#[doc(hidden)]\nfn f() {}\n#![doc(hidden)]"), 2);
    assert_eq!(hiding(&without_comments("// #[doc(hidden)]\n    /// `#[doc(hidden)]`")), 0);
}
