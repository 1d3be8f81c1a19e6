import * as PostgresLayer from "@svc/testing/PostgresLayer"
import * as Sample from "@svc/testing/Sample"
import * as JobTransactionsSuite from "./JobTransactionsSuite.ts"

Sample.oneTestIn(6)
JobTransactionsSuite.suite("on PostgreSQL", PostgresLayer.layer)
