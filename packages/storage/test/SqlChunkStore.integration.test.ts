import * as PostgresLayer from "@svc/testing/PostgresLayer"
import * as ChunkStoreSuite from "@svc/testing/suites/ChunkStoreSuite"
import { Layer } from "effect"
import * as SqlStores from "../src/SqlStores.ts"

ChunkStoreSuite.suite("on PostgreSQL", SqlStores.layer.pipe(Layer.provide(PostgresLayer.layer)))
