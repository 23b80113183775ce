//! The two readers of the format, in Rust and in Python, refuse the same files and give the same
//! answers, for any numbers in a file with valid checksums.

use amq::{AnyFile, FilterFile, KeyHash, RibbonMap};
use amq_core::format::{ENTRY, HEADER};
use amq_core::index::remix;
use amq_fuzz::{forge, golden_files, hashes};
use amq_interleaved::InterleavedBloomFilter;
use std::io::{Read, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};

/// A reader's result: the answers to all hashes, or the error.
type Reading = Result<Vec<u32>, String>;

fn by_rust(file: &[u8]) -> Reading {
    let hashes = hashes();
    if let Ok(map) = RibbonMap::from_bytes(file) {
        return Ok(hashes.iter().map(|&hash| map.get_hash(hash)).collect());
    }
    if let Ok(bins) = InterleavedBloomFilter::from_bytes(file) {
        return Ok(hashes
            .iter()
            .map(|&hash| u32::from(!bins.bins_hash(hash).is_empty()))
            .collect());
    }
    let read = AnyFile::from_bytes(file).map_err(|error| error.to_string())?;
    let filter = read.filter();
    let found = |&hash: &KeyHash| u32::from(filter.contains_hash(hash));
    Ok(hashes.iter().map(found).collect())
}

/// The process of the reader in Python, killed when dropped.
struct Python(Child);

impl Python {
    /// `None` without Python or its package `xxhash`.
    fn new() -> Option<Self> {
        let known = Command::new("python3").args(["-c", "import xxhash"]).output();
        if !known.is_ok_and(|output| output.status.success()) {
            return None;
        }
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/second_reader.py");
        let child = Command::new("python3")
            .arg(script)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut python = Self(child);
        let hashes: Vec<u8> = hashes().iter().flat_map(|hash| hash.get().to_le_bytes()).collect();
        python.send(hashes.len() / 8, &hashes);
        Some(python)
    }

    fn send(&mut self, number: usize, bytes: &[u8]) {
        let to = self.0.stdin.as_mut().unwrap();
        to.write_all(&(number as u32).to_le_bytes()).unwrap();
        to.write_all(bytes).unwrap();
        to.flush().unwrap();
    }

    fn read(&mut self, file: &[u8]) -> Reading {
        self.send(file.len(), file);
        let from = self.0.stdout.as_mut().unwrap();
        let mut head = [0; 5];
        from.read_exact(&mut head).unwrap();
        let mut answer = vec![0; u32::from_le_bytes(head[1..].try_into().unwrap()) as usize];
        from.read_exact(&mut answer).unwrap();
        match head[0] {
            1 => {
                let numbers = answer.chunks_exact(4);
                Ok(numbers.map(|word| u32::from_le_bytes(word.try_into().unwrap())).collect())
            }
            status => {
                let why = String::from_utf8(answer).unwrap();
                assert_eq!(status, 0, "the reader in Python failed: {why}");
                Err(why)
            }
        }
    }
}

