//! Settings of other engines for a number of keys and a rate, for programs.
//!
//! ```console
//! $ cargo run -p amq-advisor --example engine_lines -- 1000000 0.01
//! ```
//!
//! One engine per line: its name, the setting, and the resulting rate by the engine's own formula,
//! separated by tabs. Line ends within a setting are written `\n`.

use amq_advisor::engines::Engine;
use std::error::Error;

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let keys = arguments.next().map_or(Ok(1_000_000), |n| n.parse())?;
    let fpr = arguments.next().map_or(Ok(0.01), |rate| rate.parse())?;
    let wide = [Engine::PostgreSql { columns: 3 }, Engine::PostgreSql { columns: 8 }];
    for engine in Engine::ALL.into_iter().chain(wide) {
        match engine.setting(keys, fpr) {
            Ok(set) => {
                let line = set.line.replace('\n', "\\n");
                println!("{}\t{line}\t{:e}", engine.name(), set.fpr);
            }
            // No line for this rate, and why not.
            Err(error) => eprintln!("{error}"),
        }
    }
    Ok(())
}
