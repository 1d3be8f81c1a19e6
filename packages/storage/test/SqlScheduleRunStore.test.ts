import * as PgliteLayer from "@svc/testing/PgliteLayer"
import * as ScheduleRunStoreSuite from "@svc/testing/suites/ScheduleRunStoreSuite"
import * as ScheduleTraceSuite from "@svc/testing/suites/ScheduleTraceSuite"
import { Layer } from "effect"
import * as SqlStores from "../src/SqlStores.ts"

const stores = SqlStores.layer.pipe(Layer.provide(PgliteLayer.layer))

ScheduleRunStoreSuite.suite("on PGlite", stores)
ScheduleTraceSuite.suite("on PGlite", stores)
