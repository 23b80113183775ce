//! `amq_merge_agg(f)`.

use crate::error::{execution, plan, unmerged, unread};
use crate::filters;
use amq::{Abilities, AnyFile, Filter, FilterFile};
use datafusion_common::arrow::array::{Array, ArrayRef};
use datafusion_common::arrow::datatypes::{DataType, Field, FieldRef};
use datafusion_common::{Result, ScalarValue};
use datafusion_expr::function::{AccumulatorArgs, StateFieldsArgs};
use datafusion_expr::utils::{AggregateOrderSensitivity, format_state_name};
use datafusion_expr::{Accumulator, AggregateUDFImpl, Signature, Volatility};
use std::sync::{Arc, LazyLock};

const NAME: &str = "amq_merge_agg";

static SIGNATURE: LazyLock<Signature> =
    LazyLock::new(|| Signature::user_defined(Volatility::Immutable));

/// The aggregate `amq_merge_agg(f)`: the union of all filters in the column `f`. They must have
/// equal parameters, or be Bloom filters whose sizes differ by a whole factor. Nulls are ignored;
/// without filters the value is null.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct AmqMergeAgg;

impl AggregateUDFImpl for AmqMergeAgg {
    fn name(&self) -> &str {
        NAME
    }

    fn signature(&self) -> &Signature {
        &SIGNATURE
    }

    fn coerce_types(&self, types: &[DataType]) -> Result<Vec<DataType>> {
        let [of] = types else {
            return Err(plan(NAME, format_args!("wants (f), not {} arguments", types.len())));
        };
        filters::check(NAME, of)?;
        Ok(types.to_vec())
    }

    fn return_type(&self, _: &[DataType]) -> Result<DataType> {
        Ok(DataType::Binary)
    }

    fn state_fields(&self, args: StateFieldsArgs) -> Result<Vec<FieldRef>> {
        let name = format_state_name(args.name, "filter");
        Ok(vec![Arc::new(Field::new(name, DataType::Binary, true))])
    }

    fn accumulator(&self, _: AccumulatorArgs) -> Result<Box<dyn Accumulator>> {
        Ok(Box::new(Merged(None)))
    }

    fn order_sensitivity(&self) -> AggregateOrderSensitivity {
        AggregateOrderSensitivity::Insensitive
    }
}

#[derive(Debug)]
struct Merged(Option<Box<AnyFile>>);

impl Merged {
    fn bytes(&self) -> Result<ScalarValue> {
        let bytes = self.0.as_ref().map(|file| file.to_bytes()).transpose();
        Ok(ScalarValue::Binary(bytes.map_err(|error| execution(NAME, error))?))
    }
}

impl Accumulator for Merged {
    fn update_batch(&mut self, values: &[ArrayRef]) -> Result<()> {
        let filters = filters::Column::new(NAME, &values[0])?;
        for row in 0..values[0].len() {
            let Some(bytes) = filters.value(row) else { continue };
            let theirs = filters::of_keys(bytes);
            let theirs = theirs.map_err(|error| unread(NAME, None, error))?;
            match &mut self.0 {
                Some(ours) => ours.merge(&theirs).map_err(|error| unmerged(NAME, &error))?,
                // A kind that cannot merge is refused even if there is only one filter.
                None => {
                    let filter = theirs.filter().into_inner();
                    if !Abilities::of(filter.kind()).merge {
                        filter.can_merge(filter).map_err(|error| execution(NAME, error))?;
                    }
                    self.0 = Some(Box::new(theirs));
                }
            }
        }
        Ok(())
    }

    fn merge_batch(&mut self, states: &[ArrayRef]) -> Result<()> {
        self.update_batch(states)
    }

    fn state(&mut self) -> Result<Vec<ScalarValue>> {
        Ok(vec![self.bytes()?])
    }

    fn evaluate(&mut self) -> Result<ScalarValue> {
        self.bytes()
    }

    fn size(&self) -> usize {
        let table = |file: &AnyFile| file.filter().into_inner().size_in_bytes() as usize;
        let held = |file: &AnyFile| table(file) + size_of::<AnyFile>();
        size_of_val(self) + self.0.as_deref().map_or(0, held)
    }
}
