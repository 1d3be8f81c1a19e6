import * as SqlStores from "@svc-runtime/features/SqlStores"
import * as PostgresLayer from "@svc-runtime/test-support/PostgresLayer"
import * as AnnouncementSuite from "@svc-runtime/test-support/suites/AnnouncementSuite"
import { Layer } from "effect"

AnnouncementSuite.suite("on PostgreSQL", SqlStores.layer.pipe(Layer.provide(PostgresLayer.layer)))
