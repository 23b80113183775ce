//! What saving a filter does to the file it replaces, and to the folder.

use amq::{AnyFilter, BloomFilter, Filter, FilterFile, Goal, LoadOptions, SaveOptions};
use std::io::{ErrorKind, Read};
use std::path::{Path, PathBuf};
use tempfile::TempDir;

fn filter() -> BloomFilter {
    let mut filter = BloomFilter::with_seed(Goal::fpr(100, 0.01), 0x5EC7E7).unwrap();
    filter.extend(0..100u64);
    filter
}

fn names(folder: &Path) -> Vec<PathBuf> {
    std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect()
}

#[test]
fn a_file_of_the_longest_name_is_saved_and_nothing_else_is_left() {
    let folder = TempDir::new().unwrap();
    for length in [1, 240, 250, 255] {
        let path = folder.path().join("n".repeat(length));
        for _ in 0..2 {
            filter().save(&path).unwrap();
            assert!(AnyFilter::load(&path).unwrap() == filter().into());
            assert_eq!(names(folder.path()), std::slice::from_ref(&path));
        }
        std::fs::remove_file(path).unwrap();
    }
}

#[test]
fn a_seed_can_be_withheld_on_every_way_and_must_be_given() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("filter");
    let (filter, any) = (filter(), AnyFilter::from(filter()));
    let withheld = SaveOptions::new().without_secret().to_bytes(&filter).unwrap();
    let mut written = [Vec::new(), Vec::new()];
    SaveOptions::new().without_secret().write_to(&filter, &mut written[0]).unwrap();
    SaveOptions::new().without_secret().write_to(&any, &mut written[1]).unwrap();
    assert!(written.iter().all(|bytes| *bytes == withheld));
    let seed = filter.seed();
    assert!(
        LoadOptions::new().seed(seed).read_from::<BloomFilter, _>(&withheld[..]).unwrap() == filter
    );
    assert!(LoadOptions::new().seed(seed).read_from::<AnyFilter, _>(&withheld[..]).unwrap() == any);
    assert!(BloomFilter::read_from(&withheld[..]).is_err());
    for through_any in [false, true] {
        match through_any {
            false => SaveOptions::new().without_secret().save(&filter, &path).unwrap(),
            true => SaveOptions::new().without_secret().save(&any, &path).unwrap(),
        }
        assert!(std::fs::read(&path).unwrap() == withheld);
        assert!(BloomFilter::load(&path).is_err());
        assert!(LoadOptions::new().seed(seed).load::<BloomFilter>(&path).unwrap() == filter);
        assert!(LoadOptions::new().seed(seed).load::<AnyFilter>(&path).unwrap() == any);
        filter.save(&path).unwrap();
        // A seed that contradicts the file's.
        assert!(LoadOptions::new().seed(!seed).load::<BloomFilter>(&path).is_err());
        assert!(
            LoadOptions::new()
                .seed(0)
                .read_from::<AnyFilter, _>(&std::fs::read(&path).unwrap()[..])
                .is_err()
        );
    }
}

#[test]
fn whoever_has_the_old_file_open_or_mapped_keeps_all_of_it() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("filter");
    let mut large = BloomFilter::new(Goal::fpr(100_000, 0.01)).unwrap();
    large.extend(0..100u64);
    large.save(&path).unwrap();
    let mut open = std::fs::File::open(&path).unwrap();
    filter().save(&path).unwrap();
    assert!(AnyFilter::load(&path).unwrap() == filter().into());
    let mut bytes = Vec::new();
    open.read_to_end(&mut bytes).unwrap();
    assert!(bytes == large.to_bytes().unwrap());
}

#[test]
fn a_path_without_a_file_name_is_refused_and_nothing_is_left() {
    let folder = TempDir::new().unwrap();
    for end in ["", ".", "..", "sub/..", "new/", "new/.", "sub/", "sub/."] {
        std::fs::create_dir_all(folder.path().join("sub")).unwrap();
        let path = folder.path().join(end);
        let error = filter().save(&path).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidInput, "{}: {error}", path.display());
        assert_eq!(names(folder.path()), [folder.path().join("sub")]);
    }
    for path in ["", ".", "..", "./", "/"] {
        assert_eq!(filter().save(path).unwrap_err().kind(), ErrorKind::InvalidInput, "{path}");
    }
}

/// Modes, owners, and what a process may do that is not the superuser's.
#[cfg(unix)]
mod permissions {
    use super::{filter, names};
    use amq::sharded::Sharded;
    use amq::{AnyFile, AnyFilter, BloomFilter, FilterFile, Goal, Keyed, SaveOptions, SipKey};
    use std::fs::{self, File, Permissions};
    use std::os::unix::fs::{MetadataExt, PermissionsExt, chown};
    use std::os::unix::process::CommandExt;
    use std::path::{Path, PathBuf};
    use std::process::Command;
    use tempfile::TempDir;

    const NOBODY: u32 = 65_534;
    /// Names the folder that a test run as [`NOBODY`] is about.
    const FOLDER: &str = "AMQ_TEST_FOLDER_OF_NOBODY";

