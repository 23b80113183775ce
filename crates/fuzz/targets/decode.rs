//! Decodes arbitrary bytes in every way.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| amq_fuzz::decode::any_bytes(bytes));
