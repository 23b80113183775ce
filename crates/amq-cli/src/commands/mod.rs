//! The commands, a file each.

pub(crate) mod bins;
pub(crate) mod build;
pub(crate) mod choose;
pub(crate) mod compare;
pub(crate) mod completions;
pub(crate) mod convert;
pub(crate) mod dedupe;
pub(crate) mod engines;
pub(crate) mod info;
pub(crate) mod insert;
pub(crate) mod man;
pub(crate) mod merge;
pub(crate) mod query;
pub(crate) mod remove;
pub(crate) mod verify;
