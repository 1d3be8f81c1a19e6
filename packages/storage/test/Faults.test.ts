import * as PgliteLayer from "@svc/testing/PgliteLayer"
import { Layer } from "effect"
import { faulty } from "./faults.ts"
import { Stores } from "./Stores.ts"

faulty("PGlite", Stores.pipe(Layer.provide(PgliteLayer.layer)))
