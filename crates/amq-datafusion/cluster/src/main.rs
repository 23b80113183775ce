//! Starts a Ballista cluster on this machine, joins two tables with and without a filter, and
//! prints the bytes shuffled and the time: `cargo run --release -p amq-datafusion-cluster [ROWS]`.

use amq_datafusion_cluster::{Cluster, Error, Join, Measured, serve};

#[tokio::main]
async fn main() -> Result<(), Error> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    match *args {
        [] => compare(10_000_000).await,
        [rows] => compare(rows.parse()?).await,
        _ => serve(&args).await,
    }
}

async fn compare(rows: i64) -> Result<(), Error> {
    let folder = tempfile::tempdir()?;
    let cluster = Cluster::start(&std::env::current_exe()?, folder.path())?;
    let join = Join::write(folder.path(), rows).await?;
    println!("{rows} rows, {} of them without a partner", join.without_partner());
    println!("| join | rows joined | bytes shuffled | seconds |\n| --- | --- | --- | --- |");
    let row = |name: &str, of: Measured| {
        assert_eq!(of.answer, join.answer(), "{name}");
        println!("| {name} | {} | {} | {:.2} |", of.probed, of.shuffled, of.time.as_secs_f64());
    };
    // A first run warms the page cache.
    join.plain(&cluster).await?;
    row("plain", join.plain(&cluster).await?);
    for fpr in [0.1, 0.01, 0.001] {
        row(&format!("filtered, fpr {fpr}"), join.filtered(&cluster, fpr).await?);
    }
    Ok(())
}
