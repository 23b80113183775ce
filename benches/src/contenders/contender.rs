//! A contender: its facts, how to build its filter, and its theory.

use super::built::{Built, of_type};
use super::info::{entry, twin};
use super::order::{Order, Planned};
use super::probe::Probe;
use crate::record::{Ability, Info, Point};
use crate::scenarios::keys::Keys;
use std::error::Error;
use std::fmt;
use std::sync::Arc;

pub(super) type Made<F> = Result<F, Box<dyn Error>>;

type Build = dyn Fn(Keys<'_>, &Order) -> Made<Box<dyn Built>> + Send + Sync;

/// An entry of the registry. Its facts are in `contenders.toml`.
#[derive(Clone)]
pub struct Contender {
    pub info: &'static Info,
    build: Arc<Build>,
    theory: Arc<dyn Fn(u64) -> Vec<Point> + Send + Sync>,
}

impl fmt::Debug for Contender {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.info.name)
    }
}

impl Contender {
    pub(crate) fn new(
        name: &'static str,
        build: impl Fn(Keys<'_>, &Order) -> Made<Box<dyn Built>> + Send + Sync + 'static,
    ) -> Self {
        Self { info: entry(name), build: Arc::new(build), theory: Arc::new(|_| Vec::new()) }
    }

    /// A contender whose filter has a type, or a constructor, for each type of key.
    pub(super) fn of<A: Probe<u64> + 'static, B: Probe<[u8]> + 'static>(
        name: &'static str,
        numbers: impl Fn(&[u64], &Order) -> Made<A> + Send + Sync + 'static,
        strings: impl Fn(&[&[u8]], &Order) -> Made<B> + Send + Sync + 'static,
    ) -> Self {
        Self::new(name, move |keys, order| {
            Ok(match keys {
                Keys::U64(keys) => of_type::<u64, A>(numbers(keys, order)?, keys.len()),
                Keys::Bytes(keys) => of_type::<[u8], B>(strings(keys, order)?, keys.len()),
            })
        })
    }

    /// A contender whose filter is made empty, for an order and a number of keys, and then filled.
    pub(super) fn filled<A: Probe<u64> + 'static, B: Probe<[u8]> + 'static>(
        name: &'static str,
        numbers: impl Fn(&Order, usize) -> Made<A> + Send + Sync + 'static,
        strings: impl Fn(&Order, usize) -> Made<B> + Send + Sync + 'static,
    ) -> Self {
        Self::new(name, move |keys, order| {
            let mut filter = match keys {
                Keys::U64(_) => of_type::<u64, A>(numbers(order, keys.len())?, 0),
                Keys::Bytes(_) => of_type::<[u8], B>(strings(order, keys.len())?, 0),
            };
            let (taken, all) = (filter.insert_more(keys).unwrap_or(0), keys.len() as u64);
            if taken < all {
                return Err(format!("it took {taken} of {all} keys and refused the next").into());
            }
            Ok(filter)
        })
    }

    pub(super) fn theory(self, theory: impl Fn(u64) -> Vec<Point> + Send + Sync + 'static) -> Self {
        Self { theory: Arc::new(theory), ..self }
    }

    pub(super) fn twin(&self) -> Self {
        Self { info: twin(self.info), ..self.clone() }
    }

    /// Builds a filter of these keys, which are distinct, by the fastest way its API offers.
    pub fn build(&self, keys: Keys<'_>, order: &Order) -> Result<Box<dyn Built>, String> {
        if self.info.can(Ability::Static) && matches!(order.planned, Planned::Room(_)) {
            return Err("is static: it is made of its keys and takes no others".to_owned());
        }
        (self.build)(keys, order).map_err(|error| error.to_string())
    }

    /// Its theory at this many keys, from few bits to many.
    pub fn theory_points(&self, keys: u64) -> Vec<Point> {
        let of = |point| Point { contender: self.info.name.clone(), keys, ..point };
        (self.theory)(keys).into_iter().map(of).collect()
    }
}
