//! Lists and pages outside the code that name every variant, against the table of kinds.

use amq::AnyFilter;
use std::path::{Path, PathBuf};

/// The crate of each kind, and the kind's type.
fn rows() -> Vec<(&'static str, &'static str)> {
    AnyFilter::KINDS.iter().map(|&kind| AnyFilter::names(kind).unwrap()).collect()
}

fn crates() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn read(path: &str) -> String {
    let read = std::fs::read_to_string(crates().join(path));
    assert!(read.is_ok(), "{path}: {read:?}");
    read.unwrap()
}

/// Who has one crate of filters cannot name another.
#[test]
fn the_macro_that_a_missing_key_names_is_one_of_every_crate() {
    let key = read("amq-core/src/key/mod.rs");
    let start = key.find("message = \"`{Self}` is not a key\"").unwrap();
    let said = key[start..].split(")]").next().unwrap();
    assert!(said.contains("`key!(Point") && said.contains("`use amq_bloom::key;`"), "{said}");
    assert!(!said.contains("amq_core::key!") && !said.contains("amq::key!"), "{said}");
    let crates = rows().into_iter().map(|(of, _)| of).chain(["amq"]);
    for of in crates {
        let exports = read(&format!("{of}/src/lib.rs"));
        let exports =
            exports.split("pub use amq_core::{").nth(1).unwrap().split('}').next().unwrap();
        for name in ["key", "Key", "UnevenHashes"] {
            assert!(exports.split([',', '\n', ' ']).any(|it| it == name), "{of}: {name}");
        }
    }
}

#[test]
fn every_variant_is_a_feature_of_the_facade() {
    let manifest = read("amq/Cargo.toml");
    let list = |feature: &str| {
        let start = manifest.find(&format!("\n{feature} = [")).expect(feature);
        manifest[start..].split(']').next().unwrap()
    };
    for (of, _) in rows() {
        let feature = of.strip_prefix("amq-").unwrap();
        assert!(list("all").contains(&format!("\"{feature}\"")), "all lacks {feature}");
        assert!(list(feature).contains(&format!("\"dep:{of}\"")), "{feature} lacks dep:{of}");
        for common in ["std", "serde"] {
            let wanted = format!("{of}?/{common}");
            assert!(list(common).contains(&format!("\"{wanted}\"")), "{common} lacks {wanted}");
        }
    }
}

#[test]
fn every_variant_is_on_the_pages_on_choosing() {
    let [first, choosing] = [read("../README.md"), read("amq/CHOOSING.md")];
    for (of, name) in rows() {
        let is_linked =
            first.contains(&format!("](crates/{of})")) || choosing.contains(&format!("](../{of})"));
        assert!(is_linked, "no row of README.md or CHOOSING.md links {of}, which has {name}");
    }
}

/// The crate itself says what SECURITY.md and the reader of a short page want to know.
#[test]
fn every_variant_crate_reads_like_the_others() {
    for (of, name) in rows() {
        let essay = read(&format!("{of}/src/lib.rs"));
        for heading in [
            "What it is",
            "Picture",
            "Algorithm",
            "Cost and false-positive rate",
            "When not to use it",
            "Papers",
        ] {
            assert!(essay.contains(&format!("\n//! # {heading}\n")), "{of}: {heading}");
        }
        assert!(essay.contains("//! - Strangers choose the keys"), "{of}: what chosen keys can do");
        assert!(read(&format!("{of}/README.md")).contains(name), "{of}/README.md: {name}");
    }
}
