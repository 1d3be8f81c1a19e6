import * as PostgresLayer from "@svc/testing/PostgresLayer"
import * as SessionStoreSuite from "@svc/testing/suites/SessionStoreSuite"
import { Layer } from "effect"
import { Stores } from "./Stores.ts"

SessionStoreSuite.suite("on PostgreSQL", Stores.pipe(Layer.provide(PostgresLayer.layer)))
