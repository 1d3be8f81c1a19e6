import * as PgliteLayer from "@svc/testing/PgliteLayer"
import { suite } from "./RetentionSuite.ts"

suite("on PGlite", PgliteLayer.layer)
