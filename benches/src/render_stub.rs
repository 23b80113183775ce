//! Stand-in until the renderer is there.
use std::path::{Path, PathBuf};
/// What was drawn.
#[derive(Debug)]
pub struct Rendered {
    /// The page.
    pub page: PathBuf,
    /// The table.
    pub table: String,
}
/// Draws nothing.
pub fn render(_records: &Path, out: &Path) -> anyhow::Result<Rendered> {
    Ok(Rendered {
        page: out.join("index.html"),
        table: "(no renderer yet)".to_owned(),
    })
}
