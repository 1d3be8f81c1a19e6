import * as PgliteLayer from "@svc-runtime/test-support/PgliteLayer"
import { Layer } from "effect"
import * as SqlStores from "@svc-runtime/features/SqlStores"
import * as UsageStoreSuite from "@svc-runtime/test-support/suites/UsageStoreSuite"

UsageStoreSuite.suite("on PGlite", SqlStores.layer.pipe(Layer.provide(PgliteLayer.layer)))
