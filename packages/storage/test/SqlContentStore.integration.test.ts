import * as PostgresLayer from "@svc/testing/PostgresLayer"
import * as ContentStoreSuite from "@svc/testing/suites/ContentStoreSuite"
import { Layer } from "effect"
import * as SqlStores from "../src/SqlStores.ts"

ContentStoreSuite.suite("on PostgreSQL", SqlStores.layer.pipe(Layer.provide(PostgresLayer.layer)))
