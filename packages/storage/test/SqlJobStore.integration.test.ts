import * as SqlJobStore from "@svc/storage/SqlJobStore"
import * as PostgresLayer from "@svc/testing/PostgresLayer"
import * as JobStoreSuite from "@svc/testing/suites/JobStoreSuite"
import { Layer } from "effect"
import { Stores } from "./Stores.ts"

JobStoreSuite.suite("on PostgreSQL", Layer.mergeAll(SqlJobStore.layer, Stores).pipe(Layer.provide(PostgresLayer.layer)))
