//! Links from the report to its records.

use std::path::{Component, Path, PathBuf};

/// The relative path from a folder to the records, if both lie below the parent of `out`, and so
/// are published together.
pub(super) fn relative(from: &Path, records: &Path, out: &Path) -> Option<String> {
    let absolute = |path: &Path| std::path::absolute(path).ok().map(|path| resolved(&path));
    let (from, records, tree) = (
        absolute(from)?,
        absolute(records)?,
        absolute(out)?.parent()?.to_owned(),
    );
    if !records.starts_with(&tree) || !from.starts_with(&tree) {
        return None;
    }
    let up = from.strip_prefix(&tree).ok()?.components().count();
    let down = records
        .strip_prefix(&tree)
        .ok()?
        .components()
        .map(|part| part.as_os_str().to_str());
    let mut parts = vec!["..".to_owned(); up];
    for part in down {
        parts.push(url_part(part?));
    }
    if parts.is_empty() {
        parts.push(".".to_owned());
    }
    Some(parts.join("/"))
}

/// Resolves `.` and `..` by name only.
fn resolved(path: &Path) -> PathBuf {
    let mut clean = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => {
                clean.pop();
            }
            part => clean.push(part),
        }
    }
    clean
}

/// Percent-encodes the bytes that a link cannot hold.
pub(super) fn url_part(part: &str) -> String {
    part.bytes().fold(String::new(), |mut text, byte| {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
            text.push(char::from(byte));
        } else {
            text.push_str(&format!("%{byte:02X}"));
        }
        text
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_lead_only_to_what_is_published_together() {
        let way = |from: &str, records: &str| {
            relative(Path::new(from), Path::new(records), Path::new("/r/latest"))
        };
        assert_eq!(
            way("/r/latest", "/r/records/m/d").as_deref(),
            Some("../records/m/d")
        );
        assert_eq!(
            way("/r", "/r/./records/m d").as_deref(),
            Some("records/m%20d")
        );
        assert_eq!(way("/r/latest", "/elsewhere/m/d"), None);
        assert_eq!(way("/r", "/r").as_deref(), Some("."));
    }
}
