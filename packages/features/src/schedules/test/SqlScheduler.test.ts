import * as PgliteLayer from "@svc-runtime/test-support/PgliteLayer"
import { Layer } from "effect"
import * as SqlStores from "../../SqlStores.ts"
import * as SchedulerSuite from "./SchedulerSuite.ts"

SchedulerSuite.suite("on PGlite", SqlStores.layer.pipe(Layer.provide(PgliteLayer.layer)))
