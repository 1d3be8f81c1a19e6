import * as PgliteLayer from "@svc/testing/PgliteLayer"
import * as ScheduleRunStoreSuite from "@svc/testing/suites/ScheduleRunStoreSuite"
import { Layer } from "effect"
import * as SqlStores from "../src/SqlStores.ts"

ScheduleRunStoreSuite.suite("on PGlite", SqlStores.layer.pipe(Layer.provide(PgliteLayer.layer)))
