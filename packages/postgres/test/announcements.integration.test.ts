import * as PostgresLayer from "@svc-runtime/test-support/PostgresLayer"
import * as AnnouncementSuite from "@svc-runtime/test-support/suites/AnnouncementSuite"
import { Layer } from "effect"
import * as SqlStores from "../src/SqlStores.ts"

AnnouncementSuite.suite("on PostgreSQL", SqlStores.layer.pipe(Layer.provide(PostgresLayer.layer)))
