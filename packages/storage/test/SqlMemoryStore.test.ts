import * as PgliteLayer from "@svc/testing/PgliteLayer"
import * as Sample from "@svc/testing/Sample"
import * as MemoryStoreSuite from "@svc/testing/suites/MemoryStoreSuite"
import { Layer } from "effect"
import * as SqlJobStore from "../src/SqlJobStore.ts"
import * as SqlMemoryStore from "../src/SqlMemoryStore.ts"
import { Stores } from "./Stores.ts"

Sample.oneTestIn(4)

MemoryStoreSuite.suite(
  "on PGlite",
  Layer.mergeAll(SqlJobStore.layer, SqlMemoryStore.layer, Stores).pipe(Layer.provide(PgliteLayer.layer))
)
