//! Passes the compiler's own words to the records: which rustc, for which target, with which flags.

use std::env;
use std::process::Command;

fn main() {
    let variable = |name| env::var(name).unwrap_or_default();
    let rustc = env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let output = Command::new(rustc).arg("--version").output();
    let version = output.map_or_else(|_| b"unknown".to_vec(), |output| output.stdout);
    // A flag with a path reveals where somebody's files are, so the record leaves it out.
    let flags = variable("CARGO_ENCODED_RUSTFLAGS");
    let public = |flag: &'static str| {
        if flag.contains(['/', '\\']) { "(a path)" } else { flag }
    };
    let flags: Vec<&str> = flags.leak().split('\x1f').map(public).collect();
    for (name, value) in [
        ("AMQ_RUSTC", String::from_utf8_lossy(&version).trim().to_owned()),
        ("AMQ_TARGET", variable("TARGET")),
        ("AMQ_PROFILE", format!("{}, opt-level {}", variable("PROFILE"), variable("OPT_LEVEL"))),
        ("AMQ_TARGET_FEATURES", variable("CARGO_CFG_TARGET_FEATURE")),
        ("AMQ_RUSTFLAGS", flags.join(" ")),
    ] {
        println!("cargo::rustc-env={name}={value}");
    }
    println!("cargo::rerun-if-changed=build.rs");
}
