//! Secret keys, which come in files: a command line is seen by everybody who lists processes.

use amq::SipKey;
use anyhow::{Context, bail};
use clap::Args;
use std::fs::File;
use std::io::{ErrorKind, Read};
use std::path::{Path, PathBuf};

/// Where the secret key of a filter is.
#[derive(Args, Debug)]
pub(crate) struct KeyFile {
    /// A file with the secret key that the filter's keys are hashed under: 32 hexadecimal digits.
    /// Only its owner may have access to it
    #[arg(long, value_name = "FILE", help_heading = "Secret key")]
    key_file: Option<PathBuf>,
}

impl KeyFile {
    pub(crate) fn path(&self) -> Option<&Path> {
        self.key_file.as_deref()
    }

    /// The key, if there is to be one.
    pub(crate) fn key(&self) -> anyhow::Result<Option<SipKey>> {
        self.key_file.as_deref().map(read).transpose()
    }
}

/// The key in a file.
pub(crate) fn read(path: &Path) -> anyhow::Result<SipKey> {
    let name = path.display();
    let file = match File::open(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => {
            bail!("{name}: there is no such key file; to make one: {}", how_to_make(path))
        }
        file => file.with_context(|| name.to_string())?,
    };
    private(&file, path)?;
    let mut text = Vec::new();
    file.take(MOST + 1).read_to_end(&mut text).with_context(|| name.to_string())?;
    let is_whole = text.len() as u64 <= MOST;
    key(text.trim_ascii()).filter(|_| is_whole).with_context(|| {
        let more = if is_whole { "" } else { "more than " };
        format!(
            "{name}: no key: these are {more}{} bytes, and a key is 32 hexadecimal digits, which a \
             line end may follow",
            text.len().min(MOST as usize)
        )
    })
}

/// The most bytes that are read of a key file: there may be blanks about the key.
const MOST: u64 = 4096;

/// `Ok` if nobody but its owner has access to the file.
#[cfg(unix)]
fn private(file: &File, path: &Path) -> anyhow::Result<()> {
    use std::os::unix::fs::PermissionsExt;

    let name = path.display();
    let about = file.metadata().with_context(|| name.to_string())?;
    if about.is_dir() {
        bail!("{name}: a key file is a file, and this is a folder");
    }
    let mode = about.permissions().mode();
    if mode & 0o077 != 0 && !about.is_file() {
        bail!(
            "{name}: others have access to it; a key file is a file that its owner alone can read"
        );
    }
    if mode & 0o077 != 0 {
        bail!(
            "{name}: others than its owner have access to this key (its mode is {:03o}): chmod 600 \
             {}; and if somebody may have read it, make a new one",
            mode & 0o777,
            quoted(path)
        );
    }
    Ok(())
}

/// Elsewhere a file's mode does not say who may read it.
#[cfg(not(unix))]
fn private(_: &File, _: &Path) -> anyhow::Result<()> {
    Ok(())
}

fn how_to_make(path: &Path) -> String {
    let random = "od -An -N16 -tx1 /dev/urandom | tr -d ' '";
    format!("(umask 077; {random} > {})", quoted(path))
}

/// A path as a shell takes it.
fn quoted(path: &Path) -> String {
    let path = path.display().to_string();
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "/._-+:@%".contains(c);
    if path.chars().all(is_plain) {
        return path;
    }
    format!("'{}'", path.replace('\'', r"'\''"))
}

fn key(digits: &[u8]) -> Option<SipKey> {
    let digits: &[u8; 32] = digits.try_into().ok()?;
    let digit = |byte: u8| (byte as char).to_digit(16).map(|digit| digit as u8);
    let mut bytes = [0; 16];
    for (byte, pair) in bytes.iter_mut().zip(digits.chunks_exact(2)) {
        *byte = digit(pair[0])? << 4 | digit(pair[1])?;
    }
    Some(SipKey::new(bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_32_hexadecimal_digits_and_nothing_else() {
        let digits = b"000102030405060708090a0B0C0d0e0f";
        let want = SipKey::new([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15]);
        assert_eq!(key(digits), Some(want));
        for bad in [&digits[1..], b"", b"0x0102030405060708090a0b0c0d0e0f", &[b'0'; 33]] {
            assert_eq!(key(bad), None);
        }
    }
}
