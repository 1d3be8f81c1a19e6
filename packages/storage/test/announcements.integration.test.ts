import * as PostgresLayer from "@svc/testing/PostgresLayer"
import * as Sample from "@svc/testing/Sample"
import * as AnnouncementSuite from "@svc/testing/suites/AnnouncementSuite"
import { Layer } from "effect"
import * as SqlStores from "../src/SqlStores.ts"

Sample.oneTestIn(6)
AnnouncementSuite.suite("on PostgreSQL", SqlStores.layer.pipe(Layer.provide(PostgresLayer.layer)))
