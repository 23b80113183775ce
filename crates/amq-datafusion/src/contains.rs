//! `amq_contains(f, x)`.

use crate::answers::{self, Asked};
use crate::cache::{Bounds, Cache, Constants, Identity, identity};
use crate::error::{execution, plan, unread};
use crate::{filters, keys};
use amq::{AnyFile, Filter};
use datafusion_common::arrow::array::Array;
use datafusion_common::arrow::datatypes::DataType;
use datafusion_common::{Result, ScalarValue};
use datafusion_expr::simplify::{ExprSimplifyResult, SimplifyContext};
use datafusion_expr::{
    ColumnarValue, Expr, ScalarFunctionArgs, ScalarUDFImpl, Signature, Volatility,
};
use std::sync::{Arc, LazyLock};

pub(crate) const NAME: &str = "amq_contains";

/// Rows queried at once: hashes and answers stay in the first-level cache.
const BLOCK: usize = 1024;

static SIGNATURE: LazyLock<Signature> =
    LazyLock::new(|| Signature::user_defined(Volatility::Immutable));

const BOUNDS: Bounds = Bounds { filters: 64, bytes: 256 << 20 };
static CACHE: LazyLock<Cache<Identity, AnyFile>> = LazyLock::new(|| Cache::new(BOUNDS));
static CONSTANTS: LazyLock<Constants<AnyFile>> = LazyLock::new(|| Constants::new(BOUNDS));

/// The function `amq_contains(f, x)`: whether the key `x` is probably in the filter `f`; `false` is
/// certain. Null where either is.
///
/// Query with the type that the filter was made of. Integers of all widths are the same key, but
/// the integer 42 is not the string '42'. A filter that records its type of keys, as those of
/// `amq_agg` and `amq build` do, refuses others.
///
/// A constant filter is decoded once, not per batch: up to 64 filters and 256 MiB of them (or a
/// larger one alone) stay in memory. They are identified by all of their bytes, so a damaged filter
/// is always refused.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct AmqContains;

impl ScalarUDFImpl for AmqContains {
    fn name(&self) -> &str {
        NAME
    }

    fn signature(&self) -> &Signature {
        &SIGNATURE
    }

    fn coerce_types(&self, types: &[DataType]) -> Result<Vec<DataType>> {
        let [filter, key] = types else {
            let text = format_args!("wants (filter, key), not {} arguments", types.len());
            return Err(plan(NAME, text));
        };
        filters::check(NAME, filter)?;
        keys::check(NAME, key)?;
        Ok(types.to_vec())
    }

    fn return_type(&self, _: &[DataType]) -> Result<DataType> {
        Ok(DataType::Boolean)
    }

    fn invoke_with_args(&self, args: ScalarFunctionArgs) -> Result<ColumnarValue> {
        answers::invoke(self, args)
    }

    /// Boxes a constant filter, and refuses a constant that is not a filter.
    fn simplify(&self, mut args: Vec<Expr>, _: &SimplifyContext) -> Result<ExprSimplifyResult> {
        if let Some(Expr::Literal(value, _)) = args.first_mut()
            && let Some(bytes) = filters::scalar(NAME, value)?
        {
            self.filter(bytes, None)?;
            if !filters::is_boxed(&value.data_type()) {
                *value = filters::boxed(bytes);
            }
        }
        Ok(ExprSimplifyResult::Original(args))
    }
}

impl Asked for AmqContains {
    type Filter = AnyFile;

    fn name(&self) -> &str {
        NAME
    }

    fn filter(&self, bytes: &[u8], constant: Option<&ScalarValue>) -> Result<Arc<AnyFile>> {
        let decode = || filters::of_keys(bytes).map_err(|error| unread(NAME, None, error));
        let len = bytes.len();
        CONSTANTS.get_or(constant, len, || CACHE.get_or(&identity(bytes), len, decode))
    }

    fn ask(&self, filter: &AnyFile, keys: &dyn Array, answers: &mut Vec<bool>) -> Result<()> {
        ask(NAME, filter, keys, answers)
    }
}

/// The answers of a filter of [`filters::of_keys`].
pub(crate) fn ask(
    function: &str,
    filter: &AnyFile,
    keys: &dyn Array,
    answers: &mut Vec<bool>,
) -> Result<()> {
    keys::expect(function, filter.encoding(), keys.data_type())?;
    let filter = filter.filter().into_inner();
    let seed = filter.seed();
    let mut hashes = Vec::with_capacity(BLOCK.min(keys.len()));
    answers.clear();
    answers.resize(keys.len(), false);
    for (index, answers) in answers.chunks_mut(BLOCK).enumerate() {
        let block = keys.slice(index * BLOCK, answers.len());
        keys::hash(function, &block, seed, &mut hashes)?;
        filter.contains_batch(&hashes, answers).map_err(|error| execution(function, error))?;
    }
    Ok(())
}
