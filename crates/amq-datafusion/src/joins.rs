//! Joins that would copy a filter to every row, and are refused.

use crate::constant::{Trap, refusal};
use crate::contains;
use crate::spark::MightContain;
use datafusion_common::config::ConfigOptions;
use datafusion_common::tree_node::{TreeNode, TreeNodeRecursion};
use datafusion_common::{Column, Result};
use datafusion_expr::logical_plan::{Distinct, FetchType};
use datafusion_expr::{Expr, JoinType, LogicalPlan};
use datafusion_optimizer::AnalyzerRule;

/// Refuses `FROM probe CROSS JOIN (SELECT amq_agg(k) AS f FROM build) WHERE amq_contains(f, x)`,
/// and every other join of rows with the one row that has their filter: the filter would be copied
/// to each of them. The error says how to write it.
///
/// A column of several filters, as of `GROUP BY`, is joined as ever. (So is a stored table, of
/// which a plan does not say that it has one row.)
///
/// [`register_all`](crate::register_all) cannot install it, since rules are no part of a function
/// registry. It is one more line:
///
/// ```
/// use amq_datafusion::{FilterJoins, register_all};
/// use datafusion::prelude::SessionContext;
/// use std::sync::Arc;
///
/// # fn main() -> datafusion::error::Result<()> {
/// let mut ctx = SessionContext::new();
/// register_all(&mut ctx)?;
/// ctx.add_analyzer_rule(Arc::new(FilterJoins));
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct FilterJoins;

impl AnalyzerRule for FilterJoins {
    fn name(&self) -> &str {
        "amq_filter_joins"
    }

    fn analyze(&self, plan: LogicalPlan, config: &ConfigOptions) -> Result<LogicalPlan> {
        let shared = config.optimizer.enable_physical_uncorrelated_scalar_subquery;
        plan.apply_with_subqueries(|node| {
            node.apply_expressions(|expr| expr.apply(|expr| check(node, expr, shared)))
        })?;
        Ok(plan)
    }
}

/// Refuses an expression of `node` that asks a filter which a join has copied.
fn check(node: &LogicalPlan, expr: &Expr, shared: bool) -> Result<TreeNodeRecursion> {
    if let Expr::ScalarFunction(call) = expr
        && [contains::NAME, MightContain::NAME].contains(&call.func.name())
        && let Some(filter) = call.args.first()
        && filter.column_refs().into_iter().any(|column| copied_to(node, column))
    {
        return Err(refusal(call.func.name(), Trap::Join { shared }));
    }
    Ok(TreeNodeRecursion::Continue)
}

/// Whether a column that an expression of `node` names is the one row of a join's side.
fn copied_to(node: &LogicalPlan, column: &Column) -> bool {
    let place = |input: &LogicalPlan| input.schema().maybe_index_of_column(column);
    if let LogicalPlan::Join(join) = node {
        return [(&join.left, &join.right), (&join.right, &join.left)].into_iter().any(
            |(side, other)| {
                let copied = |place| one_row(side) && !one_row(other) || copied(side, place);
                place(side).is_some_and(copied)
            },
        );
    }
    let inputs = node.inputs();
    inputs.into_iter().any(|input| place(input).is_some_and(|place| copied(input, place)))
}

/// The same of a column of a plan's output, by its place.
fn copied(plan: &LogicalPlan, place: usize) -> bool {
    use LogicalPlan as P;
    let made_of = |expr: Option<&Expr>| {
        let columns = expr.map(Expr::column_refs).unwrap_or_default();
        columns.into_iter().any(|column| copied_to(plan, column))
    };
    match plan {
        P::Projection(node) => made_of(node.expr.get(place)),
        P::Aggregate(node) => made_of(node.group_expr.get(place)),
        P::Join(_) => {
            let (qualifier, field) = plan.schema().qualified_field(place);
            copied_to(plan, &Column::from((qualifier, field)))
        }
        P::Window(node) => place < node.input.schema().fields().len() && copied(&node.input, place),
        P::Filter(_)
        | P::Sort(_)
        | P::Limit(_)
        | P::Repartition(_)
        | P::Distinct(Distinct::All(_))
        | P::SubqueryAlias(_)
        | P::Subquery(_)
        | P::Union(_) => plan.inputs().into_iter().any(|input| copied(input, place)),
        _ => false,
    }
}

/// Whether a plan surely has at most one row. (`LogicalPlan::max_rows` multiplies, and overflows.)
fn one_row(plan: &LogicalPlan) -> bool {
    use LogicalPlan as P;
    match plan {
        P::Aggregate(node) if node.group_expr.is_empty() => true,
        P::EmptyRelation(_) => true,
        P::Values(node) => node.values.len() <= 1,
        P::TableScan(node) => node.fetch.is_some_and(|rows| rows <= 1),
        P::Limit(node) => {
            matches!(node.get_fetch_type(), Ok(FetchType::Literal(Some(0 | 1))))
                || one_row(&node.input)
        }
        P::Sort(node) => node.fetch.is_some_and(|rows| rows <= 1) || one_row(&node.input),
        P::Join(join) => match join.join_type {
            JoinType::LeftSemi | JoinType::LeftAnti | JoinType::LeftMark => one_row(&join.left),
            JoinType::RightSemi | JoinType::RightAnti | JoinType::RightMark => one_row(&join.right),
            JoinType::Full => false,
            _ => one_row(&join.left) && one_row(&join.right),
        },
        P::Projection(_)
        | P::Aggregate(_)
        | P::Filter(_)
        | P::Window(_)
        | P::Repartition(_)
        | P::Distinct(_)
        | P::SubqueryAlias(_) => plan.inputs().into_iter().all(one_row),
        _ => false,
    }
}
