import * as PgliteLayer from "@svc-runtime/test-support/PgliteLayer"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Layer } from "effect"
import { damagedRows } from "./damagedRows.ts"
import { Stores } from "./Stores.ts"

Tier.oneIn(3)

damagedRows("PGlite", Stores.pipe(Layer.provideMerge(PgliteLayer.layer)))
