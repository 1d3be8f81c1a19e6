import * as PgliteLayer from "@svc/testing/PgliteLayer"
import { Layer } from "effect"
import { damagedRows } from "./damagedRows.ts"
import { Stores } from "./Stores.ts"

damagedRows("PGlite", Stores.pipe(Layer.provideMerge(PgliteLayer.layer)))
