//! Filters in SQL: built, stored, merged, and queried. Runs its arguments instead, if there are
//! any.

use datafusion::arrow::util::pretty::print_batches;
use datafusion::error::Result;
use datafusion::prelude::SessionContext;

#[tokio::main]
async fn main() -> Result<()> {
    let mut ctx = SessionContext::new();
    amq_datafusion::register_all(&mut ctx)?;
    let given: Vec<String> = std::env::args().skip(1).collect();
    let own = [
        "CREATE TABLE orders AS SELECT value AS id, value % 30 AS day, value * 7 AS customer \
         FROM generate_series(1, 30000) AS t(value)",
        // A filter of each day's customers, as a column that can be stored.
        "CREATE TABLE days AS SELECT day, amq_agg(customer, 1000, 0.01) AS customers \
         FROM orders GROUP BY day",
        "SELECT day, amq_estimate(customers) AS keys, amq_info(customers)['fpr'] AS fpr \
         FROM days ORDER BY day LIMIT 3",
        // On which days may customer 700 have ordered?
        "SELECT day FROM days WHERE amq_contains(customers, 700)",
        // The filters of all days as one.
        "SELECT amq_estimate(amq_merge_agg(customers)) AS keys FROM days",
        // A join's filter: only rows that may have a partner go into the join.
        "SELECT count(*) FROM orders WHERE amq_contains(\
         (SELECT amq_agg(value, 100, 0.01) FROM generate_series(700, 800) AS w(value)), customer)",
    ];
    let own = own.map(String::from).to_vec();
    for sql in if given.is_empty() { own } else { given } {
        println!("> {sql}");
        print_batches(&ctx.sql(&sql).await?.collect().await?)?;
    }
    Ok(())
}
