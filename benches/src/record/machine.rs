//! The machine in its own words. Unknown fields stay empty; nothing here names a host or a user.

use crate::workers::cores;
use serde::{Deserialize, Serialize};
use std::env::consts::{ARCH, OS};
use std::fs;
use std::path::Path;
use sysinfo::{CpuRefreshKind, MemoryRefreshKind, RefreshKind, System};

/// The contents of `machine.toml`.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Machine {
    /// The folder's name: the processor's model and the number of cores.
    pub(crate) name: String,
    pub(crate) cpu: String,
    pub(crate) cores: u64,
    pub(crate) memory_bytes: Option<u64>,
    pub(crate) kernel: String,
    /// Whether it is a virtual machine, whose caches other tenants may share.
    pub(crate) hypervisor: Option<bool>,
    pub(crate) platform: String,
    /// The first core's caches, nearest first.
    #[serde(default)]
    pub(crate) cache: Vec<Cache>,
}

#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
pub struct Cache {
    pub(crate) level: u64,
    /// `Data`, `Instruction` or `Unified`.
    pub(crate) kind: String,
    pub(crate) bytes: u64,
}

impl Machine {
    pub fn this() -> Self {
        let what = RefreshKind::nothing()
            .with_cpu(CpuRefreshKind::nothing())
            .with_memory(MemoryRefreshKind::nothing().with_ram());
        let system = System::new_with_specifics(what);
        let brand = system.cpus().first().map(|cpu| cpu.brand().trim());
        let cpu = brand.filter(|brand| !brand.is_empty()).unwrap_or(ARCH);
        let cores = cores() as u64;
        let flags = fs::read_to_string("/proc/cpuinfo").ok();
        let flags = flags.filter(|text| text.contains("flags"));
        Self {
            name: slug(cpu, cores),
            cpu: cpu.to_owned(),
            cores,
            memory_bytes: Some(system.total_memory()).filter(|&bytes| bytes > 0),
            kernel: System::kernel_long_version(),
            hypervisor: flags.map(|text| text.split_whitespace().any(|flag| flag == "hypervisor")),
            platform: format!("{OS}-{ARCH}"),
            cache: caches(Path::new("/sys/devices/system/cpu/cpu0/cache")),
        }
    }
}

/// A core's caches according to Linux, which works on any processor, unlike CPUID.
fn caches(folder: &Path) -> Vec<Cache> {
    let of = |index: u32| {
        let folder = folder.join(format!("index{index}"));
        let read = |file: &str| Some(fs::read_to_string(folder.join(file)).ok()?.trim().to_owned());
        let kibibytes: u64 = read("size")?.strip_suffix('K')?.parse().ok()?;
        Some(Cache {
            level: read("level")?.parse().ok()?,
            kind: read("type")?,
            bytes: kibibytes * 1024,
        })
    };
    let mut caches: Vec<Cache> = (0..16).filter_map(of).collect();
    caches.sort();
    caches
}

/// Lower-case letters, digits and single hyphens.
fn slug(cpu: &str, cores: u64) -> String {
    let plain = cpu.replace("(R)", "").replace("(TM)", "").to_lowercase();
    let words = plain.split(|c: char| !c.is_ascii_alphanumeric());
    let words: Vec<&str> = words.filter(|word| !word.is_empty()).collect();
    format!("{}-{cores}-cores", words.join("-"))
}

#[test]
fn names_fit_for_a_folder_and_caches_are_read() {
    let name = slug("Intel(R) Xeon(R) Processor @ 2.45GHz", 2);
    assert_eq!(name, "intel-xeon-processor-2-45ghz-2-cores");
    let dir = tempfile::tempdir().unwrap();
    for (index, level, size) in [(0, "2", "2048K\n"), (1, "1", "48K\n"), (2, "3", "?")] {
        let folder = dir.path().join(format!("index{index}"));
        fs::create_dir(&folder).unwrap();
        for (file, text) in [("level", level), ("size", size), ("type", "Data\n")] {
            fs::write(folder.join(file), text).unwrap();
        }
    }
    let cache = |level, bytes| Cache { level, kind: "Data".to_owned(), bytes };
    assert_eq!(caches(dir.path()), [cache(1, 48 << 10), cache(2, 2 << 20)]);
}
