//! `amq_contains_file(path, x)`.

use crate::answers::{self, Asked};
use crate::cache::{Bounds, Cache, Identity, identity};
use crate::contains::ask;
use crate::error::{execution, plan};
use crate::keys;
use amq::AnyFilter;
use amq::format::HEADER;
use datafusion_common::arrow::array::Array;
use datafusion_common::arrow::datatypes::DataType;
use datafusion_common::{Result, ScalarValue};
use datafusion_expr::{ColumnarValue, ScalarFunctionArgs, ScalarUDFImpl, Signature, Volatility};
use std::fs::File;
use std::hash::{Hash, Hasher};
use std::io::{self, Read};
use std::path::{Component, Path, PathBuf};
use std::sync::{Arc, LazyLock};

const NAME: &str = "amq_contains_file";

static SIGNATURE: LazyLock<Signature> =
    LazyLock::new(|| Signature::user_defined(Volatility::Stable));

/// Where filters are read from. [`LocalFiles`] unless the host has something else, such as the
/// object stores of its session.
pub trait FilterFiles: std::fmt::Debug + Send + Sync {
    /// The first [`HEADER`] bytes of a file. Read once a batch, since they tell whether the file is
    /// still the one that is kept.
    fn header(&self, path: &str) -> io::Result<[u8; HEADER]>;

    /// The whole file.
    fn read(&self, path: &str) -> io::Result<Vec<u8>>;
}

/// Files of this machine, or of a file system it shares with others.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct LocalFiles;

impl FilterFiles for LocalFiles {
    fn header(&self, path: &str) -> io::Result<[u8; HEADER]> {
        let mut header = [0; HEADER];
        regular(path)?.read_exact(&mut header)?;
        Ok(header)
    }

    fn read(&self, path: &str) -> io::Result<Vec<u8>> {
        let mut bytes = Vec::new();
        regular(path)?.read_to_end(&mut bytes)?;
        Ok(bytes)
    }
}

/// Not a pipe, which would be waited for, nor a device without end.
fn regular(path: &str) -> io::Result<File> {
    let path = path.strip_prefix("file://").unwrap_or(path);
    if !std::fs::metadata(path)?.is_file() {
        return Err(io::Error::other("not a regular file"));
    }
    File::open(path)
}

/// The function `amq_contains_file(path, x)`: as `amq_contains`, of the filter in a file. The path
/// is a literal.
///
/// Off until the host names the prefixes that paths may begin with: whoever may write a query could
/// otherwise learn of any file.
///
/// ```
/// use amq_datafusion::ContainsFile;
/// use datafusion::prelude::SessionContext;
///
/// let ctx = SessionContext::new();
/// ctx.register_udf(ContainsFile::allowing(["/srv/filters"]).into());
/// ```
///
/// Filters are kept by the checksums in their headers, up to 256 MiB (or one that is larger), for
/// all queries of the function; a file that was replaced is read anew.
#[derive(Clone, Debug)]
pub struct ContainsFile {
    allowed: Vec<String>,
    files: Arc<dyn FilterFiles>,
    kept: Arc<Cache<Identity, AnyFilter>>,
}

impl Default for ContainsFile {
    /// Reads nothing.
    fn default() -> Self {
        Self::allowing::<String>([])
    }
}

impl ContainsFile {
    /// Reads local files in these folders, and below.
    #[must_use]
    pub fn allowing<P: Into<String>>(prefixes: impl IntoIterator<Item = P>) -> Self {
        Self {
            allowed: prefixes.into_iter().map(Into::into).collect(),
            files: Arc::new(LocalFiles),
            kept: Arc::new(Cache::new(Bounds { filters: 64, bytes: 256 << 20 })),
        }
    }

    /// Reads them from elsewhere: paths are those of the prefixes' scheme, as
    /// `s3://bucket/filters`.
    #[must_use]
    pub fn from_files(self, files: Arc<dyn FilterFiles>) -> Self {
        Self { files, ..self }
    }

    fn check(&self, path: &str) -> Result<()> {
        if self.allowed.is_empty() {
            let text = "reads no files here: the host allows none. It names the folders with \
                        ContainsFile::allowing";
            return Err(plan(NAME, text));
        }
        if self.allowed.iter().any(|prefix| lies_in(path, prefix)) {
            return Ok(());
        }
        Err(plan(NAME, format_args!("`{path}` lies in no folder that the host allows")))
    }
}

