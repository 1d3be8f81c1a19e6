import * as PgliteLayer from "@svc-runtime/test-support/PgliteLayer"
import { Layer } from "effect"
import * as SqlStores from "../../SqlStores.ts"
import * as ScheduleRunStoreSuite from "./ScheduleRunStoreSuite.ts"
import * as ScheduleTraceSuite from "./ScheduleTraceSuite.ts"

const stores = SqlStores.layer.pipe(Layer.provide(PgliteLayer.layer))

ScheduleRunStoreSuite.suite("on PGlite", stores)
ScheduleTraceSuite.suite("on PGlite", stores)
