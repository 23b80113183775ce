//! Secret keys are read from files: any user who lists processes can see a command line.

use crate::numbers::of;
use crate::stdio::is_dash;
use amq::{SipKey, SipKeyError};
use anyhow::{Context, bail};
use clap::Args;
use std::fs::File;
use std::io::{self, ErrorKind, Read};
use std::path::{Path, PathBuf};

/// The file of a filter's secret key.
#[derive(Args, Debug)]
pub(crate) struct KeyFile {
    /// The file of the secret key that the filter's keys are hashed under: 32 hexadecimal digits.
    /// Only its owner may have access to it
    #[arg(long, value_name = "FILE", help_heading = "Secret key")]
    key_file: Option<PathBuf>,
}

impl KeyFile {
    pub(crate) fn path(&self) -> Option<&Path> {
        self.key_file.as_deref()
    }

    /// The secret key, if there is to be one.
    pub(crate) fn key(&self) -> anyhow::Result<Option<SipKey>> {
        self.key_file.as_deref().map(read).transpose()
    }
}

/// The key in a file.
pub(crate) fn read(path: &Path) -> anyhow::Result<SipKey> {
    let name = path.display();
    let file = match open(path) {
        Err(_) if is_dash(path) => {
            bail!("--key-file -: standard input is not read for it: name a file, or /dev/stdin")
        }
        // Does not print the path: it may be the key, and end up in a log.
        Err(_) if is_like_a_key(path) => bail!(
            "--key-file takes the path of a file, and was given what looks like a secret key itself. \
             Everybody who lists processes sees a command line, so do not use that key again; to \
             make one: {}",
            how_to_make(Path::new("filter.key"))
        ),
        Err(error) if error.kind() == ErrorKind::NotFound => {
            bail!("{name}: there is no such key file; to make one: {}", how_to_make(path))
        }
        file => file.with_context(|| name.to_string())?,
    };
    private(&file, path)?;
    let text = content(file).with_context(|| name.to_string())?;
    let is_whole = text.len() as u64 <= MOST;
    let trimmed = text.trim_ascii();
    let all_digits = trimmed.iter().all(u8::is_ascii_hexdigit);
    let digits = str::from_utf8(trimmed).unwrap_or_default();
    match digits.parse() {
        Ok(key) if is_whole => Ok(key),
        Err(SipKeyError::Zero) => bail!(
            "{name}: this secret key is all zeros, as in a file that was never filled; to make one: {}",
            how_to_make(path)
        ),
        _ => bail!(
            "{name}: no secret key: it holds {}{}{}, and a secret key is 32 hexadecimal digits, \
             which a line end may follow",
            if is_whole { "" } else { "more than " },
            of((text.len() as u64).min(MOST), "byte"),
            if all_digits { "" } else { ", not all of them hexadecimal digits" }
        ),
    }
}

/// Whether a path looks like a key that was meant to be in a file: only hexadecimal digits and
/// common separators.
fn is_like_a_key(path: &Path) -> bool {
    let text = path.to_string_lossy();
    let text = text.strip_prefix("0x").unwrap_or(&text);
    let digits = text.chars().filter(char::is_ascii_hexdigit).count();
    digits >= 16 && text.chars().all(|c| c.is_ascii_hexdigit() || " :-_".contains(c))
}

/// Opens a file, or a pipe that may not have a writer yet.
#[cfg(unix)]
fn open(path: &Path) -> io::Result<File> {
    use std::os::unix::fs::OpenOptionsExt;

    File::options().read(true).custom_flags(libc::O_NONBLOCK).open(path)
}

#[cfg(not(unix))]
fn open(path: &Path) -> io::Result<File> {
    File::open(path)
}

/// The file's bytes, up to one more than the limit.
#[cfg(unix)]
fn content(file: File) -> io::Result<Vec<u8>> {
    use rustix::fs::{OFlags, fcntl_setfl};
    use std::os::unix::fs::FileTypeExt;
    use std::time::{Duration, Instant};

    let mut text = Vec::new();
    let is_pipe = file.metadata()?.file_type().is_fifo();
    let begun = Instant::now();
    let mut file = file.take(MOST + 1);
    loop {
        match file.read_to_end(&mut text) {
            // A pipe without a writer reads as if it had ended.
            Ok(_) if !is_pipe || !text.is_empty() => return Ok(text),
            Ok(_) if begun.elapsed() > PATIENCE => {
                let why =
                    format!("nothing was written to this pipe for {} seconds", PATIENCE.as_secs());
                return Err(io::Error::new(ErrorKind::TimedOut, why));
            }
            Ok(_) => std::thread::sleep(Duration::from_millis(10)),
            // The writer has opened the pipe, and may be prompting for a password.
            Err(error) if error.kind() == ErrorKind::WouldBlock => {
                fcntl_setfl(file.get_ref(), OFlags::empty())?;
            }
            Err(error) => return Err(error),
        }
    }
}

#[cfg(not(unix))]
fn content(file: File) -> io::Result<Vec<u8>> {
    let mut text = Vec::new();
    file.take(MOST + 1).read_to_end(&mut text)?;
    Ok(text)
}

/// How long to wait for a writer of a pipe.
#[cfg(unix)]
const PATIENCE: std::time::Duration = std::time::Duration::from_secs(3);

/// The most bytes of a key file: white space may surround the key.
const MOST: u64 = 4096;

/// `Ok` if only its owner has access to the file.
#[cfg(unix)]
fn private(file: &File, path: &Path) -> anyhow::Result<()> {
    use std::os::unix::fs::PermissionsExt;

    let name = path.display();
    let about = file.metadata().with_context(|| name.to_string())?;
    if about.is_dir() {
        bail!("{name}: this is a folder, not a key file");
    }
    let mode = about.permissions().mode();
    if mode & 0o077 != 0 && !about.is_file() {
        bail!(
            "{name}: other users have access to it; only its owner may have access to a key file"
        );
    }
    if mode & 0o077 != 0 {
        bail!(
            "{name}: users other than its owner have access to this key (its mode is {:03o}): chmod 600 \
             {}; and if someone may have read it, make a new one",
            mode & 0o777,
            quoted(path)
        );
    }
    Ok(())
}

/// On other systems, a mode does not say who may read a file.
#[cfg(not(unix))]
fn private(_: &File, _: &Path) -> anyhow::Result<()> {
    Ok(())
}

fn how_to_make(path: &Path) -> String {
    let random = "od -An -N16 -tx1 /dev/urandom | tr -d ' '";
    format!("(umask 077; {random} > {})", quoted(path))
}

/// A path quoted for a shell.
pub(crate) fn quoted(path: &Path) -> String {
    let path = path.display().to_string();
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "/._-+:@%".contains(c);
    if path.chars().all(is_plain) {
        return path;
    }
    format!("'{}'", path.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_given_as_a_path_is_known_by_its_digits() {
        let key = "000102030405060708090a0B0C0d0e0f";
        for like in [key, &key[..16], &format!("0x{key}"), "00:01:02:03:04:05:06:07:08"] {
            assert!(is_like_a_key(Path::new(like)), "{like}");
        }
        for unlike in ["", "filter.key", "./00010203040506070809", "deadbeef", "cafe-babe"] {
            assert!(!is_like_a_key(Path::new(unlike)), "{unlike}");
        }
    }
}