    /// Owner, group and mode.
    fn access(path: &Path) -> (u32, u32, u32) {
        let found = fs::metadata(path).unwrap();
        (found.uid(), found.gid(), found.mode() & 0o7777)
    }

    fn set_mode(path: &Path, mode: u32) {
        fs::set_permissions(path, Permissions::from_mode(mode)).unwrap();
    }

    fn is_superuser() -> bool {
        let folder = TempDir::new().unwrap();
        access(folder.path()).0 == 0
    }

    /// Runs a test of this module again as [`NOBODY`]. Returns `false` if that cannot be done here.
    fn ran_as_nobody(test: &str, folder: &Path) -> bool {
        let program = std::env::current_exe().unwrap();
        // Under an emulator the system takes the program for a script.
        let started = Command::new(&program).arg("--list").output();
        if !started.is_ok_and(|output| output.status.success()) {
            eprintln!("SKIPPED: {test}: this program cannot be started from itself");
            return false;
        }
        let mut again = Command::new(program);
        again.args([&format!("saving::permissions::{test}"), "--exact", "--nocapture"]);
        again.env(FOLDER, folder).uid(NOBODY).gid(NOBODY);
        match again.output() {
            Ok(output) => {
                let printed = String::from_utf8_lossy(&output.stdout);
                assert!(output.status.success(), "{printed}");
                assert!(printed.contains("1 passed"), "{printed}");
                true
            }
            Err(error) => {
                eprintln!("SKIPPED: {test}: this program cannot be run as another user: {error}");
                false
            }
        }
    }

    /// The folder if this process is [`NOBODY`]'s.
    fn folder_of_nobody() -> Option<PathBuf> {
        std::env::var_os(FOLDER).map(PathBuf::from)
    }

    #[test]
    fn a_replaced_file_keeps_its_mode() {
        let folder = TempDir::new().unwrap();
        let (path, other) = (folder.path().join("filter"), folder.path().join("other"));
        File::create(&other).unwrap();
        let public = BloomFilter::new(Goal::fpr(100, 0.01)).unwrap();
        public.save(&path).unwrap();
        assert_eq!(access(&path), access(&other));
        fs::remove_file(&path).unwrap();
        SaveOptions::new().without_secret().save(&filter(), &path).unwrap();
        assert_eq!(access(&path), access(&other));
        fs::remove_file(&path).unwrap();
        filter().save(&path).unwrap();
        for mode in [0o600, 0o640, 0o400, 0o666, 0o604, 0o1600, 0o1644, 0o644] {
            set_mode(&path, mode);
            filter().save(&path).unwrap();
            assert_eq!(access(&path).2, mode, "{mode:o}");
            AnyFilter::from(filter()).save(&path).unwrap();
            assert_eq!(access(&path).2, mode, "{mode:o}");
        }
    }

    /// Saves with a secret in the file, by each type that has one.
    fn save_secrets(path: &Path, check: impl Fn(&str)) {
        let key = SipKey::new(*b"a key of 16 byte");
        let keyed = Keyed::<BloomFilter>::new(Goal::fpr(100, 0.01), key).unwrap();
        let any = AnyFile::from_bytes(&keyed.to_bytes().unwrap()).unwrap();
        let sharded = Sharded::<BloomFilter>::with_seed(Goal::fpr(100, 0.01), 2, 7).unwrap();
        keyed.save(path).unwrap();
        check("a filter with its secret key");
        any.save(path).unwrap();
        check("a file with its secret key");
        filter().save(path).unwrap();
        check("a filter with a seed of its own");
        sharded.save(path).unwrap();
        check("a sharded filter with a seed of its own");
    }

    #[test]
    fn a_file_that_tells_a_secret_is_its_owners_alone() {
        let folder = TempDir::new().unwrap();
        let path = folder.path().join("filter");
        // A new one; and one in place of a file that told no secret, whose mode was not chosen for
        // one.
        let public = BloomFilter::new(Goal::fpr(100, 0.01)).unwrap();
        let before: [&dyn Fn(); 5] = [
            &|| {},
            &|| public.save(&path).unwrap(),
            &|| SaveOptions::new().without_secret().save(&filter(), &path).unwrap(),
            &|| fs::write(&path, b"of another program").unwrap(),
            &|| fs::write(&path, b"").unwrap(),
        ];
        for make in before {
            let _ = fs::remove_file(&path);
            make();
            if path.exists() {
                set_mode(&path, 0o664);
            }
            save_secrets(&path, |what| {
                assert_eq!(access(&path).2, 0o600, "{what}");
                fs::remove_file(&path).unwrap();
                make();
                if path.exists() {
                    set_mode(&path, 0o664);
                }
            });
        }
        // In place of one that told another secret, too: whoever may read that one knows only it.
        let other = BloomFilter::with_seed(Goal::fpr(100, 0.01), 8).unwrap();
        let before = || {
            other.save(&path).unwrap();
            set_mode(&path, 0o644);
        };
        before();
        save_secrets(&path, |what| {
            assert_eq!(access(&path).2, 0o600, "{what}");
            before();
        });
    }

