//! `amq_agg` with groups: each has a small state until it has many keys.

use crate::accumulator::not_binary;
use crate::error::execution;
use crate::keys;
use crate::params::{Params, SEED};
use crate::state::{NAME, State};
use amq::KeyHash;
use datafusion_common::Result;
use datafusion_common::arrow::array::{Array, ArrayRef, AsArray, BinaryBuilder, BooleanArray};
use datafusion_expr::{EmitTo, GroupsAccumulator};
use std::sync::Arc;

#[derive(Debug)]
pub(crate) struct Groups {
    params: Params,
    states: Vec<State>,
    hashes: Vec<KeyHash>,
    /// Heap bytes of all states, kept up to date since they are reported after every batch.
    heap: usize,
}

impl Groups {
    pub(crate) fn new(params: Params) -> Self {
        Self { params, states: Vec::new(), hashes: Vec::new(), heap: 0 }
    }

    fn change(
        &mut self,
        group: usize,
        change: impl FnOnce(&mut State, &Params) -> Result<()>,
    ) -> Result<()> {
        let state = &mut self.states[group];
        let before = state.heap();
        change(state, &self.params)?;
        self.heap = self.heap + state.heap() - before;
        Ok(())
    }

    /// A column of the bytes of these groups.
    fn emit(
        &mut self,
        groups: EmitTo,
        bytes: impl Fn(&mut State, &Params) -> Result<Vec<u8>>,
    ) -> Result<ArrayRef> {
        let mut column = BinaryBuilder::new();
        let mut total = 0;
        for mut state in groups.take_needed(&mut self.states) {
            self.heap -= state.heap();
            let bytes = bytes(&mut state, &self.params)?;
            total += bytes.len();
            if total > i32::MAX as usize {
                let text = "the filters of the groups take more than the 2 GiB of a Binary \
                            column: plan smaller filters, or aggregate fewer groups at once";
                return Err(execution(NAME, text));
            }
            column.append_value(&bytes);
        }
        Ok(Arc::new(column.finish()))
    }
}

impl GroupsAccumulator for Groups {
    fn update_batch(
        &mut self,
        values: &[ArrayRef],
        groups: &[usize],
        filter: Option<&BooleanArray>,
        total: usize,
    ) -> Result<()> {
        self.states.resize_with(total, State::default);
        let array = &values[0];
        let mut hashes = std::mem::take(&mut self.hashes);
        keys::hash(NAME, array, SEED, &mut hashes)?;
        let nulls = array.logical_nulls().filter(|nulls| nulls.null_count() > 0);
        for (row, (&hash, &group)) in hashes.iter().zip(groups).enumerate() {
            if nulls.as_ref().is_none_or(|nulls| nulls.is_valid(row))
                && passes(filter, row)
                && !self.states[group].push_in_place(&self.params, hash)
            {
                self.change(group, |state, params| state.push(params, hash))?;
            }
        }
        self.hashes = hashes;
        Ok(())
    }

    fn merge_batch(&mut self, values: &[ArrayRef], groups: &[usize], total: usize) -> Result<()> {
        self.states.resize_with(total, State::default);
        let Some(states) = values[0].as_binary_opt::<i32>() else {
            return Err(not_binary(&values[0]));
        };
        for (state, &group) in states.iter().zip(groups) {
            if let Some(theirs) = state {
                self.change(group, |state, params| state.merge(params, theirs))?;
            }
        }
        Ok(())
    }

    fn evaluate(&mut self, groups: EmitTo) -> Result<ArrayRef> {
        self.emit(groups, State::finish)
    }

    fn state(&mut self, groups: EmitTo) -> Result<Vec<ArrayRef>> {
        Ok(vec![self.emit(groups, State::encode)?])
    }

    /// One state of one hash per row: for input with a group for almost every row.
    fn convert_to_state(
        &self,
        values: &[ArrayRef],
        filter: Option<&BooleanArray>,
    ) -> Result<Vec<ArrayRef>> {
        let array = &values[0];
        let mut hashes = Vec::new();
        keys::hash(NAME, array, SEED, &mut hashes)?;
        let nulls = array.logical_nulls();
        let mut column = BinaryBuilder::new();
        for (row, &hash) in hashes.iter().enumerate() {
            if nulls.as_ref().is_none_or(|nulls| nulls.is_valid(row)) && passes(filter, row) {
                let mut state = State::default();
                state.push(&self.params, hash)?;
                column.append_value(state.encode(&self.params)?);
            } else {
                column.append_null();
            }
        }
        Ok(vec![Arc::new(column.finish())])
    }

    fn size(&self) -> usize {
        let states = self.states.capacity() * size_of::<State>();
        states + self.heap + self.hashes.capacity() * size_of::<KeyHash>()
    }
}

/// Whether `FILTER (WHERE ...)` is true, and not false or null.
fn passes(filter: Option<&BooleanArray>, row: usize) -> bool {
    filter.is_none_or(|filter| filter.is_valid(row) && filter.value(row))
}
