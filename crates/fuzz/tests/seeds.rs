//! The committed golden files through the targets' functions: what the fuzzer begins with must pass
//! wherever there is no fuzzer.

use amq_fuzz::{decode, forge};
use std::path::{Path, PathBuf};

fn golden_files() -> Vec<PathBuf> {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let golden = std::fs::read_dir(crates).unwrap().flat_map(|entry| {
        let golden = std::fs::read_dir(entry.unwrap().path().join("tests/golden"));
        golden.into_iter().flatten().map(|file| file.unwrap().path())
    });
    golden.filter(|path| path.extension().is_some_and(|end| end == "amq")).collect()
}

#[test]
fn golden_files_pass_and_are_no_forgeries() {
    let files = golden_files();
    assert!(files.len() > 60);
    for path in files {
        let bytes = std::fs::read(&path).unwrap();
        decode::any_bytes(&bytes);
        forge::forged(&bytes);
        // The mended envelope of a good file is its own: the target reaches past the checksums.
        if bytes.len() <= 64 << 10 {
            assert!(forge::mended(&bytes).unwrap() == bytes, "{}", path.display());
        }
    }
}
