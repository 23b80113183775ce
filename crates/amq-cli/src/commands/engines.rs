//! `amq engines`: settings for other engines.

use crate::exit::Outcome;
use crate::numbers;
use crate::stdio::Text;
use crate::table::folded;
use amq_advisor::engines::{Engine, NoSetting, Setting};
use clap::Args;
use serde_json::{Value, json};

/// Print the settings of other engines for a number of keys and a rate
///
/// Prints the configuration for RocksDB, Cassandra, HBase, PostgreSQL, Redis, Parquet writers and
/// ClickHouse; the rate and the bits per key that each engine's own formula then predicts; its
/// default; and its pitfalls. If an engine cannot reach the rate, prints why.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// Keys in one filter: of a sorted file, a row group, a table
    #[arg(short = 'n', long, value_name = "N", value_parser = numbers::count)]
    #[arg(allow_hyphen_values = true)]
    keys: u64,

    /// The false-positive rate: 1%, 0.01, 1e-2 or 1/100
    #[arg(long, value_name = "RATE", value_parser = numbers::rate, allow_hyphen_values = true)]
    #[arg(default_value = "1%")]
    fpr: f64,

    /// Only engines whose names contain this, such as redis or cassandra
    #[arg(value_name = "NAME")]
    names: Vec<String>,

    /// Columns of PostgreSQL's index
    #[arg(long, value_name = "N", default_value = "1")]
    #[arg(value_parser = numbers::whole::<1, 32>)]
    columns: u32,

    /// Print JSON: a line for each engine
    #[arg(long)]
    json: bool,
}

const EXAMPLES: &str = "\
Examples:
  $ amq engines --keys 1e8 --fpr 0.5%
  $ amq engines --keys 1e8 --fpr 0.5% cassandra
  $ amq engines --keys 1e6 --fpr 1% postgresql --columns 3";

impl Arguments {
    pub(crate) fn run(&self) -> anyhow::Result<Outcome> {
        let engines = Engine::ALL.map(|engine| match engine {
            Engine::PostgreSql { .. } => Engine::PostgreSql { columns: self.columns },
            other => other,
        });
        let asked = |engine: &Engine| {
            let name = engine.name().to_lowercase();
            let mut names = self.names.iter().map(|wanted| wanted.to_lowercase());
            self.names.is_empty() || names.any(|wanted| name.contains(&wanted))
        };
        let texts = engines.into_iter().filter(asked).map(|engine| {
            let setting = engine.setting(self.keys, self.fpr);
            if self.json { format!("{}\n", in_json(engine, setting)) } else { in_words(setting) }
        });
        let texts: Vec<String> = texts.collect();
        if texts.is_empty() {
            let known = Engine::ALL.map(Engine::name).join(", ");
            anyhow::bail!("no engine is named {}: there are {known}", self.names.join(" or "));
        }
        Text::print(&texts.join(if self.json { "" } else { "\n" }))?;
        Ok(Outcome::Done)
    }
}

fn in_words(setting: Result<Setting, NoSetting>) -> String {
    folded(&setting.map_or_else(|none| format!("{none}."), |it| it.to_string()))
}

fn in_json(engine: Engine, setting: Result<Setting, NoSetting>) -> Value {
    match setting {
        Ok(it) => json!({
            "engine": engine.name(),
            "line": it.line,
            "fpr": it.fpr,
            "bits_per_key": it.bits_per_key,
            "bytes": it.bytes,
            "default": it.default,
            "caveat": it.caveat,
            "source": it.source,
        }),
        Err(none) => json!({ "engine": engine.name(), "error": none.to_string() }),
    }
}
