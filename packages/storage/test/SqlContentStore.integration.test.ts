import * as PostgresLayer from "@svc/testing/PostgresLayer"
import * as Sample from "@svc/testing/Sample"
import * as ContentStoreSuite from "@svc/testing/suites/ContentStoreSuite"
import { Layer } from "effect"
import * as SqlStores from "../src/SqlStores.ts"

Sample.oneTestIn(6)
ContentStoreSuite.suite("on PostgreSQL", SqlStores.layer.pipe(Layer.provide(PostgresLayer.layer)))
