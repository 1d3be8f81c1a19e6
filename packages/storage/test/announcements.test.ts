import * as PgliteLayer from "@svc/testing/PgliteLayer"
import * as AnnouncementSuite from "@svc/testing/suites/AnnouncementSuite"
import { Layer } from "effect"
import * as SqlStores from "../src/SqlStores.ts"

AnnouncementSuite.suite("on PGlite", SqlStores.layer.pipe(Layer.provide(PgliteLayer.layer)))