/// Whether a path, after all links are followed if it is a local one, lies in a folder.
fn lies_in(path: &str, folder: &str) -> bool {
    let local = |path: &str| {
        let path = path.strip_prefix("file://").unwrap_or(path);
        (!path.contains("://")).then(|| PathBuf::from(path))
    };
    match (local(path), local(folder)) {
        (Some(path), Some(folder)) => match (path.canonicalize(), folder.canonicalize()) {
            (Ok(path), Ok(folder)) => path.starts_with(folder),
            // What is not there is told apart from what is not allowed, but only within the folder.
            (Err(_), _) => !climbs(&path) && path.starts_with(folder),
            _ => false,
        },
        (None, None) => {
            let rest = path.strip_prefix(folder.trim_end_matches('/'));
            let plain = !climbs(Path::new(path)) && !path.contains(['%', '\\', '?', '#']);
            plain && rest.is_some_and(|rest| rest.starts_with('/'))
        }
        _ => false,
    }
}

fn climbs(path: &Path) -> bool {
    path.components().any(|part| part == Component::ParentDir)
}

impl PartialEq for ContainsFile {
    fn eq(&self, other: &Self) -> bool {
        self.allowed == other.allowed && Arc::ptr_eq(&self.files, &other.files)
    }
}

impl Eq for ContainsFile {}

impl Hash for ContainsFile {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.allowed.hash(state);
    }
}

impl ScalarUDFImpl for ContainsFile {
    fn name(&self) -> &str {
        NAME
    }

    fn signature(&self) -> &Signature {
        &SIGNATURE
    }

    fn coerce_types(&self, types: &[DataType]) -> Result<Vec<DataType>> {
        let [path, key] = types else {
            return Err(plan(
                NAME,
                format_args!("wants (path, key), not {} arguments", types.len()),
            ));
        };
        if !path.is_string() && *path != DataType::Null {
            return Err(plan(NAME, format_args!("a path is a text, not {path}")));
        }
        keys::check(NAME, key)?;
        Ok(types.to_vec())
    }

    fn return_type(&self, _: &[DataType]) -> Result<DataType> {
        Ok(DataType::Boolean)
    }

    fn invoke_with_args(&self, mut args: ScalarFunctionArgs) -> Result<ColumnarValue> {
        // From here on the path is the constant that names the filter.
        args.args[0] = match &args.args[0] {
            ColumnarValue::Scalar(path) => {
                let path = path.try_as_str().flatten().map(|path| path.as_bytes().to_vec());
                ColumnarValue::Scalar(ScalarValue::Binary(path))
            }
            ColumnarValue::Array(_) => return Err(plan(NAME, "the path is a literal, no column")),
        };
        answers::invoke(self, args)
    }
}

impl Asked for ContainsFile {
    type Filter = AnyFilter;

    fn name(&self) -> &str {
        NAME
    }

    fn filter(&self, path: &[u8], _: Option<&ScalarValue>) -> Result<Arc<AnyFilter>> {
        let path = std::str::from_utf8(path).map_err(|error| plan(NAME, error))?;
        self.check(path)?;
        let failed = |error: io::Error| execution(NAME, format_args!("`{path}`: {error}"));
        let header = self.files.header(path).map_err(failed)?;
        // The header holds the length of all the rest.
        let key = (HEADER, header);
        if let Some(filter) = self.kept.get(&key) {
            return Ok(filter);
        }
        let bytes = self.files.read(path).map_err(failed)?;
        let read = AnyFilter::from_bytes(&bytes);
        let filter = read.map_err(|error| execution(NAME, format_args!("`{path}`: {error}")))?;
        // Of the file that was read, which may have replaced the one asked before.
        match identity(&bytes) {
            Some((_, header)) => self.kept.get_or(&(HEADER, header), bytes.len(), || Ok(filter)),
            None => Ok(Arc::new(filter)),
        }
    }

    fn ask(&self, filter: &AnyFilter, keys: &dyn Array, answers: &mut Vec<bool>) -> Result<()> {
        ask(NAME, filter, keys, answers)
    }
}
