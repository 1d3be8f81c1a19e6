import * as PgliteLayer from "@svc-runtime/test-support/PgliteLayer"
import * as AnnouncementSuite from "@svc-runtime/test-support/suites/AnnouncementSuite"
import { Layer } from "effect"
import * as SqlStores from "../src/SqlStores.ts"

AnnouncementSuite.suite("on PGlite", SqlStores.layer.pipe(Layer.provide(PgliteLayer.layer)))
