import * as PgliteLayer from "@svc/testing/PgliteLayer"
import * as Sample from "@svc/testing/Sample"
import { suite } from "./RetentionSuite.ts"

Sample.oneTestIn(4)

suite("on PGlite", PgliteLayer.layer)
