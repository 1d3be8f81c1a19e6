import * as PgliteLayer from "@svc-runtime/test-support/PgliteLayer"
import { Layer } from "effect"
import { damagedStates } from "./damagedStates.ts"
import { Stores } from "./Stores.ts"

damagedStates("PGlite", Stores.pipe(Layer.provideMerge(PgliteLayer.layer)))
