//! What cannot be read, in the words of Python: the library's own name its types and methods.

use amq::{DecodeError, FilterKind};

/// What is wrong with some bytes, or with what was given beside them.
pub(crate) fn text(error: DecodeError) -> String {
    let text = match error {
        DecodeError::Prehashed => {
            "the file's keys were hashed by the program that made it: load it with hash_func, the \
             function that it hashed them by"
        }
        DecodeError::Keyed => "the file's keys are hashed under a secret key: give it, as key=",
        DecodeError::NotKeyed => {
            "the file's keys are hashed under a seed, and not under a secret key: leave key= out"
        }
        DecodeError::SeedWithheld => "the file omits its seed: give it, as seed=",
        DecodeError::KeyWithheld => {
            "the file omits the secret key that its keys are hashed under: give it, as key="
        }
        DecodeError::OtherSeed => {
            "the seed given is not the one that the file's keys were hashed with: give that one, or \
             find the file that belongs to this seed. A file that stores its seed is read without"
        }
        DecodeError::UnsupportedKind { found: FilterKind::RibbonMap } => {
            "the file holds a map, which gives every key a value and denies none: amq.load reads it"
        }
        DecodeError::UnsupportedKind { found: FilterKind::Rolling } => {
            "the file holds a rolling filter: amq.load reads it"
        }
        DecodeError::UnsupportedKind { found: FilterKind::Interleaved } => {
            "the file holds bins, of which a lookup tells those that may hold a key: amq.load reads \
             it, and amq.InterleavedBloomFilter.view maps it"
        }
        DecodeError::UnsupportedKind { found } => {
            return format!(
                "the file holds a {found} filter, which is not read in Python: the command amq and \
                 the library in Rust do"
            );
        }
        DecodeError::OutOfMemory { bytes } => {
            return format!("no memory for {bytes} bytes: free some, or let amq.open map the file");
        }
        other => return other.to_string(),
    };
    text.to_owned()
}
