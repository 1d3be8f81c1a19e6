import * as PostgresLayer from "@svc-runtime/test-support/PostgresLayer"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Layer } from "effect"
import * as SqlStores from "../../SqlStores.ts"
import * as ContentStoreSuite from "./ContentStoreSuite.ts"

Tier.oneIn(4)

ContentStoreSuite.suite("on PostgreSQL", SqlStores.layer.pipe(Layer.provide(PostgresLayer.layer)))
