//! `bloom_filter_agg(x [, items [, bits]])`.

use super::keys::{self, Keys};
use super::{SparkBloomFilter, SparkVersion};
use crate::error::{execution, plan};
use crate::literal;
use datafusion_common::arrow::array::{Array, ArrayRef, AsArray};
use datafusion_common::arrow::datatypes::{DataType, Field, FieldRef};
use datafusion_common::{Result, ScalarValue};
use datafusion_expr::function::{
    AccumulatorArgs, AggregateFunctionSimplification, StateFieldsArgs,
};
use datafusion_expr::utils::{AggregateOrderSensitivity, format_state_name};
use datafusion_expr::{Accumulator, AggregateUDFImpl, Expr, Signature, Volatility};
use std::sync::{Arc, LazyLock};

const NAME: &str = "bloom_filter_agg";

static SIGNATURE: LazyLock<Signature> =
    LazyLock::new(|| Signature::user_defined(Volatility::Immutable));

/// Spark's aggregate `bloom_filter_agg(x [, items [, bits]])`, for Spark's `might_contain`.
///
/// As in Spark, keys are integers and strings. The defaults are 1,000,000 items and 8,388,608 bits,
/// or a byte per item if only the items are given; larger numbers are cut to 4,000,000 items and
/// 67,108,864 bits. Nulls are ignored, and if no bit is set the value is null.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct BloomFilterAgg(SparkVersion);

impl BloomFilterAgg {
    /// The aggregate that writes this version. The default is V2; Spark before 4.1 reads only V1.
    /// Every process of a cluster must register the same version.
    #[must_use]
    pub const fn of_version(version: SparkVersion) -> Self {
        Self(version)
    }

    fn empty(self, values: &[ScalarValue]) -> Result<SparkBloomFilter> {
        let count = |index: usize, name| {
            values.get(index).map(|value| literal::count(NAME, name, value)).transpose()
        };
        let (items, bits) = (count(0, "items")?, count(1, "bits")?);
        let bits = bits.or(items.map(|items| items.saturating_mul(8)));
        let items = items.unwrap_or(SparkBloomFilter::DEFAULT_ITEMS);
        let bits = bits.unwrap_or(SparkBloomFilter::DEFAULT_BITS);
        let items = items.min(SparkBloomFilter::MAX_ITEMS);
        let bits = bits.min(SparkBloomFilter::MAX_BITS);
        SparkBloomFilter::new(self.0, items, bits).map_err(|error| plan(NAME, error))
    }
}

impl AggregateUDFImpl for BloomFilterAgg {
    fn name(&self) -> &str {
        NAME
    }

    fn signature(&self) -> &Signature {
        &SIGNATURE
    }

    fn coerce_types(&self, types: &[DataType]) -> Result<Vec<DataType>> {
        if !matches!(types.len(), 1..=3) {
            let text = format_args!("wants (x [, items [, bits]]), not {} arguments", types.len());
            return Err(plan(NAME, text));
        }
        keys::check(NAME, &types[0])?;
        Ok(types.to_vec())
    }

    fn return_type(&self, _: &[DataType]) -> Result<DataType> {
        Ok(DataType::Binary)
    }

    fn state_fields(&self, args: StateFieldsArgs) -> Result<Vec<FieldRef>> {
        let name = format_state_name(args.name, "filter");
        Ok(vec![Arc::new(Field::new(name, DataType::Binary, true))])
    }

    fn accumulator(&self, args: AccumulatorArgs) -> Result<Box<dyn Accumulator>> {
        Ok(Box::new(Filling(self.empty(&literal::parameters(NAME, &args)?)?)))
    }

    fn order_sensitivity(&self) -> AggregateOrderSensitivity {
        AggregateOrderSensitivity::Insensitive
    }

    /// Checks the parameters at planning time; does not change the call.
    fn simplify(&self) -> Option<AggregateFunctionSimplification> {
        let this = *self;
        Some(Box::new(move |call, _| {
            if let Some(values) = literal::planned_parameters(NAME, &call)? {
                this.empty(&values)?;
            }
            Ok(Expr::AggregateFunction(call))
        }))
    }
}

#[derive(Debug)]
struct Filling(SparkBloomFilter);

impl Accumulator for Filling {
    fn update_batch(&mut self, values: &[ArrayRef]) -> Result<()> {
        let Self(filter) = self;
        match Keys::new(NAME, &values[0])? {
            Keys::Longs(keys) => keys.iter().flatten().for_each(|key| {
                filter.insert_long(key);
            }),
            Keys::Strings(keys) => keys.iter().flatten().for_each(|key| {
                filter.insert_bytes(key.as_bytes());
            }),
        }
        Ok(())
    }

    fn merge_batch(&mut self, states: &[ArrayRef]) -> Result<()> {
        let Some(states) = states[0].as_binary_opt::<i32>() else {
            let of = states[0].data_type();
            return Err(execution(NAME, format_args!("a state is a Binary column, not {of}")));
        };
        for state in states.iter().flatten() {
            let theirs = SparkBloomFilter::from_bytes(state);
            let merged = theirs.and_then(|theirs| self.0.merge(&theirs));
            merged.map_err(|error| execution(NAME, error))?;
        }
        Ok(())
    }

    fn state(&mut self) -> Result<Vec<ScalarValue>> {
        Ok(vec![self.evaluate()?])
    }

    fn evaluate(&mut self) -> Result<ScalarValue> {
        Ok(ScalarValue::Binary((!self.0.is_empty()).then(|| self.0.to_bytes())))
    }

    fn size(&self) -> usize {
        size_of_val(self) + self.0.bits_in_table() as usize / 8
    }
}
