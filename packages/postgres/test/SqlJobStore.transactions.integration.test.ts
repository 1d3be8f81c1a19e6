import * as PostgresLayer from "@svc-runtime/test-support/PostgresLayer"
import * as Sample from "@svc-runtime/test-support/Sample"
import * as JobTransactionsSuite from "./JobTransactionsSuite.ts"

Sample.oneTestIn(6)
JobTransactionsSuite.suite("on PostgreSQL", PostgresLayer.layer)
