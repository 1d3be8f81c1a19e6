import * as SqlStores from "@svc-runtime/features/SqlStores"
import * as PgliteLayer from "@svc-runtime/test-support/PgliteLayer"
import * as UsageStoreSuite from "@svc-runtime/test-support/suites/UsageStoreSuite"
import { Layer } from "effect"

UsageStoreSuite.suite("on PGlite", SqlStores.layer.pipe(Layer.provide(PgliteLayer.layer)))
