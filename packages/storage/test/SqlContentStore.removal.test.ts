import * as PgliteLayer from "@svc/testing/PgliteLayer"
import * as Sample from "@svc/testing/Sample"
import { suite } from "./ContentRemovalSuite.ts"

Sample.oneTestIn(4)

suite("on PGlite", PgliteLayer.layer)
