//! The form at the top of the page, and the advisor that answers it: a WebAssembly module, which
//! needs no network.

use amq_advisor::Need;
use base64::prelude::{BASE64_STANDARD, Engine};
use maud::{Markup, PreEscaped, html};

/// The advisor, compiled and packed by `.ci/page build`.
const ADVISOR: &[u8] = include_bytes!("../../../crates/amq-page/advisor.wasm.gz");

/// The form, hidden until the script has loaded the advisor. Three fields are visible, the others
/// are folded by topic.
pub(super) fn form() -> Markup {
    html! {
        form #ask hidden autocomplete="off" {
            fieldset {
                legend { "How many keys?" }
                select name="of" aria-label="what is known of their number" {
                    option value="keys" selected { "at most" }
                    option value="unknown-from" { "unknown; start with" }
                }
                (text("number", "whole", "number of keys", "1,000,000", "e.g. 1,000,000"))
            }
            fieldset {
                legend { "Are all known beforehand?" }
                select name="flag" aria-label="when the keys come" {
                    option value="" { "no, they are added one by one" }
                    option value="static" { "yes, before it is built" }
                }
            }
            fieldset {
                legend { "Which rate, or which size?" }
                label { (text("fpr", "percent", "", "1", "e.g. 1")) " % false positives" }
                label { "at most " (text("bytes", "size", "", "", "e.g. 2 MB")) }
            }
            details {
                summary { "Queries, time and memory" }
                label { (text("absent", "percent", "", "50", "else 50")) " % are for absent keys" }
                label { "a false positive costs " (text("false-positive", "time", "", "", "e.g. 20 µs")) }
                label { "looking up a present key costs " (text("lookup", "time", "", "", "else 0 ns")) }
                label { (text("queries-per-key", "count", "", "1", "else 1")) " queries for each key" }
                label { "at most " (text("bits-per-key", "count", "", "", "e.g. 10")) " bits per key" }
                label {
                    "first of all "
                    select name="first" {
                        option value="" { "memory, or time if errors cost" }
                        option value="memory" { "save memory" }
                        option value="time" { "save time" }
                        option value="tail" { "no slow inserts" }
                    }
                }
            }
            details {
                summary { "What it must do" }
                @for (word, about, _) in Need::WORDS {
                    label { input type="checkbox" name="need" value=(word); " " (label(about)) }
                }
                label { "forget by time, in " (text("forget", "whole", "", "", "e.g. 8")) " generations" }
                label { "count up to " (text("count", "whole", "", "", "e.g. 10")) " copies" }
                label { "a value of " (text("values", "whole", "", "", "e.g. 8")) " bits for each key" }
            }
            details {
                summary { "The keys" }
                label {
                    "chosen by "
                    select name="flag" {
                        option value="" { "people I trust" }
                        option value="strangers" { "strangers, who may mean harm" }
                    }
                }
                label { "each of " (text("key-bytes", "size", "", "", "else 8 B")) }
                label { "inserted " (text("copies", "count", "", "", "else 1")) " times on average" }
                label { "integers below " (text("integers-below", "whole", "", "", "e.g. 4,000,000")) }
                label { (text("changes", "whole", "", "", "e.g. 20,000")) " change between editions" }
            }
            details {
                summary { "Filters and threads" }
                label { (text("filters", "whole", "", "", "else 1")) " filters, each with that many keys" }
                label { (text("threads", "whole", "", "", "else 1")) " threads use it at once" }
            }
        }
        div #answer hidden {
            p #status role="status" aria-live="polite" tabindex="-1" {}
            div #found {}
            p.family { "Ranks the filters of this project alone, by their plans and times; other crates are in the tables of this page." }
        }
        noscript { p { "With JavaScript you can enter your own numbers here (nothing is sent); the command " code { "amq choose" } " gives the same answers." } }
    }
}

/// The description of a need, to complete a sentence.
fn label(about: &str) -> String {
    about[..1].to_lowercase() + &about[1..]
}

/// A field for a number with a unit; `empty` is an example, or the default.
fn text(name: &str, unit: &str, label: &str, value: &str, empty: &str) -> Markup {
    let label = (!label.is_empty()).then_some(label);
    html! {
        input type="text" inputmode="decimal" name=(name) data-unit=(unit) aria-label=[label] value=(value)
            placeholder=(empty) size=(empty.len().max(7) - 1);
    }
}

/// The module and the script. They are last, since the page can be read without them.
pub(super) fn script() -> Markup {
    html! {
        script #advisor type="application/gzip" { (BASE64_STANDARD.encode(ADVISOR)) }
        script { (PreEscaped(include_str!("ask.js"))) }
    }
}
