import * as PgliteLayer from "@svc/testing/PgliteLayer"
import * as UsageStoreSuite from "@svc/testing/suites/UsageStoreSuite"
import { Layer } from "effect"
import * as SqlStores from "../src/SqlStores.ts"

UsageStoreSuite.suite("on PGlite", SqlStores.layer.pipe(Layer.provide(PgliteLayer.layer)))
