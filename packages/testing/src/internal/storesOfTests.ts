// The stores that services of tests have: those in memory when `SVC_TEST_STORES` is `memory`, else the SQL stores.

/** Whether they are the SQL stores on an embedded database. */
// @effect-diagnostics-next-line processEnv:off because layers of this module are chosen before any effect runs
export const isSql = process.env["SVC_TEST_STORES"] !== "memory"
