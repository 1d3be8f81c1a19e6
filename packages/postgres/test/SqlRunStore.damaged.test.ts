import * as PgliteLayer from "@svc-runtime/test-support/PgliteLayer"
import * as Sample from "@svc-runtime/test-support/Sample"
import { Layer } from "effect"
import { damagedRows } from "./damagedRows.ts"
import { Stores } from "./Stores.ts"

Sample.oneTestIn(2)

damagedRows("PGlite", Stores.pipe(Layer.provideMerge(PgliteLayer.layer)))
