import * as PgliteLayer from "@svc-runtime/test-support/PgliteLayer"
import { plans } from "./planned.ts"

plans("on PGlite", PgliteLayer.layerCopied)
