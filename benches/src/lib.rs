//! The comparison harness and the report of the amq filters.
//!
//! Read the stages from top to bottom. The record separates them: the stages above write records,
//! the report reads them, and neither calls the other.
//!
//! | stage | what it is |
//! | --- | --- |
//! | [`contenders`] | what is compared: an entry and a file each |
//! | [`scenarios`] | with which keys, sizes and loads |
//! | `verify` | checks before anything is timed: a wrong answer makes a failed row |
//! | `measure` | times, interleaved in rounds |
//! | `record` | what is written down, and how |
//! | [`report`] | the page, from records alone |
//!
//! [`cli`] and [`commands`] are the command line.
#![deny(unsafe_code)]
#![allow(missing_docs, reason = "a program: what is public is so for its benches and tests alone")]

pub mod cli;
pub mod commands;
pub mod contenders;
pub mod error;
mod measure;
mod progress;
mod record;
pub mod report;
pub mod scenarios;
mod verify;
mod workers;

/// The README's example is compiled and run.
#[cfg(doctest)]
#[doc = include_str!("../../README.md")]
struct Readme;
