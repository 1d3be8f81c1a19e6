import * as PgliteLayer from "@svc-runtime/test-support/PgliteLayer"
import { Layer } from "effect"
import * as SqlStores from "../../SqlStores.ts"
import * as AnnouncementSuite from "./AnnouncementSuite.ts"

AnnouncementSuite.suite("on PGlite", SqlStores.layer.pipe(Layer.provide(PgliteLayer.layer)))
