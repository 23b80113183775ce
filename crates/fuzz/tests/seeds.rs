//! Runs the committed golden files, the fuzzer's seeds, through the targets' functions without a
//! fuzzer.

use amq_fuzz::{decode, forge, golden_files};

#[test]
fn golden_files_pass_and_are_no_forgeries() {
    let files = golden_files();
    assert!(files.len() > 60);
    for path in files {
        let bytes = std::fs::read(&path).unwrap();
        decode::any_bytes(&bytes);
        forge::forged(&bytes);
        // Repairing the envelope of a valid file changes nothing, so the target gets past the
        // checksums. (The repaired file never withholds its seed or key.)
        let withheld = amq::format::FileInfo::of(&bytes).unwrap().withheld;
        if bytes.len() <= 64 << 10 && !withheld {
            assert!(forge::mended(&bytes).unwrap() == bytes, "{}", path.display());
        }
    }
}
