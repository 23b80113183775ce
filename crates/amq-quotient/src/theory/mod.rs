//! The exact formulas that size the filters and predict their rates. Tests and reports compare
//! measurements with them.
//!
//! `slots` homes, `remainder_bits` (r) bits kept in each, n distinct keys, load a = n / slots.

mod clusters;
pub mod expandable;
mod rate;
mod sizing;

pub use clusters::{cluster_quantile, mean_cluster};
pub use rate::{fpr, fpr_of_distinct};
pub use sizing::{METADATA_BITS, bits_per_key, plan, plan_growing, plan_params};
