import * as PostgresLayer from "@svc/testing/PostgresLayer"
import * as AnnouncementSuite from "@svc/testing/suites/AnnouncementSuite"
import { Layer } from "effect"
import * as SqlStores from "../src/SqlStores.ts"

AnnouncementSuite.suite("on PostgreSQL", SqlStores.layer.pipe(Layer.provide(PostgresLayer.layer)))
