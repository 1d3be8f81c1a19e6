import * as PgliteLayer from "@svc/testing/PgliteLayer"
import { suite } from "./ContentRemovalSuite.ts"

suite("on PGlite", PgliteLayer.layer)