    /// Somebody chose who may read it.
    #[test]
    fn a_file_that_tells_the_same_secret_as_before_keeps_its_mode() {
        let folder = TempDir::new().unwrap();
        let path = folder.path().join("filter");
        save_secrets(&path, |what| {
            set_mode(&path, 0o640);
            match AnyFile::load(&path) {
                Ok(file) => file.save(&path).unwrap(),
                Err(_) => Sharded::<BloomFilter>::load(&path).unwrap().save(&path).unwrap(),
            }
            assert_eq!(access(&path).2, 0o640, "{what}");
            fs::remove_file(&path).unwrap();
        });
    }

    #[test]
    fn the_superuser_gives_nobody_a_secret_that_he_did_not_have() {
        if !is_superuser() {
            eprintln!("SKIPPED: only the superuser gives files away");
            return;
        }
        let folder = TempDir::new().unwrap();
        let path = folder.path().join("filter");
        let public = BloomFilter::new(Goal::fpr(100, 0.01)).unwrap();
        let other = BloomFilter::with_seed(Goal::fpr(100, 0.01), 8).unwrap();
        for replaced in [&public, &other] {
            let before = || {
                replaced.save(&path).unwrap();
                chown(&path, Some(1234), Some(2345)).unwrap();
                set_mode(&path, 0o644);
            };
            before();
            save_secrets(&path, |what| {
                let (owner, _, mode) = access(&path);
                assert_eq!((owner, mode), (0, 0o600), "{what}");
                fs::remove_file(&path).unwrap();
                before();
            });
            fs::remove_file(&path).unwrap();
        }
    }

    #[test]
    fn the_superuser_keeps_the_owner_and_the_group() {
        if !is_superuser() {
            eprintln!("SKIPPED: only the superuser gives files away");
            return;
        }
        let folder = TempDir::new().unwrap();
        let path = folder.path().join("filter");
        filter().save(&path).unwrap();
        for (owner, group, mode) in [(1234, 2345, 0o640), (0, 2345, 0o2660), (1234, 0, 0o4600)] {
            chown(&path, Some(owner), Some(group)).unwrap();
            set_mode(&path, mode);
            filter().save(&path).unwrap();
            assert_eq!(access(&path), (owner, group, mode));
        }
    }

    #[test]
    fn where_owner_and_group_cannot_be_kept_nobody_gains_access() {
        let cases = [
            (0o6775, 0o755),
            (0o600, 0o600),
            (0o640, 0o600),
            (0o664, 0o644),
            (0o606, 0o600),
            (0o4666, 0o666),
        ];
        if let Some(folder) = folder_of_nobody() {
            for (mode, narrowed) in cases {
                let path = folder.join(format!("{mode:o}"));
                filter().save(&path).unwrap();
                assert_eq!(access(&path), (NOBODY, NOBODY, narrowed), "{mode:o}");
            }
            return;
        }
        if !is_superuser() {
            eprintln!("SKIPPED: only the superuser makes another user's file");
            return;
        }
        let folder = TempDir::new().unwrap();
        set_mode(folder.path(), 0o777);
        for (mode, _) in cases {
            let path = folder.path().join(format!("{mode:o}"));
            filter().save(&path).unwrap();
            set_mode(&path, mode);
        }
        ran_as_nobody("where_owner_and_group_cannot_be_kept_nobody_gains_access", folder.path());
    }

    #[test]
    fn a_folder_that_can_be_written_and_not_read_is_saved_to() {
        let body = |folder: &Path| {
            assert!(fs::read_dir(folder).is_err());
            let path = folder.join("filter");
            for _ in 0..2 {
                filter().save(&path).unwrap();
                assert!(AnyFilter::load(&path).unwrap() == filter().into());
            }
        };
        if let Some(folder) = folder_of_nobody() {
            return body(&folder);
        }
        let folder = TempDir::new().unwrap();
        set_mode(folder.path(), 0o333);
        let mut ran = true;
        if is_superuser() {
            let test = "a_folder_that_can_be_written_and_not_read_is_saved_to";
            ran = ran_as_nobody(test, folder.path());
        } else {
            body(folder.path());
        }
        set_mode(folder.path(), 0o700);
        assert!(!ran || names(folder.path()) == [folder.path().join("filter")]);
    }

    #[test]
    fn a_folder_that_cannot_be_written_is_an_error() {
        let body = |folder: &Path| {
            let path = folder.join("filter");
            let error = filter().save(&path).unwrap_err();
            assert_eq!(error.kind(), std::io::ErrorKind::PermissionDenied);
            assert_eq!(fs::read(path).unwrap(), b"old");
        };
        if let Some(folder) = folder_of_nobody() {
            return body(&folder);
        }
        let folder = TempDir::new().unwrap();
        fs::write(folder.path().join("filter"), "old").unwrap();
        set_mode(folder.path(), 0o555);
        if is_superuser() {
            let test = "a_folder_that_cannot_be_written_is_an_error";
            ran_as_nobody(test, folder.path());
        } else {
            body(folder.path());
        }
        set_mode(folder.path(), 0o700);
    }
}
