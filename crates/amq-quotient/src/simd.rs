//! The operations with `pdep`, `tzcnt`, `popcnt` and `lzcnt`, and the choice between them and the portable ones.
//!
//! This is the only module of the crate with `unsafe` in it. Every operation is written once, generic over how select is computed, and
//! compiled twice: here for processors with BMI2, where select is two instructions, and for all others with
//! [`Broadword`]. The tests compare the two.
#![allow(unsafe_code)]

use crate::bits::Broadword;
use crate::edit::{Put, Taken};
use crate::table::{Run, Table};
use amq_core::KeyHash;

/// What the processor can do. Found out when a filter is made, so that no operation asks again.
#[derive(Clone, Copy)]
pub(crate) struct Processor {
    /// BMI1, BMI2, POPCNT and LZCNT are there. Only [`Processor::detect`] says so.
    bmi2: bool,
}

/// It is no part of what a filter is.
impl PartialEq for Processor {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Eq for Processor {}

/// The operations on a table: one function that dispatches for each.
macro_rules! operations {
    ($($(#[$doc:meta])* fn $name:ident($table:ty $(, $argument:ident: $type:ty)*) $(-> $answer:ty)?;)*) => {
        impl Processor {$(
            $(#[$doc])*
            #[inline]
            pub(crate) fn $name(self, table: $table $(, $argument: $type)*) $(-> $answer)? {
                // Where BMI2 is certain at compile time this is no question, and the operation is inlined.
                #[cfg(target_arch = "x86_64")]
                if self.bmi2 {
                    // SAFETY: `detect` found BMI1, BMI2, POPCNT and LZCNT, all that these functions need.
                    return unsafe { bmi2::$name(table $(, $argument)*) };
                }
                portable::$name(table $(, $argument)*)
            }
        )*}

        /// Without any instruction that is not everywhere.
        mod portable {
            use super::*;
            $(
                #[inline(never)]
                pub(super) fn $name(table: $table $(, $argument: $type)*) $(-> $answer)? {
                    table.$name::<Broadword>($($argument),*)
                }
            )*
        }

        #[cfg(target_arch = "x86_64")]
        mod bmi2 {
            use super::*;

            #[derive(Clone, Copy)]
            pub(super) struct Pdep;

            impl crate::bits::Select for Pdep {
                #[inline(always)]
                fn select(word: u64, rank: u32) -> u32 {
                    Self::nth_one(word, rank).trailing_zeros()
                }

                #[inline(always)]
                fn nth_one(word: u64, rank: u32) -> u64 {
                    // SAFETY: this type is used in the functions below only, which have BMI2.
                    unsafe { core::arch::x86_64::_pdep_u64(1 << rank, word) }
                }
            }

            $(
                /// # Safety
                /// The processor must have BMI1, BMI2, POPCNT and LZCNT.
                #[target_feature(enable = "bmi1,bmi2,popcnt,lzcnt")]
                pub(super) unsafe fn $name(table: $table $(, $argument: $type)*) $(-> $answer)? {
                    table.$name::<Pdep>($($argument),*)
                }
            )*
        }
    };
}

operations! {
    /// Whether a fingerprint is there.
    fn contains(&Table, fingerprint: u64) -> bool;
    /// Answers for many hashes; the slices are equally long.
    fn contains_each(&Table, hashes: &[KeyHash], answers: &mut [bool]);
    /// The run of a quotient.
    fn run(&Table, quotient: u64) -> Run;
    /// Puts a fingerprint in. There must be an empty slot.
    fn insert(&mut Table, fingerprint: u64) -> Put;
    /// Inserts each hash; how many were new. There must be as many empty slots.
    fn insert_each(&mut Table, hashes: &[KeyHash]) -> u64;
    /// Takes one copy of a fingerprint out.
    fn remove(&mut Table, fingerprint: u64) -> Taken;
}

impl Processor {
    /// What this one can do.
    pub(crate) fn detect() -> Self {
        Self {
            bmi2: amq_core::cpu::has_bmi2(),
        }
    }

    /// As if it could do nothing special.
    #[cfg(test)]
    pub(crate) const fn plain() -> Self {
        Self { bmi2: false }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::QuotientParams;
    use amq_core::index::remix;

    #[test]
    #[cfg(target_arch = "x86_64")]
    fn select_by_pdep_agrees_with_broadword() {
        use crate::bits::Select;
        if !amq_core::cpu::has_bmi2() {
            return;
        }
        for word in crate::bits::tests::words() {
            for rank in 0..64 {
                assert_eq!(
                    bmi2::Pdep::select(word, rank),
                    Broadword::select(word, rank)
                );
            }
        }
    }

    #[test]
    fn operations_with_and_without_bmi2_agree() {
        // On a processor without BMI2 this compares the portable code with itself.
        for (slots, remainder_bits) in [
            (1u64, 3u32),
            (64, 0),
            (100, 7),
            (640, 8),
            (640, 20),
            (2000, 2),
        ] {
            let params = QuotientParams {
                slots,
                remainder_bits,
            };
            let mut one = Table::new(params).unwrap();
            let mut two = one.clone();
            let (fast, plain) = (Processor::detect(), Processor::plain());
            let mut held = 0;
            for step in 0..30_000u64 {
                let key = remix(step / 3 * 3 % (2 * slots + 7), 1) % params.fingerprints();
                if remix(step, 2) % 3 > 0 {
                    if held < params.max_items() {
                        assert_eq!(fast.insert(&mut one, key), plain.insert(&mut two, key));
                        held += 1;
                    }
                } else {
                    let taken = fast.remove(&mut one, key);
                    assert_eq!(taken, plain.remove(&mut two, key));
                    held -= u64::from(taken != Taken::Nothing);
                }
                assert!(one == two);
                let other = remix(step, 3) % params.fingerprints();
                assert_eq!(fast.contains(&one, other), plain.contains(&two, other));
            }
        }
    }
}
