import * as PgliteLayer from "@svc/testing/PgliteLayer"
import * as SchedulerSuite from "@svc/testing/suites/SchedulerSuite"
import { Layer } from "effect"
import * as SqlStores from "../src/SqlStores.ts"

SchedulerSuite.suite("on PGlite", SqlStores.layer.pipe(Layer.provide(PgliteLayer.layer)))
