//! The laws that every filter of the family keeps; see `amq-conformance`.

use amq_conformance::suite;
use amq_ribbon::{BumpedRibbonFilter, NarrowRibbonFilter, RibbonFilter, WideBumpedRibbonFilter};

suite!(standard: RibbonFilter => [build]);
suite!(narrow: NarrowRibbonFilter => [build]);
suite!(bumped: BumpedRibbonFilter => [build]);
suite!(wide: WideBumpedRibbonFilter => [build]);
