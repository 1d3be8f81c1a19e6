import * as PgliteLayer from "@svc/testing/PgliteLayer"
import { plans } from "./planned.ts"

plans("on PGlite", PgliteLayer.layer)
