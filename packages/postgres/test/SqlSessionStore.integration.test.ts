import * as PostgresLayer from "@svc-runtime/test-support/PostgresLayer"
import * as SessionStoreSuite from "@svc-runtime/test-support/suites/SessionStoreSuite"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Layer } from "effect"
import { Stores } from "./Stores.ts"

Tier.oneIn(8)

SessionStoreSuite.suite("on PostgreSQL", Stores.pipe(Layer.provide(PostgresLayer.layer)))
