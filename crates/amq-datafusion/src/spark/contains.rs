//! `might_contain(filter, x)`.

use super::SparkBloomFilter;
use super::keys::{self, Keys};
use crate::answers::{self, Asked};
use crate::cache::{Bounds, Constants};
use crate::error::{execution, plan};
use crate::filters;
use datafusion_common::arrow::array::{Array, make_array};
use datafusion_common::arrow::datatypes::DataType;
use datafusion_common::{Result, ScalarValue};
use datafusion_expr::simplify::{ExprSimplifyResult, SimplifyContext};
use datafusion_expr::{
    ColumnarValue, Expr, ScalarFunctionArgs, ScalarUDFImpl, Signature, Volatility,
};
use std::sync::{Arc, LazyLock};

const NAME: &str = "might_contain";

static SIGNATURE: LazyLock<Signature> =
    LazyLock::new(|| Signature::user_defined(Volatility::Immutable));

static CONSTANTS: LazyLock<Constants<SparkBloomFilter>> =
    LazyLock::new(|| Constants::new(Bounds { filters: 16, bytes: 64 << 20 }));

/// Spark's function `might_contain(filter, x)`: whether `x` is probably in a filter of
/// `bloom_filter_agg`, here or in Spark, V1 or V2; `false` is certain. Null where either is.
///
/// Spark accepts only longs; here `x` may be a string, too.
///
/// The format is that of Spark's own `BloomFilter`, with big-endian integers. Engines with the same
/// functions may use others: Velox's filters, which Gluten and Presto use, are refused.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct MightContain;

impl MightContain {
    pub(crate) const NAME: &str = NAME;
}

impl ScalarUDFImpl for MightContain {
    fn name(&self) -> &str {
        NAME
    }

    fn signature(&self) -> &Signature {
        &SIGNATURE
    }

    fn coerce_types(&self, types: &[DataType]) -> Result<Vec<DataType>> {
        let [filter, key] = types else {
            let text = format_args!("wants (filter, x), not {} arguments", types.len());
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
            SparkBloomFilter::from_bytes(bytes).map_err(|error| plan(NAME, error))?;
            if !filters::is_boxed(&value.data_type()) {
                *value = filters::boxed(bytes);
            }
        }
        Ok(ExprSimplifyResult::Original(args))
    }
}

impl Asked for MightContain {
    type Filter = SparkBloomFilter;

    fn name(&self) -> &str {
        NAME
    }

    fn filter(
        &self,
        bytes: &[u8],
        constant: Option<&ScalarValue>,
    ) -> Result<Arc<SparkBloomFilter>> {
        let decode = || SparkBloomFilter::from_bytes(bytes).map_err(|error| execution(NAME, error));
        CONSTANTS.get_or(constant, bytes.len(), || decode().map(Arc::new))
    }

    fn ask(
        &self,
        filter: &SparkBloomFilter,
        keys: &dyn Array,
        answers: &mut Vec<bool>,
    ) -> Result<()> {
        let keys = Keys::new(NAME, &make_array(keys.to_data()))?;
        answers.clear();
        match keys {
            Keys::Longs(keys) => {
                answers.extend(keys.values().iter().map(|&key| filter.contains_long(key)));
            }
            Keys::Strings(keys) => answers.extend(
                keys.iter().map(|key| key.is_some_and(|key| filter.contains_bytes(key.as_bytes()))),
            ),
        }
        Ok(())
    }
}
