import * as SqlStores from "@svc-runtime/features/SqlStores"
import * as PgliteLayer from "@svc-runtime/test-support/PgliteLayer"
import * as JobWorkerSuite from "@svc-runtime/test-support/suites/JobWorkerSuite"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Layer } from "effect"

Tier.oneIn(10)

JobWorkerSuite.suite("on PGlite", SqlStores.layer.pipe(Layer.provide(PgliteLayer.layer)))
