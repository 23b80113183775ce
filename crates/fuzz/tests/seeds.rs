//! The committed golden files through the targets' functions: what the fuzzer begins with must pass
//! wherever there is no fuzzer.

use amq_fuzz::{decode, forge, golden_files};

#[test]
fn golden_files_pass_and_are_no_forgeries() {
    let files = golden_files();
    assert!(files.len() > 60);
    for path in files {
        let bytes = std::fs::read(&path).unwrap();
        decode::any_bytes(&bytes);
        forge::forged(&bytes);
        // The mended envelope of a good file is its own: the target reaches past the checksums. (It
        // withholds no seed or key, which nobody could give.)
        let withheld = amq::format::FileInfo::of(&bytes).unwrap().withheld;
        if bytes.len() <= 64 << 10 && !withheld {
            assert!(forge::mended(&bytes).unwrap() == bytes, "{}", path.display());
        }
    }
}
