import * as PgliteLayer from "@svc-runtime/test-support/PgliteLayer"
import * as JobStoreSuite from "@svc-runtime/test-support/suites/JobStoreSuite"
import { Layer } from "effect"
import * as SqlJobStore from "../src/SqlJobStore.ts"
import { Stores } from "./Stores.ts"

JobStoreSuite.suite("on PGlite", Layer.mergeAll(SqlJobStore.layer, Stores).pipe(Layer.provide(PgliteLayer.layer)))
