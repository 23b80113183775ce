//! Any keys, for filters and maps that are built at once.
#![no_main]

libfuzzer_sys::fuzz_target!(|building: amq_fuzz::statics::Building| {
    amq_fuzz::statics::built(&building);
});
