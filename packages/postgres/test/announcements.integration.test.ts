import * as SqlStores from "@svc-runtime/features/SqlStores"
import * as PostgresLayer from "@svc-runtime/test-support/PostgresLayer"
import * as Sample from "@svc-runtime/test-support/Sample"
import * as AnnouncementSuite from "@svc-runtime/test-support/suites/AnnouncementSuite"
import { Layer } from "effect"

Sample.oneTestIn(6)
AnnouncementSuite.suite("on PostgreSQL", SqlStores.layer.pipe(Layer.provide(PostgresLayer.layer)))
