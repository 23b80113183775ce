//! Refuses joins that would copy a filter to every row.

use crate::constant::{Trap, holds_filter, refusal};
use crate::contains;
use crate::spark::MightContain;
use datafusion_common::config::ConfigOptions;
use datafusion_common::tree_node::{TreeNode, TreeNodeRecursion};
use datafusion_common::{Column, Result};
use datafusion_expr::logical_plan::{Distinct, FetchType};
use datafusion_expr::{Expr, JoinType, LogicalPlan};
use datafusion_optimizer::AnalyzerRule;
use std::collections::{BTreeSet, HashSet};

/// Refuses `FROM probe CROSS JOIN (SELECT amq_agg(k) AS f FROM build) WHERE amq_contains(f, x)`,
/// and every other join with a single row that holds a filter, which would be copied to each row.
/// The error explains how to rewrite the query.
///
/// It also refuses a filter used across an `EXISTS` or another subquery that becomes such a join,
/// and one that a projection or a window function repeats in each row.
///
/// A column of several filters, as from `GROUP BY`, may be joined. (So may a stored table, whose
/// plan does not state that it has one row.)
///
/// [`register_all`](crate::register_all) cannot install it, since a function registry has no
/// analyzer rules. Add it by:
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
        walk(&plan, &[], shared)?;
        Ok(plan)
    }
}

/// Refuses every expression of a plan, and of its subqueries, that uses a filter copied by a join.
/// `outer` are the plans whose columns a subquery names, the innermost last.
fn walk(node: &LogicalPlan, outer: &[&LogicalPlan], shared: bool) -> Result<TreeNodeRecursion> {
    let inputs = node.inputs();
    node.apply_expressions(|expr| expr.apply(|expr| check(&inputs, outer, expr, shared)))?;
    let within = [outer, &inputs].concat();
    node.apply_subqueries(|subquery| walk(subquery, &within, shared))?;
    for (index, input) in inputs.iter().enumerate() {
        match node {
            // The right side may be LATERAL.
            LogicalPlan::Join(_) if index == 1 => walk(input, &within, shared)?,
            _ => walk(input, outer, shared)?,
        };
    }
    Ok(TreeNodeRecursion::Continue)
}

/// Refuses an expression of a node with these inputs that uses such a filter.
fn check(
    inputs: &[&LogicalPlan],
    outer: &[&LogicalPlan],
    expr: &Expr,
    shared: bool,
) -> Result<TreeNodeRecursion> {
    if let Expr::ScalarFunction(call) = expr
        && [contains::NAME, MightContain::NAME].contains(&call.func.name())
        && let Some(filter) = call.args.first()
    {
        let sources = |expr| sources(inputs, outer, expr);
        let asked = call.args.iter().flat_map(sources).map(|(plan, _)| plan);
        let one = inputs.iter().copied().chain(asked).all(one_row);
        if sources(filter)
            .into_iter()
            .any(|(plan, place)| !one && one_row(plan) || copied(plan, &BTreeSet::from([place])))
        {
            return Err(refusal(call.func.name(), Trap::Join { shared }));
        }
    }
    Ok(TreeNodeRecursion::Continue)
}

/// The columns that an expression names, each as a plan and an index into its output.
fn sources<'a>(
    inputs: &[&'a LogicalPlan],
    outer: &[&'a LogicalPlan],
    expr: &Expr,
) -> Vec<(&'a LogicalPlan, usize)> {
    let mut found = Vec::new();
    let find = |plans: &[&'a LogicalPlan], column| {
        let place =
            |&plan: &&'a LogicalPlan| Some((plan, plan.schema().maybe_index_of_column(column)?));
        plans.iter().rev().find_map(place)
    };
    let visited = expr.apply(|expr| {
        match expr {
            Expr::Column(column) => found.extend(find(inputs, column)),
            Expr::OuterReferenceColumn(_, column) => found.extend(find(outer, column)),
            _ => {}
        }
        Ok(TreeNodeRecursion::Continue)
    });
    debug_assert!(visited.is_ok(), "nothing here fails");
    found
}

/// Whether one of these columns of a node's inputs is from the single row of a join's side.
fn joined<'a>(inputs: &[&LogicalPlan], columns: impl Iterator<Item = &'a Column> + Clone) -> bool {
    let one = inputs.iter().copied().all(one_row);
    inputs.iter().any(|input| {
        let place = |column| input.schema().maybe_index_of_column(column);
        let places: BTreeSet<usize> = columns.clone().filter_map(place).collect();
        !places.is_empty() && (!one && one_row(input) || copied(input, &places))
    })
}

/// The same for columns of a plan's output, by index.
fn copied(plan: &LogicalPlan, places: &BTreeSet<usize>) -> bool {
    use LogicalPlan as P;
    let inputs = plan.inputs();
    let made_of = |exprs: &[&Expr]| {
        let columns: HashSet<&Column> = exprs.iter().flat_map(|expr| expr.column_refs()).collect();
        joined(&inputs, columns.iter().copied())
    };
    let of = |exprs| places.iter().filter_map(|&place| <[Expr]>::get(exprs, place)).collect();
    match plan {
        P::Projection(node) => {
            let exprs: Vec<&Expr> = of(&node.expr);
            made_of(&exprs) || !one_row(&node.input) && exprs.into_iter().any(holds_filter)
        }
        P::Aggregate(node) => {
            let exprs: Vec<&Expr> = of(&node.group_expr);
            made_of(&exprs)
        }
        P::Join(_) => {
            let column = |&place: &usize| Column::from(plan.schema().qualified_field(place));
            let columns: Vec<Column> = places.iter().map(column).collect();
            joined(&inputs, columns.iter())
        }
        P::Window(node) => {
            let own = node.input.schema().fields().len();
            let mut made =
                places.range(own..).filter_map(|place| node.window_expr.get(place - own));
            // The filter of all rows, repeated in each.
            !one_row(&node.input) && made.any(of_all_rows)
                || copied(&node.input, &places.range(..own).copied().collect())
        }
        P::Filter(_)
        | P::Sort(_)
        | P::Limit(_)
        | P::Repartition(_)
        | P::Distinct(Distinct::All(_))
        | P::SubqueryAlias(_)
        | P::Subquery(_)
        | P::Union(_) => inputs.into_iter().any(|input| copied(input, places)),
        _ => false,
    }
}

/// Whether a window function has one window: `OVER ()`.
fn of_all_rows(expr: &Expr) -> bool {
    match expr {
        Expr::WindowFunction(window) => window.params.partition_by.is_empty(),
        Expr::Alias(alias) => of_all_rows(&alias.expr),
        _ => false,
    }
}

/// Whether a plan certainly has at most one row. (`LogicalPlan::max_rows` multiplies, and
/// overflows.)
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
        | P::Subquery(_)
        | P::SubqueryAlias(_) => plan.inputs().into_iter().all(one_row),
        _ => false,
    }
}
