//! Files with a valid envelope and arbitrary contents, and every operation on them.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| amq_fuzz::forge::forged(bytes));
