import * as PgliteLayer from "@svc-runtime/test-support/PgliteLayer"
import * as JobTransactionsSuite from "./JobTransactionsSuite.ts"

JobTransactionsSuite.suite("on PGlite", PgliteLayer.layer)
