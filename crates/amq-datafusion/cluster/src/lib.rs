//! A Ballista cluster of processes on this machine. Shows how a host registers the functions of
//! amq-datafusion with its scheduler and executors.

mod join;
mod local;
mod server;

pub use join::{Join, Measured};
pub use local::Cluster;
pub use server::{registry, serve};

/// An error of any of the processes.
pub type Error = Box<dyn std::error::Error + Send + Sync>;
