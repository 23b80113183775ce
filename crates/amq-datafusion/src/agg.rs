//! `amq_agg(x, expected, fpr [, kind])`.

use crate::accumulator::Single;
use crate::error::plan;
use crate::groups::Groups;
use crate::params::Params;
use crate::state::NAME;
use crate::{keys, literal};
use datafusion_common::arrow::datatypes::{DataType, Field, FieldRef};
use datafusion_common::{Result, ScalarValue};
use datafusion_expr::function::{
    AccumulatorArgs, AggregateFunctionSimplification, StateFieldsArgs,
};
use datafusion_expr::utils::{AggregateOrderSensitivity, format_state_name};
use datafusion_expr::{
    Accumulator, AggregateUDFImpl, Expr, GroupsAccumulator, Signature, Volatility,
};
use std::sync::{Arc, LazyLock};

static SIGNATURE: LazyLock<Signature> =
    LazyLock::new(|| Signature::user_defined(Volatility::Immutable));

/// The aggregate `amq_agg(x, expected, fpr [, kind])`: a filter of the values of `x`, as the bytes
/// of a filter's file.
///
/// `expected` is the number of distinct keys to plan for, `fpr` the false-positive rate, above 0
/// and below 1, `kind` the id of a [`FilterKind`](amq::FilterKind) that merges or is built from all
/// keys at once; a split-block Bloom filter by default. All three are literals. Nulls are ignored;
/// without rows the value is an empty filter, which denies every key.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct AmqAgg;

impl AggregateUDFImpl for AmqAgg {
    fn name(&self) -> &str {
        NAME
    }

    fn signature(&self) -> &Signature {
        &SIGNATURE
    }

    fn coerce_types(&self, types: &[DataType]) -> Result<Vec<DataType>> {
        if !matches!(types.len(), 3 | 4) {
            let text =
                format_args!("wants (x, expected, fpr [, kind]), not {} arguments", types.len());
            return Err(plan(NAME, text));
        }
        keys::check(NAME, &types[0])?;
        Ok(types.to_vec())
    }

    fn return_type(&self, _: &[DataType]) -> Result<DataType> {
        Ok(DataType::Binary)
    }

    fn default_value(&self, _: &DataType) -> Result<ScalarValue> {
        Ok(ScalarValue::Binary(None))
    }

    fn state_fields(&self, args: StateFieldsArgs) -> Result<Vec<FieldRef>> {
        let name = format_state_name(args.name, "filter");
        Ok(vec![Arc::new(Field::new(name, DataType::Binary, true))])
    }

    fn accumulator(&self, args: AccumulatorArgs) -> Result<Box<dyn Accumulator>> {
        Ok(Box::new(Single::new(params(&args)?)))
    }

    fn groups_accumulator_supported(&self, _: AccumulatorArgs) -> bool {
        true
    }

    fn create_groups_accumulator(
        &self,
        args: AccumulatorArgs,
    ) -> Result<Box<dyn GroupsAccumulator>> {
        Ok(Box::new(Groups::new(params(&args)?)))
    }

    fn order_sensitivity(&self) -> AggregateOrderSensitivity {
        AggregateOrderSensitivity::Insensitive
    }

    /// Checks the parameters at planning time; does not change the call.
    fn simplify(&self) -> Option<AggregateFunctionSimplification> {
        Some(Box::new(|call, _| {
            if let Some(values) = literal::planned_parameters(NAME, &call)? {
                Params::new(NAME, &values)?;
            }
            Ok(Expr::AggregateFunction(call))
        }))
    }
}

fn params(args: &AccumulatorArgs) -> Result<Params> {
    let mut params = Params::new(NAME, &literal::parameters(NAME, args)?)?;
    if let Some(of) = args.expr_fields.first() {
        params.encoding = keys::Class::of(of.data_type()).encoding();
    }
    if args.is_distinct && params.copies {
        let text = format_args!(
            "DISTINCT is not kept by a {} filter, which holds every copy: \
             aggregate over (SELECT DISTINCT x FROM ...)",
            params.kind
        );
        return Err(plan(NAME, text));
    }
    Ok(params)
}
