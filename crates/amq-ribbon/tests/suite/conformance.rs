//! The laws that every filter of the family keeps; see `amq-conformance`.

use amq_conformance::suite;
use amq_ribbon::{BumpedRibbonFilter, NarrowRibbonFilter, RibbonFilter, WideBumpedRibbonFilter};

suite!(standard: RibbonFilter => [build, file]);
suite!(narrow: NarrowRibbonFilter => [build, file]);
suite!(bumped: BumpedRibbonFilter => [build, file]);
suite!(wide: WideBumpedRibbonFilter => [build, file]);
