import * as PostgresLayer from "@svc/testing/PostgresLayer"
import * as Sample from "@svc/testing/Sample"
import * as SessionStoreSuite from "@svc/testing/suites/SessionStoreSuite"
import { Layer } from "effect"
import { Stores } from "./Stores.ts"

Sample.oneTestIn(6)
SessionStoreSuite.suite("on PostgreSQL", Stores.pipe(Layer.provide(PostgresLayer.layer)))
