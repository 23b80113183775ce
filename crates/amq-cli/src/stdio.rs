//! Standard input and output, and whether the caller has closed them.
//!
//! Before `main`, Rust opens closed standard descriptors on `/dev/null`: reads from one find no
//! keys, and writes to it are lost, both without an error. This module checks earlier, in a
//! constructor, and refuses to use a descriptor that was closed. One that the caller has opened on
//! `/dev/null` is accepted like any other.

use crate::exit;
use anyhow::bail;
use std::io::{self, Write};
use std::path::Path;

/// Standard input; an error if it is closed.
pub(crate) fn stdin() -> anyhow::Result<io::Stdin> {
    if closed::at_start(0) {
        bail!("standard input is closed: name a file, or redirect it");
    }
    Ok(io::stdin())
}

/// Whether this means standard input or output.
pub(crate) fn is_dash(path: &Path) -> bool {
    path.as_os_str() == "-"
}

/// Whether a path is standard input: `-`, `/dev/stdin`, or another name of the same file.
pub(crate) fn is_stdin(path: &Path) -> bool {
    is_dash(path) || is_same_file(path)
}

/// Does not open the path, which the writer of a pipe would notice.
#[cfg(unix)]
fn is_same_file(path: &Path) -> bool {
    use std::fs::{File, metadata};
    use std::os::fd::AsFd;
    use std::os::unix::fs::MetadataExt;

    let stdin = io::stdin().as_fd().try_clone_to_owned().map(File::from);
    match (metadata(path), stdin.and_then(|stdin| stdin.metadata())) {
        (Ok(named), Ok(stdin)) => (named.dev(), named.ino()) == (stdin.dev(), stdin.ino()),
        _ => false,
    }
}

#[cfg(not(unix))]
fn is_same_file(_: &Path) -> bool {
    false
}

/// Refuses standard input for these if `before` earlier arguments already read it.
pub(crate) fn once<'a>(
    before: usize,
    paths: impl IntoIterator<Item = &'a Path>,
) -> anyhow::Result<()> {
    match before + paths.into_iter().filter(|path| is_stdin(path)).count() {
        0 | 1 => Ok(()),
        _ => bail!("standard input can be read once only: name files for the rest"),
    }
}

/// Standard output; an error if it is closed.
pub(crate) fn stdout() -> anyhow::Result<io::Stdout> {
    if closed::at_start(1) {
        bail!("standard output is closed: redirect it, to /dev/null if nothing is wanted");
    }
    Ok(io::stdout())
}

/// Standard output for text, in blocks.
pub(crate) struct Text(io::StdoutLock<'static>);

impl Text {
    pub(crate) fn new() -> Self {
        Self(io::stdout().lock())
    }

    pub(crate) fn write(&mut self, bytes: &[u8]) -> anyhow::Result<()> {
        if !bytes.is_empty() {
            stdout()?;
        }
        self.0.write_all(bytes).map_err(exit::stdout_error)
    }

    pub(crate) fn flush(&mut self) -> anyhow::Result<()> {
        self.0.flush().map_err(exit::stdout_error)
    }

    /// Prints a whole text and flushes it.
    pub(crate) fn print(text: &str) -> anyhow::Result<()> {
        let mut to = Self::new();
        to.write(text.as_bytes())?;
        to.flush()
    }
}

/// A check that runs before Rust's runtime starts.
#[cfg(unix)]
#[allow(unsafe_code)]
mod closed {
    use std::sync::atomic::{AtomicBool, Ordering};

    static CLOSED: [AtomicBool; 2] = [AtomicBool::new(false), AtomicBool::new(false)];

    /// Whether this descriptor, 0 or 1, was closed when the program began.
    pub(super) fn at_start(descriptor: usize) -> bool {
        CLOSED[descriptor].load(Ordering::Relaxed)
    }

    extern "C" fn look() {
        for (descriptor, closed) in (0..).zip(&CLOSED) {
            // SAFETY: `fcntl` with F_GETFD accepts any number and touches no memory.
            let flags = unsafe { libc::fcntl(descriptor, libc::F_GETFD) };
            closed.store(flags == -1, Ordering::Relaxed);
        }
    }

    // SAFETY: the section holds pointers to functions that the loader calls once, before `main`,
    // with arguments that a C function may ignore. `look` uses nothing that Rust's runtime sets up.
    #[used]
    #[cfg_attr(target_vendor = "apple", unsafe(link_section = "__DATA,__mod_init_func"))]
    #[cfg_attr(not(target_vendor = "apple"), unsafe(link_section = ".init_array"))]
    static LOOK: extern "C" fn() = look;
}

#[cfg(not(unix))]
mod closed {
    pub(super) const fn at_start(_descriptor: usize) -> bool {
        false
    }
}
