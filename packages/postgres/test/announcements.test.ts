import * as SqlStores from "@svc-runtime/features/SqlStores"
import * as PgliteLayer from "@svc-runtime/test-support/PgliteLayer"
import * as AnnouncementSuite from "@svc-runtime/test-support/suites/AnnouncementSuite"
import { Layer } from "effect"

AnnouncementSuite.suite("on PGlite", SqlStores.layer.pipe(Layer.provide(PgliteLayer.layer)))
