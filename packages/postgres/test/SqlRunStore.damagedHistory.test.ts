import * as PgliteLayer from "@svc-runtime/test-support/PgliteLayer"
import { Layer } from "effect"
import { damagedHistory } from "./damagedHistory.ts"
import { Stores } from "./Stores.ts"

damagedHistory("PGlite", Stores.pipe(Layer.provideMerge(PgliteLayer.layer)))
