import * as PostgresLayer from "@svc-runtime/test-support/PostgresLayer"
import * as RunStoreSuite from "@svc-runtime/test-support/suites/RunStoreSuite"
import { Layer } from "effect"
import { Stores } from "./Stores.ts"

RunStoreSuite.suite("on PostgreSQL", Stores.pipe(Layer.provide(PostgresLayer.layer)))
