//! A Ballista cluster of processes on this machine, whose scheduler and executors have the
//! functions of amq-datafusion: how a host gives them its functions.

mod join;
mod local;
mod server;

pub use join::{Join, Measured};
pub use local::Cluster;
pub use server::{registry, serve};

/// What goes wrong in any of the processes.
pub type Error = Box<dyn std::error::Error + Send + Sync>;
