import * as PgliteLayer from "@svc/testing/PgliteLayer"
import * as JobStoreSuite from "@svc/testing/suites/JobStoreSuite"
import { Layer } from "effect"
import * as SqlJobStore from "../src/SqlJobStore.ts"
import { Stores } from "./Stores.ts"

JobStoreSuite.suite("on PGlite", Layer.mergeAll(SqlJobStore.layer, Stores).pipe(Layer.provide(PgliteLayer.layer)))
