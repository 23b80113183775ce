//! Any sequence of operations, against a model.
#![no_main]

libfuzzer_sys::fuzz_target!(|game: amq_fuzz::moves::Game| amq_fuzz::moves::play(&game));
