import * as PgliteLayer from "@svc/testing/PgliteLayer"
import { faulty } from "./faults.ts"

faulty("PGlite", PgliteLayer.layer)
