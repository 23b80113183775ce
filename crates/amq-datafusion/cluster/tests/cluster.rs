//! A scheduler and two executors as processes, ten million rows, and an executor that dies.

use amq_datafusion_cluster::{Cluster, Join};
use std::path::Path;
use std::time::{Duration, Instant};
use tokio::time::timeout;

const ROWS: i64 = 10_000_000;

/// The time limit of a join: seconds, and some more to detect a dead executor.
const PATIENCE: Duration = Duration::from_secs(60);

fn start(folder: &Path) -> Cluster {
    Cluster::start(Path::new(env!("CARGO_BIN_EXE_amq-datafusion-cluster")), folder).unwrap()
}

/// The last log lines of the processes, for a failure.
fn logs(folder: &Path) -> String {
    let tail = |name: &str| {
        let log = std::fs::read_to_string(folder.join(name)).unwrap_or_default();
        let lines: Vec<&str> = log.lines().collect();
        format!("{name}:\n{}\n", lines[lines.len().saturating_sub(20)..].join("\n"))
    };
    ["scheduler.log", "executor-0.log", "executor-1.log"].map(tail).concat()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_join_shuffles_less_and_survives_a_dead_executor() {
    let folder = tempfile::tempdir().unwrap();
    let cluster = start(folder.path());
    let join = Join::write(folder.path(), ROWS).await.unwrap();
    let plain =
        join.plain(&cluster).await.unwrap_or_else(|e| panic!("{e}\n{}", logs(folder.path())));
    assert_eq!(plain.answer, join.answer());

    // As a written-out join, each of 10 million rows would get a copy. The scheduler, which plans,
    // refuses it.
    let crossed = "SELECT count(*) FROM facts CROSS JOIN \
                   (SELECT amq_agg(id, 100000, 0.01) AS f FROM wanted) AS made \
                   WHERE amq_contains(made.f, facts.id)";
    let ctx = join.session(&cluster).await.unwrap();
    let said = ctx.sql(crossed).await.unwrap().collect().await.unwrap_err().to_string();
    assert!(said.contains("amq_datafusion::semi_join_filter"), "{said}");

    let fpr = 0.01;
    let filtered = join.filtered(&cluster, fpr).await;
    let filtered = filtered.unwrap_or_else(|e| panic!("{e}\n{}", logs(folder.path())));
    assert_eq!(filtered.answer, join.answer());
    // At least a share 1 - 1.2 fpr of the rows without a partner is dropped before the shuffle.
    let passed = filtered.probed - join.answer().0;
    assert!(passed as f64 <= 1.2 * fpr * join.without_partner() as f64, "{passed}");
    assert!(filtered.shuffled * 5 < plain.shuffled, "{filtered:?} {plain:?}");
    eprintln!("plain: {plain:?}\nfiltered: {filtered:?}");

    // Runs it again, and kills one of the two executors in the middle.
    let run = join.filtered(&cluster, fpr);
    let killed = async {
        tokio::time::sleep(filtered.time / 2).await;
        cluster.kill_executor().unwrap();
        Instant::now()
    };
    let ended = async { (timeout(PATIENCE, run).await, Instant::now()) };
    let (killed, (survived, ended)) = tokio::join!(killed, ended);
    // Ballista sometimes loses the job with the executor: it neither ends nor fails. The client
    // retries, and the remaining executor has the functions, too.
    let survived = match survived {
        Ok(survived) => survived,
        Err(_) => {
            eprintln!("no answer within {PATIENCE:?}: asked again");
            timeout(PATIENCE, join.filtered(&cluster, fpr)).await.expect("an answer in time")
        }
    };
    let survived = survived.unwrap_or_else(|e| panic!("{e}\n{}", logs(folder.path())));
    assert!(killed < ended, "the join ended before an executor could be killed");
    assert_eq!(survived.answer, join.answer());
    eprintln!("with one executor killed: {survived:?}");
}
