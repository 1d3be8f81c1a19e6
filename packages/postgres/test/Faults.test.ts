import * as PgliteLayer from "@svc-runtime/test-support/PgliteLayer"
import { faulty } from "./faults.ts"

faulty("PGlite", PgliteLayer.layer)
