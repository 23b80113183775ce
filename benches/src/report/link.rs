//! Links from the page to its records.

use std::path::Path;

/// The way from the page's folder to the records, if both lie below the folder above the page's,
/// and so are published together.
pub(super) fn relative(out: &Path, records: &Path) -> Option<String> {
    let absolute = |path: &Path| std::path::absolute(path).ok();
    let (out, records) = (absolute(out)?, absolute(records)?);
    let below = records.strip_prefix(out.parent()?).ok()?;
    let mut way = "..".to_owned();
    for part in below.components() {
        way.push('/');
        for byte in part.as_os_str().to_str()?.bytes() {
            // What a link cannot hold is percent-encoded.
            if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
                way.push(char::from(byte));
            } else {
                way.push_str(&format!("%{byte:02X}"));
            }
        }
    }
    Some(way)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_lead_only_to_what_is_published_together() {
        let way = |records: &str| relative(Path::new("/r/latest"), Path::new(records));
        assert_eq!(way("/r/records/m d").as_deref(), Some("../records/m%20d"));
        assert_eq!(way("/elsewhere/m/d"), None);
    }
}
