//! Any bytes, through every way in.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| amq_fuzz::decode::any_bytes(bytes));
