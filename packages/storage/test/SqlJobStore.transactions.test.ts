import * as PgliteLayer from "@svc/testing/PgliteLayer"
import * as JobTransactionsSuite from "./JobTransactionsSuite.ts"

JobTransactionsSuite.suite("on PGlite", PgliteLayer.layer)
