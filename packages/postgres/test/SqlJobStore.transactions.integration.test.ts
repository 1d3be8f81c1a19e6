import * as PostgresLayer from "@svc-runtime/test-support/PostgresLayer"
import * as JobTransactionsSuite from "./JobTransactionsSuite.ts"

JobTransactionsSuite.suite("on PostgreSQL", PostgresLayer.layer)
