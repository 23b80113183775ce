//! Links from the page to its records.

use std::path::{Path, absolute};

/// The way from the page's folder to the records, if both lie below the folder above the page's,
/// and so are published together.
pub(super) fn relative(out: &Path, records: &Path) -> Option<String> {
    let (out, records) = (absolute(out).ok()?, absolute(records).ok()?);
    let below = records.strip_prefix(out.parent()?).ok()?;
    let parts = below.iter().map(|part| Some(format!("/{}", encoded(part.to_str()?))));
    Some(format!("..{}", parts.collect::<Option<String>>()?))
}

/// The same with what a link cannot hold in percent signs.
fn encoded(part: &str) -> String {
    let encoded = |byte: u8| match byte {
        b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => {
            char::from(byte).to_string()
        }
        _ => format!("%{byte:02X}"),
    };
    part.bytes().map(encoded).collect()
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
