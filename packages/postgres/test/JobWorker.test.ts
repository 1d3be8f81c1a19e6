import * as SqlStores from "@svc-runtime/features/SqlStores"
import * as PgliteLayer from "@svc-runtime/test-support/PgliteLayer"
import * as Sample from "@svc-runtime/test-support/Sample"
import * as JobWorkerSuite from "@svc-runtime/test-support/suites/JobWorkerSuite"
import { Layer } from "effect"

Sample.oneTestIn(4)

JobWorkerSuite.suite("on PGlite", SqlStores.layer.pipe(Layer.provide(PgliteLayer.layer)))
