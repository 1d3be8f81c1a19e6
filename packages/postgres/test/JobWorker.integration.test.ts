import * as PostgresLayer from "@svc-runtime/test-support/PostgresLayer"
import * as JobWorkerSuite from "@svc-runtime/test-support/suites/JobWorkerSuite"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Layer } from "effect"
import * as SqlStores from "../src/SqlStores.ts"

Tier.oneIn(10)
JobWorkerSuite.suite("on PostgreSQL", SqlStores.layer.pipe(Layer.provide(PostgresLayer.layer)))
