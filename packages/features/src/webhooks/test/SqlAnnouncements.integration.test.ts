import * as SqlStores from "@svc-runtime/features/SqlStores"
import * as AnnouncementSuite from "@svc-runtime/features/webhooks/test/AnnouncementSuite"
import * as PostgresLayer from "@svc-runtime/test-support/PostgresLayer"
import { Layer } from "effect"

AnnouncementSuite.suite("on PostgreSQL", SqlStores.layer.pipe(Layer.provide(PostgresLayer.layer)))
