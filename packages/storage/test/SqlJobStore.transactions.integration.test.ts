import * as PostgresLayer from "@svc/testing/PostgresLayer"
import * as JobTransactionsSuite from "./JobTransactionsSuite.ts"

JobTransactionsSuite.suite("on PostgreSQL", PostgresLayer.layer)
