//! Starts and kills the processes.

use crate::Error;
use amq_datafusion::ContainsFile;
use ballista::prelude::{SessionConfigExt, SessionContextExt};
use datafusion::execution::SessionStateBuilder;
use datafusion::logical_expr::ScalarUDF;
use datafusion::prelude::{SessionConfig, SessionContext};
use std::fs::File;
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// A scheduler and two executors; killed when dropped.
#[derive(Debug)]
pub struct Cluster {
    folder: PathBuf,
    port: u16,
    scheduler: Child,
    /// Both executors, even after one was killed.
    executors: Mutex<Vec<Child>>,
}

impl Cluster {
    /// Starts the processes by `program`, which passes its arguments to [`serve`](crate::serve),
    /// with their files and logs in this folder.
    pub fn start(program: &Path, folder: &Path) -> Result<Self, Error> {
        let filters = folder.join("filters");
        std::fs::create_dir_all(&filters)?;
        let filters = filters.display().to_string();
        let spawn = |name: &str, args: &[String]| -> Result<Child, Error> {
            let log = File::create(folder.join(format!("{name}.log")))?;
            let mut command = Command::new(program);
            command.args(args).stdin(Stdio::null());
            Ok(command.stdout(log.try_clone()?).stderr(log).spawn()?)
        };
        let port = free_port()?;
        let args = ["scheduler".into(), port.to_string(), filters.clone()];
        let scheduler = spawn("scheduler", &args)?;
        let cluster = Self { folder: folder.into(), port, scheduler, executors: Mutex::default() };
        listening(port)?;
        for name in ["executor-0", "executor-1"] {
            let work = cluster.folder.join(name);
            std::fs::create_dir_all(&work)?;
            let (own, grpc) = (free_port()?, free_port()?);
            let mut args = vec!["executor".into(), port.to_string(), own.to_string()];
            args.extend([grpc.to_string(), work.display().to_string(), filters.clone()]);
            cluster.executors().push(spawn(name, &args)?);
            listening(own)?;
        }
        Ok(cluster)
    }

    /// A session of this cluster. Joins are not broadcast, as if both sides were large.
    pub async fn session(&self) -> Result<SessionContext, Error> {
        let config = SessionConfig::new_with_ballista()
            .with_target_partitions(4)
            .with_ballista_broadcast_join_threshold_bytes(0)
            .with_ballista_broadcast_join_threshold_rows(0);
        let state = SessionStateBuilder::new().with_default_features().with_config(config).build();
        let url = format!("df://127.0.0.1:{}", self.port);
        let mut ctx = SessionContext::remote_with_state(&url, state).await?;
        amq_datafusion::register_all(&mut ctx)?;
        ctx.register_udf(self.contains_file());
        Ok(ctx)
    }

    /// The folder of filters that every process can read.
    #[must_use]
    pub fn filters(&self) -> PathBuf {
        self.folder.join("filters")
    }

    /// `amq_contains_file`, as registered in every process.
    #[must_use]
    pub fn contains_file(&self) -> ScalarUDF {
        ContainsFile::allowing([self.filters().display().to_string()]).into()
    }

    /// Bytes of shuffle files that the executors have written so far.
    pub fn shuffled_bytes(&self) -> Result<u64, Error> {
        let mut bytes = 0;
        for executor in 0..self.executors().len() {
            bytes += bytes_in(&self.folder.join(format!("executor-{executor}")))?;
        }
        Ok(bytes)
    }

    /// Kills one of the executors, as if its machine failed.
    pub fn kill_executor(&self) -> Result<(), Error> {
        if let Some(executor) = self.executors().get_mut(1) {
            executor.kill()?;
            executor.wait()?;
        }
        Ok(())
    }

    fn executors(&self) -> MutexGuard<'_, Vec<Child>> {
        self.executors.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        let executors = self.executors.get_mut().unwrap_or_else(PoisonError::into_inner);
        for process in executors.iter_mut().chain([&mut self.scheduler]) {
            // An executor that is already dead is no error.
            let _ = process.kill();
            let _ = process.wait();
        }
    }
}

fn free_port() -> Result<u16, Error> {
    Ok(TcpListener::bind(("127.0.0.1", 0))?.local_addr()?.port())
}

fn listening(port: u16) -> Result<(), Error> {
    let started = Instant::now();
    while TcpStream::connect(("127.0.0.1", port)).is_err() {
        if started.elapsed() > Duration::from_secs(60) {
            return Err(format!("nothing listens on port {port}").into());
        }
        std::thread::sleep(Duration::from_millis(50));
    }
    Ok(())
}

fn bytes_in(folder: &Path) -> Result<u64, Error> {
    let mut bytes = 0;
    for entry in std::fs::read_dir(folder)? {
        let entry = entry?;
        let meta = entry.metadata()?;
        bytes += if meta.is_dir() { bytes_in(&entry.path())? } else { meta.len() };
    }
    Ok(bytes)
}
