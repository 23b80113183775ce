//! The comparison harness and the report of the amq filters.
//!
//! Two halves with a wall between them: the measuring half writes records, the drawing half
//! ([`render`]) reads them. Neither calls the other's code, so a report can be redrawn without
//! measuring.
//!
//! | part | what it is |
//! | --- | --- |
//! | [`registry`], [`contenders`] | who is compared: one line and one file each |
//! | [`contender`] | what a contender is, and the loops that are timed |
//! | [`keys`], [`keysets`], [`keyfile`], [`stream`] | the keys: generated, shipped or the user's; and the queries |
//! | [`verify`], [`interval`], [`alloc`] | checks before anything is timed: a wrong answer makes an error row, never a number |
//! | [`timing`], [`stats`], [`progress`] | the clock: contenders in turns, medians over shuffled rounds |
//! | [`suite`], [`heat`], [`courses`], [`construction`], [`measure`] | which cells there are, and a run through them |
//! | [`record`], [`run`], [`machine`], [`lock`], [`store`] | what is written down, and how |
//! | [`render`] | the page, its plots and tables, from records and theory alone |
//! | [`cli`], [`commands`], [`tables`] | the command line |
#![deny(unsafe_code)]

pub mod alloc;
pub mod cli;
pub mod commands;
pub mod construction;
pub mod contender;
pub mod contenders;
pub mod courses;
pub mod error;
pub mod fit;
pub mod heat;
pub mod interval;
pub mod keyfile;
pub mod keys;
pub mod keysets;
pub mod lock;
pub mod machine;
pub mod measure;
pub mod progress;
pub mod record;
pub mod registry;
pub mod run;
pub mod stats;
pub mod store;
pub mod stream;
pub mod suite;
pub mod tables;
pub mod timing;
pub mod verify;

/// The README's example is compiled and run.
#[cfg(doctest)]
#[doc = include_str!("../../README.md")]
struct Readme;
