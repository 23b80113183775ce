//! Files with a right envelope and any contents, and every later operation.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| amq_fuzz::forge::forged(bytes));
