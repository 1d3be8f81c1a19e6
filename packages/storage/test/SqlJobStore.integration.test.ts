import * as PostgresLayer from "@svc/testing/PostgresLayer"
import * as Sample from "@svc/testing/Sample"
import * as JobStoreSuite from "@svc/testing/suites/JobStoreSuite"
import { Layer } from "effect"
import * as SqlJobStore from "../src/SqlJobStore.ts"
import { Stores } from "./Stores.ts"

Sample.oneTestIn(6)
JobStoreSuite.suite("on PostgreSQL", Layer.mergeAll(SqlJobStore.layer, Stores).pipe(Layer.provide(PostgresLayer.layer)))
