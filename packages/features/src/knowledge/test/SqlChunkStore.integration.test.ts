import * as PostgresLayer from "@svc-runtime/test-support/PostgresLayer"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Layer } from "effect"
import * as SqlStores from "../../SqlStores.ts"
import * as ChunkStoreSuite from "./ChunkStoreSuite.ts"

Tier.oneIn(4)

ChunkStoreSuite.suite("on PostgreSQL", SqlStores.layer.pipe(Layer.provide(PostgresLayer.layer)))
