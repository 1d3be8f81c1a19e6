import * as PostgresLayer from "@svc-runtime/test-support/PostgresLayer"
import * as Sample from "@svc-runtime/test-support/Sample"
import * as RunStoreSuite from "@svc-runtime/test-support/suites/RunStoreSuite"
import { Layer } from "effect"
import { Stores } from "./Stores.ts"

Sample.oneTestIn(6)
RunStoreSuite.suite("on PostgreSQL", Stores.pipe(Layer.provide(PostgresLayer.layer)))
