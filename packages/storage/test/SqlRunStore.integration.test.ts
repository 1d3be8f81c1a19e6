import * as PostgresLayer from "@svc/testing/PostgresLayer"
import * as RunStoreSuite from "@svc/testing/suites/RunStoreSuite"
import { Layer } from "effect"
import { Stores } from "./Stores.ts"

RunStoreSuite.suite("on PostgreSQL", Stores.pipe(Layer.provide(PostgresLayer.layer)))
