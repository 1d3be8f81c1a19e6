import * as PostgresLayer from "@svc-runtime/test-support/PostgresLayer"
import * as RunStoreSuite from "@svc-runtime/test-support/suites/RunStoreSuite"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Layer } from "effect"
import { Stores } from "./Stores.ts"

Tier.oneIn(6)

RunStoreSuite.suite("on PostgreSQL", Stores.pipe(Layer.provide(PostgresLayer.layer)))
