import * as PgliteLayer from "@svc-runtime/test-support/PgliteLayer"
import * as Tier from "@svc-runtime/test-support/Tier"
import { faulty } from "./faults.ts"

Tier.oneIn(6)

faulty("PGlite", PgliteLayer.layer)
