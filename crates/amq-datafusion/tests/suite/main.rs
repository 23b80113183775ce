//! The functions as SQL and as DataFrames, on DataFusion; Spark's bytes.

mod agg;
mod contains;
mod engine;
mod files;
mod groups;
mod joins;
mod keys;
mod pairs;
mod plans;
mod refusals;
mod spark;
mod spark_sql;
mod stores;
mod traps;
mod truncate;
