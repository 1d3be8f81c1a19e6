// The stores that services of tests have: the SQL stores when `SVC_TEST_STORES` is `sql`, else those in memory.

/** Whether they are the SQL stores on an embedded database. */
// @effect-diagnostics-next-line processEnv:off because layers of this module are chosen before any effect runs
export const isSql = process.env["SVC_TEST_STORES"] === "sql"
