import * as PostgresLayer from "@svc/testing/PostgresLayer"
import * as UsageStoreSuite from "@svc/testing/suites/UsageStoreSuite"
import { Layer } from "effect"
import * as SqlStores from "../src/SqlStores.ts"

UsageStoreSuite.suite("on PostgreSQL", SqlStores.layer.pipe(Layer.provide(PostgresLayer.layer)))
