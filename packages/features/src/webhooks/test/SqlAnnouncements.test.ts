import * as SqlStores from "@svc-runtime/features/SqlStores"
import * as AnnouncementSuite from "@svc-runtime/features/webhooks/test/AnnouncementSuite"
import * as PgliteLayer from "@svc-runtime/test-support/PgliteLayer"
import { Layer } from "effect"

AnnouncementSuite.suite("on PGlite", SqlStores.layer.pipe(Layer.provide(PgliteLayer.layer)))
