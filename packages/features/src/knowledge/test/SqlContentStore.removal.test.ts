import * as PgliteLayer from "@svc-runtime/test-support/PgliteLayer"
import * as Sample from "@svc-runtime/test-support/Sample"
import { suite } from "./ContentRemovalSuite.ts"

Sample.oneTestIn(4)

suite("on PGlite", PgliteLayer.layer)
