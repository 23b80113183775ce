//! Arbitrary keys, for static filters and maps.
#![no_main]

libfuzzer_sys::fuzz_target!(|building: amq_fuzz::statics::Building| {
    amq_fuzz::statics::built(&building);
});
