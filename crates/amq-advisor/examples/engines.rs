//! Settings of other engines for a number of keys and a rate.
//!
//! ```console
//! $ cargo run -p amq-advisor --example engines -- 1000000 0.01
//! ```

use amq_advisor::engines::Engine;
use std::error::Error;

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let keys = arguments.next().map_or(Ok(1_000_000), |keys| keys.parse())?;
    let fpr = arguments.next().map_or(Ok(0.01), |fpr| fpr.parse())?;
    for engine in Engine::ALL {
        match engine.setting(keys, fpr) {
            Ok(setting) => println!("{setting}"),
            Err(error) => println!("{error}.\n"),
        }
    }
    Ok(())
}
