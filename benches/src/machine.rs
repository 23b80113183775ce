//! The machine in its own words. Unknown fields stay empty; nothing here names a host or a user.

use serde::{Deserialize, Serialize};
use std::fs;
use std::path::Path;
use std::thread::available_parallelism;

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
        let cpuinfo = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
        let cpu = field(&cpuinfo, "model name")
            .or_else(|| field(&cpuinfo, "Model"))
            .unwrap_or_else(|| std::env::consts::ARCH.to_owned());
        let cores = available_parallelism().map_or(1, |cores| cores.get() as u64);
        let flags = field(&cpuinfo, "flags");
        Self {
            name: slug(&cpu, cores),
            cores,
            memory_bytes: memory(&fs::read_to_string("/proc/meminfo").unwrap_or_default()),
            kernel: kernel(),
            hypervisor: flags
                .map(|flags| flags.split_whitespace().any(|flag| flag == "hypervisor")),
            platform: format!("{}-{}", std::env::consts::OS, std::env::consts::ARCH),
            cache: caches(Path::new("/sys/devices/system/cpu/cpu0/cache")),
            cpu,
        }
    }
}

fn kernel() -> String {
    let read = |file: &str| {
        fs::read_to_string(Path::new("/proc/sys/kernel").join(file)).unwrap_or_default()
    };
    format!("{} {}", read("ostype").trim(), read("osrelease").trim())
        .trim()
        .to_owned()
}

/// The value of the first line `name : value`.
fn field(text: &str, name: &str) -> Option<String> {
    text.lines()
        .filter_map(|line| line.split_once(':'))
        .find(|(key, _)| key.trim() == name)
        .map(|(_, value)| value.trim().to_owned())
}

fn memory(meminfo: &str) -> Option<u64> {
    let total = field(meminfo, "MemTotal")?;
    let kibibytes: u64 = total.strip_suffix(" kB")?.trim().parse().ok()?;
    Some(kibibytes * 1024)
}

fn caches(folder: &Path) -> Vec<Cache> {
    let read = |path: &Path, file: &str| {
        fs::read_to_string(path.join(file))
            .map(|text| text.trim().to_owned())
            .ok()
    };
    let mut caches: Vec<Cache> = (0..16)
        .map(|index| folder.join(format!("index{index}")))
        .filter_map(|path| {
            Some(Cache {
                level: read(&path, "level")?.parse().ok()?,
                kind: read(&path, "type")?,
                bytes: size(&read(&path, "size")?)?,
            })
        })
        .collect();
    caches.sort_by_key(|cache| (cache.level, cache.kind.clone()));
    caches
}

/// `48K`, `2M` or plain bytes.
fn size(text: &str) -> Option<u64> {
    let (digits, unit) = match text.as_bytes().last()? {
        b'K' => (&text[..text.len() - 1], 1 << 10),
        b'M' => (&text[..text.len() - 1], 1 << 20),
        b'G' => (&text[..text.len() - 1], 1 << 30),
        _ => (text, 1),
    };
    Some(digits.parse::<u64>().ok()? * unit)
}

/// Lower-case letters, digits and single hyphens.
fn slug(cpu: &str, cores: u64) -> String {
    let plain = cpu.replace("(R)", "").replace("(TM)", "").to_lowercase();
    let words: Vec<&str> = plain
        .split(|c: char| !c.is_ascii_alphanumeric())
        .filter(|word| !word.is_empty())
        .collect();
    format!("{}-{cores}-cores", words.join("-"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_made_of_model_and_cores() {
        assert_eq!(
            slug("Intel(R) Xeon(R) Processor", 2),
            "intel-xeon-processor-2-cores"
        );
        assert_eq!(
            slug("AMD EPYC 7B13 @ 2.45GHz", 8),
            "amd-epyc-7b13-2-45ghz-8-cores"
        );
    }

    #[test]
    fn the_kernels_words_are_understood() {
        assert_eq!(size("48K"), Some(49_152));
        assert_eq!(size("2M"), Some(2 << 20));
        assert_eq!(size("?"), None);
        assert_eq!(
            memory("MemTotal:       24576 kB\nMemFree: 1 kB"),
            Some(24576 * 1024)
        );
        assert_eq!(field("a\t: b : c", "a").as_deref(), Some("b : c"));
    }

    #[test]
    fn this_machine_has_a_name_fit_for_a_folder() {
        let machine = Machine::this();
        assert!(
            machine
                .name
                .bytes()
                .all(|b| b.is_ascii_alphanumeric() || b == b'-')
        );
        assert!(machine.cores > 0);
    }
}