impl Drop for Python {
    fn drop(&mut self) {
        // It may be blocked writing an answer.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Pseudo-random numbers, the same in every run.
struct Noise(u64);

impl Noise {
    fn next(&mut self) -> u64 {
        self.0 += 1;
        remix(self.0, 6)
    }

    fn below(&mut self, n: usize) -> usize {
        (self.next() % n as u64) as usize
    }

    /// A number at the edge of some range, or near the present one.
    fn number(&mut self, there: u64) -> u64 {
        let real = [0.5, 1.0, -0.5, 1e-300, 0.999_999, f64::NAN, f64::INFINITY, 0.011];
        match self.below(8) {
            0 => real[self.below(real.len())].to_bits(),
            1 => there.wrapping_add(1),
            2 => there.wrapping_sub(1),
            3 => there.wrapping_mul(2),
            4 => self.next() >> self.below(64),
            5 => 0,
            _ => (1u64 << self.below(64)).wrapping_add(self.below(3) as u64).wrapping_sub(1),
        }
    }

    /// A file with some numbers, and perhaps a byte of its table, changed. Its checksums are valid,
    /// and mostly its sections, too.
    fn forged(&mut self, file: &[u8]) -> Vec<u8> {
        let mut bytes = file.to_vec();
        let directory = u64::from_le_bytes(file[136..144].try_into().unwrap()) as usize;
        for _ in 0..=self.below(3) {
            // The header's numbers from the keys on, a parameter, or one of the directory's.
            let at = match self.below(4) {
                0 => 24 + 8 * self.below(6),
                1 => 72 + 8 * self.below(8),
                _ => HEADER + 8 * self.below(directory / 8),
            };
            let there = u64::from_le_bytes(bytes[at..at + 8].try_into().unwrap());
            bytes[at..at + 8].copy_from_slice(&self.number(there).to_le_bytes());
        }
        let payload = HEADER + directory;
        if self.below(4) == 0 && payload < bytes.len() {
            let at = payload + self.below(bytes.len() - payload);
            bytes[at] ^= 1 << self.below(8);
        }
        if self.below(16) == 0 {
            let at = 16 + self.below(8);
            bytes[at] = self.next() as u8;
        }
        if self.below(4) > 0 {
            return forge::mended(&bytes).unwrap();
        }
        forge::seal(&mut bytes, payload);
        bytes
    }
}

#[test]
fn both_readers_refuse_the_same_forgeries_and_answer_alike() {
    let Some(mut python) = Python::new() else {
        println!("SKIPPED: no Python with the package xxhash (pip install xxhash)");
        return;
    };
    let (mut noise, mut read, mut refused) = (Noise(0), 0, 0);
    let mut differ = Vec::new();
    for path in golden_files() {
        let file = std::fs::read(&path).unwrap();
        if matches!(file[16], 16 | 17) {
            continue; // of parts, whose type a program must know
        }
        for round in 0..FORGERIES {
            let bytes = if round == 0 { file.clone() } else { noise.forged(&file) };
            let (ours, theirs) = (by_rust(&bytes), python.read(&bytes));
            match (&ours, &theirs) {
                (Ok(ours), Ok(theirs)) if ours == theirs => read += 1,
                (Err(_), Err(_)) => refused += 1,
                _ => {
                    let name = path.file_name().unwrap().to_string_lossy();
                    let show = |reading: Reading| reading.map(|_| "read");
                    let (ours, theirs) = (show(ours), show(theirs));
                    differ.push(format!("{name} {round}: Rust {ours:?}, Python {theirs:?}"));
                }
            }
        }
    }
    println!("{read} read, {refused} refused");
    assert!(differ.is_empty(), "{} differ:\n{}", differ.len(), differ.join("\n"));
    assert!(read > 300 && refused > 300, "{read} read, {refused} refused");
}

/// Variants of each golden file, including itself.
const FORGERIES: usize = 300;

/// Changes of a golden file's numbers: offsets and values.
type Changes<'a> = &'a [(usize, u64)];

#[test]
fn both_readers_refuse_numbers_beyond_their_range() {
    let Some(mut python) = Python::new() else {
        println!("SKIPPED: no Python with the package xxhash (pip install xxhash)");
        return;
    };
    const ITEMS: usize = 24;
    const ASKED: usize = 72;
    /// The only entry of a scalable filter, and the second one of a ribbon of one layer.
    const STAGE: usize = HEADER + 2 * ENTRY;
    const LAYER: usize = HEADER + 6 * ENTRY;
    // The last number that is in range, and one beyond it.
    let (floor, above) = (2f64.powi(-64).to_bits(), (2f64.powi(-64) * 1.01).to_bits());
    let low = (STAGE + 40, 1e-30f64.to_bits());
    let cases: [(bool, &str, Changes<'_>); 12] = [
        // A scalable filter's growth, and its most stages.
        (true, "scalable-one", &[(ASKED + 16, 64)]),
        (false, "scalable-one", &[(ASKED + 16, 65)]),
        (false, "scalable-one", &[(ASKED + 16, 1 << 32)]),
        (true, "scalable-one", &[(ASKED + 48, 1 << 16)]),
        (false, "scalable-one", &[(ASKED + 48, (1 << 16) + 1)]),
        (false, "scalable-one", &[(ASKED + 48, u64::MAX)]),
        // A bound below the capacity of the first stage, which is cut to the bound.
        (true, "scalable-small", &[(ASKED + 32, 300)]),
        (false, "scalable-small", &[(ASKED + 32, 299), (STAGE + 16, 299)]),
        // A compound rate below what hashes of 64 bits can keep.
        (true, "scalable-one", &[(ASKED + 8, above), low]),
        (false, "scalable-one", &[(ASKED + 8, floor), low]),
        // A ribbon's keys.
        (true, "bumped-ribbon-one", &[(ITEMS, 1 << 40), (LAYER, 1 << 40)]),
        (false, "bumped-ribbon-one", &[(ITEMS, (1 << 40) + 1), (LAYER, (1 << 40) + 1)]),
    ];
    for (in_range, name, changes) in cases {
        let path = golden_files().into_iter().find(|path| path.ends_with(format!("{name}.amq")));
        let mut bytes = std::fs::read(path.unwrap()).unwrap();
        for &(at, number) in changes {
            bytes[at..at + 8].copy_from_slice(&number.to_le_bytes());
        }
        let directory = u64::from_le_bytes(bytes[136..144].try_into().unwrap());
        forge::seal(&mut bytes, HEADER + directory as usize);
        let (ours, theirs) = (by_rust(&bytes), python.read(&bytes));
        assert_eq!((ours.is_ok(), theirs.is_ok()), (in_range, in_range), "{name}: {changes:?}");
    }
}
