import * as PostgresLayer from "@svc-runtime/test-support/PostgresLayer"
import * as JobStoreSuite from "@svc-runtime/test-support/suites/JobStoreSuite"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Layer } from "effect"
import * as SqlJobStore from "../src/SqlJobStore.ts"
import { Stores } from "./Stores.ts"

Tier.oneIn(4)

JobStoreSuite.suite("on PostgreSQL", Layer.mergeAll(SqlJobStore.layer, Stores).pipe(Layer.provide(PostgresLayer.layer)))
