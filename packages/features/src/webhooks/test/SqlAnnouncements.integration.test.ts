import * as PostgresLayer from "@svc-runtime/test-support/PostgresLayer"
import { Layer } from "effect"
import * as SqlStores from "../../SqlStores.ts"
import * as AnnouncementSuite from "./AnnouncementSuite.ts"

AnnouncementSuite.suite("on PostgreSQL", SqlStores.layer.pipe(Layer.provide(PostgresLayer.layer)))
