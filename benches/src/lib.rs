//! The comparison harness and the report of the amq filters.
//!
//! Two halves with a wall between them: the measuring half writes records, the drawing half reads
//! them. Neither calls the other's code, so a report can be redrawn without measuring.
//!
//! | part | what it is |
//! | --- | --- |
//! | [`keys`] | the keys: generated, shipped or the user's; and the queries |
//! | [`contenders`] | who is compared: one line and one file each |
//! | `record` | what is written down, and how |
//! | `measure` | which cells there are, checked, then timed: a wrong answer makes a failed row |
//! | [`report`] | the page, from records alone |
//! | [`cli`], [`commands`] | the command line |
#![deny(unsafe_code)]
#![allow(missing_docs, reason = "a program: what is public is so for its benches and tests alone")]

pub mod cli;
pub mod commands;
pub mod contenders;
pub mod error;
pub mod keys;
mod measure;
mod progress;
mod record;
pub mod report;
mod workers;

/// The README's example is compiled and run.
#[cfg(doctest)]
#[doc = include_str!("../../README.md")]
struct Readme;
