import * as PgliteLayer from "@svc-runtime/test-support/PgliteLayer"
import * as Tier from "@svc-runtime/test-support/Tier"
import { suite } from "./RetentionSuite.ts"

Tier.oneIn(10)

suite("on PGlite", PgliteLayer.layer)
