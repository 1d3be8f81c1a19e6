import * as PostgresLayer from "@svc-runtime/test-support/PostgresLayer"
import * as SessionStoreSuite from "@svc-runtime/test-support/suites/SessionStoreSuite"
import { Layer } from "effect"
import { Stores } from "./Stores.ts"

SessionStoreSuite.suite("on PostgreSQL", Stores.pipe(Layer.provide(PostgresLayer.layer)))
