//! Passes the compiler's own words to the records: which rustc, for which target, with which flags.

use std::env;
use std::process::Command;

fn main() {
    let rustc = env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let version = Command::new(rustc)
        .arg("--version")
        .output()
        .ok()
        .and_then(|output| String::from_utf8(output.stdout).ok())
        .map_or_else(|| "unknown".to_owned(), |text| text.trim().to_owned());
    say("AMQ_RUSTC", &version);
    say("AMQ_TARGET", &variable("TARGET"));
    say("AMQ_PROFILE", &variable("PROFILE"));
    say("AMQ_OPT_LEVEL", &variable("OPT_LEVEL"));
    say("AMQ_TARGET_FEATURES", &variable("CARGO_CFG_TARGET_FEATURE"));
    // A flag with a path reveals where somebody's files are, so the record leaves it out.
    let flags: Vec<String> = variable("CARGO_ENCODED_RUSTFLAGS")
        .split('\x1f')
        .filter(|flag| !flag.is_empty())
        .map(|flag| {
            if flag.contains(['/', '\\']) {
                "(a path)".to_owned()
            } else {
                flag.to_owned()
            }
        })
        .collect();
    say("AMQ_RUSTFLAGS", &flags.join(" "));
    println!("cargo::rerun-if-changed=build.rs");
}

fn variable(name: &str) -> String {
    env::var(name).unwrap_or_default()
}

fn say(name: &str, value: &str) {
    println!("cargo::rustc-env={name}={value}");
}
