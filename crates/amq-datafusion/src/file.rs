//! `amq_contains_file(path, x)`.

use crate::answers::{self, Asked};
use crate::cache::{Bounds, Cache};
use crate::contains::ask;
use crate::error::{execution, plan, unread};
use crate::local::{FilterFiles, LocalFiles, lies_in};
use crate::{filters, keys};
use amq::format::HEADER;
use amq::{AnyFile, DecodeError};
use datafusion_common::arrow::array::Array;
use datafusion_common::arrow::datatypes::DataType;
use datafusion_common::{Result, ScalarValue};
use datafusion_expr::{ColumnarValue, ScalarFunctionArgs, ScalarUDFImpl, Signature, Volatility};
use std::hash::{Hash, Hasher};
use std::sync::{Arc, LazyLock};
use std::time::Instant;

const NAME: &str = "amq_contains_file";

/// The attempts to read a file that is replaced meanwhile.
const ATTEMPTS: usize = 8;

/// The header, with the lengths and checksums of the rest.
type Header = [u8; HEADER];

static SIGNATURE: LazyLock<Signature> =
    LazyLock::new(|| Signature::user_defined(Volatility::Stable));

/// The function `amq_contains_file(path, x)`: like `amq_contains`, with the filter in a file. The
/// path is a literal.
///
/// Disabled until the host names the allowed prefixes of paths: otherwise any user who can write a
/// query could probe for files.
///
/// ```
/// use amq_datafusion::ContainsFile;
/// use datafusion::prelude::SessionContext;
///
/// let ctx = SessionContext::new();
/// ctx.register_udf(ContainsFile::allowing(["/srv/filters"]).into());
/// ```
///
/// Filters are cached by the checksums in their headers, up to 256 MiB (or a larger one alone), for
/// all calls of the function; a file that was replaced is read again.
#[derive(Clone, Debug)]
pub struct ContainsFile {
    allowed: Vec<String>,
    files: Arc<dyn FilterFiles>,
    kept: Arc<Cache<Header, AnyFile>>,
    /// The last header of each path, with its time.
    seen: Arc<Cache<String, (Instant, Header)>>,
}

impl Default for ContainsFile {
    /// A function that may read no files.
    fn default() -> Self {
        Self::allowing::<String>([])
    }
}

impl ContainsFile {
    /// A function that reads local files in these folders and below.
    #[must_use]
    pub fn allowing<P: Into<String>>(prefixes: impl IntoIterator<Item = P>) -> Self {
        Self {
            allowed: prefixes.into_iter().map(Into::into).collect(),
            files: Arc::new(LocalFiles),
            kept: Arc::new(Cache::new(Bounds { filters: 64, bytes: 256 << 20 })),
            seen: Arc::new(Cache::new(Bounds { filters: 1024, bytes: usize::MAX })),
        }
    }

    /// Reads from `files`, such as the session's object stores; paths then have the prefixes'
    /// scheme, as in `s3://bucket/filters`.
    #[must_use]
    pub fn from_files(self, files: Arc<dyn FilterFiles>) -> Self {
        Self { files, ..self }
    }

    fn read(&self, path: &str, most: u64) -> Result<Vec<u8>> {
        let read = self.files.read(path, most);
        read.map_err(|error| execution(NAME, format_args!("`{path}`: {error}")))
    }

    /// The header of a file, read now or a moment ago.
    fn header(&self, path: &str) -> Result<Header> {
        if let Some(seen) = self.seen.get(&path.to_string())
            && seen.0.elapsed() < self.files.believed_for()
        {
            return Ok(seen.1);
        }
        let bytes = self.read(path, HEADER as u64)?;
        match bytes.first_chunk() {
            Some(header) => {
                self.believe(path, *header);
                Ok(*header)
            }
            None => {
                let short =
                    DecodeError::Truncated { bytes: bytes.len() as u64, needed: HEADER as u64 };
                let error = filters::of_keys(&bytes).err().unwrap_or(short);
                Err(unread(NAME, Some(path), error))
            }
        }
    }

    fn believe(&self, path: &str, header: Header) {
        if !self.files.believed_for().is_zero() {
            self.seen.keep(path.into(), HEADER, &Arc::new((Instant::now(), header)));
        }
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

/// Bytes of the whole file.
fn length(path: &str, header: &Header) -> Result<u64> {
    match filters::of_keys(header) {
        Err(DecodeError::Truncated { needed, .. }) => Ok(needed),
        Err(error) => Err(unread(NAME, Some(path), error)),
        Ok(_) => Ok(HEADER as u64),
    }
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
        // From here on, the path is the constant that identifies the filter.
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
    type Filter = AnyFile;

    fn name(&self) -> &str {
        NAME
    }

    fn filter(&self, path: &[u8], _: Option<&ScalarValue>) -> Result<Arc<AnyFile>> {
        let path = std::str::from_utf8(path).map_err(|error| plan(NAME, error))?;
        self.check(path)?;
        let mut header = self.header(path)?;
        for _ in 0..ATTEMPTS {
            if let Some(filter) = self.kept.get(&header) {
                return Ok(filter);
            }
            // The header's length and one byte more, so that a longer file is refused.
            let bytes = self.read(path, length(path, &header)?.saturating_add(1))?;
            match bytes.first_chunk() {
                Some(found) if *found != header => header = *found,
                _ => {
                    self.believe(path, header);
                    let decode = || filters::of_keys(&bytes);
                    let filter = self.kept.get_or(&header, bytes.len(), decode);
                    return filter.map_err(|error| unread(NAME, Some(path), error));
                }
            }
        }
        Err(execution(NAME, format_args!("`{path}`: replaced again and again while it is read")))
    }

    fn ask(&self, filter: &AnyFile, keys: &dyn Array, answers: &mut Vec<bool>) -> Result<()> {
        ask(NAME, filter, keys, answers)
    }
}
