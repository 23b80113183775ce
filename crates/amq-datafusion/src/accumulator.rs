//! `amq_agg` without groups.

use crate::error::execution;
use crate::keys;
use crate::params::{Params, SEED};
use crate::state::{NAME, State};
use amq::KeyHash;
use datafusion_common::arrow::array::{Array, ArrayRef, AsArray};
use datafusion_common::{Result, ScalarValue};
use datafusion_expr::Accumulator;

/// Rows hashed at once: their hashes stay in the first-level cache.
const BLOCK: usize = 1024;

#[derive(Debug)]
pub(crate) struct Single {
    params: Params,
    state: State,
    hashes: Vec<KeyHash>,
}

impl Single {
    pub(crate) fn new(params: Params) -> Self {
        Self { params, state: State::default(), hashes: Vec::new() }
    }
}

impl Accumulator for Single {
    fn update_batch(&mut self, values: &[ArrayRef]) -> Result<()> {
        let array = &values[0];
        for start in (0..array.len()).step_by(BLOCK) {
            let block = array.slice(start, BLOCK.min(array.len() - start));
            keys::hash_valid(NAME, &block, SEED, &mut self.hashes)?;
            self.state.extend(&self.params, &self.hashes)?;
        }
        Ok(())
    }

    fn merge_batch(&mut self, states: &[ArrayRef]) -> Result<()> {
        let Some(states) = states[0].as_binary_opt::<i32>() else {
            return Err(not_binary(&states[0]));
        };
        for state in states.iter().flatten() {
            self.state.merge(&self.params, state)?;
        }
        Ok(())
    }

    fn state(&mut self) -> Result<Vec<ScalarValue>> {
        Ok(vec![ScalarValue::Binary(Some(self.state.encode(&self.params)?))])
    }

    fn evaluate(&mut self) -> Result<ScalarValue> {
        Ok(ScalarValue::Binary(Some(self.state.finish(&self.params)?)))
    }

    fn size(&self) -> usize {
        size_of_val(self) + self.state.heap() + self.hashes.capacity() * size_of::<KeyHash>()
    }
}

/// The error for a column that is not a state.
pub(crate) fn not_binary(array: &dyn Array) -> datafusion_common::DataFusionError {
    execution(NAME, format_args!("a state is a Binary column, not {}", array.data_type()))
}
