//! One process of the cluster.

use crate::Error;
use amq_datafusion::{ContainsFile, FilterJoins};
use ballista_core::registry::BallistaFunctionRegistry;
use ballista_core::utils::default_session_builder;
use ballista_executor::executor_process::{ExecutorProcessConfig, start_executor_process};
use ballista_scheduler::cluster::BallistaCluster;
use ballista_scheduler::config::SchedulerConfig;
use ballista_scheduler::scheduler_process::start_server;
use datafusion::execution::FunctionRegistry;
use datafusion::logical_expr::ScalarUDF;
use std::sync::Arc;

/// Seconds between heartbeats, and until a silent executor counts as dead: much shorter than
/// Ballista's (60 and 180), so that a test can observe it.
const HEARTBEAT: u64 = 1;
const DEAD_AFTER: u64 = 5;

/// Ballista's built-in functions and those of amq, with filter files in one folder.
#[must_use]
pub fn registry(filters: &str) -> BallistaFunctionRegistry {
    let mut registry = BallistaFunctionRegistry::default();
    amq_datafusion::extend(&mut registry.scalar_functions, &mut registry.aggregate_functions);
    let file = ScalarUDF::from(ContainsFile::allowing([filters]));
    registry.scalar_functions.insert(file.name().to_string(), Arc::new(file));
    registry
}

/// Runs the process that these arguments name, until it is killed: `scheduler PORT FILTERS` or
/// `executor SCHEDULER_PORT PORT GRPC_PORT WORK_FOLDER FILTERS`.
pub async fn serve(args: &[&str]) -> Result<(), Error> {
    match *args {
        ["scheduler", port, filters] => scheduler(port.parse()?, filters.to_string()).await,
        ["executor", scheduler, port, grpc, work, filters] => {
            let config = ExecutorProcessConfig {
                scheduler_host: "127.0.0.1".into(),
                scheduler_port: scheduler.parse()?,
                external_host: Some("127.0.0.1".into()),
                port: port.parse()?,
                grpc_port: grpc.parse()?,
                scheduler_connect_timeout_seconds: 30,
                vcores: 2,
                work_dir: Some(work.into()),
                executor_heartbeat_interval_seconds: HEARTBEAT,
                override_function_registry: Some(Arc::new(registry(filters))),
                ..Default::default()
            };
            Ok(start_executor_process(Arc::new(config)).await?)
        }
        _ => Err(format!("no such process: {args:?}").into()),
    }
}

async fn scheduler(port: u16, filters: String) -> Result<(), Error> {
    let session = move |config| {
        let mut state = default_session_builder(config)?;
        amq_datafusion::register_all(&mut state)?;
        state.add_analyzer_rule(Arc::new(FilterJoins));
        state.register_udf(Arc::new(ContainsFile::allowing([filters.as_str()]).into()))?;
        Ok(state)
    };
    let config = SchedulerConfig {
        external_host: "127.0.0.1".into(),
        bind_port: port,
        executor_timeout_seconds: DEAD_AFTER,
        expire_dead_executor_interval_seconds: 1,
        no_executors_grace_period_seconds: DEAD_AFTER,
        override_session_builder: Some(Arc::new(session)),
        ..Default::default()
    };
    let cluster = BallistaCluster::new_from_config(&config).await?;
    Ok(start_server(cluster, ([127, 0, 0, 1], port).into(), Arc::new(config)).await?)
}
