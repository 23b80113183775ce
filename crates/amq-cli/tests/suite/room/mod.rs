//! A folder to run the command in, and what a run gave.
#![allow(dead_code, reason = "no test file uses all of it")]
use amq::{Abilities, Ability, FilterKind};
use std::fs;
use std::io::{BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Output, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;
use tempfile::TempDir;

/// All kinds, as --kind names them.
pub(crate) const KINDS: [&str; FilterKind::ALL.len()] = {
    let mut ids = [""; FilterKind::ALL.len()];
    let mut i = 0;
    while i < ids.len() {
        ids[i] = FilterKind::ALL[i].id();
        i += 1;
    }
    ids
};

/// Whether a kind can do this.
pub(crate) fn can(kind: &str, ability: Ability) -> bool {
    Abilities::of(kind.parse().unwrap()).has(ability)
}

/// Whether a kind is built from all keys at once.
pub(crate) fn is_static(kind: &str) -> bool {
    can(kind, Ability::BuildOnly)
}

pub(crate) const AMQ: &str = env!("CARGO_BIN_EXE_amq");

/// A folder of its own. It holds `keys.txt` (key1 to key1000 and alice) and `more.txt` (key501 to
/// key1500).
pub(crate) struct Room(TempDir);

/// What a run gave.
#[derive(Debug)]
pub(crate) struct Run {
    /// `None` if a signal ended it.
    pub(crate) status: Option<i32>,
    pub(crate) signal: Option<i32>,
    pub(crate) out: Vec<u8>,
    pub(crate) err: String,
}

impl From<Output> for Run {
    fn from(output: Output) -> Self {
        Self {
            status: output.status.code(),
            #[cfg(unix)]
            signal: std::os::unix::process::ExitStatusExt::signal(&output.status),
            #[cfg(not(unix))]
            signal: None,
            out: output.stdout,
            err: String::from_utf8_lossy(&output.stderr).into_owned(),
        }
    }
}

impl Run {
    pub(crate) fn text(&self) -> String {
        String::from_utf8_lossy(&self.out).into_owned()
    }

    pub(crate) fn lines(&self) -> usize {
        self.out.iter().filter(|&&byte| byte == b'\n').count()
    }

    /// The run ended like this. Returns itself.
    #[track_caller]
    pub(crate) fn ends(self, status: i32) -> Self {
        assert_eq!(self.status, Some(status), "{self:?}");
        assert!(!self.err.contains("panicked"), "{self:?}");
        self
    }

    /// Refused with status 2, printing nothing, and saying all of this.
    #[track_caller]
    pub(crate) fn refused(self, says: &[&str]) -> Self {
        let run = self.ends(2);
        assert!(run.out.is_empty(), "{run:?}");
        for text in says {
            assert!(run.err.contains(text), "{text:?} is not in {:?}", run.err);
        }
        run
    }
}

pub(crate) fn numbered(range: std::ops::RangeInclusive<u32>) -> String {
    range.map(|i| format!("key{i}\n")).collect()
}

impl Room {
    pub(crate) fn new() -> Self {
        let room = Self(tempfile::tempdir().unwrap());
        room.write("keys.txt", numbered(1..=1000) + "alice\n");
        room.write("more.txt", numbered(501..=1500));
        room
    }

    /// One with `seen.amq`, a Bloom filter of `keys.txt` at 1 %.
    pub(crate) fn with_filter() -> Self {
        let room = Self::new();
        room.amq("build -o seen.amq --fpr 1% keys.txt").ends(0);
        room
    }

    pub(crate) fn path(&self, name: impl AsRef<Path>) -> PathBuf {
        self.0.path().join(name)
    }

    pub(crate) fn write(&self, name: &str, bytes: impl AsRef<[u8]>) {
        fs::write(self.path(name), bytes).unwrap();
    }

    pub(crate) fn read(&self, name: &str) -> Vec<u8> {
        fs::read(self.path(name)).unwrap()
    }

    pub(crate) fn exists(&self, name: &str) -> bool {
        self.path(name).symlink_metadata().is_ok()
    }

    /// Names in the folder.
    pub(crate) fn names(&self) -> Vec<String> {
        let entries = fs::read_dir(self.0.path()).unwrap();
        let name = |entry: std::io::Result<fs::DirEntry>| {
            entry.unwrap().file_name().to_string_lossy().into_owned()
        };
        let mut names: Vec<String> = entries.map(name).collect();
        names.sort();
        names
    }

    /// A program in this folder, without input; what it prints is kept.
    fn program(&self, program: &str) -> Command {
        let mut command = Command::new(program);
        command.current_dir(self.0.path()).stdin(Stdio::null());
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        // A group of its own, so that all of it can be killed.
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        command
    }

    /// `amq` with these arguments, apart at spaces.
    fn command(&self, arguments: &str) -> Command {
        let mut command = self.program(AMQ);
        command.args(arguments.split_whitespace());
        command
    }

    pub(crate) fn amq(&self, arguments: &str) -> Run {
        self.start(arguments).ends()
    }

    /// Begins a run, and does not wait for its end.
    pub(crate) fn start(&self, arguments: &str) -> Started {
        Started::new(&mut self.command(arguments))
    }

    /// The same with a pipe as its standard input.
    pub(crate) fn piped(&self, arguments: &str) -> Started {
        Started::new(self.command(arguments).stdin(Stdio::piped()))
    }

    /// The same with this on standard input.
    pub(crate) fn pipe(&self, arguments: &str, input: impl AsRef<[u8]>) -> Run {
        let mut started = self.piped(arguments);
        let mut stdin = started.child.stdin.take().unwrap();
        let input = input.as_ref().to_vec();
        // It may end before it has read all.
        let writer = thread::spawn(move || drop(stdin.write_all(&input)));
        let run = started.ends();
        writer.join().unwrap();
        run
    }

    /// A line of bash, with `amq` on the path.
    pub(crate) fn bash(&self, line: &str) -> Run {
        let folder = Path::new(AMQ).parent().unwrap();
        let path = std::env::var_os("PATH").unwrap_or_default();
        let paths = std::iter::once(folder.to_owned()).chain(std::env::split_paths(&path));
        let mut command = self.program("bash");
        command.arg("-c").arg(format!("set -o pipefail; {line}"));
        command.env("PATH", std::env::join_paths(paths).unwrap());
        Started::new(&mut command).ends()
    }
}

/// How long a run may take. What takes longer hangs: it is killed, and its test fails.
const LIMIT: Duration = Duration::from_secs(100);

/// A run that has begun.
pub(crate) struct Started {
    child: Child,
    /// Dropped when the run has ended.
    _watched: mpsc::Sender<()>,
}

impl Started {
    fn new(command: &mut Command) -> Self {
        let child = command.spawn().unwrap();
        let id = child.id();
        let (watched, ended) = mpsc::channel::<()>();
        thread::spawn(move || {
            if ended.recv_timeout(LIMIT) == Err(mpsc::RecvTimeoutError::Timeout) {
                eprintln!("a run did not end in {LIMIT:?}");
                let _ = Command::new("kill").args(["-KILL", "--", &format!("-{id}")]).status();
            }
        });
        Self { child, _watched: watched }
    }

    pub(crate) fn id(&self) -> u32 {
        self.child.id()
    }

    /// Its standard input and output, to be used while it runs.
    pub(crate) fn pipes(&mut self) -> (ChildStdin, BufReader<ChildStdout>) {
        let output = self.child.stdout.take().unwrap();
        (self.child.stdin.take().unwrap(), BufReader::new(output))
    }

    /// Waits for its end.
    pub(crate) fn ends(self) -> Run {
        self.child.wait_with_output().unwrap().into()
    }
}

/// Whether a program is there; says so if not.
pub(crate) fn have(program: &str, arguments: &[&str]) -> bool {
    let ran = Command::new(program).args(arguments).output();
    let have = ran.is_ok_and(|output| output.status.success());
    if !have {
        println!("SKIPPED: {program} is not there, or may not be used");
    }
    have
}

/// The text of a field in a line of JSON.
pub(crate) fn field<'a>(json: &'a str, name: &str) -> &'a str {
    let (_, rest) = json.split_once(&format!("\"{name}\":")).unwrap();
    rest.split([',', '}']).next().unwrap()
}
