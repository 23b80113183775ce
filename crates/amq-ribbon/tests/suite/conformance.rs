//! The laws that every filter of the family keeps; see `amq-conformance`.

use amq_conformance::suite;
use amq_ribbon::{
    BumpedRibbonFilter, NarrowRibbonFilter, StandardRibbonFilter, WideBumpedRibbonFilter,
};

suite!(standard: StandardRibbonFilter => [build, file]);
suite!(narrow: NarrowRibbonFilter => [build, file]);
suite!(bumped: BumpedRibbonFilter => [build, file]);
suite!(wide: WideBumpedRibbonFilter => [build, file]);
