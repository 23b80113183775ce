//! The machine in its own words. Unknown fields stay empty; nothing here names a host or a user.

use serde::{Deserialize, Serialize};
use std::fs;
use std::path::Path;
use std::thread::available_parallelism;
use sysinfo::{CpuRefreshKind, MemoryRefreshKind, RefreshKind, System};

/// The contents of `machine.toml`.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Machine {
    /// The folder's name: the processor's model and the number of cores.
    pub name: String,
    /// The processor's model.
    pub cpu: String,
    /// Cores this program may use.
    pub cores: u64,
    /// Memory in bytes.
    pub memory_bytes: Option<u64>,
    /// Kernel and its version.
    pub kernel: String,
    /// Whether it is a virtual machine, whose caches other tenants may share.
    pub hypervisor: Option<bool>,
    /// Operating system and architecture.
    pub platform: String,
    /// The first core's caches, nearest first.
    #[serde(default)]
    pub cache: Vec<Cache>,
}

/// One cache.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Cache {
    /// 1, 2, 3 ...
    pub level: u64,
    /// `Data`, `Instruction` or `Unified`.
    pub kind: String,
    /// Its size.
    pub bytes: u64,
}

impl Machine {
    /// This one.
    pub fn this() -> Self {
        let what = RefreshKind::nothing()
            .with_cpu(CpuRefreshKind::nothing())
            .with_memory(MemoryRefreshKind::nothing().with_ram());
        let system = System::new_with_specifics(what);
        let brand = system.cpus().first().map(|cpu| cpu.brand().trim().to_owned());
        let cpu = brand.filter(|brand| !brand.is_empty());
        let cpu = cpu.unwrap_or_else(|| std::env::consts::ARCH.to_owned());
        let cores = available_parallelism().map_or(1, |cores| cores.get() as u64);
        let flags = fs::read_to_string("/proc/cpuinfo").ok();
        let flags = flags.filter(|text| text.contains("flags"));
        Self {
            name: slug(&cpu, cores),
            cores,
            memory_bytes: Some(system.total_memory()).filter(|&bytes| bytes > 0),
            kernel: System::kernel_long_version(),
            hypervisor: flags.map(|text| text.split_whitespace().any(|flag| flag == "hypervisor")),
            platform: format!("{}-{}", std::env::consts::OS, std::env::consts::ARCH),
            cache: caches(Path::new("/sys/devices/system/cpu/cpu0/cache")),
            cpu,
        }
    }
}

/// What Linux says of a core's caches; on any processor, unlike the instruction for it.
fn caches(folder: &Path) -> Vec<Cache> {
    let of = |index: u32| {
        let read = |file: &str| {
            let text = fs::read_to_string(folder.join(format!("index{index}")).join(file)).ok()?;
            Some(text.trim().to_owned())
        };
        let kibibytes: u64 = read("size")?.strip_suffix('K')?.parse().ok()?;
        Some(Cache {
            level: read("level")?.parse().ok()?,
            kind: read("type")?,
            bytes: kibibytes * 1024,
        })
    };
    let mut caches: Vec<Cache> = (0..16).filter_map(of).collect();
    caches.sort_by_key(|cache| (cache.level, cache.kind.clone()));
    caches
}

/// Lower-case letters, digits and single hyphens.
fn slug(cpu: &str, cores: u64) -> String {
    let plain = cpu.replace("(R)", "").replace("(TM)", "").to_lowercase();
    let words = plain.split(|c: char| !c.is_ascii_alphanumeric());
    let words: Vec<&str> = words.filter(|word| !word.is_empty()).collect();
    format!("{}-{cores}-cores", words.join("-"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_made_of_model_and_cores_and_fit_for_a_folder() {
        for (cpu, cores, name) in [
            ("Intel(R) Xeon(R) Processor", 2, "intel-xeon-processor-2-cores"),
            ("AMD EPYC 7B13 @ 2.45GHz", 8, "amd-epyc-7b13-2-45ghz-8-cores"),
        ] {
            assert_eq!(slug(cpu, cores), name);
        }
        let name = Machine::this().name;
        assert!(name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-'), "{name}");
    }

    #[test]
    fn caches_are_read_as_the_kernel_writes_them_and_what_is_unknown_is_left_out() {
        let dir = tempfile::tempdir().unwrap();
        for (index, level, size) in
            [("index0", "2\n", "2048K\n"), ("index1", "1\n", "48K\n"), ("index2", "3\n", "?")]
        {
            let folder = dir.path().join(index);
            fs::create_dir(&folder).unwrap();
            for (file, text) in [("level", level), ("size", size), ("type", "Data\n")] {
                fs::write(folder.join(file), text).unwrap();
            }
        }
        let sizes: Vec<_> =
            caches(dir.path()).iter().map(|cache| (cache.level, cache.bytes)).collect();
        assert_eq!(sizes, [(1, 48 << 10), (2, 2 << 20)]);
    }
}
