import * as PostgresLayer from "@svc/testing/PostgresLayer"
import * as Sample from "@svc/testing/Sample"
import * as RunStoreSuite from "@svc/testing/suites/RunStoreSuite"
import { Layer } from "effect"
import { Stores } from "./Stores.ts"

Sample.oneTestIn(6)
RunStoreSuite.suite("on PostgreSQL", Stores.pipe(Layer.provide(PostgresLayer.layer)))
